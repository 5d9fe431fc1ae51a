"""Train the trees that weigh the network's logits with the evidence of the words, and cross-validate them.

    python -m training.embedded.weigh --data runs/embedded --tuned runs/tuned \\
        --model refchecker/models/embedded --report benchmark/results/embedded_cv

Reads what `export` wrote (model.onnx, tokenizer.json, config.json) and adds weigh.onnx.
The trees learn from people's labels on claim triplets (human/, zero and accurate context; those of
noisy context may not be trained on), from development rows that the network never saw, and from claims
beside passages of other questions, which say nothing about them; half of those of support also from claims
beside whole documents (`asked`). What the network says of a labelled pair is asked of that of a fold which
left it out (`labelled`). Reported numbers are out of fold: no question is in both halves. The labels behind
them go to out_of_fold.jsonl in --data, as `python -m benchmark.human --suite --out_of_fold` takes them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import GroupKFold

from benchmark.calibration import calibration_error
from benchmark.data import data_root
from benchmark.labels import SUPPORT_SETS, baseline_labels, claim_items, human_items, summary, table
from refchecker.checker.embedded import read_config
from refchecker.checker.embedded.features import VERSION, ReadPassage, nearness
from refchecker.checker.embedded.model import ORDER, Network
from refchecker.checker.embedded.mood import unsettled, without_support
from refchecker.checker.embedded.reading import PairReader, PairReading
from refchecker.suites.human import data as human_data
from refchecker.types import Claim, Label, Pair, Passage

from .asked import WEIGHTS as ASKED
from .labelled import CLAIM_SETS, LEFT_OUT, NEEDED, SETTINGS, fold_of
from .trees import FEATURES, Array, Forest, fitted, write_trees

VARIANTS = ("unasked", "text", "told", "twice")  # of a labelled triplet
PART = 4000  # pairs read at a time: what was read of their passages stays in memory
MADE = "asked"  # how the kinds of rows begin that only half of the trees of support learn from
ALL = "all"  # the network that ships; those of the folds are "fold0", "fold1", ...


class Row(NamedTuple):
    """One labelled pair. `group` is the question: no group is both learnt from and predicted."""

    pair: Pair
    label: int
    group: str
    kind: str
    weight: float
    network: str = ALL  # the one that reads it: none that learnt from it
    more: float = 1.0  # times its weight where trees learn support alone


def human_rows(root: Path, rng: Random) -> Iterator[Row]:
    """Each triplet as it is asked, without the question, as plain text, and beside questions that say more.

    A question that states the claim, or has another one after it, is no evidence: without such rows the trees
    take a claim for supported when the question has its words.
    """
    for setting in SETTINGS:
        items = human_items(root, setting)
        questions = sorted({item.question for item in items})
        for item, fold in zip(items, fold_of(items), strict=True):
            other = rng.choice([question for question in questions if question != item.question])
            (passage,), label = item.passages, ORDER.index(item.label)
            asked = Row(
                Pair(item.claim, passage, item.question), label, item.group, setting, 1.0, f"fold{fold}"
            )
            yield asked
            for variant, pair in (
                ("unasked", Pair(item.claim, passage)),
                ("text", Pair(Claim(item.claim.text), passage)),
                ("told", asked.pair._replace(question=f"{item.question} {item.claim.text}")),
                ("twice", asked.pair._replace(question=f"{item.question} {other}")),
            ):
                weight = 0.06 if variant in ("told", "twice") else 0.15
                yield asked._replace(pair=pair, kind=f"{setting} {variant}", weight=weight)


def claim_rows(root: Path) -> Iterator[Row]:
    """Claims in sentences, which the trees are not trained on (with them, noisy context came out worse).

    Each set is read by the network of the fold that never saw it.
    """
    for fold, name in LEFT_OUT.items():
        for item in claim_items(root, name):
            pair = Pair(item.claim, item.passages[0])
            yield Row(pair, ORDER.index(item.label), name, name, 0.0, f"fold{fold}")


def unrelated_rows(rows: Sequence[Row], rng: Random, weight: float) -> Iterator[Row]:
    """Each claim beside the nearest of a dozen passages of other questions: neutral."""
    passages = {row.group: row.pair.passage for row in rows}
    for row in rows:
        others = rng.sample([group for group in passages if group != row.group], 12)

        def near(group: str, claim: str = row.pair.claim.text) -> float:
            passage = ReadPassage.of(passages[group].text)
            return nearness(claim, passage.positions, passage.trigrams)

        yield row._replace(
            pair=row.pair._replace(passage=passages[max(others, key=near)]),
            label=ORDER.index(Label.NEUTRAL),
            kind="unrelated",
            weight=weight,
        )


def made_rows(path: Path, text_weight: float, triplet_weight: float, more: float) -> Iterator[Row]:
    """The development rows of the network, as plain text and, where they are triplets, as such.

    A premise is a group. Without the triplets the trees would learn that a claim in elements is a
    person's, and that what the network says of a swapped date or a "might" counts for little there. Where
    trees learn support alone the rows count `more` times their weight.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        made = json.loads(line)
        if made["label"] < len(ORDER):
            text, passage = Claim(made["hypothesis"]), Passage(made["premise"], "premise")
            row = Row(
                Pair(text, passage), made["label"], made["premise"], made["kind"], text_weight, more=more
            )
            yield row
            if "triplet" in made:
                pair = Pair(Claim.of_triplet(*made["triplet"]), passage)
                yield row._replace(pair=pair, weight=triplet_weight)


