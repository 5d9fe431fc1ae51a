"""How well extracted claims match the human benchmark's triplets, by words and by sentence embedding.

    python -m benchmark.extraction_quality --extractor spacy --extractor sentence --embedding MODEL_FOLDER
    python -m benchmark.extraction_quality --extractor spacy --extractor openai/NAME \\
        --api_base http://127.0.0.1:8080/v1 --sample 40 --name extraction_quality_sample

A claim and a published triplet match where their similarity reaches a threshold; the matching is one to one
and as large as it can be. Precision is the share of claims that are matched, recall the share of triplets,
over all responses of a setting; the intervals are bootstrapped by question. Similarity by words is the F1 of
their word counts, by embedding the cosine of mean-pooled sentence vectors. What is extracted is kept under
.cache/extraction_quality, so a slow extractor that was stopped goes on. Writes results/NAME.json and NAME.md.
The published triplets are one model's reading (Claude 2), not the only right one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmark.data import data_root
from benchmark.embedding import embedder
from benchmark.labels import RESULTS, SETTINGS, json_lines
from refchecker.registry import load
from refchecker.types import Record

Array = np.ndarray[Any, np.dtype[Any]]
Similarity = Callable[[Sequence[str], Sequence[str]], Array]  # texts, other texts -> [texts, other texts]

KEPT = Path(".cache/extraction_quality")
PATIENCE_SECONDS = 600.0  # for one reply: a small model on a busy machine is slow
CHANCE = 0.05  # how often two different triplets of one response may pass for the same
SHOWN_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)


class Item(NamedTuple):
    """A response with its published triplets as texts."""

    setting: str
    record: Record
    gold: tuple[str, ...]


class Extracted(NamedTuple):
    """What an extractor made of one response."""

    claims: tuple[str, ...]
    note: str


def items_of(root: Path) -> list[Item]:
    return [
        Item(
            setting,
            Record(f"{setting}/{row['model']}/{row['id']}", row["response"], row["question"]),
            tuple(" ".join(triplet["triplet"]) for triplet in row["triplets"]),
        )
        for setting in SETTINGS
        for row in json_lines(root / "human" / f"{setting}.jsonl")
    ]


# -- extracting, once ----------------------------------------------------------------------------


def extracted(name: str, extract: Any, items: Sequence[Item], *, batch: int) -> dict[str, Extracted]:
    """Extractions by record id; those kept from an earlier run of the same extractor are not made again."""
    signature = getattr(extract, "signature", name)
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / (re.sub(r"\W+", "_", name) + ".jsonl")
    done = dict(_kept(path, signature))
    missing = [item.record for item in items if item.record.id not in done]
    with path.open("a", encoding="utf-8") as lines:
        for start in range(0, len(missing), batch):
            records = missing[start : start + batch]
            for record, extraction in zip(records, extract(records), strict=True):
                found = Extracted(tuple(claim.text for claim in extraction.claims), extraction.note)
                done[record.id] = found
                row = {"signature": signature, "id": record.id, **found._asdict()}
                if not extraction.failed:  # the next run tries it again
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")
            lines.flush()
            print(f"{name}: {start + len(records)} of {len(missing)}", file=sys.stderr)
    return {item.record.id: done[item.record.id] for item in items}


def _kept(path: Path, signature: str) -> Iterator[tuple[str, Extracted]]:
    for row in json_lines(path) if path.exists() else ():
        if row["signature"] == signature:
            yield row["id"], Extracted(tuple(row["claims"]), row["note"])


# -- similarity ----------------------------------------------------------------------------------


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def word_similarity(left: Sequence[str], right: Sequence[str]) -> Array:
    """F1 of the word counts of every text on the left with every one on the right.

    >>> word_similarity(["The Nile is long"], ["the Nile is long", "the Nile", "Cairo"]).round(2).tolist()
    [[1.0, 0.67, 0.0]]
    """
    counts = [words(text) for text in left], [words(text) for text in right]
    table = np.zeros((len(left), len(right)))
    for i, one in enumerate(counts[0]):
        for j, other in enumerate(counts[1]):
            table[i, j] = 2 * (one & other).total() / max(one.total() + other.total(), 1)
    return table


def cosine_similarity(vectors: Mapping[str, Array]) -> Similarity:
    """The similarity of texts whose unit vectors are at hand."""

    def similarity(left: Sequence[str], right: Sequence[str]) -> Array:
        if not left or not right:
            return np.zeros((len(left), len(right)))
        return np.stack([vectors[text] for text in left]) @ np.stack([vectors[text] for text in right]).T

    return similarity


def chance_threshold(similarity: Similarity, items: Sequence[Item]) -> float:
    """The similarity that only a share of CHANCE of different triplets of the same response exceed."""
    pairs = []
    for item in items:
        gold = sorted(set(item.gold))
        pairs.append(similarity(gold, gold)[np.triu_indices(len(gold), 1)])
    return round(float(np.quantile(np.concatenate(pairs), 1 - CHANCE)), 2)


def matches(table: Array, threshold: float) -> int:
    """The most pairs, one to one, that reach the threshold.

    >>> matches(np.array([[0.9, 0.8], [0.7, 0.1]]), 0.6), matches(np.zeros((0, 3)), 0.6)
    (2, 0)
    """
    reached = table >= threshold
    return int(reached[linear_sum_assignment(reached, maximize=True)].sum())


# -- the scores ----------------------------------------------------------------------------------


def scores(counts: Array) -> Array:
    """Precision, recall and F1 from rows of matched, claims, triplets. # [..., 3] -> [..., 3]"""
    matched, claims, gold = (counts[..., i].astype(float) for i in range(3))
    both = claims + gold
    return np.stack(
        [matched / np.maximum(claims, 1), matched / np.maximum(gold, 1), 2 * matched / np.maximum(both, 1)],
        -1,
    )


