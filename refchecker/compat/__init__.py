"""Upstream RefChecker's names over the native pipeline; resolved when first used: they bring models along."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULE_OF = {
    "AlignScoreChecker": "checkers",
    "CompatChecker": "checkers",
    "EmbeddedChecker": "checkers",
    "NLIChecker": "checkers",
    "major_agg": "checkers",
    "soft_agg": "checkers",
    "strict_agg": "checkers",
    "LLMChecker": "llm",
    "LLMExtractor": "llm",
}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
