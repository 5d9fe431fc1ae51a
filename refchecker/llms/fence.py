"""Texts from outside, set into a prompt so that nothing in them can pass for the prompt.

Each text stands between two lines with a fence that none of the texts contains. The fence
comes from a hash of the first text, not from chance, so equal questions are equal requests
to the cache, and questions about the same reference begin alike, which providers make
cheaper. A text would have to contain its own hash to guess it, and even then another is taken.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from itertools import count as count_from

FENCE_CHARS = 12


def fence_for(*texts: str) -> str:
    """Twelve hexadecimal characters that occur in none of the texts, however they are disguised.

    >>> fence_for("The sky is blue.") == fence_for("The sky is blue.")
    True
    """
    bare = [_bare(text) for text in texts]
    fences = (_digest(str(attempt), texts[0])[:FENCE_CHARS] for attempt in count_from(0))
    return next(fence for fence in fences if not any(fence in text for text in bare))


def fenced(name: str, text: str, fence: str) -> str:
    """The text between two lines that only the prompt can have written.

    >>> print(fenced("reference", "The sky is blue.", "5f3a9c01b2d4"))
    [5f3a9c01b2d4 reference begins]
    The sky is blue.
    [5f3a9c01b2d4 reference ends]
    """
    return f"[{fence} {name} begins]\n{text}\n[{fence} {name} ends]"


def one_line(text: str) -> str:
    """The text without line breaks, so that it cannot begin a numbered line of its own."""
    return " ".join(text.split())


def identifiers(count: int, *texts: str) -> list[str]:
    """Names for `count` claims, a few letters and a number, none of which occurs in the texts.

    >>> identifiers(2, "The sky is blue.", "The sky is green.")
    ['hep1', 'hep2']
    """
    bare = [_bare(text) for text in texts]
    for attempt in count_from(0):
        digest = _digest(str(attempt), *texts)[: 3 + attempt // 16]
        letters = "".join("abcdefghijklmnop"[int(digit, 16)] for digit in digest)
        if not any(re.search(letters + r"\d", text) for text in bare):
            break
    return [f"{letters}{number}" for number in range(1, count + 1)]


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(256)  # a reference is asked about many times
def _bare(text: str) -> str:
    """The text as an eye reads it: no invisible characters, no case, compatible forms as one."""
    if text.isascii():
        return text.lower()
    normal = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in normal if unicodedata.category(char) not in ("Cf", "Mn"))
