"""refchecker-cli."""

from __future__ import annotations

from .main import main, parser

__all__ = [
    "main",
    "parser",
]
