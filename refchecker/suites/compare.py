"""Two systems on the same units: paired tests, agreement, and how many units would show the difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import numpy as np

from ..errors import UsageError
from . import metrics
from .stats import (
    TEST_DRAWS,
    detectable,
    difference,
    finite,
    groups_needed,
    holm,
    mcnemar,
    resampled,
    rows_needed,
    taken,
)
from .types import Array, Sheet

Sheets = Mapping[str, Sheet]


def comparisons(
    pairs: Sequence[tuple[str, Sheets, str, Sheets]], *, draws: int = TEST_DRAWS, seed: int = 0
) -> list[dict[str, Any]]:
    """Every pair of systems on every sheet that both have, with p-values adjusted for all tests together."""
    found = [
        {"a": a, "b": b, **compared(own[name], others[name], draws=draws, seed=seed)}
        for a, own, b, others in pairs
        for name in own
        if name in others and (own[name].tested or own[name].right)
    ]
    return adjusted(found)


def comparisons_within(
    pairs: Sequence[tuple[str, Sheets, str, str]], *, draws: int = TEST_DRAWS, seed: int = 0
) -> list[dict[str, Any]]:
    """Pairs of sheets of one system, on the units that both have; adjusted in the same way."""
    return adjusted(
        [
            {"a": system, "b": system, **compared(own[x], own[y], draws=draws, seed=seed)}
            for system, own, x, y in pairs
        ]
    )


def compared(a: Sheet, b: Sheet, *, draws: int = TEST_DRAWS, seed: int = 0) -> dict[str, Any]:
    """One sheet of two systems, on the units that both have."""
    places = {unit: place for place, unit in enumerate(b.ids)}
    shared = [(place, places[unit]) for place, unit in enumerate(a.ids) if unit in places]
    rows_a, rows_b = (np.array(rows, dtype=int) for rows in (list(zip(*shared, strict=True)) or ((), ())))
    groups = [a.groups[place] for place in rows_a]
    columns_a, columns_b = taken(a.columns, rows_a), taken(b.columns, rows_b)
    names = [name for name in a.tested or a.metrics if name in b.metrics]
    samples_a, samples_b = (
        resampled(columns, groups, {name: sheet.metrics[name] for name in names}, draws=draws, seed=seed)
        for columns, sheet in ((columns_a, a), (columns_b, b))
    )
    result: dict[str, Any] = {
        "sheet": a.name if a.name == b.name else f"{a.name} : {b.name}",
        "n": len(shared),
        "groups": len(set(groups)),
        "only_in_a": len(a.ids) - len(shared),
        "only_in_b": len(b.ids) - len(shared),
        "metrics": {},
    }
    if not shared:
        return result
    for name in names:
        value_a, value_b = a.metrics[name](columns_a), b.metrics[name](columns_b)
        seen = difference(value_a - value_b, samples_a[name] - samples_b[name])
        result["metrics"][name] = {
            "a": finite(value_a),
            "b": finite(value_b),
            "difference": finite(seen.value),
            "low": finite(seen.low),
            "high": finite(seen.high),
            "p": finite(seen.p),
            "groups_needed": finite(groups_needed(seen.value, seen.error, result["groups"])),
            "detectable": finite(detectable(seen.error)),
        }
    if a.right and b.right:
        test = mcnemar(columns_a[a.right], columns_b[b.right], groups)
        result["mcnemar"] = {
            **{name: finite(value) for name, value in test._asdict().items()},
            "rows_needed": finite(rows_needed(test.only_a, test.only_b, len(shared))),
        }
    if a.label and b.label:
        result["agreement"] = agreement(columns_a[a.label], columns_b[b.label])
    return result


def chosen(sheets: Sheets, patterns: Sequence[str]) -> dict[str, Sheet]:
    """The sheets whose name matches a pattern such as `checker/*`; all where there is none."""
    return {n: sheet for n, sheet in sheets.items() if not patterns or any(fnmatch(n, p) for p in patterns)}


def agreement(a: Array, b: Array) -> dict[str, Any]:
    """How often two columns of label codes are the same, beyond chance."""
    return {
        "same": finite(metrics.accuracy(a, b)),
        "kappa": finite(metrics.kappa(a, b)),
    }


def adjusted(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The comparisons with `p_holm` beside each p: over all bootstrap tests, and over all McNemar tests."""
    boots = [each for one in found for each in one["metrics"].values()]
    tests = [one["mcnemar"] for one in found if "mcnemar" in one]
    for family, name in ((boots, "p"), (tests, "p_clustered")):
        raw = [math.nan if each[name] is None else each[name] for each in family]
        for each, p in zip(family, holm(raw), strict=True):
            each["p_holm"] = finite(p)
    return list(found)


def check_same_data(a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    """Errors: `UsageError` where two systems answered different suites or data."""
    for what in ("suite", "data"):
        if a[what] != b[what]:
            raise UsageError(
                f"the two cannot be compared: one is of {what} {a[what]!r}, the other of {b[what]!r}."
            )
