"""Benchmark suites: data prepared once, models asked resumably, scores that need no model, tables and plots.

A suite is a `Suite` in a module of its own; `find("human")` gives it, `runner` runs it.
"""

from __future__ import annotations

from ..errors import UsageError
from ..registry import find as find_component
from .measures import squad as squad
from .measures import stats as stats
from .types import Suite


def find(name: str) -> Suite:
    """The suite of that name, built in or another package's (entry points `refchecker.suite`)."""
    suite = find_component("suite", name)
    if not isinstance(suite, Suite):
        raise UsageError(f"the entry point of suite {name!r} is no refchecker.suites.types.Suite: {suite!r}")
    return suite
