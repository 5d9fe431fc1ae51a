"""When an open answer is right: it says the answer, or another name of it, as whole words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{3,4}})")


@lru_cache(maxsize=1 << 16)
def normal(text: str) -> str:
    """Lower case, no accents, no articles, no punctuation but the dash and the point between digits.

    >>> normal("The score was 4–2, at Råsunda!")
    'score was 4-2 at rasunda'
    """
    text = "".join(c for c in unicodedata.normalize("NFKD", text).lower() if not unicodedata.combining(c))
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"(?<=\d)\s*[-–—−‑:]\s*(?=\d)", "-", text)
    text = re.sub(r"(?<=\w)['’]s\b", "", text)
    text = re.sub(r"(?<=\d)([.-])(?=\d)|[^\w\s]", lambda found: found[1] or " ", text)
    return " ".join(word for word in text.split() if word not in ("a", "an", "the"))


def says(prediction: str, names: Sequence[str]) -> bool:
    """Whether one of the names stands in the prediction, as whole words.

    >>> says("It was held in London, England.", ["london"]), says("a Londoner", ["London"])
    (True, False)
    """
    said = f" {normal(prediction)} "
    return any(f" {name} " in said for name in map(normal, names) if name)


def names_of(answer: str, *, person: bool = False) -> list[str]:
    """The answer and other ways to write it: a date in other orders, a person by the last name.

    >>> names_of("4 July 1954")
    ['4 July 1954', 'July 4 1954', '4th July 1954', 'July 4th 1954', '4th of July 1954', '1954-07-04']
    >>> names_of("Sepp Herberger", person=True)
    ['Sepp Herberger', 'Herberger']
    """
    names = [answer]
    if found := _DATE.fullmatch(answer):
        day, month, year = found.groups()
        nth = day + _suffix(int(day))
        names += [f"{month} {day} {year}", f"{nth} {month} {year}", f"{month} {nth} {year}"]
        names += [f"{nth} of {month} {year}", f"{year}-{MONTHS.index(month) + 1:02}-{int(day):02}"]
    last = answer.split(" ")[-1]
    if (
        person
        and " " in answer
        and len(last) > 2
        and " the " not in answer
        and not re.match(r"[IVX]+$|[a-z]", last)
    ):
        names.append(last)
    return names


def _suffix(day: int) -> str:
    if 10 <= day % 100 <= 20:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
