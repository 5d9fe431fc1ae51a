"""Rows to sheets: one for all, one for each way of making conflicts, one for each domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..rows import Row, Scored, sheet_of
from ..types import Metric, Sheet
from .units import Unit

Outcome = Sequence[tuple[str, Row]] | str  # rows by id, or why there are none


class Kind(NamedTuple):
    """What is measured of rows."""

    metrics: Mapping[str, Metric]
    tested: Sequence[str]
    right: str = "right"


Score = Callable[[Unit], Outcome]


def sliced(name: str, units: Sequence[Unit], score: Score, kind: Kind) -> Iterator[Sheet]:
    """A sheet of all, one for each way of making conflicts, one for each domain."""
    outcomes = {unit.id: score(unit) for unit in units}
    slices: dict[str, list[Unit]] = {"all": list(units)}
    for prefix, field in (("conflict", "method"), ("domain", "domain")):
        for value in sorted({unit.item.fields[field] for unit in units}):
            slices[f"{prefix}/{value}"] = [unit for unit in units if unit.item.fields[field] == value]
    for part, members in slices.items():
        yield unit_sheet(f"{name}/{part}", members, outcomes.__getitem__, kind)


def unit_sheet(name: str, units: Iterable[Unit], outcome_of: Callable[[str], Outcome], kind: Kind) -> Sheet:
    """The rows of the units, each unit once."""
    scored: list[Scored] = []
    for unit in {unit.id: unit for unit in units}.values():
        outcome = outcome_of(unit.id)
        rows = [(unit.id, outcome)] if isinstance(outcome, str) else outcome
        scored += [Scored(id_, unit.item.group, row) for id_, row in rows]
    return sheet_of(name, scored, kind.metrics, right=kind.right, tested=kind.tested)
