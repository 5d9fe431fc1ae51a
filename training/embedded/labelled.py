"""Rows for the last part of the network's training: what people labelled, and a share of the made rows.

    python -m training.embedded.labelled --made runs/v3 --model refchecker/models/embedded --out runs/v4

Writes OUT/all, which the shipped network is tuned on, and OUT/fold0 to fold2, whose networks measure
it: each leaves out a third of the questions of `human/` (zero and accurate context; noisy context may
not be trained on), and fold1 all of WiCE, so that this too is judged by a network that never saw its
like. A pair becomes the pieces that the checker would read (`reading.PairReader`), with the label of the
pair. FM2 is left out: none of its claims is Neutral, and a network tuned with it calls no sentence so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from sklearn.model_selection import GroupKFold

from benchmark.data import data_root
from benchmark.labels import Item, claim_items, human_items
from refchecker.checker.embedded import read_config
from refchecker.checker.embedded.model import ORDER, Network
from refchecker.checker.embedded.reading import PairReader
from refchecker.types import Label, Pair

SETTINGS = ("zero_context", "accurate_context")
NEEDED = ("model.onnx", "tokenizer.json", "config.json")  # what `export` writes
FOLDS = 3
LEFT_OUT = {1: "wice_claim_dev"}  # by fold
CLAIM_SETS = tuple(LEFT_OUT.values())
LICENCES = {
    "human/zero_context": "labels CC BY 4.0, texts CC BY-SA 3.0 (Natural Questions)",
    "human/accurate_context": "labels CC BY 4.0, texts CC BY-SA 3.0 (Dolly)",
    "claims/wice_claim_dev": "ODC-BY",
}


class Unread(Network):
    """A network that says nothing: where a passage is cut does not depend on what it would."""

    def logits(self, passage: Sequence[int], claim: Sequence[int]) -> list[float]:
        return [0.0] * len(ORDER)


def fold_of(items: Sequence[Item]) -> list[int]:
    """The fold that leaves out each item's question; the same for every program that asks. # [items]"""
    found = [0] * len(items)
    for fold, (_, test) in enumerate(GroupKFold(FOLDS).split(items, groups=[item.group for item in items])):
        for i in test:
            found[i] = fold
    return found


def pieces(items: Sequence[Item], kind: str, read: PairReader) -> list[list[dict[str, Any]]]:
    """The training rows of each item: the nearest piece and the focus, every piece where nothing supports."""
    readings = read([Pair(item.claim, item.passages[0], item.question) for item in items])
    found = []
    for item, reading in zip(items, readings, strict=True):
        rows = []
        if windows := getattr(reading, "windows", None):
            chosen = windows if item.label is Label.NEUTRAL else windows[:1]
            texts = [piece.passage.text for piece in (*chosen, *([reading.focus] if reading.focus else []))]
            row = {"hypothesis": item.claim.text, "label": ORDER.index(item.label), "kind": kind}
            rows = [{"premise": text, **row} for text in dict.fromkeys(texts)]
        found.append(rows)
    return found


def written(rows: Sequence[dict[str, Any]], path: Path) -> str:
    """Write JSON Lines; the first twelve digits of the file's hash."""
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()[:12]


def labelled(made: Path, model: Path, out: Path, *, times: int, replay: int, seed: int) -> Iterator[str]:
    """Write the folders; a line about each."""
    rng = Random(seed)
    root = data_root("human")
    read = PairReader(Unread(model), read_config(model, NEEDED), threads=None, language="en")
    own: list[tuple[list[dict[str, Any]], int | None, str]] = []  # rows, fold that leaves them out, set
    for setting in SETTINGS:
        items = human_items(root, setting)
        folds = fold_of(items)
        own += [(rows, fold, setting) for rows, fold in zip(pieces(items, setting, read), folds, strict=True)]
    for name in CLAIM_SETS:
        own += [(rows, None, name) for rows in pieces(claim_items(root, name), name, read)]
    old = [json.loads(line) for line in (made / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    dev = [json.loads(line) for line in (made / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    sources = json.loads((made / "sources.json").read_text(encoding="utf-8"))
    for fold in (*range(FOLDS), None):
        learnt = [
            row
            for rows, left_out_by, name in own
            if fold is None or (left_out_by != fold and LEFT_OUT.get(fold) != name)
            for row in rows
        ]
        kept_out = [row for rows, left_out_by, _ in own if left_out_by == fold for row in rows]
        rows = learnt * times + rng.sample(old, replay)
        rng.shuffle(rows)
        folder = out / ("all" if fold is None else f"fold{fold}")
        folder.mkdir(parents=True, exist_ok=True)
        hashes = {
            "train": written(rows, folder / "train.jsonl"),
            "dev": written(
                [*rng.sample(dev, 800), *([] if fold is None else kept_out)], folder / "dev.jsonl"
            ),
        }
        counts: dict[str, int] = {}
        for row in rows:
            counts[row["kind"]] = counts.get(row["kind"], 0) + 1
        note = {
            "seed": seed,
            "times": times,
            "train": dict(sorted(counts.items())),
            "sha256": hashes,
            "licences": sources["licences"] | LICENCES,
            "made": sources["sha256"],
        }
        (folder / "sources.json").write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
        yield f"{folder}: {len(rows)} rows, {times} x {len(learnt)} of them labelled by people"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--made", type=Path, required=True, help="folder that `prepare` wrote")
    parser.add_argument(
        "--model", type=Path, required=True, help="folder that `export` wrote: how passages are cut"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--times", type=int, default=2, help="how often each labelled row comes (%(default)s)"
    )
    parser.add_argument("--replay", type=int, default=8000, help="made rows among them (%(default)s)")
    parser.add_argument("--seed", type=int, default=13)
    options = vars(parser.parse_args())
    for line in labelled(**options):
        print(line)


if __name__ == "__main__":
    main()
