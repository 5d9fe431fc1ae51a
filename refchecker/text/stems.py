"""Words without their endings, stop words and letter trigrams, for comparing words. English.

The model that ships was trained with them as they are: who changes one raises VERSION and trains it again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import lru_cache

VERSION = 1
NAN = math.nan

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*")


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written in one string."""
    return frozenset(words.split())


STOP = word_set(
    "a an the of in on at to for from by with and or as is are was were be been being it its his her "
    "their this that these those which who whom has have had do does did no than then there into about "
    "over under after before also such can he she they we you i s"
)
NEGATIONS = word_set(
    "not no never none nobody nothing neither nor without cannot unable fails failed deny denied denies "
    "false untrue impossible isn't wasn't aren't weren't doesn't didn't don't won't can't couldn't"
)
_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_DIGITS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split())}
_ENDINGS = ("ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly", "er", "or")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending, number words as digits: rough, but the same on both sides.

    >>> stem("wrote"), stem("founded"), stem("Founders"), stem("Two"), stem("1,200")
    ('wrote', 'found', 'founder', '2', '1200')
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    word = _DIGITS.get(word, word).replace(",", "")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def words_of(text: str) -> list[str]:
    """The words and numbers of a text, as they are spelled."""
    return _WORD.findall(text)


@lru_cache(maxsize=2048)
def content(text: str) -> tuple[str, ...]:
    """Stems of the words that carry meaning, in order."""
    return tuple(stem(word) for word in words_of(text) if word.lower() not in STOP)


def trigrams(text: str) -> frozenset[str]:
    """The letter trigrams of a text's words."""
    plain = " " + re.sub(r"\W+", " ", text.lower()).strip() + " "
    return frozenset(plain[i : i + 3] for i in range(len(plain) - 2))


def share(wanted: Sequence[str] | frozenset[str], there: Collection[str]) -> float:
    """How much of what is wanted is there; NaN when nothing is wanted."""
    return sum(item in there for item in wanted) / len(wanted) if wanted else NAN
