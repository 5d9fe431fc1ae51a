"""Keys in files."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import UsageError


def key_of(path: str, flag: str) -> str:
    """The key that a file holds: its one line, without the spaces and newlines around it."""
    if re.match(r"(sk|rk|gsk|xai)-", path):
        raise UsageError(
            f"{flag} takes the path of a file that holds the key, not the key itself, which others on this "
            "machine could read from the list of processes. Or set the environment variable."
        )
    try:
        key = Path(path).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not text"
        raise UsageError(f"{path}: cannot read the key: {reason}. Check {flag}.") from None
    if not key or len(key.split()) > 1 or not key.isascii():
        found = "is empty" if not key else "holds more than a key"
        raise UsageError(f"{path}: {found}. {flag} takes a file with one key and nothing else.")
    return key
