"""What BM25 counts, how passages are cut, ranked and fused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import bm25s
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refchecker.retriever.passages import split
from refchecker.retriever.ranking import distinct, fuse, rank
from refchecker.retriever.scores import Block, Scores, counted
from refchecker.retriever.terms import terms
from refchecker.types import Passage

PARTS = [
    *"ab CD.\n\r\t!? é9'’",
    "e\u0301",
    "👩🏽",
    "東京",
    "。",
    "ที่",
    "مرحبا",
    "क्या",
    "\ufeff",
    "Mr. Ray left. ",
]
SCRIPTS = st.lists(st.sampled_from(PARTS), max_size=300).map("".join)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("The cats were running", "en", ["cat", "run"], id="stopwords and endings"),
        pytest.param("Köln naïve ÉCOLE", "en", terms("koln naive ecole"), id="accents"),
        pytest.param("Peter’s", "en", terms("Peter's"), id="apostrophes"),
        pytest.param("Apollo 8, 1968", "en", ["apollo", "8", "1968"], id="numbers, one digit too"),
        pytest.param("snake_case a-b", "en", ["snake", "case", "b"], id="underscore and hyphen part words"),
        pytest.param("東京都 Tower", "en", ["東京", "京都", "tower"], id="pairs of Chinese characters"),
        pytest.param("東", "en", ["東"], id="one character"),
        pytest.param("die Häuser", "de", ["haus"], id="German"),
        pytest.param("the cats", "xx", ["the", "cats"], id="no stemmer, no stopwords"),
        pytest.param("क्या", "en", terms("कया"), id="marks do not part a word"),
        pytest.param("서울 특별시", "ko", ["서울", "특별시"], id="Korean stays whole"),
        pytest.param("", "en", [], id="empty"),
    ],
)
def test_terms(text: str, language: str, expected: list[str]) -> None:
    assert terms(text, language) == expected


@given(st.text(st.characters(max_codepoint=127), max_size=80))
def test_ascii_is_read_as_other_text_is(text: str) -> None:
    assert terms(text) == terms(f"{text} ч")[:-1]


@given(SCRIPTS, st.integers(1, 30), st.integers(0, 29), st.integers(0, 50))
def test_pieces_cut_out_what_they_say(text: str, max_words: int, overlap: int, start: int) -> None:
    document = Passage(text, "d", start, title="t", document="7", time="now")
    pieces = split(document, max_words=max_words, overlap_words=overlap)
    for piece in pieces:
        at = piece.start - start
        assert text[at : at + len(piece.text)] == piece.text
        assert piece.text.strip() == piece.text != ""
        assert (piece.source, piece.title, piece.document, piece.time) == ("d", "t", "7", "now")
    covered = {at for piece in pieces for at in range(piece.start, piece.start + len(piece.text))}
    assert all(at + start in covered for at, char in enumerate(text) if not char.isspace())


def test_a_book_is_cut_in_stretches_without_loss() -> None:
    text = "One sentence of several words stands here. " * 12_000 + "\n\n" + "word " * 100_000
    pieces = split(Passage(text, "book"))
    assert all(text[p.start : p.start + len(p.text)] == p.text for p in pieces)
    assert max(len(p.text.split()) for p in pieces) <= 150
    assert sum(len(p.text.split()) for p in pieces) >= len(text.split())


def test_sentences_stay_whole_and_overlap() -> None:
    text = "Ada wrote notes. Bob read them. Cyd did not. Dan left early."
    pieces = [p.text for p in split(Passage(text, "d"), max_words=6, overlap_words=3)]
    assert pieces == [
        "Ada wrote notes. Bob read them.",
        "Bob read them. Cyd did not.",
        "Cyd did not. Dan left early.",
    ]


def random_documents(seed: int, size: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [[f"w{int(rng.paretovariate(1)) % 40}" for _ in range(rng.randint(0, 30))] for _ in range(size)]


def blocks_of(documents: Sequence[Sequence[str]], per_block: int) -> tuple[list[Block], dict[str, int]]:
    numbers: dict[str, int] = {}
    pieces = [documents[at : at + per_block] for at in range(0, len(documents), per_block)]
    return [counted(piece, lambda term: numbers.setdefault(term, len(numbers))) for piece in pieces], numbers


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("per_block", [1, 7, 1000])
def test_weights_are_those_of_bm25s(seed: int, per_block: int) -> None:
    documents = [document for document in random_documents(seed, 120) if document]
    blocks, numbers = blocks_of(documents, per_block)
    scores = Scores(lambda: iter(blocks), len(numbers))
    plain = bm25s.BM25(k1=1.5, b=0.75)
    plain.index(documents, show_progress=False)
    for query in (["w1"], ["w1", "w2", "w1"], ["w3", "w30", "w7"]):
        known = [term for term in query if term in numbers]
        ours = scores.best([numbers[term] for term in known], 10)
        theirs = plain.get_scores(known)
        assert ours == [
            int(at) for at in np.lexsort((np.arange(len(theirs)), -theirs))[:10] if theirs[at] > 0
        ]


def test_saved_scores_are_read_back(tmp_path: Any) -> None:
    blocks, numbers = blocks_of(random_documents(1, 60), 20)
    scores = Scores(lambda: iter(blocks), len(numbers))
    scores.save(tmp_path)
    again = Scores.load(tmp_path)
    for number in range(len(numbers)):
        assert again.best([number], 60) == scores.best([number], 60)


def test_ties_go_to_the_earlier_passage_at_the_cut_too() -> None:
    blocks, numbers = blocks_of([["a", "b"]] * 50, 8)
    assert Scores(lambda: iter(blocks), len(numbers)).best([0], 5) == [0, 1, 2, 3, 4]


PASSAGES = [
    Passage(text, str(at))
    for at, text in enumerate(
        [
            "The painter lived in Cologne.",
            "A dog barks.",
            "the PAINTER  lived in Cologne.",
            "Painters of Köln.",
            "?",
        ]
    )
]


@pytest.mark.parametrize(
    ("queries", "sources"),
    [
        pytest.param(["a painter in Cologne"], ["0", "3"], id="best first, same words once"),
        pytest.param(["dog", "painter"], ["1", "3", "0"], id="each query has its say"),
        pytest.param(["zebra"], [], id="nothing in common"),
        pytest.param([], [], id="no query"),
        pytest.param(["the of"], [], id="only stopwords"),
    ],
)
def test_rank(queries: list[str], sources: list[str]) -> None:
    assert [passage.source for passage in rank(queries, PASSAGES, most=5)] == sources


@pytest.mark.parametrize("passages", [[], [Passage("?", "0")], [Passage("the", "0")]])
def test_rank_where_there_are_no_words(passages: list[Passage]) -> None:
    assert rank(["the painter"], passages, most=3) == []


def test_meaning_changes_the_order() -> None:
    def embed(texts: Sequence[str]) -> Any:
        return np.array([[1.0, 0.0] if "Köln" in text or "city" in text else [0.0, 1.0] for text in texts])

    ranked = rank(["painter, the city"], PASSAGES, most=2, embed=embed)
    assert [p.source for p in ranked] == ["3", "0"]
    assert [p.source for p in rank(["painter lived, the city"], PASSAGES, most=2)] == ["0", "3"]


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=8), max_size=4))
@example([[1, 2], [2, 1]])
def test_fusion_holds_all_once_and_does_not_mind_the_order(rankings: list[list[int]]) -> None:
    fused = fuse(rankings)
    assert sorted(fused) == sorted({item for ranking in rankings for item in ranking})
    assert fused == fuse(rankings[::-1])
    if len(rankings) == 1:
        assert fused == rankings[0]


def test_distinct_keeps_the_first_of_each() -> None:
    assert [p.source for p in distinct(PASSAGES)] == ["0", "1", "3", "4"]
