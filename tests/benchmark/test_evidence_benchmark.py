"""Which words make two sentences contradict each other, as `benchmark.evidence` takes it from the data."""

from __future__ import annotations

from benchmark.evidence_contradictions import (
    Hits,
    Swap,
    chance_rows,
    clash_rows,
    known,
    revised,
    swapped,
)
from refchecker.localizer.exact import ExactFinder

RAIN = "The old man walks in the rain."


def row(premise: str, hypothesis: str, label: int) -> dict:
    return {"premise": premise, "hypothesis": hypothesis, "label": label}


def cut(text: str, words) -> list[str]:
    return [text[start:end] for start, end in words]


def test_a_swap_is_where_two_sentences_differ_in_one_place():
    rows = [
        row("A man plays chess.", "A man plays cards.", 2),
        row("A man plays chess.", "A woman plays cards.", 2),  # two places
        row("A man plays chess.", "A man plays.", 2),  # nothing stands against "chess"
        row("A man plays chess.", "A man plays go.", 0),  # no contradiction
    ]
    [found] = swapped(rows, 10)
    assert (cut(found.premise, found.given), cut(found.hypothesis, found.claimed)) == (["chess"], ["cards"])


def test_revised_pairs_tell_the_words_that_were_changed_on_their_side():
    rows = [
        row(RAIN, "A man walks outside.", 0),
        row(RAIN, "A man sleeps outside.", 2),
        row(RAIN, "Nobody here has ever seen a cloud.", 2),  # written anew
        row("The old man walks in his house.", "A man walks outside.", 2),
    ]
    claims, references = revised(rows)
    assert (cut(claims.hypothesis, claims.claimed), claims.given) == (["sleeps"], ())
    assert (cut(references.premise, references.given), references.claimed) == (["his", "house"], ())


def test_hits_and_chance_count_only_the_side_that_is_known():
    swap = Swap(
        "It opened in 1931 in Bern.", "It opened in 1913 in Bern.", ((13, 17),), ()
    )  # the year of the premise
    [hit] = clash_rows([swap], ExactFinder(), None)
    assert hit == Hits(None, 1.0)
    [chance] = chance_rows([swap])
    assert chance.claim is None
    assert 0 < chance.reference < 1
    assert list(known([hit, hit], 1)) == [(0, 1.0), (1, 1.0)]
    assert list(known([hit], 0)) == []