def asked_rows(path: Path) -> Iterator[Row]:
    """The rows of `asked`, each with its question and without."""
    for line in path.read_text(encoding="utf-8").splitlines():
        made = json.loads(line)
        claim, passage = Claim.of_triplet(*made["triplet"]), Passage(made["premise"], "premise")
        for question in (made["question"], ""):
            pair, weight = Pair(claim, passage, question), ASKED[made["kind"]]
            yield Row(pair, made["label"], made["question"], f"{MADE} {made['kind']}", weight)


def measured(rows: Sequence[Row], networks: dict[str, Path], kept: Path) -> tuple[list[Row], Array]:
    """The rows that can be read, and their features, each by its own network. # [rows, features]"""
    found: dict[int, Array] = {}
    for name, folder in networks.items():
        own = [place for place, row in enumerate(rows) if row.network == name]
        read, features = _measured([rows[place].pair for place in own], folder, kept / f"measured_{name}.npz")
        found |= {own[i]: features[n] for n, i in enumerate(read)}
    places = sorted(found)
    return [rows[place] for place in places], np.array([found[place] for place in places])


def _measured(pairs: Sequence[Pair], model: Path, kept_at: Path) -> tuple[list[int], Array]:
    """Which pairs can be read, and their features, kept for the next run."""
    key = hashlib.sha256((model / "model.onnx").read_bytes() + repr((VERSION, pairs)).encode()).hexdigest()
    if kept_at.exists():
        with np.load(kept_at) as kept:
            if str(kept["key"]) == key:
                return kept["places"].tolist(), kept["features"]
    read = PairReader(Network(model), read_config(model, NEEDED), threads=None, language="en")
    parts = (pairs[start : start + PART] for start in range(0, len(pairs), PART))
    readings = (each for part in parts for each in read(part))
    found = [(i, each.row) for i, each in enumerate(readings) if isinstance(each, PairReading)]
    places, features = [i for i, _ in found], np.array([row for _, row in found], dtype=np.float32)
    np.savez_compressed(kept_at, key=key, places=places, features=features)
    return places, features


def weights_of(rows: Sequence[Row], power: float) -> Array:
    """Row weights. Within a setting a label counts by its rarity to the `power`, so that which setting a pair
    comes from says less about its label."""
    weights = np.array([row.weight for row in rows])
    kinds, labels = np.array([row.kind.split()[0] for row in rows]), np.array([row.label for row in rows])
    for setting in SETTINGS:
        here = kinds == setting
        rarity = np.array([1 / np.mean(labels[here] == label) ** power for label in labels[here]])
        weights[here] *= rarity / rarity.mean()
    return weights


def is_made(rows: Sequence[Row]) -> Array:
    """Which rows only half of the trees of support learn from. # [rows]"""
    return np.array([row.kind.startswith(MADE) for row in rows])


