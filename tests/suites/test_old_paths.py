"""Import paths of before the rooms that the documentation named: they still work."""

from __future__ import annotations

from refchecker.suites import measures, squad, stats
from refchecker.suites.imaginary import sheets
from refchecker.suites.imaginary_sheets import balanced


def test_the_sheets_of_the_imaginary_suite() -> None:
    assert balanced is sheets.balanced


def test_the_statistics_of_the_suites() -> None:
    assert squad.f1 is measures.f1
    assert stats.interval is measures.interval
