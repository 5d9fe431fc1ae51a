"""Intervals, paired tests and sample sizes. What is drawn is a group (a question) with all its rows.

Claims of one question stand or fall together, so the rows are not independent: intervals and the paired
bootstrap draw groups, and McNemar's test is given with the groups as clusters beside the usual one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from .types import Array, Columns, Metric

DRAWS = 1000
TEST_DRAWS = 5_000  # a p-value is not below 1 / (1 + samples), and Holm multiplies it by the number of tests
LEVEL = 0.95
POWER = 0.8


def resamples(groups: Sequence[str], *, draws: int = DRAWS, seed: int = 0) -> Iterator[Array]:
    """Row numbers of each bootstrap sample: as many groups as there are, with replacement, all their rows."""
    _, codes = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        drawn = rng.integers(len(sizes), size=len(sizes))
        counts = sizes[drawn]
        first = np.repeat(starts[drawn] - (np.cumsum(counts) - counts), counts)
        yield order[first + np.arange(counts.sum())]


def taken(columns: Columns, rows: Array) -> dict[str, Array]:
    return {name: column[rows] for name, column in columns.items()}


def resampled(
    columns: Columns,
    groups: Sequence[str],
    metrics: Mapping[str, Metric],
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Array]:
    """The values of each metric over the bootstrap samples. # each [draws]"""
    values = {name: np.full(draws, np.nan) for name in metrics}
    if len(groups):
        for draw, rows in enumerate(resamples(groups, draws=draws, seed=seed)):
            sample = taken(columns, rows)
            for name, metric in metrics.items():
                values[name][draw] = metric(sample)
    return values


def interval(values: Array, level: float = LEVEL) -> tuple[float, float]:
    """The percentile interval (Efron & Tibshirani 1993, chapter 13) of the samples that have a value.

    >>> interval(np.arange(101.0), level=0.5)
    (25.0, 75.0)
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan, math.nan
    tail = 50 * (1 - level)
    low, high = np.percentile(known, (tail, 100 - tail))
    return float(low), float(high)


class McNemar(NamedTuple):
    """Two systems on the same rows; the p-values are two-sided."""

    only_a: int  # rows that only the first has right
    only_b: int
    p_exact: float  # binomial (McNemar 1947)
    p_chi2: float  # chi-square with Edwards's (1948) correction
    p_clustered: float  # chi-square with groups as clusters (Durkalski et al. 2003); nan for no difference


def mcnemar(a: Array, b: Array, groups: Sequence[str]) -> McNemar:
    """McNemar's test on two 0/1 columns of the same rows.

    >>> mcnemar(np.array([1, 1, 1, 1, 0, 1]), np.array([0, 0, 0, 0, 1, 1]), list("pqrstu")).p_exact
    0.375
    """
    difference = (a > 0).astype(int) - (b > 0).astype(int)
    only_a, only_b = int((difference > 0).sum()), int((difference < 0).sum())
    discordant = only_a + only_b
    tail = sum(math.comb(discordant, k) for k in range(min(only_a, only_b) + 1))
    p_exact = min(1.0, 2 * tail / 2**discordant)
    corrected = max(abs(only_a - only_b) - 1, 0) ** 2 / discordant if discordant else 0.0
    _, codes = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    shares = np.bincount(codes, weights=difference) / np.bincount(codes) if len(codes) else np.zeros(0)
    spread = float((shares**2).sum())
    clustered = _chi2_tail(float(shares.sum()) ** 2 / spread) if spread else math.nan
    return McNemar(only_a, only_b, p_exact, _chi2_tail(corrected), clustered)


def _chi2_tail(statistic: float) -> float:
    """The probability of more than that under chi-square with one degree of freedom."""
    return math.erfc(math.sqrt(statistic / 2))


class Difference(NamedTuple):
    """A metric of the first system less that of the second."""

    value: float
    low: float
    high: float
    p: float  # two-sided
    error: float  # standard error, the deviation over the samples


def difference(observed: float, samples: Array, level: float = LEVEL) -> Difference:
    """The paired bootstrap: the samples, moved so that there is no difference, against what was seen.

    p = (1 + samples as far from the observed difference as that is from 0) / (1 + samples): the test
    of Berg-Kirkpatrick et al. (2012), two-sided, with the 1 of Davison & Hinkley (1997, 4.11).
    """
    known = samples[~np.isnan(samples)]
    if math.isnan(observed) or len(known) < 2:
        return Difference(observed, math.nan, math.nan, math.nan, math.nan)
    far = np.abs(known - observed) >= abs(observed) - 1e-12
    p = (1 + int(far.sum())) / (1 + len(known))
    return Difference(observed, *interval(known, level), p, float(known.std(ddof=1)))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for so many tests (Holm 1979). One that is nan is no test.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    adjusted = [math.nan] * len(p_values)
    reached = 0.0
    for rank, (p, place) in enumerate(ranked):
        reached = max(reached, min(1.0, (len(ranked) - rank) * p))
        adjusted[place] = reached
    return adjusted


def rows_needed(only_a: int, only_b: int, rows: int, *, level: float = LEVEL, power: float = POWER) -> float:
    """Rows with which McNemar's test sees such a difference, were rows independent; inf for none.

    n = (z₁ √(p₁₀+p₀₁) + z₂ √(p₁₀+p₀₁ − (p₁₀−p₀₁)²))² / (p₁₀−p₀₁)², with z₁ of the level and z₂ of the
    power (Connor 1987; Miettinen 1968).

    >>> rows_needed(5, 45, 100)
    23
    """
    if only_a == only_b or not rows:
        return math.inf
    discordant, gap = (only_a + only_b) / rows, (only_a - only_b) / rows
    z_level, z_power = _quantiles(level, power)
    root = z_level * math.sqrt(discordant) + z_power * math.sqrt(max(discordant - gap**2, 0.0))
    return math.ceil((root / gap) ** 2)


def groups_needed(
    value: float, error: float, groups: int, *, level: float = LEVEL, power: float = POWER
) -> float:
    """Groups with which the paired bootstrap sees such a difference; inf for none.

    The standard error falls with the root of the number of groups: n = groups · ((z₁ + z₂) · error / value)².
    """
    if math.isnan(value) or math.isnan(error) or not value:
        return math.inf
    return math.ceil(groups * (sum(_quantiles(level, power)) * error / value) ** 2)


def detectable(error: float, *, level: float = LEVEL, power: float = POWER) -> float:
    """The smallest difference that as many groups as there are would show: (z₁ + z₂) · error."""
    return sum(_quantiles(level, power)) * error


def _quantiles(level: float, power: float) -> tuple[float, float]:
    normal = NormalDist()
    return normal.inv_cdf((1 + level) / 2), normal.inv_cdf(power)


def finite(value: float) -> float | None:
    """A number as JSON has it: six digits, None for nan and infinity."""
    if not math.isfinite(value):
        return None
    return round(value, 6) if isinstance(value, float) else int(value)