def fit(features: Array, rows: Sequence[Row], weights: Array, **shape: Any) -> Forest:
    labels, more = np.array([row.label for row in rows]), np.array([row.more for row in rows])
    return fitted(features, labels, weights, weights * more, is_made(rows), **shape)


def out_of_fold(features: Array, rows: Sequence[Row], weights: Array, folds: int, **shape: Any) -> Array:
    """Probabilities of every row by trees that never saw its question; of rows that are made, nothing is
    asked, and all trees learn from them: their documents are none of the questions'. # [rows, 3]"""
    made = is_made(rows)
    people, always = np.flatnonzero(~made), np.flatnonzero(made)
    found = np.zeros((len(rows), len(ORDER)))
    for learnt, left in GroupKFold(folds).split(people, groups=[rows[i].group for i in people]):
        train, test = np.concatenate([people[learnt], always]), people[left]
        forest = fit(features[train], [rows[i] for i in train], weights[train], **shape)
        found[test] = forest(features[test])
    return found


def settled(probabilities: Array, rows: Sequence[Row]) -> Array:
    """The probabilities as the checker gives them: none of support that is denied or supposed. # [rows, 3]"""
    page, found = cache(ReadPassage.of), probabilities.copy()
    for place, row in enumerate(rows):
        text = row.pair.passage.text
        if instead := unsettled(row.pair.claim.text, page(text), text):
            found[place] = without_support(found[place], ORDER, instead)
    return found


def scores_of(labels: Array, probabilities: Array) -> dict[str, Any]:
    """Accuracy, macro-F1, F1 by label, and balanced accuracy of Entailment against the rest."""
    guess = probabilities.argmax(axis=1)
    table = np.zeros((3, 3))
    np.add.at(table, (labels, guess), 1)
    f1 = 2 * np.diag(table) / np.maximum(table.sum(0) + table.sum(1), 1)
    recall = (table[0, 0] / table[0].sum() + table[1:, 1:].sum() / table[1:].sum()) / 2
    return {
        "n": len(labels),
        "accuracy": round(float(np.trace(table) / len(labels)), 4),
        "macro_f1": round(float(f1.mean()), 4),
        "f1": [round(float(each), 3) for each in f1],
        "balanced_accuracy": round(float(recall), 4),
    }


def expected_calibration_error(labels: Array, probabilities: Array) -> float:
    """Of the label that is given, over 10 bins of equal width."""
    hits = probabilities.argmax(axis=1) == labels
    outcomes = list(zip(probabilities.max(axis=1).tolist(), hits.tolist(), strict=True))
    return calibration_error(outcomes, bins=10)


def report_of(rows: Sequence[Row], probabilities: Array) -> dict[str, Any]:
    """Out-of-fold scores and calibration by kind of row."""
    variants = (f"{setting} {variant}" for setting in SETTINGS for variant in VARIANTS)
    kinds = [*SETTINGS, *variants, *CLAIM_SETS, "unrelated"]
    found: dict[str, Any] = {}
    for kind in kinds:
        here = [i for i, row in enumerate(rows) if row.kind == kind]
        labels = np.array([rows[i].label for i in here])
        found[kind] = {
            "accuracy": round(float(np.mean(probabilities[here].argmax(1) == labels)), 4),
            "n": len(here),
        }
        if kind != "unrelated":
            found[kind] = scores_of(labels, probabilities[here])
        found[kind]["expected_calibration_error"] = round(
            expected_calibration_error(labels, probabilities[here]), 4
        )
    made = [i for i, row in enumerate(rows) if row.kind not in kinds and not row.kind.startswith(MADE)]
    by_kind: dict[str, list[bool]] = {}
    for i in made:
        by_kind.setdefault(rows[i].kind, []).append(int(probabilities[i].argmax()) == rows[i].label)
    found["made"] = {kind: round(sum(own) / len(own), 3) for kind, own in sorted(by_kind.items())}
    return found


