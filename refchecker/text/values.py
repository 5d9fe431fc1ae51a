"""Dates and numbers in English text: what they say, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES.split(), 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = r"(?P<month>(?:Jan|Febr?|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:[a-z]*)\b\.?|March\b|Mar\b\.?|May\b)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>\d{4})\b"
_DATES = (
    re.compile(rf"\b{_DAY}(?:\s+of)?[\s-]+{_MONTH}(?:(?:,|\s+of)?[\s-]+{_YEAR})?"),
    re.compile(rf"\b{_MONTH}\s+{_DAY}(?!:)(?:,?\s+{_YEAR})?"),
    re.compile(rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}"),
    re.compile(r"(?<![\d./-])(?P<year>\d{4})-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?![\d-])"),
    re.compile(
        r"(?<![\d./-])(?P<day>[0-3]?\d)(?P<cut>[./])(?P<month>[0-3]?\d)(?P=cut)(?P<year>\d{4})(?![\d/])"
    ),
    re.compile(r"(?<![\d.,$€£])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,]\d|s\b)"),
)
_DECADE = re.compile(r"\b(?P<decade>1\d\d0|20\d0)['’]?s\b")

_UNIT_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_UNITS = {word: number for number, word in enumerate(_UNIT_WORDS.split())}
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * number for number, word in enumerate(_TEN_WORDS.split(), 2)}
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_LETTERS = {"k": 10**3, "m": 10**6, "bn": 10**9}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
    **{word + "th": number for word, number in _UNITS.items() if word[-1] not in "et" and number > 3},
    **{"thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17},
    **{"eighteenth": 18, "nineteenth": 19},
    **{word[:-1] + "ieth": number for word, number in _TENS.items()},
    "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_PLAIN = "|".join(sorted((*_UNITS, *_TENS), key=len, reverse=True))
_ORDINAL_WORD = "|".join(sorted(_ORDINALS, key=len, reverse=True))
_SCALE = "|".join(_SCALES)
_DIGITS = r"\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORDED = re.compile(
    rf"\b(?:(?:{_PLAIN})|(?:a|half\sa)(?=\s(?:{_SCALE}|dozen)\b))"
    rf"(?:(?:[\s-]+(?:and\s+)?)(?:{_PLAIN}|{_SCALE}|dozen)\b)*(?:[\s-]+(?:{_ORDINAL_WORD}))?\b|\b(?:{_ORDINAL_WORD})\b",
    re.IGNORECASE,
)
_FIGURES = re.compile(
    rf"(?<![\w.,])(?P<sign>(?:US|A|C)?[$€£¥])?\s?(?P<digits>{_DIGITS})"
    rf"(?:(?P<ordinal>st|nd|rd|th)\b|[\s-]?(?P<scale>{_SCALE})\b|(?P<letter>k|m|bn)\b)?",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\s?(?:%|per\s?cent\b|percentage points?\b)", re.IGNORECASE)
_MONEY = re.compile(r"\s(dollars?|euros?|pounds?|yen)\b", re.IGNORECASE)
_SIGNS = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}


class Value(NamedTuple):
    """A date or number that stands at `start:end`. Of a date, what is not said is 0."""

    start: int
    end: int
    kind: Literal["date", "number", "ordinal"]
    numbers: tuple[float, ...]  # year, month, day; or the number
    unit: str = ""  # "%", a currency, "s" of a decade, "/" of a date that has two readings


def values(text: str) -> list[Value]:
    """The dates and numbers of a text in order, none within another.

    >>> [value.numbers for value in values("On 24 July 1969, twelve hundred of 1,200 came.")]
    [(1969, 7, 24), (1200.0,), (1200.0,)]
    """
    apart: list[Value] = []
    taken = bytearray(len(text))
    for value in (*_dates(text), *_figures(text), *_worded(text)):
        if not any(taken[value.start : value.end]):
            taken[value.start : value.end] = b"\1" * (value.end - value.start)
            apart.append(value)
    return sorted(apart)


def agreement(claimed: Value, given: Value) -> float:
    """1 where the given value says the claimed one, less where it says it less exactly, 0 where it does not.

    >>> one, other, third = values("24 July 1969; July 1969; July 20, 1969")
    >>> agreement(other, one), agreement(one, other), agreement(one, third)
    (1.0, 0.6, 0.0)
    """
    if claimed.kind == given.kind == "date":
        if "s" in (claimed.unit, given.unit) and claimed.unit != given.unit:
            return 0.0
        return max(_dates_agree(one, other) for one in _readings(claimed) for other in _readings(given))
    if claimed.unit and given.unit and claimed.unit != given.unit:
        return 0.0
    one, other = _number(claimed), _number(given)
    if one is None or other is None or (claimed.kind == "ordinal") != (given.kind == "ordinal"):
        return 0.0
    if one == other:
        return 1.0
    return 0.8 if "date" not in (claimed.kind, given.kind) and _rounds_to(one, other) else 0.0


def comparable(claimed: Value, given: Value) -> bool:
    """Whether the two are of one type, so that one can stand against the other."""
    if claimed.kind != given.kind:
        return False
    if claimed.kind == "date":
        return any(c and g for c, g in zip(claimed.numbers, given.numbers, strict=True))
    return claimed.unit == given.unit


def _number(value: Value) -> float | None:
    """The one number it says; None for a date of more than a year."""
    if value.kind == "date" and any(value.numbers[1:]):
        return None
    return value.numbers[0]


def _rounds_to(one: float, other: float) -> bool:
    """1.2 million and 1,203,000: one is the other, rounded to two digits or more."""
    if min(abs(one), abs(other)) < 1000:
        return False
    for rounder, exact in ((one, other), (other, one)):
        digits = len(f"{rounder:.0f}".rstrip("0"))
        if digits >= 2 and float(f"{exact:.{digits - 1}e}") == rounder:
            return True
    return False


def _readings(value: Value) -> list[tuple[float, ...]]:
    """The dates it may mean: 4/7/1969 is read in two ways."""
    year, month, day = value.numbers
    return [value.numbers, (year, day, month)] if value.unit == "/" else [value.numbers]


def _dates_agree(claimed: tuple[float, ...], given: tuple[float, ...]) -> float:
    shared = [(one, other) for one, other in zip(claimed, given, strict=True) if one and other]
    if not shared or any(one != other for one, other in shared):
        return 0.0
    stated = sum(map(bool, claimed))
    return 1.0 if len(shared) == stated else 0.6 if len(shared) > 1 else 0.3


def _dates(text: str) -> Iterator[Value]:
    for pattern in _DATES:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            year, day = int(parts.get("year") or 0), int(parts.get("day") or 0)
            name = (parts.get("month") or "").rstrip(".").lower()
            month = int(name) if name.isdigit() else _MONTHS.get(name) or _MONTHS.get(name[:3], 0)
            if month > 12 and day <= 12:
                month, day = day, month
            if month <= 12 and day <= 31:
                unit = "/" if parts.get("cut") == "/" and day <= 12 else ""
                yield Value(match.start(), match.end(), "date", (year, month, day), unit)
    for match in _DECADE.finditer(text):
        yield Value(match.start(), match.end(), "date", (int(match["decade"]), 0, 0), "s")


def _figures(text: str) -> Iterator[Value]:
    for match in _FIGURES.finditer(text):
        number = float(re.sub(r"[,\u00a0\u202f]", "", match["digits"]))
        number *= _SCALES.get((match["scale"] or "").lower(), 1) * _LETTERS.get(
            (match["letter"] or "").lower(), 1
        )
        start = match.start() if match["sign"] else match.start("digits")
        if match["ordinal"]:
            yield Value(start, match.end(), "ordinal", (number,))
        else:
            end, unit = _unit(text, match.end(), (match["sign"] or "")[-1:])
            yield Value(start, end, "number", (number,), unit)


def _unit(text: str, end: int, sign: str) -> tuple[int, str]:
    """Where a number ends with its unit, and the unit."""
    if percent := _PERCENT.match(text, end):
        return percent.end(), "%"
    if money := _MONEY.match(text, end):
        return money.end(), money[1].lower().removesuffix("s")
    return end, _SIGNS.get(sign, "")


def _worded(text: str) -> Iterator[Value]:
    for match in _WORDED.finditer(text):
        *cardinal, last = re.split(r"[\s-]+(?:and\s+)?", match.group().lower())
        ordinal = last in _ORDINALS
        number = _count([*cardinal, *(() if ordinal else (last,))]) + (_ORDINALS[last] if ordinal else 0)
        end, unit = (match.end(), "") if ordinal else _unit(text, match.end(), "")
        yield Value(match.start(), end, "ordinal" if ordinal else "number", (float(number),), unit)


def _count(words: list[str]) -> float:
    """The number that number words say: "two hundred and five thousand" is 205,000."""
    total = group = 0.0
    for word in words:
        if word in _SCALES:
            if word == "hundred":
                group = (group or 1) * 100
            else:
                total, group = total + (group or 1) * _SCALES[word], 0.0
        elif word == "dozen":
            group = (group or 1) * 12
        elif word == "half":
            group = 0.5
        elif word == "a":
            group = group or 1
        else:
            group += _UNITS.get(word, 0) + _TENS.get(word, 0)
    return total + group
