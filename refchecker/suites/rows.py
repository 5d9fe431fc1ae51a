"""From scored units to a sheet: a row for each unit, or the reason why it has none."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .types import Answer, Array, Metric, Sheet

NOT_ASKED = "not asked yet: the run is not finished"
FAULT_CHARS = 80
Row = Mapping[str, float]


class Scored(NamedTuple):
    """A unit, what a bootstrap draws it with, and its row; or why there is none."""

    id: str
    group: str
    row: Row | str


def sheet_of(name: str, units: Iterable[Scored], metrics: Mapping[str, Metric], **more: Any) -> Sheet:
    """The rows of the units as columns; the reasons are counted. `more` are other fields of the sheet.

    Without rows every column is there, and empty.
    """
    units = list(units)
    kept = [unit for unit in units if not isinstance(unit.row, str)]
    missing = Counter(unit.row for unit in units if isinstance(unit.row, str))
    ids, groups = [unit.id for unit in kept], [unit.group for unit in kept]
    columns = columns_of(rows_of(units)) or defaultdict(lambda: np.zeros(0, dtype=int))
    return Sheet(name, ids, groups, columns, metrics, missing=missing, **more)


def rows_of(units: Iterable[Scored]) -> list[Row]:
    """The rows that there are."""
    return [unit.row for unit in units if not isinstance(unit.row, str)]


def columns_of(rows: Sequence[Row]) -> dict[str, Array]:
    """A column for each name that a row has; nan where a row lacks it. # each [rows]"""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: np.array([row.get(name, math.nan) for row in rows]) for name in names}


def reason(*answers: Answer | None) -> str:
    """Why these answers give no row: the first fault; without one, they have not been asked for."""
    faults = (answer.fault[:FAULT_CHARS] for answer in answers if answer and answer.fault)
    return next(faults, NOT_ASKED)