def page(found: dict[str, Any], rows: Sequence[Row], held_out: Array, root: Path) -> str:
    """The out-of-fold scores beside roberta-large NLI, as Markdown."""
    guesses = held_out.argmax(axis=1)
    table_rows, calibration = [], []
    for setting in SETTINGS:
        items = human_items(root, setting)
        here = [ORDER[guess] for row, guess in zip(rows, guesses, strict=True) if row.kind == setting]
        title = setting.replace("_", " ")
        table_rows.append((f"{title}, embedded, out of fold", summary(items, here)))
        table_rows.append((f"{title}, roberta-large NLI", summary(items, baseline_labels(root, setting))))
        error = found["out_of_fold"][setting]["expected_calibration_error"]
        calibration.append(f"- {title}: expected calibration error {error:.3f} (10 bins of equal width)")
    for name in CLAIM_SETS:
        items = claim_items(root, name)
        here = [ORDER[guess] for row, guess in zip(rows, guesses, strict=True) if row.kind == name]
        if name in SUPPORT_SETS:
            here = [Label.NEUTRAL if label is Label.CONTRADICTION else label for label in here]
        table_rows.append((f"{name}, embedded, none of it seen", summary(items, here)))
    lines = [
        "# The embedded checker on questions that it never saw",
        "",
        f"Made by `{found['command']}`: the networks of three folds and trees of {found['folds']}, by "
        "question; of WiCE, network and trees saw nothing. In brackets: 95 % intervals, drawn by question.",
        "",
        *table(table_rows),
        "",
        *calibration,
    ]
    return "\n".join(lines) + "\n"


def labels_of(rows: Sequence[Row], guesses: Array, root: Path) -> Iterator[str]:
    """The label given to each annotated triplet, as lines of JSON."""
    for setting in SETTINGS:
        given = iter([ORDER[g] for row, g in zip(rows, guesses, strict=True) if row.kind == setting])
        for item in human_data.load(root, [setting]).items:
            for place in range(len(item.fields["claims"])):
                yield human_data.prediction(item.id, place, next(given))


def train(
    data: Path,
    model: Path,
    tuned: Path,
    report: Path | None,
    *,
    power: float,
    folds: int,
    seed: int,
    **shape: Any,
) -> None:
    root = data_root("human")
    rng = Random(seed)
    rows = list(human_rows(root, rng))
    rows += unrelated_rows([row for row in rows if row.kind in SETTINGS], rng, 0.05)
    rows += claim_rows(root)
    rows += made_rows(data / "dev.jsonl", 0.6, 3.0, 5 / 3)
    rows += asked_rows(data / "asked.jsonl")
    networks = {ALL: model} | {
        name: tuned / name / "model" for name in sorted({r.network for r in rows} - {ALL})
    }
    rows, features = measured(rows, networks, data)
    sys.stderr.write(f"{len(rows)} rows, {features.shape[1]} features\n")
    weights = weights_of(rows, power)
    held_out = settled(out_of_fold(features, rows, weights, folds, **shape), rows)
    (data / "out_of_fold.jsonl").write_text("".join(labels_of(rows, held_out.argmax(axis=1), root)))
    found = {
        "command": " ".join(["python -m training.embedded.weigh", *sys.argv[1:]]),
        "folds": folds,
        "power": power,
        "shape": shape,
        "out_of_fold": report_of(rows, held_out),
    }
    forest = fit(features, rows, weights, **shape)
    difference = write_trees(forest, model / "weigh.onnx", features, forest(features))
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config |= {"features": list(FEATURES), "weigh_rows": len(rows)}
    (model / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    found["largest_difference_onnx"] = difference
    text = json.dumps(found, indent=1)
    sys.stdout.write(text + "\n")
    if report:
        report.with_suffix(".json").write_text(text + "\n", encoding="utf-8")
        report.with_suffix(".md").write_text(page(found, rows, held_out, root), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that `prepare` wrote")
    parser.add_argument("--model", type=Path, required=True, help="folder that `export` wrote")
    parser.add_argument(
        "--tuned",
        type=Path,
        required=True,
        help="folder of `labelled`, with each fold's exported network in foldN/model",
    )
    parser.add_argument("--report", type=Path, help="file for the cross-validation's numbers")
    parser.add_argument("--power", type=float, default=0.5, help="0: labels as they come, 1: balanced")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--members", type=int, default=6, help="of each bag of trees")
    parser.add_argument("--rounds", type=int, default=120)
    parser.add_argument("--leaves", type=int, default=6)
    parser.add_argument("--seed", type=int, default=13)
    train(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
