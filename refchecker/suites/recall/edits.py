"""Steps 3 and 4 by rules: replacements that keep the shape of what they replace and make it false."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from .answers import MONTHS, says
from .facts import data_file

YEAR = re.compile(r"(?<![\d.,])(?:1[0-9]{3}|20[0-9]{2})(?![\d,]|\.\d)")
DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{3,4}})\b")
LONGEST_SHIFT = 9  # years


class Edit(NamedTuple):
    """One replacement: what the text said, and what it says instead."""

    original: str
    edited: str


def touches(name: str, edits: Iterable[Edit]) -> bool:
    """Whether one of the edits replaces words of the name."""
    return any(edit.original and says(name, [edit.original]) for edit in edits)


def replace_words(text: str, old: str, new: str) -> str:
    """Replace whole words, wherever they stand.

    >>> replace_words("In Rome, Romeo saw Rome.", "Rome", "Paris")
    'In Paris, Romeo saw Paris.'
    """
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda found: new, text)


# -- when ------------------------------------------------------------------------------------------


def shifted_dates(text: str, chance: random.Random) -> tuple[str, list[Edit]]:
    """Every year moved by the same number of years, and every full date to another day and month."""
    shift = chance.choice([-1, 1]) * chance.randint(1, LONGEST_SHIFT)
    edits: dict[str, str] = {}

    def moved(found: re.Match[str]) -> str:
        whole = found[0]
        if whole not in edits:
            edits[whole] = shifted_date(whole, shift, chance)
        return edits[whole]

    edited = re.sub(f"{DATE.pattern}|{YEAR.pattern}", moved, text)
    return edited, [Edit(*pair) for pair in edits.items()]


def shifted_date(date: str, shift: int, chance: random.Random) -> str:
    """Another date of the same form: another year, and another day and month where it has them."""
    if found := DATE.fullmatch(date):
        day = chance.choice([day for day in range(1, 29) if day != int(found[1])])
        month = chance.choice([month for month in MONTHS if month != found[2]])
        return f"{day} {month} {int(found[3]) + shift}"
    return re.sub(r"\d+", lambda year: str(int(year[0]) + shift), date)


# -- where, who, what ------------------------------------------------------------------------------

Pool = Mapping[tuple[str, str], Sequence[str]]


def pool(values: Iterable[tuple[str, str, str]]) -> Pool:
    """The distinct values of each (type, key), in the order in which they come."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for of, key, value in values:
        found.setdefault((of, key), {})[value] = None
    return {of: list(known) for of, known in found.items()}


def another(value: str, known: Sequence[str], text: str, chance: random.Random) -> str:
    """A value of the same pool that the text does not name; empty where there is none."""
    fit = [
        other
        for other in known
        if not says(text, [other]) and not says(other, [value]) and not says(value, [other])
    ]
    return chance.choice(fit) if fit else ""


# -- words -----------------------------------------------------------------------------------------


@cache
def contrasts() -> Mapping[str, str]:
    """A word to one that makes a plain statement false in its place, in the order of the file."""
    found: dict[str, str] = {}
    for line in data_file("contrasts.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            left, sign, right = re.split(r" (=|>) ", line)
            found.setdefault(left, right)
            if sign == "=":
                found.setdefault(right, left)
    return found


def word_edits(sentence: str, keep: str = "") -> Iterator[Edit]:
    """The edits of one word that are known for the sentence, the best first.

    A word that stands in it more than once is left alone, and so are those of `keep`.
    """
    words = re.findall(r"[\w-]+", sentence)
    for word, other in contrasts().items():
        if words.count(word) == 1 and other not in words and not says(keep, [word]):
            yield Edit(word, other)


def applied(sentence: str, edit: Edit) -> str:
    """The sentence with the edit, and with the article that the new word wants.

    >>> applied("It is a stable sort.", Edit("stable", "unstable"))
    'It is an unstable sort.'
    """
    edited = replace_words(sentence, edit.original, edit.edited)
    article = "an" if edit.edited[:1] in "aeiou" and not edit.edited.startswith(("uni", "one")) else "a"
    return re.sub(
        rf"\b([Aa])n?( {re.escape(edit.edited)}\b)",
        lambda found: found[1] + article[1:] + found[2],
        edited,
    )
