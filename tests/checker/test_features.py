"""What of a claim's words a passage holds, in numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.checker.embedded.features import (
    NAMES,
    NETWORK_NAMES,
    ReadPassage,
    features,
    focus,
    longest_run,
    network_features,
    share,
    stem,
)
from refchecker.types import Claim

TEXT = (
    "Marie Curie was born in Warsaw in 1867. She won two Nobel Prizes, the first in 1903! "
    "Her husband Pierre did not live to see the second."
)
PAGE = ReadPassage.of(TEXT)


def measured(claim: Claim, page: ReadPassage = PAGE, question: str = "") -> dict[str, float]:
    return dict(zip(NAMES, features(claim, page, question), strict=True))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("founded", "founding", True),
        ("Prizes", "prize", False),
        ("prizes", "Prize\u2019s", False),
        ("cities", "cited", True),
        ("two", "2", True),
        ("1,200", "1200", True),
        ("Warsaw", "warsaw", True),
        ("Curie's", "Curie", True),
        ("bed", "bees", False),
    ],
)
def test_stems(one: str, other: str, same: bool) -> None:
    assert (stem(one) == stem(other)) is same


def test_sentences_keep_their_places() -> None:
    texts = [TEXT[each.start : each.end] for each in PAGE.sentences]
    assert [text.split()[0] for text in texts] == ["Marie", "She", "Her"]
    assert texts[1].endswith("1903!")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param(
            Claim.of_triplet("Marie Curie", "born in", "Warsaw"),
            {
                "cover": 1.0,
                "cover_s": 1.0,
                "cover_o": 1.0,
                "names_missing": 0.0,
                "together": 1.0,
                "run_s": 1.0,
            },
            id="all there",
        ),
        pytest.param(
            Claim.of_triplet("Marie Curie", "born in", "Berlin"),
            {"cover_s": 1.0, "cover_o": 0.0, "names_missing": 1.0, "names_missing_o": 1.0, "together": 0.0},
            id="another place",
        ),
        pytest.param(
            Claim.of_triplet("Marie Curie", "born in", "1877"),
            {"numbers": 1.0, "numbers_missing": 1.0, "years_missing": 1.0, "numbers_cover": 0.0},
            id="another year",
        ),
        pytest.param(
            Claim.of_triplet("Marie Curie", "won", "2 Nobel Prizes"),
            {"numbers_missing": 0.0, "numbers_cover": 1.0, "cover_o": 1.0},
            id="a number in words",
        ),
        pytest.param(
            Claim("Pierre lived to see the second"),
            {"negation_claim": 0.0, "negation_sentence": 1.0, "doubt_sentence": 0.0},
            id="denied",
        ),
    ],
)
def test_the_evidence_of_a_claim(claim: Claim, expected: dict[str, float]) -> None:
    found = measured(claim)
    assert {name: found[name] for name in expected} == expected


def test_what_was_asked_is_no_evidence() -> None:
    claim = Claim.of_triplet("Lise Meitner", "won", "two Nobel Prizes")
    asked = measured(claim, question="Who won two Nobel Prizes?")
    assert asked["question_o"] == 1.0
    assert asked["question_s"] == 0.0
    assert asked["new_cover"] == 0.0
    assert math.isnan(measured(claim)["new_cover"])


@pytest.mark.parametrize(
    ("question", "claim", "expected"),
    [
        pytest.param(
            "Who won two Nobel Prizes?",
            Claim.of_triplet("Lise Meitner", "won", "two Nobel Prizes"),
            {"question_kind": 1.0, "answer": 2.0, "answer_cover": 0.0, "answer_names_missing": 2.0},
            id="another person",
        ),
        pytest.param(
            "In which city was Marie Curie born?",
            Claim.of_triplet("Marie Curie", "was born in", "Berlin"),
            {"question_kind": 4.0, "rest_asked": 1.0, "answer_sentence": 0.0, "other_names_asked": 1.0},
            id="another place, where the sentence names one",
        ),
        pytest.param(
            "When was Marie Curie born?",
            Claim("Marie Curie was born in 1867"),
            {"question_kind": 2.0, "answer_numbers": 1.0, "answer_sentence": 1.0, "other_numbers_asked": 0.0},
            id="the year, as plain text",
        ),
        pytest.param(
            "Tell me of her",
            Claim.of_triplet("Marie Curie", "won", "prizes"),
            {"question_kind": 0.0},
            id="no question",
        ),
    ],
)
def test_the_answer_is_what_was_not_asked(question: str, claim: Claim, expected: dict[str, float]) -> None:
    found = measured(claim, question=question)
    assert {name: found[name] for name in expected} == expected
    assert math.isnan(measured(claim)["question_kind"])


def test_names_are_told_from_first_words() -> None:
    page = ReadPassage.of("Later Rome fell. Once it stood. Marie Curie left.")
    assert [sorted(each.names) for each in page.sentences] == [["lat", "rome"], [], ["curie", "marie"]]


def test_a_claim_without_triplet_has_no_elements() -> None:
    found = measured(Claim("Marie Curie was born"))
    assert all(math.isnan(found[f"cover_{part}"]) for part in "spo")
    assert found["cover"] == 1.0


def test_the_focus_is_the_nearest_sentence_and_its_neighbours() -> None:
    filler = "It rained for days and nobody came. " * 6
    page = ReadPassage.of(text := f"{filler}{TEXT} {filler}")
    start, end = focus("Marie Curie was born in Warsaw", page, around=0)
    assert text[start:end] == "Marie Curie was born in Warsaw in 1867."
    start, end = focus("Marie Curie was born in Warsaw", page)
    assert text[start:end].count(".") + text[start:end].count("!") == 3


def test_the_longest_run() -> None:
    assert longest_run(["nobel", "priz"], ReadPassage.of("the Nobel prize")) == pytest.approx(0.5)
    assert longest_run(["b", "c", "x"], ReadPassage.of("a b c d")) == pytest.approx(2 / 3)
    assert math.isnan(longest_run([], PAGE))


def test_what_the_network_says() -> None:
    found = dict(
        zip(
            NETWORK_NAMES, network_features([(2.0, 0.0, 0.0), (-1.0, 0.0, 3.0)], (0.0, 5.0, 0.0)), strict=True
        )
    )
    assert found["support"] == pytest.approx(2 - math.log(2))
    assert found["contradiction"] > 2
    assert found["lean"] == 2.0
    assert found["focus_neutral"] > 4
    alone = network_features([(2.0, 0.0, 0.0)], None)
    assert alone[0] == alone[4]


@given(st.text(max_size=200), st.text(max_size=60), st.text(max_size=60))
def test_any_text_has_numbers(passage: str, claim: str, question: str) -> None:
    for each in (Claim(claim), Claim.of_triplet(claim, question, claim)):
        row = features(each, ReadPassage.of(passage), question)
        assert len(row) == len(NAMES)
        assert all(math.isnan(value) or 0 <= value < 1000 for value in row)


@given(st.lists(st.text("ab", min_size=1, max_size=2)), st.lists(st.text("ab", min_size=1, max_size=2)))
def test_a_share_is_a_share(wanted: list[str], there: list[str]) -> None:
    assert math.isnan(share(wanted, there)) if not wanted else 0 <= share(wanted, there) <= 1
    assert not wanted or share(wanted, wanted) == 1
