"""How many tokens a text may have, without the tokenizer of the model that will read it."""

from __future__ import annotations

import re

_PIECE = re.compile(r"[A-Za-z]{1,4}|\d{1,3}|\S")  # the most that tokenizers in use make of a text


def estimated(text: str) -> list[tuple[int, int]]:
    """The offsets of what could be tokens: rather too many than too few.

    >>> len(estimated("Marie Curie was born in Warsaw."))
    10
    """
    return [match.span() for match in _PIECE.finditer(text)]
