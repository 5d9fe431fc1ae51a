"""RefChecker's human-labelled benchmark."""

from __future__ import annotations

from .suite import SUITE