def with_intervals(counts: Array, questions: Sequence[str], *, draws: int = 1000) -> dict[str, Any]:
    """The scores with 95 % percentile intervals; what is drawn with replacement is a question."""
    _, codes = np.unique(np.array(questions), return_inverse=True)
    by_question = np.zeros((codes.max() + 1, 3))
    np.add.at(by_question, codes, counts)
    rng = np.random.default_rng(0)
    chosen = rng.integers(len(by_question), size=(draws, len(by_question)))
    low, high = np.percentile(scores(by_question[chosen].sum(axis=1)), (2.5, 97.5), axis=0)
    values = scores(counts.sum(axis=0))
    return {
        name: {
            "value": round(float(values[i]), 4),
            "low": round(float(low[i]), 4),
            "high": round(float(high[i]), 4),
        }
        for i, name in enumerate(("precision", "recall", "f1"))
    }


def row_of(
    items: Sequence[Item], found: Mapping[str, Extracted], measures: Mapping[str, tuple[Similarity, float]]
) -> dict[str, Any]:
    """Everything about one extractor on one set of responses."""
    claims = [found[item.record.id].claims for item in items]
    questions = [item.record.question for item in items]
    tables = {
        name: [similarity(own, item.gold) for own, item in zip(claims, items, strict=True)]
        for name, (similarity, _) in measures.items()
    }

    def counts(name: str, threshold: float) -> Array:
        return np.array([(matches(table, threshold), *table.shape) for table in tables[name]])

    return {
        "responses": len(items),
        "questions": len(set(questions)),
        "claims": sum(map(len, claims)),
        "triplets": sum(len(item.gold) for item in items),
        "without_claims": sum(not own for own in claims),
        "scores": {
            name: with_intervals(counts(name, threshold), questions)
            for name, (_, threshold) in measures.items()
        },
        "f1_at": {
            name: {
                str(at): round(float(scores(counts(name, at).sum(axis=0))[2]), 4) for at in SHOWN_THRESHOLDS
            }
            for name in measures
        },
    }


# -- the page ------------------------------------------------------------------------------------


