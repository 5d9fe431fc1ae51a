"""The options of the command line: frozen dataclasses, and the way from and to what argparse parses."""

from __future__ import annotations

from .arguments import Groups, add_command, parse, read
from .llm import LLM, LLMOptions
from .records import (
    CHECKER,
    DEFAULT,
    EXTRACTOR,
    FILES,
    CheckerOptions,
    ExtractorOptions,
    FileOptions,
    RunOptions,
    VerdictOptions,
)
from .retriever import RETRIEVER, RetrieverOptions, WebOptions

__all__ = [
    "CHECKER",
    "DEFAULT",
    "EXTRACTOR",
    "FILES",
    "LLM",
    "RETRIEVER",
    "CheckerOptions",
    "ExtractorOptions",
    "FileOptions",
    "Groups",
    "LLMOptions",
    "RetrieverOptions",
    "RunOptions",
    "VerdictOptions",
    "WebOptions",
    "add_command",
    "parse",
    "read",
]
