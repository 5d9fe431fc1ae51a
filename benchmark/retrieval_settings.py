"""Which settings of the corpus retriever find most: passage size, terms, k1 and b, queries."""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from benchmark.retrieval_data import DEPTHS, Data, Question, hits_of
from refchecker.retriever.passages import split
from refchecker.retriever.ranking import POOL, fuse
from refchecker.retriever.scores import Scores, counted
from refchecker.retriever.terms import terms
from refchecker.types import Passage, Record

SAMPLE = 800  # questions of a set at most

Tokens = Callable[[str], list[str]]


class Setting(NamedTuple):
    """What is compared: a change from what the retriever does."""

    name: str
    max_words: int = 150
    overlap_words: int = 40
    tokens: str = "as shipped"
    k1: float = 1.5
    b: float = 0.75
    query: str = "twice"  # see `queries_of`


GRID = (
    Setting("as shipped: question twice and response"),
    Setting("question, and question with response, fused", query="fused"),
    Setting("question and response as one query", query="joined"),
    Setting("question three times and response", query="thrice"),
    Setting("response alone", query="response"),
    Setting("a query for each claim too", query="claims"),
    Setting("a query of all claims too", query="claims as one"),
    Setting("60 words", 60, 15),
    Setting("90 words", 90, 20),
    Setting("120 words", 120, 30),
    Setting("200 words", 200, 50),
    Setting("no overlap", overlap_words=0),
    Setting("no stemming", tokens="no stemming"),
    Setting("no stopwords taken out", tokens="no stopwords"),
    Setting("neither", tokens="neither"),
    Setting("k1 0.9, b 0.4", k1=0.9, b=0.4),
    Setting("k1 1.2, b 0.75", k1=1.2),
)


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    import snowballstemmer

    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)
    return stemmed


def tokens_of(name: str) -> Tokens:
    from spacy.lang.en.stop_words import STOP_WORDS

    word = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
    tokenisers: dict[str, Tokens] = {
        "as shipped": terms,
        "no stemming": lambda text: [w for w in word.findall(text.lower()) if w not in STOP_WORDS],
        "no stopwords": lambda text: [_stem(w) for w in word.findall(text.lower())],
        "neither": lambda text: word.findall(text.lower()),
    }
    return tokenisers[name]


def queries_of(record: Record, how: str) -> list[str]:
    both = f"{record.question} {record.response}".strip()
    fused = [record.question, both] if record.response else [both]
    claims = [claim.text for claim in record.claims or ()]
    ways = {
        "fused": fused,
        "joined": [both],
        "twice": [f"{record.question} {both}"],
        "thrice": [f"{record.question} {record.question} {both}"],
        "response": [record.response or both],
        "claims": [*fused, *claims],
        "claims as one": [*fused, " ".join([record.question, *claims])],
    }
    return ways[how]


def compared(data: Data) -> list[dict[str, Any]]:
    rng = random.Random(0)
    samples = {
        name: rng.sample(questions, SAMPLE) if len(questions) > SAMPLE else questions
        for name, questions in data.questions.items()
    }
    return [_measured(setting, data, samples) for setting in GRID]


def _measured(setting: Setting, data: Data, samples: dict[str, list[Question]]) -> dict[str, Any]:
    started = time.monotonic()
    tokens = tokens_of(setting.tokens)
    pieces = [
        piece
        for key, text in data.documents.items()
        for piece in split(
            Passage(text, key), max_words=setting.max_words, overlap_words=setting.overlap_words
        )
    ]
    vocabulary: dict[str, int] = {}
    block = counted(
        (tokens(piece.text) for piece in pieces), lambda term: vocabulary.setdefault(term, len(vocabulary))
    )
    scores = Scores(lambda: iter([block]), len(vocabulary), k1=setting.k1, b=setting.b)

    def find(record: Record) -> list[str]:
        asked = (
            [vocabulary[t] for t in tokens(query) if t in vocabulary]
            for query in queries_of(record, setting.query)
        )
        return [pieces[at].source for at in fuse([scores.best(query, POOL) for query in asked])]

    row: dict[str, Any] = {**setting._asdict(), "passages": len(pieces)}
    for name, questions in samples.items():
        for kind, with_response in (("question", False), ("question and response", True)):
            hits = np.array([hits_of(each, find, with_response) for each in questions])
            row[f"{name}, {kind}"] = {
                f"top {d}": round(float(v), 4) for d, v in zip(DEPTHS, hits.mean(0), strict=True)
            }
    sys.stderr.write(f"{setting.name}: {len(pieces)} passages, {time.monotonic() - started:.0f} s\n")
    return row
