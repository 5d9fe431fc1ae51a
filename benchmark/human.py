"""How well a checker agrees with people: RefChecker's annotations, hypothetical contexts, other claim sets.

    python -m benchmark.human --checker embedded --name human

Each reference of a triplet is judged on its own and the labels are merged by `any_support`, or as `--merge`
says. Writes benchmark/results/NAME.json and NAME.md. The data is found through REFCHECKER_DATA (default
../shared/data).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmark.data import data_root
from refchecker.aggregate import Merge, any_support, merged_label
from refchecker.registry import find, load, names
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
    found = human_data.predictions(root / "human" / "roberta_large_nli_predictions.jsonl")
    return [
        Label(found[item.id, place])
        for item in human_data.load(root, [setting]).items
        for place in range(len(item.fields["claims"]))
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
    return [merged_label(own, merge)[0] for own in judgments]


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


# -- the whole run -------------------------------------------------------------------------------


def evaluate(check: Check, root: Path, merge: Merge = any_support) -> dict[str, Any]:
    """Settings beside the baseline, claim sets and hypotheticals."""
    human, baseline, speed = {}, {}, {}
    for setting in SETTINGS:
        items = human_items(root, setting)
        began = time.perf_counter()
        judged = judge(check, items)
        seconds = time.perf_counter() - began
        pairs = sum(len(item.passages) for item in items)
        speed[setting] = {
            "pairs": pairs,
            "seconds": round(seconds, 1),
            "pairs_per_second": round(pairs / seconds),
        }
        human[setting] = summary(items, merged(judged, merge))
        baseline[setting] = summary(items, baseline_labels(root, setting))
    claims = {}
    for name in CLAIM_SETS:
        items = claim_items(root, name)
        labels = merged(judge(check, items), merge)
        if name in SUPPORT_SETS:
            labels = [Label.NEUTRAL if label is Label.CONTRADICTION else label for label in labels]
        claims[name] = summary(items, labels)
    hypotheticals = {}
    for variant in VARIANTS:
        labels = merged(judge(check, hypothetical_items(root, variant)), merge)
        hypotheticals[variant] = {label.value: round(labels.count(label) / len(labels), 4) for label in ORDER}
    return {
        "human": human,
        "roberta_large_nli": baseline,
        "claims": claims,
        "hypotheticals": hypotheticals,
        "speed": speed,
    }


def data_hash(root: Path) -> str:
    """The first 12 digits of the SHA-256 of every file that is measured on."""
    names = [f"human/{setting}.jsonl" for setting in SETTINGS]
    names += [f"claims/{name}.jsonl" for name in CLAIM_SETS]
    names += [f"hypotheticals/supported_{variant}.txt" for variant in VARIANTS]
    digest = hashlib.sha256()
    for name in names:
        digest.update((root / name).read_bytes())
    return digest.hexdigest()[:12]


def cell(result: dict[str, Any], name: str) -> str:
    value = result["metrics"][name]
    return f"{value['value']:.3f} ({value['low']:.2f}–{value['high']:.2f})"


COLUMNS = (
    ("accuracy", "accuracy"),
    ("macro_f1", "macro-F1"),
    ("f1_entailment", "F1 Entailment"),
    ("f1_neutral", "F1 Neutral"),
    ("f1_contradiction", "F1 Contradiction"),
    ("balanced_accuracy", "balanced accuracy"),
)


def table(rows: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    head = ["", "n", *(title for _, title in COLUMNS), "majority floor"]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for title, result in rows:
        cells = [title, str(result["n"]), *(cell(result, name) for name, _ in COLUMNS)]
        lines.append("| " + " | ".join([*cells, f"{result['majority_floor']:.3f}"]) + " |")
    return lines


_IN_SAMPLE = (
    "The shipped model learnt from zero and accurate context, its network also from WiCE: there these are no "
    "measure. What it reaches on questions that it never saw is in `embedded_cv.md`. Noisy context, FM2, "
    "HealthVer, QAGS and the hypothetical contexts are in no part of it.\n",
)


def page(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    own = results["checker"]
    rows = []
    for setting in SETTINGS:
        title = setting.replace("_", " ")
        rows.append((f"{title}, {own}", results["human"][setting]))
        rows.append((f"{title}, roberta-large NLI", results["roberta_large_nli"][setting]))
    lines = [
        "# Agreement with human labels",
        "",
        f"`{results['signature']}`",
        "",
        f"Made by `{results['command']}`. In brackets: 95 % intervals, bootstrapped by question.",
        "",
        "## RefChecker's annotated triplets",
        "",
        *table(rows),
        "",
        *_IN_SAMPLE[own.partition(":")[0] != "embedded" :],
        "## Other claim sets",
        "",
        f"{', '.join(SUPPORT_SETS)} are labelled supported or not: what is not Entailment counts as Neutral.",
        "",
        *table([(name, results["claims"][name]) for name in CLAIM_SETS]),
        "",
        "## Hypothetical contexts",
        "",
        "The claim is the affirmative sentence. Only on `affirmative` should it be called Entailment.",
        "",
        "| context | Entailment | Neutral | Contradiction |",
        "| --- | --- | --- | --- |",
    ]
    for variant, shares in results["hypotheticals"].items():
        lines.append(f"| {variant} | " + " | ".join(f"{shares[label]:.2f}" for label in ORDER) + " |")
    lines += ["", "## Speed, as information", ""]
    for setting, values in results["speed"].items():
        pairs, seconds, rate = values["pairs"], values["seconds"], values["pairs_per_second"]
        lines.append(f"- {setting}: {pairs} pairs in {seconds} s, {rate} a second")
    lines.append(
        f"- peak memory of the process: {results['peak_megabytes']} MB; processors: {results['processors']}"
    )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--checker", default="embedded", help="a checker's name, such as embedded or nli:MODEL"
    )
    parser.add_argument(
        "--merge", choices=sorted(names("merge")), default="any_support", help="several references"
    )
    parser.add_argument("--name", default="human", help="results/NAME.json and NAME.md are written")
    parser.add_argument("--threads", type=int, help="threads of the embedded checker")
    options = parser.parse_args()
    root = data_root("human")
    check = load("checker", options.checker, threads=options.threads)
    results = evaluate(check, root, find("merge", options.merge))
    signature = getattr(check, "signature", options.checker)
    results |= {
        "checker": options.checker.split(":")[0],
        "signature": f"check:{signature}|merge:{options.merge}|data:{data_hash(root)}",
        "command": f"python -m benchmark.human --checker {options.checker.split(':')[0]}"
        + f" --merge {options.merge}" * (options.merge != "any_support")
        + f" --name {options.name}" * (options.name != "human"),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "processors": len(os.sched_getaffinity(0)),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{options.name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = page(results)
    (RESULTS / f"{options.name}.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
