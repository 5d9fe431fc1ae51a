"""Find what is wrong in text that a language model wrote.

Native door: `run` over `Record`s, with an extractor and a checker from `load`.
Upstream-compatible door: `LLMExtractor`, `LLMChecker`, `NLIChecker`, `strict_agg`, `soft_agg`, `major_agg`.
Importing this package imports no model library; names are resolved when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.3.0"

_HOME = {
    "types": (
        "Claim",
        "Extraction",
        "Judgment",
        "Label",
        "Pair",
        "Passage",
        "Record",
        "Report",
        "Span",
        "Triplet",
        "Verdict",
    ),
    "errors": ("ComponentError", "LLMError", "RefCheckerError", "RetrievalError", "UsageError"),
    "registry": ("load",),
    "pipeline": ("run",),
    "compat": (
        "AlignScoreChecker",
        "LLMChecker",
        "LLMExtractor",
        "NLIChecker",
        "major_agg",
        "soft_agg",
        "strict_agg",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
__all__ = sorted([*_MODULE_OF, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'refchecker' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(f".{_MODULE_OF[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
