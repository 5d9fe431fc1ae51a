"""What a sentence denies, doubts or supposes, told by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.checker.embedded.features import ReadPassage
from refchecker.checker.embedded.model import ORDER
from refchecker.checker.embedded.mood import unsettled, without_support
from refchecker.types import Label

CLAIM = "Marie Curie discovered polonium in Paris"
DENIED, OPEN = Label.CONTRADICTION, Label.NEUTRAL


def of(text: str, claim: str = CLAIM) -> Label | None:
    return unsettled(claim, ReadPassage.of(text), text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Marie Curie discovered polonium in Paris.", None),
        ("There is no doubt that Marie Curie discovered polonium in Paris.", None),
        ("Nobody can deny that Marie Curie discovered polonium in Paris.", None),
        ("Not only friends knew that Marie Curie discovered polonium in Paris.", None),
        ("By no means did Marie Curie discover polonium in Paris.", DENIED),
        ("Marie Curie didn’t discover polonium in Paris.", DENIED),
        ("The story that Marie Curie discovered polonium in Paris is made up.", DENIED),
        ("Historians have refuted the notion that Marie Curie discovered polonium in Paris.", DENIED),
        ("It is far from certain that Marie Curie discovered polonium in Paris.", DENIED),
        ("It remains unclear whether Marie Curie discovered polonium in Paris.", OPEN),
        ("There is little reason to think that Marie Curie discovered polonium in Paris.", OPEN),
        ("Conceivably, Marie Curie discovered polonium in Paris.", OPEN),
        ("Had Marie Curie discovered polonium in Paris, others would have followed.", OPEN),
        ("They came, provided that Marie Curie discovered polonium in Paris.", OPEN),
        ("Suppose that Marie Curie, who was born in Warsaw, discovered polonium in Paris.", OPEN),
    ],
)
def test_moods(text: str, label: Label | None) -> None:
    assert of(text) is label


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Paris is the capital of France", "Paris is the capital of France, not Lyon."),
        ("Haydn died in Vienna in 1809", "Haydn died in Vienna in 1809 without heirs."),
        ("Ford founded the firm in 1903", "Without formal training, Ford founded the firm in 1903."),
        ("Edison created the phonograph", "Edison invented the phonograph."),
        ("Merkel took office in 2005", "Merkel assumed office in 2005."),
        ("The bank gave funds to the school", "The bank provided funds to the school."),
        ("Dreyfus was convicted of treason", "Dreyfus was wrongly convicted of treason."),
        ("The path is 9 miles long", "The path is 9 miles long, no less."),
        ("The firm left the city in 1990", "The firm left the city in 1990 rather than pay."),
        ("Ada wrote the first program", "Ada wrote the first program, whether or not it ran."),
        ("Ada wrote the first program", "Not only did Ada write the first program, she published it."),
        ("Band members like tea", "Nobody doubts that band members like tea."),
        ("The river has fish", "The river has few fish, if any."),
    ],
)
def test_a_denial_of_something_else_is_none(claim: str, text: str) -> None:
    assert of(text, claim) is None


def test_a_frame_holds_for_the_whole_of_a_long_sentence() -> None:
    long = (
        "Marie Curie, born in Warsaw, discovered polonium in Paris, in a shed of the school where she worked"
    )
    assert of(f"{long}.") is None
    assert of(f"It is doubtful whether {long}.") is OPEN
    assert of(f"If {long}, this would have been a great success.") is OPEN


@pytest.mark.parametrize(
    "text",
    [
        "Marie Curie discovered polonium in Paris, but she did not find a patron who would have paid for it.",
        "It is a myth that Curie discovered polonium in Paris. Marie Curie discovered polonium in Paris.",
        "It is not known when the school was built.",
        "",
    ],
)
def test_a_plain_sentence_or_none_settles_nothing_away(text: str) -> None:
    assert of(text) is None


def test_a_claim_may_be_denied_or_doubted_itself() -> None:
    text = "It is unlikely that Marie Curie discovered polonium in Paris."
    assert of(text, "Marie Curie is unlikely to have discovered polonium in Paris") is None
    assert of("Marie Curie never discovered polonium.", "Marie Curie never discovered polonium") is None


def test_a_claim_of_no_words() -> None:
    assert of("It is false.", "is it") is None


@given(st.tuples(*[st.floats(0.01, 1)] * 3), st.sampled_from([DENIED, OPEN]))
def test_support_goes_to_the_other_label(weights: tuple[float, ...], instead: Label) -> None:
    probabilities = [weight / sum(weights) for weight in weights]
    moved = without_support(probabilities, ORDER, instead)
    assert sum(moved) == pytest.approx(1)
    assert moved[0] == pytest.approx(0.1 * probabilities[0])
    assert moved[ORDER.index(instead)] > probabilities[ORDER.index(instead)]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Despite what some people say, Rembrandt was not born in Ulm.", DENIED),
        ("Rembrandt was not born in Ulm, whatever the guides may tell.", DENIED),
        ("Despite what some people say, Rembrandt was born in Ulm.", None),
        ("Whatever the guides may tell, Rembrandt was born in Ulm, not in Leiden.", None),
    ],
)
def test_words_beside_a_short_denial_do_not_hide_it(text: str, label: Label | None) -> None:
    assert of(text, "Rembrandt was born in Ulm.") is label
