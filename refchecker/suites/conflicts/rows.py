"""Rows to sheets: one for all, one for each way of making conflicts, one for each domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..types import Answer, Metric, Sheet
from .units import Unit

NOT_ASKED = "not asked yet: the run is not finished"
FAULT_CHARS = 80
Row = Mapping[str, int]
Outcome = Sequence[tuple[str, Row]] | str  # rows by id, or why there are none


class Kind(NamedTuple):
    """What is measured of rows."""

    columns: Sequence[str]
    metrics: Mapping[str, Metric]
    tested: Sequence[str]
    right: str = "right"


Scored = Callable[[Unit], Outcome]


def sliced(name: str, units: Sequence[Unit], scored: Scored, kind: Kind) -> Iterator[Sheet]:
    """A sheet of all, one for each way of making conflicts, one for each domain."""
    found = {unit.id: scored(unit) for unit in units}
    slices: dict[str, list[Unit]] = {"all": list({unit.id: unit for unit in units}.values())}
    for prefix, field in (("conflict", "method"), ("domain", "domain")):
        for value in sorted({unit.item.fields[field] for unit in units}):
            own = {unit.id: unit for unit in units if unit.item.fields[field] == value}
            slices[f"{prefix}/{value}"] = list(own.values())
    for place, own_units in slices.items():
        yield sheet_of(f"{name}/{place}", own_units, found, kind)


def sheet_of(name: str, units: Sequence[Unit], found: Mapping[str, Outcome], kind: Kind) -> Sheet:
    missing: Counter[str] = Counter()
    rows: list[tuple[str, str, Row]] = []
    for unit in units:
        outcome = found[unit.id]
        if isinstance(outcome, str):
            missing[outcome] += 1
        else:
            rows += [(each, unit.item.group, row) for each, row in outcome]
    columns = {column: np.array([row[column] for *_, row in rows], dtype=int) for column in kind.columns}
    return Sheet(
        name,
        [each for each, *_ in rows],
        [group for _, group, _ in rows],
        columns,
        kind.metrics,
        right=kind.right,
        tested=kind.tested,
        missing=missing,
    )


def why(found: Sequence[Answer | None]) -> str:
    return next((answer.fault[:FAULT_CHARS] for answer in found if answer and answer.fault), NOT_ASKED)
