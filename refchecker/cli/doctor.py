"""doctor: what is installed here, and what to install for the rest."""

from __future__ import annotations

import argparse
from typing import Any


def add(commands: Any) -> None:
    """The sub-command; it has no options."""
    commands.add_parser("doctor", help="Show what is installed and what is missing.")


def run(options: argparse.Namespace) -> int:
    """Print the report; 2 where the default extractor and checker cannot run."""
    from .installed import report

    text, usable = report()
    print(text)
    return 0 if usable else 2
