"""The measure of extraction: similarity, matching, scores, and what is kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmark import extraction_quality as quality
from refchecker.types import Claim, Extraction, Record


def items(*golds: tuple[str, ...]) -> list[quality.Item]:
    return [
        quality.Item("zero_context", Record(str(n), "", f"question {n}"), gold)
        for n, gold in enumerate(golds)
    ]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("The Nile is long", "the Nile is long.", 1.0),
        ("the Nile is long", "the Nile", 2 / 3),
        ("the the", "the", 2 / 3),
        ("Cairo", "Nile", 0.0),
        ("", "", 0.0),
    ],
)
def test_words(left: str, right: str, expected: float) -> None:
    assert quality.word_similarity([left], [right])[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ([[0.9, 0.8], [0.7, 0.1]], 2),  # the best pair alone would leave the second claim without one
        ([[0.9], [0.9]], 1),
        ([[0.5, 0.5]], 0),
        (np.zeros((0, 3)), 0),
        (np.zeros((2, 0)), 0),
    ],
)
def test_matching_is_one_to_one_and_as_large_as_it_can_be(table: object, expected: int) -> None:
    assert quality.matches(np.array(table), 0.6) == expected


def test_scores_and_their_intervals() -> None:
    counts = np.array([[1, 2, 1], [1, 2, 3]])  # matched, claims, triplets
    found = quality.with_intervals(counts, ["a", "b"])
    assert [found[name]["value"] for name in ("precision", "recall", "f1")] == [0.5, 0.5, 0.5]
    assert (found["recall"]["low"], found["recall"]["high"]) == (0.3333, 1.0)


def test_threshold_lets_few_different_triplets_pass() -> None:
    gold = tuple(f"subject{n} verb object{n}" for n in range(10))
    at = quality.chance_threshold(quality.word_similarity, items(gold))
    assert at == pytest.approx(0.33)  # they all share "verb"


def test_rows_count_claims_without_a_counterpart() -> None:
    found = {"0": quality.Extracted(("a b", "x y"), ""), "1": quality.Extracted((), "declines")}
    row = quality.row_of(items(("a b",), ("c d",)), found, {"words": (quality.word_similarity, 0.5)})
    assert (row["claims"], row["triplets"], row["without_claims"]) == (2, 2, 1)
    assert row["scores"]["words"]["f1"]["value"] == 0.5


def test_what_was_extracted_is_not_extracted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "KEPT", tmp_path)
    asked: list[str] = []

    def extract(records: Sequence[Record]) -> list[Extraction]:
        asked.extend(record.id for record in records)
        return [Extraction((Claim(f"claim {record.id}"),)) for record in records]

    first = quality.extracted("mine", extract, items(("a",), ("b",))[:1], batch=1)
    both = quality.extracted("mine", extract, items(("a",), ("b",)), batch=1)
    assert asked == ["0", "1"]
    assert first["0"] == both["0"] == quality.Extracted(("claim 0",), "")
