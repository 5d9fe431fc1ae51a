"""Packages that only retrieval needs."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(name: str) -> Any:
    """The module, or a `UsageError` that says how to install it."""
    from ..errors import UsageError

    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"retrieval needs {name}: pip install 'refchecker[retrieval]' ({error})") from error
