"""A text as a localizer reads it: its words, dates and numbers, in forms that compare, with their offsets."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from ..types import Passage
from .splitting import sentences
from .stems import STOP, stem
from .values import Value, values

# Letters with the marks that combine with them; scripts that write no spaces come one by one.
_UNSPACED = "\u0e00-\u0eff\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9f"
_MARK = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903"
    "\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0981-\u0983\u09bc-\u09cd\u0b82\u0bbe-\u0bcd\u0e31\u0e34-\u0e3a"
    "\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\u200d"
)
_WORD = re.compile(
    rf"[{_UNSPACED}][{_MARK}]*|(?:(?![{_UNSPACED}])[^\W\d_][{_MARK}]*)+(?:['’](?:[^\W\d_][{_MARK}]*)+)?"
    r"|\d+(?:[.,]\d+)*"
)
_APOSTROPHE_S = re.compile(r"['’]s?$")
_IRREGULAR_FORMS = (
    "be am is are was were been being;have has had having;do does did done;go goes went gone;say said;"
    "make made;take took taken;come came;see saw seen;know knew known;get got gotten;give gave given;"
    "find found;think thought;tell told;become became;leave left;feel felt;bring brought;begin began begun;"
    "keep kept;hold held;write wrote written;stand stood;hear heard;mean meant;meet met;run ran;pay paid;"
    "sit sat;speak spoke spoken;lie lay lain;lead led;grow grew grown;lose lost;fall fell fallen;send sent;"
    "build built;understand understood;draw drew drawn;break broke broken;spend spent;rise rose risen;"
    "drive drove driven;buy bought;wear wore worn;choose chose chosen;win won;sell sold;teach taught;"
    "catch caught;fight fought;throw threw thrown;sing sang sung;fly flew flown;shoot shot;"
    "steal stole stolen;eat ate eaten;drink drank drunk;swim swam swum;sink sank sunk;bear bore born;"
    "die died dying;man men;woman women;child children;foot feet;person people;life lives;wife wives"
)
_BASE = {form: forms.split()[0] for forms in _IRREGULAR_FORMS.split(";") for form in forms.split()}


class Word(NamedTuple):
    """One word, date or number of a text."""

    start: int
    end: int
    form: str  # equal for words that are the same but for case, accents, ending; "" for a value
    plain: str  # in lower case without accents
    capital: bool
    light: bool  # it carries no meaning of its own: an article, a preposition
    value: Value | None = None


class ReadText(NamedTuple):
    """A text, read once."""

    text: str
    words: tuple[Word, ...]
    places: dict[str, list[int]]  # of each form that is not light, in `words`
    valued: list[int]  # places of values
    sentences: tuple[tuple[int, int], ...]  # offsets
    sentence_of: list[int]  # of each word


@lru_cache(maxsize=256)
def read(text: str, language: str = "en") -> ReadText:
    """The text's words in order; a date or number of several words is one."""
    words = tuple(_in_order(text))
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        if word.value is None and not word.light:
            places.setdefault(word.form, []).append(place)
    pieces = sentences(Passage(text, ""), language=language)
    cuts = [(piece.start, piece.start + len(piece.text)) for piece in pieces]
    sentence_of, at = [], 0
    for word in words:
        while at + 1 < len(cuts) and word.start >= cuts[at][1]:
            at += 1
        sentence_of.append(at)
    valued = [place for place, word in enumerate(words) if word.value]
    return ReadText(text, words, places, valued, tuple(cuts), sentence_of)


def _in_order(text: str) -> list[Word]:
    numbers = values(text)
    inside = bytearray(len(text))
    for value in numbers:
        inside[value.start : value.end] = b"\1" * (value.end - value.start)
    words = [_word(match) for match in _WORD.finditer(text) if not any(inside[slice(*match.span())])]
    words += [Word(v.start, v.end, "", text[v.start : v.end].lower(), False, False, v) for v in numbers]
    return sorted(words, key=attrgetter("start"))


def _word(match: re.Match[str]) -> Word:
    plain = plain_form(match.group())
    return Word(match.start(), match.end(), form(plain), plain, match.group()[0].isupper(), plain in STOP)


@lru_cache(maxsize=16384)
def plain_form(word: str) -> str:
    """In lower case, without accents and possessive: "Müller's" is "muller"."""
    word = _APOSTROPHE_S.sub("", word)
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return unicodedata.normalize("NFC", "".join(char for char in apart if not _accent(char)))


@lru_cache(maxsize=16384)
def form(plain: str) -> str:
    """The form that "wrote" and "written", "city" and "cities" have in common."""
    if len(plain) > 4 and plain.endswith("ies"):
        plain = plain[:-3] + "y"
    return stem(_BASE.get(plain, plain)).removesuffix("e")


def _accent(char: str) -> bool:
    """Whether it is a mark over or under a Latin, Greek, Cyrillic, Hebrew or Arabic letter."""
    return 10 <= unicodedata.combining(char) <= 36 or unicodedata.combining(char) >= 200


def whole_characters(text: str, start: int, end: int) -> tuple[int, int]:
    """`start:end` widened so that it cuts no character from its marks, and no joined emoji apart."""
    while start > 0 and _joins(text[start], text[start - 1]):
        start -= 1
    while 0 < end < len(text) and _joins(text[end], text[end - 1]):
        end += 1
    return start, end


def _joins(char: str, before: str) -> bool:
    return (
        unicodedata.category(char) in ("Mn", "Mc", "Me")
        or char == "\u200d"
        or before == "\u200d"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )
