"""Metrics over columns of numbers. Each has a card in docs/metrics.md; nan means that there is no value.

Labels are codes: positions in a list of labels, and `size` (one past the last) for an answer that is none of
them, such as Abstain. Such an answer is a miss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..types import Label
from .types import Array, Metric

LABELS = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)


def codes(labels: Sequence[str]) -> Array:
    """Positions in LABELS; 3 for Abstain and everything else. # [labels]"""
    return np.array([LABELS.index(Label(x)) if x in LABELS else len(LABELS) for x in labels], dtype=int)


def share(numerator: Array, denominator: Array | None = None) -> float:
    """The sum of one column over the sum of another; over the number of rows without another."""
    below = float(len(numerator) if denominator is None else denominator.sum())
    return float(numerator.sum()) / below if below else math.nan


def accuracy(truth: Array, guess: Array) -> float:
    return share(truth == guess)


def confusion(truth: Array, guess: Array, size: int = 3) -> Array:
    """Counts by (true label, guessed label), without guesses that are no label. # [size, size]"""
    keep = (guess >= 0) & (guess < size)
    counts: Array = np.bincount(truth[keep] * size + guess[keep], minlength=size * size)
    return counts.reshape(size, size)


def f1_by_label(truth: Array, guess: Array, size: int = 3) -> Array:
    """2·hits / (rows with the label + guesses of it); 0 where there is neither. # [size]"""
    table = confusion(truth, guess, size)
    wanted, given = np.bincount(truth, minlength=size), table.sum(axis=0)
    both = wanted + given
    found: Array = np.divide(2 * np.diag(table), both, out=np.zeros(size), where=both > 0)
    return found


def macro_f1(truth: Array, guess: Array, size: int = 3) -> float:
    """The mean F1 of the labels that some row truly has."""
    present = np.bincount(truth, minlength=size) > 0
    return float(f1_by_label(truth, guess, size)[present].mean()) if present.any() else math.nan


def precision(truth: Array, guess: Array, label: int = 1) -> float:
    """Of the guesses of a label, the share that is right."""
    return share((truth == label) & (guess == label), guess == label)


def recall(truth: Array, guess: Array, label: int = 1) -> float:
    """Of the rows that truly have a label, the share that is found."""
    return share((truth == label) & (guess == label), truth == label)


def f1(truth: Array, guess: Array, label: int = 1) -> float:
    """2·hits / (rows with the label + guesses of it); nan where there is neither."""
    hits, both = ((truth == label) & (guess == label)).sum(), (truth == label).sum() + (guess == label).sum()
    return float(2 * hits / both) if both else math.nan


def balanced_accuracy(truth: Array, guess: Array) -> float:
    """The mean of the hit rates on supported and on other claims (Entailment against the rest).

    An answer that is no label counts as "other": it is no support.
    """
    right = [((guess == 0) == side)[(truth == 0) == side] for side in (True, False)]
    rates = [part.mean() for part in right if len(part)]
    return float(np.mean(rates)) if rates else math.nan


def label_metrics(truth: Array, guess: Array) -> dict[str, float]:
    """The metrics of labelled claims, by name."""
    each = f1_by_label(truth, guess)
    return {
        "accuracy": accuracy(truth, guess),
        "macro_f1": macro_f1(truth, guess),
        **{f"f1_{label.lower()}": float(value) for label, value in zip(LABELS, each, strict=True)},
        "balanced_accuracy": balanced_accuracy(truth, guess),
    }


def kappa(a: Array, b: Array) -> float:
    """Cohen's (1960) kappa, (p_o − p_e) / (1 − p_e); nan where both always say the same one thing."""
    if not len(a):
        return math.nan
    size = int(max(a.max(), b.max())) + 1
    chance = float(np.bincount(a, minlength=size) @ np.bincount(b, minlength=size)) / len(a) ** 2
    return (share(a == b) - chance) / (1 - chance) if chance < 1 else math.nan


def uniform_kappa(a: Array, b: Array, size: int) -> float:
    """Agreement beyond 1/size, whatever the prevalence: (size·p_o − 1) / (size − 1).

    Brennan & Prediger (1981). For two labels it is PABAK, the prevalence-adjusted bias-adjusted kappa
    (Byrt et al. 1993).
    """
    return (size * share(a == b) - 1) / (size - 1)


def pearson(x: Array, y: Array) -> float:
    """The linear correlation of the rows where both are known; nan where one does not vary."""
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < 2:
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    below = math.sqrt(float(x @ x) * float(y @ y))
    return max(-1.0, min(1.0, float(x @ y) / below)) if below > 1e-12 else math.nan


def spearman(x: Array, y: Array) -> float:
    """Pearson of the ranks, where ties share the mean of their ranks."""
    known = ~(np.isnan(x) | np.isnan(y))
    return pearson(ranks(x[known]), ranks(y[known]))


def ranks(values: Array) -> Array:
    """Ranks from 1; equal values have the mean of theirs. # [values]"""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def of(metric: Callable[..., float], *columns: str) -> Metric:
    """The metric as a function of those columns of a sheet: `of(accuracy, "truth", "guess")`."""
    return lambda sheet: float(metric(*(sheet[name] for name in columns)))
