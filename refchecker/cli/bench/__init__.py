"""The commands bench and recall; what they do, for programs too, is in `steps`, which needs numpy."""

from __future__ import annotations

from . import commands, recall

__all__ = ["commands", "recall"]
