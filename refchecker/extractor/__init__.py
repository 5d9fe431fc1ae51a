"""Extractors: what a response claims.

The name here is upstream's class, from `refchecker.compat`. The native extractors are in
the modules: `refchecker.extractor.llm`, `refchecker.extractor.dependency`, `refchecker.extractor.sentence`.
"""

from __future__ import annotations

from typing import Any

from .. import compat

__all__ = ["LLMExtractor"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(compat, name)


def __dir__() -> list[str]:
    return __all__
