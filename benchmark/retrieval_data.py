"""Questions with the documents that were given with them, from all the labelled data."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmark.labels import SETTINGS, json_lines
from refchecker.types import Claim, Record

DEPTHS = (1, 3, 5, 10)


class Question(NamedTuple):
    """A question, the answers of one or more models, and the documents that were given with it."""

    text: str
    responses: tuple[str, ...]
    gold: frozenset[str]  # ids of documents
    claims: tuple[tuple[Claim, ...], ...]  # of each response; empty where they are not known


class Data(NamedTuple):
    documents: dict[str, str]  # id -> text
    questions: dict[str, list[Question]]  # by set


def gathered(root: Path) -> Data:
    """All documents, those with the same words once, and the questions to them."""
    ids: dict[str, str] = {}  # normalised text -> id
    documents: dict[str, str] = {}

    def document(text: str, name: str) -> str:
        key = " ".join(text.split())
        if key not in ids:
            ids[key] = f"{name}-{len(ids)}"
            documents[ids[key]] = text
        return ids[key]

    asked: dict[str, dict[str, list[tuple[str, str, list[str], tuple[Claim, ...]]]]] = {}

    def ask(
        name: str,
        key: str,
        question: str,
        response: str,
        gold: list[str],
        claims: Sequence[Sequence[str]] = (),
    ) -> None:
        row = question, response, gold, tuple(Claim.of_triplet(*each) for each in claims)
        asked.setdefault(name, {}).setdefault(key, []).append(row)

    for setting in SETTINGS:
        for row in json_lines(root / "human" / f"{setting}.jsonl"):
            gold = [document(text, setting) for text in row["reference"] if text.strip()]
            claims = [each["triplet"] for each in row["triplets"]]
            ask(setting, row["question"], row["question"], row["response"], gold, claims)
    with gzip.open(root / "documents" / "dolly.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            ask("dolly", row["id"], row["question"], row["response"], [document(row["text"], "dolly")])
    for row in json_lines(root / "claims" / "ragtruth_qa_train.jsonl"):
        texts = [re.sub(r"^passage \d+:", "", text) for text in row["reference"]]
        gold = [document(text, "ragtruth") for text in texts if text.strip()]
        ask("ragtruth", row["source_id"], row["question"], row["response"], gold)
    for name in ("wice_claim_dev", "qags_cnndm", "qags_xsum"):
        for row in json_lines(root / "claims" / f"{name}.jsonl"):
            if "".join(row["reference"]).strip():
                document("\n".join(row["reference"]), name)
    return Data(
        documents,
        {name: [_question(rows) for rows in entries.values()] for name, entries in asked.items()},
    )


def _question(rows: Sequence[tuple[str, str, list[str], tuple[Claim, ...]]]) -> Question:
    texts, responses, gold, claims = zip(*rows, strict=True)
    return Question(texts[0], responses, frozenset(key for own in gold for key in own), claims)


def hits_of(question: Question, find: Callable[[Record], list[str]], with_response: bool) -> list[float]:
    """For each depth, in what share of the responses a right document was found."""
    asked = [Record("", "", question.text)]
    if with_response:
        pairs = zip(question.responses, question.claims, strict=True)
        asked = [Record("", text, question.text, claims=claims) for text, claims in pairs]
    found = [find(record) for record in asked]
    return [
        float(np.mean([bool(question.gold.intersection(ids[:depth])) for ids in found])) for depth in DEPTHS
    ]
