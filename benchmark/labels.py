"""Claims with people's labels, a checker's labels beside them, and how well the two agree."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from refchecker.aggregate import Merge, any_support, merged_label
from refchecker.suites import tables
from refchecker.suites.human import data as human_data
from refchecker.suites.human.data import SETTINGS
from refchecker.suites.metrics import LABELS as ORDER
from refchecker.suites.metrics import codes
from refchecker.suites.metrics import label_metrics as metrics
from refchecker.suites.stats import DRAWS, interval, resamples
from refchecker.suites.types import Array
from refchecker.types import Claim, Judgment, Label, Pair, Passage

Check = Callable[[Sequence[Pair]], list[Judgment]]

CLAIM_SETS = ("fm2_dev", "wice_claim_dev", "healthver_dev", "qags_cnndm", "qags_xsum")
SUPPORT_SETS = ("wice_claim_dev", "qags_cnndm", "qags_xsum")  # labelled supported or not: two labels
CLAIM_LABELS = {"Partial": Label.NEUTRAL, "Unsupported": Label.NEUTRAL}
VARIANTS = ("affirmative", "neg", "non_factives", "modal", "if_clause", "would_clause")
BASELINE = Path("human", "roberta_large_nli_predictions.jsonl")
RESULTS = Path(__file__).resolve().parent / "results"


class Item(NamedTuple):
    """A labelled claim and its references. `group` is what a bootstrap draws: the question."""

    claim: Claim
    passages: tuple[Passage, ...]
    label: Label
    group: str
    question: str = ""


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def passages_of(references: Sequence[str]) -> tuple[Passage, ...]:
    return tuple(Passage(text, f"reference{i}") for i, text in enumerate(references))


def human_items(root: Path, setting: str) -> list[Item]:
    """The annotated triplets of one setting, in the order of the file."""
    return [
        Item(
            Claim.of_triplet(*claim),
            passages_of(item.fields["references"]),
            Label(label),
            item.fields["question"],
            item.fields["question"],
        )
        for item in human_data.load(root, [setting]).items
        for claim, label in zip(item.fields["claims"], item.fields["labels"], strict=True)
    ]


def baseline_labels(root: Path, setting: str) -> list[Label]:
    """What roberta-large NLI answered, in the order of `human_items`."""
    labels = human_data.predictions(root / BASELINE)
    return [
        Label(labels[item.id, number])
        for item in human_data.load(root, [setting]).items
        for number in range(len(item.fields["claims"]))
    ]


def claim_items(root: Path, name: str) -> list[Item]:
    """A claim set; its references are the sentences of one source, joined by line breaks."""
    return [
        Item(
            Claim(row["claim"]),
            (Passage("\n".join(row["reference"]), "reference"),),
            CLAIM_LABELS.get(row["label"]) or Label(row["label"]),
            row["id"],
        )
        for row in json_lines(root / "claims" / f"{name}.jsonl")
        if "".join(row["reference"]).strip()
    ]


def hypothetical_items(root: Path, variant: str) -> list[Item]:
    """The affirmative sentence as claim, against its variant as reference."""
    folder = root / "hypotheticals"
    claims, contexts = (_table(folder / f"supported_{name}.txt") for name in ("affirmative", variant))
    references = {key: (Passage(contexts[key], "context"),) for key in claims}
    return [Item(Claim(claims[key]), references[key], Label.ENTAILMENT, key) for key in claims]


def _table(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8", newline="") as lines:
        return {
            row["id"]: row["text"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        }


# -- judging -------------------------------------------------------------------------------------


def judge(check: Check, items: Sequence[Item]) -> list[list[Judgment]]:
    """Each item's judgments, one per reference, from one flat call."""
    pairs = [Pair(item.claim, passage, item.question) for item in items for passage in item.passages]
    answers = iter(check(pairs))
    return [[next(answers) for _ in item.passages] for item in items]


def merged(judgments: Sequence[Sequence[Judgment]], merge: Merge = any_support) -> list[Label]:
    return [merged_label(by_reference, merge)[0] for by_reference in judgments]


# -- scores ---------------------------------------------------------------------------------------


def intervals(
    truth: Array, guess: Array, groups: Sequence[str], *, draws: int = DRAWS, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """95 % percentile intervals of all metrics over the same samples of groups, with all their claims."""
    values: dict[str, list[float]] = {}
    for rows in resamples(groups, draws=draws, seed=seed):
        for name, value in metrics(truth[rows], guess[rows]).items():
            values.setdefault(name, []).append(value)
    return {name: interval(np.array(drawn)) for name, drawn in values.items()}


def summary(items: Sequence[Item], labels: Sequence[Label]) -> dict[str, Any]:
    """Every metric with its interval, the majority floor, counts and coverage."""
    truth, guess = codes([item.label for item in items]), codes(labels)
    values, ranges = metrics(truth, guess), intervals(truth, guess, [item.group for item in items])
    return {
        "n": len(items),
        "questions": len({item.group for item in items}),
        "coverage": round(float((guess < len(ORDER)).mean()), 4),
        "majority_floor": round(float(np.bincount(truth).max() / len(truth)), 4),
        "gold": {label.value: int((truth == i).sum()) for i, label in enumerate(ORDER)},
        "given": {label.value: int((guess == i).sum()) for i, label in enumerate(ORDER)},
        "metrics": {
            name: {
                "value": round(value, 4),
                "low": round(ranges[name][0], 4),
                "high": round(ranges[name][1], 4),
            }
            for name, value in values.items()
        },
    }


COLUMNS = (
    ("accuracy", "accuracy"),
    ("macro_f1", "macro-F1"),
    ("f1_entailment", "F1 Entailment"),
    ("f1_neutral", "F1 Neutral"),
    ("f1_contradiction", "F1 Contradiction"),
    ("balanced_accuracy", "balanced accuracy"),
)


def table(rows: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """A table of summaries by title."""
    return tables.table(
        ["", "n", *(title for _, title in COLUMNS), "majority floor"],
        [
            [
                title,
                str(result["n"]),
                *(tables.cell(result["metrics"][name]) for name, _ in COLUMNS),
                f"{result['majority_floor']:.3f}",
            ]
            for title, result in rows
        ],
    )


def data_hash(root: Path) -> str:
    """The first 12 digits of the SHA-256 of every file that is measured on."""
    names = [f"human/{setting}.jsonl" for setting in SETTINGS]
    names += [f"claims/{name}.jsonl" for name in CLAIM_SETS]
    names += [f"hypotheticals/supported_{variant}.txt" for variant in VARIANTS]
    digest = hashlib.sha256()
    for name in names:
        digest.update((root / name).read_bytes())
    return digest.hexdigest()[:12]
