"""Imaginary worlds: what a text supposes, doubts or denies."""

from __future__ import annotations

from .suite import SUITE
