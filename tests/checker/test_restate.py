"""Claims about the references themselves, and answers of yes and no, are checked for what they say."""

from __future__ import annotations

import pytest

from refchecker.checker.embedded import EmbeddedChecker, restate
from refchecker.types import Claim, Judgment, Label, Pair, Passage, Span

GOAT = Passage(
    "Goat milk does not create mucus. The museum opened in 1994 and stands in Lisbon.",
    "doc",
)


def put(*triplet: str) -> str:
    return restate.of(Claim.of_triplet(*triplet)).claim.text


@pytest.mark.parametrize(
    "subject", ["Passage 4", "passages 0, 1, and 3", "The provided passages", "Source [2]"]
)
@pytest.mark.parametrize(
    "predicate", ["states", "clearly mention", "suggests that", "provides information about"]
)
def test_what_references_say_is_what_is_checked(subject: str, predicate: str) -> None:
    assert put(subject, predicate, "the museum opened in 1994") == "the museum opened in 1994"


@pytest.mark.parametrize(
    ("triplet", "said"),
    [
        (("Statement in Passage 4", "indicates", "a limit of 50 percent"), "a limit of 50 percent"),
        (("some of the documents", "say", "it rains"), "it rains"),
        (("the opening year", "stated in", "the given text"), "the opening year"),
        (("the opening year", "is mentioned", "in passage 3"), "the opening year"),
        (("the museum", "opened in", "1994, according to passage 3"), "the museum opened in 1994"),
    ],
)
def test_other_ways_to_speak_of_references(triplet: tuple[str, str, str], said: str) -> None:
    assert put(*triplet) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("According to the text, the museum opened in 1994.", "the museum opened in 1994."),
        ("As stated in Passage 2, the museum opened.", "the museum opened."),
        ("The document states that the museum opened.", "the museum opened."),
        ("The museum opened in 1994, according to the article.", "The museum opened in 1994."),
    ],
)
def test_sentences_too(text: str, said: str) -> None:
    assert restate.of(Claim(text)) == (Claim(said), False)


@pytest.mark.parametrize(
    "triplet",
    [
        ("Passage 4", "does not state", "a limit"),
        ("passages", "provide", "no weight chart"),
        ("Passage 3", "is not related to", "the method"),
        ("The passage of time", "shows", "wear"),
        ("A source close to the king", "said", "he was ill"),
        ("Vitamin C", "found in", "many sources"),
        ("Marie Curie", "was born in", "Warsaw"),
        ("The Constitution", "states", "all men are equal"),
        ("Johnny Rivers", "marital status", "unknown"),
        ("", "states", "yes"),
    ],
)
def test_everything_else_stays_as_it_is(triplet: tuple[str, str, str]) -> None:
    claim = Claim.of_triplet(*triplet)
    assert restate.of(claim) == (claim, False)


@pytest.mark.parametrize(
    "text",
    ["The text is long.", "According to Newton, apples fall.", "The article that states nothing sold."],
)
def test_other_sentences_stay_as_they_are(text: str) -> None:
    assert restate.of(Claim(text)) == (Claim(text), False)


@pytest.mark.parametrize(
    ("answer", "denied"), [("Yes", False), ("true.", False), ("No", True), ("FALSE", True)]
)
def test_answers_of_yes_and_no(answer: str, denied: bool) -> None:
    claim = Claim.of_triplet("goat milk", "creates mucus", answer, (Span("response", 0, 4),))
    restated = restate.of(claim)
    assert restated.denied is denied
    assert restated.claim.text == "goat milk creates mucus"
    assert restated.claim.spans == claim.spans


def test_a_judgment_turned_is_that_of_the_opposite() -> None:
    scores = {Label.ENTAILMENT: 0.7, Label.NEUTRAL: 0.2, Label.CONTRADICTION: 0.1}
    turned = restate.turned(Judgment(Label.ENTAILMENT, scores, note="kept"))
    assert turned.label is Label.CONTRADICTION
    assert turned.scores == {Label.CONTRADICTION: 0.7, Label.NEUTRAL: 0.2, Label.ENTAILMENT: 0.1}
    assert turned.note == "kept"
    assert restate.turned(turned) == Judgment(Label.ENTAILMENT, scores, note="kept")
    assert restate.turned(Judgment(Label.ABSTAIN, note="empty")) == Judgment(Label.ABSTAIN, note="empty")


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        (Claim.of_triplet("Passage 4", "states", "the museum opened in 1994"), Label.ENTAILMENT),
        (Claim.of_triplet("Passage 4", "states", "the museum opened in 1950"), Label.CONTRADICTION),
        (Claim.of_triplet("the museum", "stands in Lisbon", "yes"), Label.ENTAILMENT),
        (Claim.of_triplet("the museum", "stands in Lisbon", "no"), Label.CONTRADICTION),
        (Claim("According to the passage, the museum stands in Lisbon."), Label.ENTAILMENT),
        (Claim.of_triplet("Passage 4", "states", "the museum sells postcards"), Label.NEUTRAL),
    ],
)
def test_the_embedded_checker_reads_them_so(claim: Claim, label: Label) -> None:
    assert EmbeddedChecker(threads=1)([Pair(claim, GOAT)])[0].label is label
