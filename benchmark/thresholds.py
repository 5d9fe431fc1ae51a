"""What a checker's probabilities are worth, and the thresholds to draw in them, from labelled claims.

    python -m benchmark.thresholds
    python -m benchmark.thresholds --checker embedded --then nli:MODEL --agreement 0.95 --precision 0.9
    python -m benchmark.thresholds --input mine.jsonl --then nli:MODEL --name mine

Tells the calibration error before and after a temperature, the lowest Entailment score and the lowest
--min_confidence at which a stated share is right, and the lowest --cascade_confidence at which a cascade
of --checker and --then gives the answer of --then alone in a stated share of claims.

Without --input: RefChecker's human labels (through REFCHECKER_DATA), and as --then what roberta-large NLI
answered to them. With it: a file as `refchecker-cli check` takes it, whose triplets are objects with
"triplet" and "human_label". "Held out": fitted on four fifths of the questions, measured on the others.
Writes benchmark/results/NAME.json and NAME.md.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from benchmark.calibration import (
    Outcome,
    Row,
    agreement_at,
    calibration_error,
    classwise_error,
    equal_mass,
    equal_width,
    fit_temperature,
    for_agreement,
    for_precision,
    of_top_label,
    sureness,
    tempered,
)
from benchmark.data import data_root
from benchmark.labels import RESULTS, SETTINGS, Item, baseline_labels, codes, human_items, judge, metrics
from benchmark.thresholds_page import page
from refchecker.aggregate import any_support, deciding
from refchecker.io import MAX_RECORD_MB, format_of, read_items, to_record
from refchecker.registry import load
from refchecker.types import Judgment, Label

F = TypeVar("F")

FOLDS = 5
CONFIDENCES = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
Z = 1.645  # one-sided 95 %


class Answered(NamedTuple):
    """A labelled claim with what the checker said of it, and what the next one would have."""

    group: str
    true: Label
    label: Label
    row: Row  # the scores that the output has, and the true label
    sureness: float
    support: float  # the highest Entailment score of its references
    then: Label | None


def labelled_items(path: str) -> list[Item]:
    """The claims of an input file, with the "human_label" of each; exits where one has none."""
    items = []
    with open(path, "rb") as stream:
        for position, item in enumerate(read_items(stream, path, format_of(path, None), MAX_RECORD_MB)):
            record = to_record(item, path, position)
            if record.fault:
                sys.exit(record.fault)
            for claim, given in zip(record.claims or (), item.value.get("triplets") or (), strict=True):
                try:
                    label = Label(given["human_label"])
                except (KeyError, TypeError, ValueError):
                    sys.exit(
                        f"{path} line {item.line}: a triplet has no human_label. Write each as "
                        '{"triplet": [subject, predicate, object], "human_label": "Neutral"}.'
                    )
                group = record.question or record.id
                items.append(Item(claim, record.references, label, group, record.question))
    if not items:
        sys.exit(f"{path} has no triplets.")
    return items


def answered(item: Item, judgments: Sequence[Judgment], then: Label | None) -> Answered:
    label = any_support([judgment.label for judgment in judgments])
    chosen = deciding(label, judgments)
    return Answered(
        item.group,
        item.label,
        label,
        (chosen.scores if chosen else {}, item.label),
        sureness(judgments, any_support),
        max((judgment.scores.get(Label.ENTAILMENT, 0.0) for judgment in judgments), default=0.0),
        then,
    )


def held_out(
    claims: Sequence[Answered],
    fit: Callable[[Sequence[Answered]], F],
    use: Callable[[Sequence[Answered], F], list[Outcome]],
) -> list[Outcome]:
    """The outcomes of every fold of questions, under what was fitted on the other folds."""
    groups = sorted({claim.group for claim in claims})
    random.Random(0).shuffle(groups)
    outcomes = []
    for fold in range(FOLDS):
        own = set(groups[fold::FOLDS])
        fitted = fit([claim for claim in claims if claim.group not in own])
        outcomes += use([claim for claim in claims if claim.group in own], fitted)
    return outcomes


def share(outcomes: Sequence[Outcome]) -> float | None:
    """How many came true; None of none."""
    return round(sum(true for _, true in outcomes) / len(outcomes), 4) if outcomes else None


# -- the three questions -------------------------------------------------------------------------


def calibration(claims: Sequence[Answered]) -> dict[str, Any]:
    """ECE by three definitions; after a temperature, held out; the reliability bins."""
    rows = [claim.row for claim in claims if claim.row[0]]
    outcomes = of_top_label(rows)
    cooled = held_out(
        [claim for claim in claims if claim.row[0]],
        lambda some: fit_temperature([claim.row for claim in some]),
        lambda some, t: of_top_label([(tempered(scores, t), true) for scores, true in (c.row for c in some)]),
    )
    return {
        "claims": len(rows),
        "accuracy": share(outcomes),
        "mean_confidence": round(sum(p for p, _ in outcomes) / max(len(outcomes), 1), 4),
        "ece_15": round(calibration_error(outcomes), 4),
        "ece_10": round(calibration_error(outcomes, bins=10), 4),
        "ece_15_equal_mass": round(calibration_error(outcomes, binned=equal_mass), 4),
        "classwise_ece_15": round(classwise_error(rows), 4),
        "temperature": round(fit_temperature(rows), 3),
        "ece_15_tempered_held_out": round(calibration_error(cooled), 4),
        "reliability": [tuple(round(value, 4) for value in each) for each in equal_width(outcomes, 15)],
    }


def at_precision(
    claims: Sequence[Answered], outcome: Callable[[Answered], Outcome], precision: float
) -> dict[str, Any]:
    """The lowest threshold with that precision, and with its lower bound there; and how it holds up."""

    def outcomes_of(some: Sequence[Answered]) -> list[Outcome]:
        return [outcome(claim) for claim in some]

    result: dict[str, Any] = {"precision": precision}
    for name, z in (("reached", 0.0), ("bound_reached", Z)):
        found = for_precision(outcomes_of(claims), precision, z=z)
        kept = held_out(
            claims,
            lambda some, z=z: for_precision(outcomes_of(some), precision, z=z),
            lambda some, fitted: [each for each in outcomes_of(some) if fitted and each[0] >= fitted.at],
        )
        result[name] = {key: round(value, 4) for key, value in found._asdict().items()} if found else None
        result[f"{name}_held_out"] = share(kept)
    return result


def cascade(claims: Sequence[Answered], agreement: float) -> dict[str, Any]:
    """By confidence: the share the first stage answers, and what the cascade is then worth."""

    def outcomes_of(some: Sequence[Answered]) -> list[Outcome]:
        return [(claim.sureness, claim.label is claim.then) for claim in some]

    outcomes = outcomes_of(claims)
    chosen = for_agreement(outcomes, agreement)
    apart = held_out(
        claims,
        lambda some: for_agreement(outcomes_of(some), agreement),
        lambda some, at: [(p, same or at is None or p < at) for p, same in outcomes_of(some)],
    )
    table = []
    for at in sorted({*CONFIDENCES, *([chosen] if chosen is not None else [])}):
        labels = [claim.label if claim.sureness >= at else claim.then or Label.ABSTAIN for claim in claims]
        values = metrics(codes([claim.true for claim in claims]), codes(labels))
        table.append(
            {
                "confidence": round(at, 4),
                "first_stage": share([(p, p >= at) for p, _ in outcomes]),
                "agreement": round(agreement_at(outcomes, at), 4),
                "accuracy": round(values["accuracy"], 4),
                "macro_f1": round(values["macro_f1"], 4),
            }
        )
    return {
        "agreement": agreement,
        "confidence": chosen,
        "held_out_agreement": share(apart),
        "table": table,
    }


def report(claims: Sequence[Answered], precision: float, agreement: float) -> dict[str, Any]:
    """Everything about one set of claims."""
    found: dict[str, Any] = {
        "calibration": calibration(claims),
        "entailment": at_precision(claims, lambda c: (c.support, c.true is Label.ENTAILMENT), precision),
        "any_label": at_precision(claims, lambda c: (c.sureness, c.true is c.label), precision),
        "min_confidence": [
            {
                "at": at,
                "answered": share([(c.sureness, c.sureness >= at) for c in claims]),
                "accuracy": share([(c.sureness, c.true is c.label) for c in claims if c.sureness >= at]),
            }
            for at in CONFIDENCES
        ],
    }
    if all(claim.then for claim in claims):
        found["cascade"] = cascade(claims, agreement)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checker", default="embedded", help="a checker's name (%(default)s)")
    parser.add_argument("--then", metavar="NAME", help="the next, costlier checker of a cascade")
    parser.add_argument("--input", metavar="FILE", help="labelled claims of your own")
    parser.add_argument("--sets", nargs="+", choices=SETTINGS, default=SETTINGS, help="which human labels")
    parser.add_argument("--agreement", type=float, default=0.95, help="of the cascade (%(default)s)")
    parser.add_argument("--precision", type=float, default=0.9, help="of what is kept (%(default)s)")
    parser.add_argument("--threads", type=int, help="threads of the embedded checker")
    parser.add_argument(
        "--name", default="thresholds", help="NAME.json and NAME.md are written (%(default)s)"
    )
    parser.add_argument(
        "--results", type=Path, default=RESULTS, metavar="FOLDER", help="where to (%(default)s)"
    )
    given = sys.argv[1:] if argv is None else list(argv)
    options = parser.parse_args(given)

    if options.input:
        items = {Path(options.input).stem: labelled_items(options.input)}
    else:
        root = data_root("human")
        items = {name: human_items(root, name) for name in options.sets}
    check = load("checker", options.checker, threads=options.threads)
    then = load("checker", options.then, threads=options.threads) if options.then else None
    sets = {}
    for name, own in items.items():
        next_labels: Sequence[Label | None] = [None] * len(own)
        if then:
            next_labels = [any_support([j.label for j in judged]) for judged in judge(then, own)]
        elif not options.input:
            next_labels = baseline_labels(root, name)
        claims = [answered(*each) for each in zip(own, judge(check, own), next_labels, strict=True)]
        sets[name] = report(claims, options.precision, options.agreement)
    results = {
        "checker": options.checker,
        "then": options.then or "roberta-large NLI",
        "signature": getattr(check, "signature", options.checker),
        "command": " ".join(["python -m benchmark.thresholds", *given]),
        "precision": options.precision,
        "sets": sets,
    }
    options.results.mkdir(exist_ok=True)
    text = page(results)
    (options.results / f"{options.name}.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (options.results / f"{options.name}.md").write_text(text, "utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
