"""Sentences that carry a verdict, by their words and by what a checker says of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from refchecker.localizer.exact import ExactFinder
from refchecker.localizer.locate import Localizer
from refchecker.localizer.sentences import CANDIDATES, MOST, Case, by_checker, by_words
from refchecker.text import read
from refchecker.types import Claim, Judgment, Label, Pair, Passage, Record, Verdict

CURIE = (
    "Marie Curie lived in Paris. Her daughter liked maths. She won the Nobel Prize in Physics in 1903. "
    "The weather was fine. In 1911 a second one followed, in Chemistry. Nobody was surprised."
)


def case(claim: str, text: str = CURIE, probability: float = 0.9) -> Case:
    [[finding]] = ExactFinder()([Claim(claim)], [text])
    return Case(Claim(claim), Passage(text, "doc"), "", Label.ENTAILMENT, probability, read(text), finding)


class Counting:
    """A checker that is as sure as the reference has of some words; it counts what it is asked."""

    def __init__(self, *wanted: str) -> None:
        self.wanted, self.asked = wanted, [0]

    def __call__(self, pairs: Sequence[Pair]) -> list[Judgment]:
        self.asked.append(len(pairs))
        return [self._judgment(pair.passage.text) for pair in pairs]

    def _judgment(self, text: str) -> Judgment:
        share = sum(word in text for word in self.wanted) / len(self.wanted)
        return Judgment(Label.ENTAILMENT, {Label.ENTAILMENT: share, Label.NEUTRAL: 1 - share})


@pytest.mark.parametrize(
    ("claim", "chosen"),
    [
        pytest.param("Curie lived in Paris", [0], id="one"),
        pytest.param("Curie won a Nobel Prize in Physics", [2, 0], id="the name from another"),
        pytest.param("Zebras swim", [], id="none"),
    ],
)
def test_by_words(claim: str, chosen: list[int]) -> None:
    assert by_words(case(claim)) == chosen


@pytest.mark.parametrize(
    ("wanted", "probability", "chosen"),
    [
        pytest.param(("Physics",), 0.9, [2], id="as sure as with all of it"),
        pytest.param(("Physics", "Chemistry"), 0.9, [2, 4], id="not as sure, so with the rest of the claim"),
        pytest.param(("Physics", "Chemistry"), 0.5, [2], id="all of it makes it no surer"),
    ],
)
def test_by_checker(wanted: tuple[str, ...], probability: float, chosen: list[int]) -> None:
    asked = case("She won the Nobel Prize in Physics and in Chemistry", probability=probability)
    assert by_checker([asked], Counting(*wanted)) == [chosen]


def test_the_surest_of_sentences_that_are_as_near_is_the_first() -> None:
    text = "The bridge is old. The bridge is red. The bridge is long."
    assert by_words(case("The bridge is here", text))[0] == 0
    [found] = by_checker([case("The bridge is here", text)], Counting("red"))
    assert found[0] == 1


def test_cases_are_asked_about_together() -> None:
    check = Counting("Physics", "Chemistry")
    cases = [case("Curie won the Nobel Prize in Physics and Chemistry")] * 5
    found = by_checker(cases, check)
    assert len(found) == 5
    assert check.asked == [0, 5 * CANDIDATES]


def test_at_most_so_many() -> None:
    words = ("Paris", "maths", "Physics", "weather", "Chemistry", "surprised")
    [found] = by_checker([case("Curie Paris maths Physics weather Chemistry surprised")], Counting(*words))
    assert len(found) == MOST


def test_nothing_to_ask() -> None:
    assert by_checker([], Counting("a")) == []
    assert by_checker([case("Paris", text=" ")], Counting("a")) == [[]]


def test_evidence_is_verbatim_and_best_first() -> None:
    passage = Passage(CURIE, "doc", start=300)
    label = Label.ENTAILMENT
    claim = Claim.of_triplet("Curie", "won the Nobel Prize in", "Physics and Chemistry")
    verdict = Verdict(claim, label, passages=(passage,), judgments=(Judgment(label, {label: 0.95}),))
    localizer = Localizer(ExactFinder(), check=Counting("Physics", "Chemistry"))
    [found] = localizer(Record("1", "", references=(passage,)), [verdict])
    texts = [CURIE[span.start - 300 : span.end - 300] for span in found.evidence]
    assert texts == [
        "She won the Nobel Prize in Physics in 1903.",
        "In 1911 a second one followed, in Chemistry.",
        "Marie Curie lived in Paris.",  # who "she" is
    ]
