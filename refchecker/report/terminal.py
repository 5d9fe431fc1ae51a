"""Text for a terminal: its width there, broken into lines, with nothing that could steer the terminal."""

from __future__ import annotations

import unicodedata

_STEERING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x2028, 0x2029}


def printable(text: str) -> str:
    r"""On one line, control characters and changes of direction as their escapes.

    >>> print(printable("red:\x1b[31m\n two"))
    red:\x1b[31m two
    """
    return "".join(char if _harmless(char) else ascii(char)[1:-1] for char in " ".join(text.split()))


def _harmless(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cs") and ord(char) not in _STEERING


def cells(text: str) -> int:
    """How many columns a terminal takes for it.

    >>> cells("三 e\u0301")
    4
    """
    return sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def shorten(text: str, width: int) -> str:
    """At most that many columns, with an ellipsis where something was cut."""
    return text if cells(text) <= width else _head(text, width - 1) + "…"


def _head(text: str, width: int) -> str:
    used = 0
    for position, char in enumerate(text):
        used += _cells(char)
        if used > width:
            return text[:position]
    return text


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most that many columns, broken between words, or inside what is longer than a line."""
    lines = [""]
    for word in text.split():
        if lines[-1] and cells(lines[-1]) + 1 + cells(word) <= width:
            lines[-1] += f" {word}"
            continue
        if lines[-1]:
            lines.append("")
        while cells(word) > width:
            head = _head(word, width) or word[0]
            lines[-1:] = [head, ""]
            word = word[len(head) :]
        lines[-1] = word
    return [line for line in lines if line]
