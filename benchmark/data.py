"""Where the labelled data is: it is not in the repository."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_root(*needed: str) -> Path:
    """REFCHECKER_DATA, or `shared/data` beside the repository; exits saying which of `needed` is missing."""
    root = Path(os.environ.get("REFCHECKER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    for name in needed:
        if not (root / name).exists():
            sys.exit(f"{root / name} is missing. Set REFCHECKER_DATA to the folder that holds it.")
    return root
