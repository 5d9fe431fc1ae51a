"""Words that somebody says are in a text, found there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_ALIKE = str.maketrans("“”„«»‟‘’‚‛`´‐‑‒–—−", '""""""' + "''''''" + "------")
_GAP = re.compile(r"\s*(?:\.{3,}|…|\[\.{3}\])\s*")
_EDGES = " \t\r\n\"'.,;:"
_UNSPACED = "\u2e80"  # from here on, scripts that write no spaces between words


def find_quote(quote: str, text: str) -> list[tuple[int, int]]:
    """Where the text has the quote, as half-open offsets; empty where it does not.

    Case, kinds of spaces, quotation marks and dashes, and markdown stars do not matter; half
    words do not count. A quote with "..." in it is found in pieces, in order, or not at all.

    >>> find_quote("was  BORN in ... Warsaw", "She was born in the city of Warsaw.")
    [(4, 15), (28, 34)]
    """
    plain, places = _plain(text)
    spans, position = [], 0
    for part in filter(None, (_plain(piece)[0].strip(_EDGES) for piece in _GAP.split(quote))):
        start = next((at for at in _occurrences(part, plain, position)), None)
        if start is None:
            return []
        position = start + len(part)
        spans.append((places[start], places[position - 1] + 1))
    return spans


def _occurrences(part: str, plain: str, position: int) -> Iterator[int]:
    while (position := plain.find(part, position)) >= 0:
        end = position + len(part)
        if not (_inside_word(plain, position) or _inside_word(plain, end)):
            yield position
        position += 1


def _inside_word(plain: str, place: int) -> bool:
    around = plain[max(0, place - 1) : place + 1]
    return place > 0 and len(around) == 2 and around.isalnum() and max(around) < _UNSPACED


@lru_cache(1024)  # many quotes are looked for in the same text
def _plain(text: str) -> tuple[str, list[int]]:
    """The text for comparing, and for each of its characters the place it comes from."""
    kept: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for letter in unicodedata.normalize("NFKC", char).casefold().translate(_ALIKE):
            letter = " " if letter.isspace() else letter
            if letter not in "*_" and not (letter == " " and kept and kept[-1] == " "):
                kept.append(letter)
                places.append(place)
    return "".join(kept), places
