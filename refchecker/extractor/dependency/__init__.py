"""Claim triplets from spaCy's dependency parse."""

from __future__ import annotations

from .extractor import MODELS, REMEDY, DependencyExtractor
