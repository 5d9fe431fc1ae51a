"""Imaginary worlds: is what a text only supposes, doubts or denies taken for what it says?

After Basmov, Goldberg & Tsarfaty (2024). Statements that the world supports, that it contradicts, and about
things that do not exist, each asserted, negated, called unlikely, with a modal, in the if-clause and in the
would-clause of a conditional. A language model answers questions about them and must abstain on all but the
asserted ones. A checker gets the claim that question and answer make, and must call it Entailment on the
asserted ones only: that mode is ours.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..ask import check_stage
from ..types import Answers, Item, Prepared, Stage, Step, Suite, Task, Tools
from . import asking
from .files import load
from .make import CONSTRUCTIONS, SETS, make
from .page import page
from .sheets import CHECK, score, within

PER_CELL = 300


def add_options(group: Any, step: Step) -> None:
    if step == "prepare":
        group.add_argument(
            "--published",
            metavar="DIR",
            help="take the published sets, files SET_CONSTRUCTION.json or .txt, from this folder (default: "
            "items are made of the package's word lists)",
        )
        group.add_argument(
            "--per_cell",
            type=int,
            default=PER_CELL,
            metavar="N",
            help="items of each set in each construction (%(default)s)",
        )
        group.add_argument("--seed", type=int, default=0, help="of the made items (%(default)s)")
        group.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="default: all")
        group.add_argument(
            "--constructions",
            nargs="+",
            choices=CONSTRUCTIONS,
            default=list(CONSTRUCTIONS),
            help="default: all",
        )
    if step == "run":
        group.add_argument(
            "--prompts",
            nargs="+",
            choices=asking.PROMPTS,
            default=list(asking.PROMPTS),
            help="with --llm: kinds of prompt (default: all). Without --llm the checker is measured",
        )
        group.add_argument(
            "--attempts",
            type=int,
            default=asking.ATTEMPTS,
            metavar="N",
            help="with --llm: ask so often for a span of the text or an abstention (%(default)s); with 1 "
            "there is no controlled set-up",
        )


def prepare(options: argparse.Namespace, tools: Tools) -> Prepared:
    if options.published:
        return load(Path(options.published), options.sets, options.constructions, tools.extractor("triplet"))
    items = make(options.seed, options.per_cell, options.sets, options.constructions)
    made = {"word lists": "of this package, under its licence", "seed": options.seed}
    return Prepared(items, {"made": made}, [f"made of word lists with seed {options.seed}"])


def stages(items: Sequence[Item], options: argparse.Namespace, tools: Tools) -> list[Stage]:
    if options.llm:
        return asking.stages(items, tools.llm(), options.prompts, options.attempts)
    return [check_stage(CHECK, tools.checker(), lambda answers: _claims(items, answers))]


def _claims(items: Sequence[Item], answers: Answers) -> Iterator[Task]:
    """Each context with its claim, as a sentence and as a triplet."""
    for item in items:
        fields = item.fields
        claims = [fields["claim"], *([fields["triplet"]] if fields["triplet"] else [])]
        yield Task(
            item.id,
            {"question": fields["question"], "references": [fields["context"]], "claims": claims},
        )


SUITE = Suite(
    "imaginary",
    "Hypothetical and negated texts about supported, contradicting and imaginary things.",
    add_options,
    prepare,
    stages,
    score,
    page,
    within,
)
