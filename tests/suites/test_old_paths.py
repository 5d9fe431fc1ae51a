"""Import paths that the documentation named before the suites had rooms of their own: they still work."""

from __future__ import annotations

from refchecker.suites.imaginary import sheets
from refchecker.suites.imaginary_sheets import balanced


def test_the_sheets_of_the_imaginary_suite() -> None:
    assert balanced is sheets.balanced
