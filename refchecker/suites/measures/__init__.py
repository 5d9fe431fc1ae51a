"""Statistics of the suites."""

from __future__ import annotations

from .compare import check_same_data, chosen, comparisons, comparisons_within
from .squad import exact_match, f1, normalised
from .stats import DRAWS, LEVEL, TEST_DRAWS, finite, interval, resampled

__all__ = [
    "DRAWS",
    "LEVEL",
    "TEST_DRAWS",
    "check_same_data",
    "chosen",
    "comparisons",
    "comparisons_within",
    "exact_match",
    "f1",
    "finite",
    "interval",
    "normalised",
    "resampled",
]
