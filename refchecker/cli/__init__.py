"""refchecker-cli."""

from __future__ import annotations

from .main import main, parser
