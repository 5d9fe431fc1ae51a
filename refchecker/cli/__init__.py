"""refchecker-cli."""

from __future__ import annotations

from .main import exit_code, main, parser
