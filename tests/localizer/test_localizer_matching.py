"""Dates, numbers, names and inflected words, found however they are written."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.localizer.matching import mentions
from refchecker.text import agreement, comparable, read
from refchecker.text.values import values

PAGE = (
    "Commander Neil A. Armstrong and Buzz Aldrin of NASA landed on the Moon on July 20, 1969, at 20:17. "
    "Armstrong's suit had a grey colour. The UN paid 1,203,000 dollars for it. J.K. Rowling wrote books in "
    "cafés; twelve hundred people came, 12 % of them children. 👩‍👩‍👧 The "
    "European Space Agency joined on 4/7/1975."
)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        pytest.param("landed on", ["landed on"], id="as it is"),
        pytest.param("was landing on", ["landed on"], id="inflected"),
        pytest.param("writes", ["wrote"], id="irregular"),
        pytest.param("NEIL ARMSTRONG", ["Neil A. Armstrong", "Armstrong's"], id="last name for the full one"),
        pytest.param("Armstrong", ["Armstrong", "Armstrong's"], id="possessive, twice"),
        pytest.param("N. Armstrong", ["Neil A. Armstrong", "Armstrong's"], id="initial"),
        pytest.param("Joanne Rowling", ["J.K. Rowling"], id="name for an initial"),
        pytest.param("20 July 1969", ["July 20, 1969"], id="day first"),
        pytest.param("1969-07-20", ["July 20, 1969"], id="ISO"),
        pytest.param("July 1969", ["July 20, 1969"], id="month of a day"),
        pytest.param("24 July 1969", [], id="another day"),
        pytest.param("4 July 1975", ["4/7/1975"], id="day before month"),
        pytest.param("April 7, 1975", ["4/7/1975"], id="month before day"),
        pytest.param("1200 people", ["twelve hundred people"], id="number in words"),
        pytest.param("1.2 thousand", ["twelve hundred"], id="thousand"),
        pytest.param("twelve percent", ["12 %"], id="percent"),
        pytest.param("12 dollars", [], id="another unit"),
        pytest.param("$1.2 million", ["1,203,000 dollars"], id="rounded"),
        pytest.param("color", ["colour"], id="a letter less"),
        pytest.param("a cafe", ["cafés"], id="accent"),
        pytest.param("United Nations", ["UN"], id="letters for a name"),
        pytest.param("ESA", ["European Space Agency"], id="name for letters"),
        pytest.param("👩‍👩‍👧", ["👩‍👩‍👧"], id="emoji"),
        pytest.param("👩", [], id="half an emoji"),
        pytest.param("Michael Collins", [], id="nobody"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_mentions(wanted: str, found: list[str]) -> None:
    assert [PAGE[each.start : each.end] for each in mentions(read(wanted), read(PAGE))] == found


@pytest.mark.parametrize(
    ("one", "other", "agreed", "one_type"),
    [
        ("24 July 1969", "July 20, 1969", 0.0, True),
        ("July 1969", "20 July 1969", 1.0, True),
        ("20 July 1969", "July 1969", 0.6, True),
        ("1,200", "1200", 1.0, False),
        ("1.2 million", "1,203,000", 0.8, True),
        ("the 1960s", "in 1960", 0.0, True),
        ("21st", "twenty-first", 1.0, True),
        ("one", "first", 0.0, False),
        ("5 %", "5 dollars", 0.0, False),
        ("half a million", "500,000", 1.0, True),
        ("two hundred and five thousand and six", "205,006", 1.0, True),
    ],
)
def test_values(one: str, other: str, agreed: float, one_type: bool) -> None:
    [claimed], [given] = values(one), values(other)
    assert agreement(claimed, given) == agreed
    assert comparable(claimed, given) is one_type


@given(st.text(max_size=80))
def test_values_do_not_overlap(text: str) -> None:
    found = values(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(0 <= each.start < each.end <= len(text) for each in found)


@given(st.text(max_size=80))
def test_words_stand_where_they_say(text: str) -> None:
    page = read(text)
    assert all(text[word.start : word.end].strip() for word in page.words)
    assert all(one.end <= other.start for one, other in pairwise(page.words))
    assert len(page.sentence_of) == len(page.words)
