"""Checkers: what a reference says about a claim.

The names here are upstream's classes, from `refchecker.compat`. The
native checkers are in the modules, such as `refchecker.checker.nli` and `refchecker.checker.llm`.
"""

from __future__ import annotations

from typing import Any

from .. import compat

__all__ = ["AlignScoreChecker", "CompatChecker", "EmbeddedChecker", "LLMChecker", "NLIChecker"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(compat, name)


def __dir__() -> list[str]:
    return __all__