def page(results: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    thresholds = results["thresholds"]
    lines = [
        "# Extracted claims against the published triplets",
        "",
        f"Made by `{results['command']}`, on {results['sample']}.",
        f"SHA-256 of the data {results['data']}, of the sentence model's weights {results['embedding']}.",
        "",
        *(f"- {name}: `{signature}`" for name, signature in results["extractors"].items()),
        "",
        "A claim and a triplet match, one to one, where their similarity reaches "
        + ", ".join(f"{at} by {name}" for name, at in thresholds.items())
        + f": only {CHANCE:.0%} of the pairs of different published triplets of one response are that alike. "
        "In brackets: 95 % intervals, bootstrapped by question.",
    ]
    for name in thresholds:
        lines += [
            "",
            f"## By {name}",
            "",
            "| setting | extractor | responses | claims | triplets | P | R | F1 |",
        ]
        lines += ["|---|---|" + "---:|" * 6]
        for row in results["rows"]:
            cells = [row["setting"].replace("_", " "), row["extractor"], row["responses"], row["claims"]]
            cells += [
                row["triplets"],
                *(cell(row["scores"][name][part]) for part in ("precision", "recall", "f1")),
            ]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "## F1 at other thresholds, all settings", ""]
    lines += ["| by | extractor | " + " | ".join(map(str, SHOWN_THRESHOLDS)) + " |"]
    lines += ["|---|---|" + "---:|" * len(SHOWN_THRESHOLDS)]
    for name in thresholds:
        for row in results["rows"]:
            if row["setting"] == "all":
                values = " | ".join(f"{value:.3f}" for value in row["f1_at"][name].values())
                lines.append(f"| {name} | {row['extractor']} | {values} |")
    return "\n".join(lines) + "\n"


def cell(value: Mapping[str, float]) -> str:
    return f"{value['value']:.3f} ({value['low']:.2f}–{value['high']:.2f})"


def short_hash(*paths: Path) -> str:
    """The first 12 digits of the SHA-256 of the files together."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--extractor", action="append", required=True, help="by name; may be repeated")
    parser.add_argument(
        "--embedding", type=Path, help="folder of a sentence model; without it, by words only"
    )
    parser.add_argument("--sample", type=int, help="so many responses, drawn with --seed, instead of all")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--batch", type=int, default=32, help="responses per call, kept together")
    parser.add_argument("--api_base", help="where a language model is served")
    parser.add_argument(
        "--name", default="extraction_quality", help="results/NAME.json and NAME.md are written"
    )
    return parser.parse_args()


def main() -> None:
    options = arguments()
    root = data_root("human")
    everything = items_of(root)
    items = everything
    if options.sample:
        items = random.Random(options.seed).sample(everything, options.sample)
    served = {"api_base": options.api_base, "request_timeout": PATIENCE_SECONDS}
    extractors = {name: load("extractor", name, **served) for name in options.extractor}
    found = {
        name: extracted(name, extract, items, batch=options.batch) for name, extract in extractors.items()
    }
    similarities: dict[str, Similarity] = {"words": word_similarity}
    if options.embedding:
        texts = {text for item in everything for text in item.gold}
        texts |= {
            claim for own in found.values() for extraction in own.values() for claim in extraction.claims
        }
        similarities["embedding"] = cosine_similarity(embedder(options.embedding)(sorted(texts)))
    measures = {
        name: (similarity, chance_threshold(similarity, everything))
        for name, similarity in similarities.items()
    }
    rows = [
        {"setting": setting, "extractor": name, **row_of(chosen, found[name], measures)}
        for setting in (*SETTINGS, "all")
        for chosen in [[item for item in items if setting in (item.setting, "all")]]
        for name in extractors
    ]
    results = {
        "command": "python -m benchmark.extraction_quality " + " ".join(sys.argv[1:]),
        "data": short_hash(*(root / "human" / f"{setting}.jsonl" for setting in SETTINGS)),
        "embedding": short_hash(options.embedding / "model.safetensors") if options.embedding else None,
        "sample": f"{len(items)} responses drawn with seed {options.seed}"
        if options.sample
        else f"all {len(items)} responses",
        "extractors": {name: getattr(extract, "signature", name) for name, extract in extractors.items()},
        "thresholds": {name: threshold for name, (_, threshold) in measures.items()},
        "rows": rows,
    }
    (RESULTS / f"{options.name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = page(results)
    (RESULTS / f"{options.name}.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
