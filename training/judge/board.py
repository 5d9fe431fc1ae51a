"""The board: every development set in one table, for checkers and for a network that is still learning.

    python -m training.judge.board --checker embedded
    python -m training.judge.board --parent DIR --network runs/judge/v7/mean.safetensors --name v7-30k
    python -m training.judge.board --checker embedded --look "candidate v7"

The sets of CHOOSE are there to choose by. Those of LOOK are measured only with --look WHY, which a candidate
that would ship gets once; each look is written down in training/looks.jsonl. Intervals (95 %) are
bootstrapped by passage or question. Writes NAME.json and NAME.md to --out. The data is found through
REFCHECKER_DATA.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmark.data import data_root
from refchecker import Claim, Judgment, Label, Pair, Passage
from refchecker.aggregate import any_support, merged_label
from refchecker.suites.stats import interval, resamples
from training.embedded.prepare import is_dev, rows_of

from .mixture import HELD_PERCENT

Check = Callable[[Sequence[Pair]], list[Judgment]]
ORDER = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)
LOOKS = Path(__file__).resolve().parent.parent / "looks.jsonl"
VARIANTS = ("affirmative", "neg", "non_factives", "modal", "if_clause", "would_clause")


class Item(NamedTuple):
    """A labelled claim; label 3 is "not entailed", which Neutral and Contradiction both are."""

    claim: str
    references: tuple[str, ...]
    label: int
    group: str
    phenomenon: str = ""
    question: str = ""
    triplet: tuple[str, str, str] | None = None


class Board(NamedTuple):
    """A set: its items, and whether only support is labelled."""

    items: Callable[[Path], Iterator[Item]]
    support_only: bool = False


NAMES = {
    "Entailment": 0,
    "Neutral": 1,
    "Contradiction": 2,
    "Unsupported": 3,
    "Partial": 3,
}


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def claims(name: str) -> Callable[[Path], Iterator[Item]]:
    """A file of claims/: the references are the sentences of one source."""

    def items(root: Path) -> Iterator[Item]:
        for row in lines(root / "claims" / f"{name}.jsonl"):
            reference = "\n".join(row["reference"])
            if reference.strip():
                yield Item(
                    row["claim"],
                    (reference,),
                    NAMES[row["label"]],
                    reference[:80],
                    row.get("phenomenon", ""),
                    row.get("question") or "",
                )

    return items


def nli(name: str, group: str = "premise", *, held: bool = False) -> Callable[[Path], Iterator[Item]]:
    """A file of nli/; with `held` only the fifth that `mixture` keeps for development."""

    def items(root: Path) -> Iterator[Item]:
        path = next((root / "nli").glob(f"*/{name}.jsonl.gz"))
        kind = name.split("_")[0]
        for row in rows_of(path):
            premise = row.get("premise") or row.get("passage")
            claim = row.get("hypothesis") or row.get("claim")
            if (
                claim
                and row["label"] in (0, 1, 2, 3)
                and (not held or is_dev(f"{kind}/{row[group]}", percent=HELD_PERCENT))
            ):
                phenomenon = str(row.get("edit", row.get("set", row.get("challenge", ""))))
                yield Item(claim, (premise,), row["label"], str(row[group]), phenomenon)

    return items


def human(setting: str) -> Callable[[Path], Iterator[Item]]:
    def items(root: Path) -> Iterator[Item]:
        for row in lines(root / "human" / f"{setting}_context.jsonl"):
            for annotated in row["triplets"]:
                triplet = tuple(annotated["triplet"])
                yield Item(
                    " ".join(triplet),
                    tuple(row["reference"]),
                    NAMES[annotated["human_label"]],
                    row["question"],
                    "",
                    row["question"],
                    triplet,
                )

    return items


def hypotheticals(root: Path) -> Iterator[Item]:
    """The affirmative sentence as claim, against its variants: support only of the affirmative one."""
    contexts = {name: _contexts(root / "hypotheticals" / f"supported_{name}.json") for name in VARIANTS}
    for name in VARIANTS:
        for number, context in enumerate(contexts[name]):
            label = 0 if name == "affirmative" else 3
            yield Item(contexts["affirmative"][number], (context,), label, str(number), name)


def _contexts(path: Path) -> list[str]:
    pages = json.loads(path.read_text("utf-8"))["data"]
    return [paragraph["context"] for page in pages for paragraph in page["paragraphs"]]


CHOOSE = {
    "everyday_dev": Board(claims("everyday_dev")),
    "vitaminc_dev": Board(nli("vitaminc_dev", "page")),
    "condaqa": Board(nli("condaqa", "group", held=True)),
    "boolq": Board(nli("boolq_val", "id", held=True)),
    "feverous": Board(nli("feverous_s_dev", "id", held=True)),
    "semi_auto_wiki": Board(nli("semi_auto_wiki.dev")),
    "cad_snli": Board(nli("cad_snli.dev")),
    "human_zero": Board(human("zero")),
    "human_accurate": Board(human("accurate")),
}
LOOK = {
    "human_noisy": Board(human("noisy")),
    "fm2_dev": Board(claims("fm2_dev"), support_only=True),
    "healthver_dev": Board(claims("healthver_dev")),
    "wice_claim_dev": Board(claims("wice_claim_dev"), support_only=True),
    "qags_xsum": Board(claims("qags_xsum"), support_only=True),
    "qags_cnndm": Board(claims("qags_cnndm"), support_only=True),
    "mnli_m_dev": Board(nli("mnli_m_dev.dev")),
    "anli_dev": Board(nli("anli_dev.dev")),
    "fever_symmetric": Board(nli("fever_symmetric.test"), support_only=True),
    "hypotheticals": Board(hypotheticals, support_only=True),
}


def labels_of(check: Check, items: Sequence[Item]) -> list[int]:
    """What the checker says of each item, the labels of several references merged; 3 where nothing."""
    pairs: list[Pair] = []
    for item in items:
        claim = Claim.of_triplet(*item.triplet) if item.triplet else Claim(item.claim)
        pairs += [
            Pair(claim, Passage(text, f"reference{i}"), item.question)
            for i, text in enumerate(item.references)
        ]
    judgments = iter(check(pairs))
    labels: list[int] = []
    for item in items:
        label, _ = merged_label([next(judgments) for _ in item.references], any_support)
        labels.append(ORDER.index(label) if label in ORDER else 3)
    return labels


def scores_of(
    truth: np.ndarray[Any, Any], guess: np.ndarray[Any, Any], support_only: bool
) -> dict[str, float]:
    """Accuracy, balanced accuracy, macro-F1, and the share of contradictions found and right."""
    if support_only or (truth == 3).any():
        truth, guess = np.where(truth == 0, 0, 3), np.where(guess == 0, 0, 3)
    labels = sorted(set(truth.tolist()))
    recall = [float((guess[truth == label] == label).mean()) for label in labels]
    f1 = []
    for label in labels:
        both = ((guess == label) & (truth == label)).sum()
        f1.append(float(2 * both / max((guess == label).sum() + (truth == label).sum(), 1)))
    scores = {
        "accuracy": float((truth == guess).mean()),
        "balanced": float(np.mean(recall)),
        "macro_f1": float(np.mean(f1)),
        "entailment_found": recall[0],
    }
    if 2 in labels:
        called = guess == 2
        scores["contradiction_found"] = float(called[truth == 2].mean())
        scores["contradiction_right"] = float((truth[called] == 2).mean()) if called.any() else float("nan")
        scores["contradiction_f1"] = f1[labels.index(2)]
    return scores


def measured(check: Check, board: Board, root: Path, limit: int | None) -> dict[str, Any]:
    items = list(board.items(root))
    if limit and len(items) > limit:
        items = Random(7).sample(items, limit)
    begun = time.monotonic()
    truth, guess = np.array([item.label for item in items]), np.array(labels_of(check, items))
    seconds = time.monotonic() - begun
    scores = scores_of(truth, guess, board.support_only)
    draws: dict[str, list[float]] = defaultdict(list)
    for rows in resamples([item.group for item in items], draws=400):
        for name, value in scores_of(truth[rows], guess[rows], board.support_only).items():
            draws[name].append(value)
    phenomena: dict[str, list[int]] = defaultdict(list)
    for number, item in enumerate(items):
        if item.phenomenon:
            phenomena[item.phenomenon].append(number)
    return {
        "items": len(items),
        "seconds": round(seconds, 1),
        "scores": {name: round(value, 4) for name, value in scores.items()},
        "intervals": {name: [round(edge, 3) for edge in interval(np.array(draws[name]))] for name in scores},
        "phenomena": {
            name: {
                "items": len(rows),
                **{
                    k: round(v, 3) for k, v in scores_of(truth[rows], guess[rows], board.support_only).items()
                },
            }
            for name, rows in sorted(phenomena.items())
        },
    }


COLUMNS = (
    "accuracy",
    "balanced",
    "macro_f1",
    "entailment_found",
    "contradiction_found",
    "contradiction_right",
)


def table(results: dict[str, Any]) -> str:
    """The board as markdown: a row a set, then the phenomena."""
    rows = ["| set | items | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---|" * len(COLUMNS)]
    for name, result in results["sets"].items():
        cells = []
        for column in COLUMNS:
            value = result["scores"].get(column)
            low, high = result["intervals"].get(column, (0, 0))
            cells.append("" if value is None else f"{value:.3f} ({low:.2f} to {high:.2f})")
        rows.append(f"| {name} | {result['items']} | " + " | ".join(cells) + " |")
    for name, result in results["sets"].items():
        if result["phenomena"]:
            rows += [
                "",
                f"{name} by phenomenon (items, accuracy): "
                + "; ".join(
                    f"{phenomenon} {scores['items']} {scores['accuracy']:.2f}"
                    for phenomenon, scores in result["phenomena"].items()
                ),
            ]
    return "\n".join(rows)


def network_checker(parent: Path, weights: Path) -> Check:
    """The network alone as a checker: each pair as one input, long passages cut at the model's limit."""
    import torch
    from tokenizers import Tokenizer

    from .learn import logits_of, pair_tokens
    from .network import load

    judge = load(parent, weights).eval()
    tokenizer = Tokenizer.from_file(str(parent / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def check(pairs: Sequence[Pair]) -> list[Judgment]:
        tokens = pair_tokens(tokenizer, [(pair.passage.text, pair.claim.text) for pair in pairs], 288)
        probabilities = torch.softmax(logits_of(judge, tokens), -1).tolist()
        return [
            Judgment(ORDER[row.index(max(row))], dict(zip(ORDER, row, strict=True))) for row in probabilities
        ]

    return check


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checker", help="a checker by name, such as embedded or nli:FOLDER")
    parser.add_argument("--network", type=Path, help="weights that training.judge.learn wrote, in its place")
    parser.add_argument("--parent", type=Path, help="folder with all-mpnet-base-v2, for --network")
    parser.add_argument("--look", metavar="WHY", help="also the sets that are not to choose by; noted down")
    parser.add_argument("--sets", nargs="+", help="only these")
    parser.add_argument(
        "--limit", type=int, help="at most so many items of a set, a sample with a fixed seed"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/board"))
    parser.add_argument("--name", default="board")
    options = parser.parse_args()
    if options.network:
        check = network_checker(options.parent, options.network)
    else:
        from refchecker import load

        check = load("checker", options.checker or "embedded")
    root = data_root("claims", "nli", "human")
    boards = CHOOSE | (LOOK if options.look else {})
    chosen = {name: board for name, board in boards.items() if not options.sets or name in options.sets}
    results: dict[str, Any] = {
        "command": " ".join(sys.argv),
        "checker": str(options.network or options.checker),
    }
    results["sets"] = {}
    for name, board in chosen.items():
        results["sets"][name] = measured(check, board, root, options.limit)
        sys.stderr.write(f"{name} {json.dumps(results['sets'][name]['scores'])}\n")
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{options.name}.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (options.out / f"{options.name}.md").write_text(table(results) + "\n", "utf-8")
    if options.look:
        with LOOKS.open("a", encoding="utf-8") as looks:
            line = {"date": str(date.today()), "why": options.look, "checker": results["checker"]}
            line["scores"] = {n: r["scores"] for n, r in results["sets"].items() if n in LOOK}
            looks.write(json.dumps(line) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
