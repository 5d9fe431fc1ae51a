"""Imaginary worlds: is what a text only supposes, doubts or denies taken for what it says?

After Basmov, Goldberg & Tsarfaty (2024). Statements that the world supports, that it contradicts, and about
things that do not exist, each asserted, negated, called unlikely, with a modal, in the if-clause and in the
would-clause of a conditional. A language model answers questions about them and must abstain on all but the
asserted ones. A checker gets the claim that question and answer make, and must call it Entailment on the
asserted ones only: that mode is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...protocols import option
from ..ask import check_stage
from ..types import Answers, Item, Prepared, Stage, Suite, Task, Tools
from . import asking
from .files import load
from .make import CONSTRUCTIONS, SETS, make
from .page import page
from .sheets import CHECK, score, within


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """Which items are made, or where the published ones are."""

    published: str | None = option(
        None,
        "take the published sets, files SET_CONSTRUCTION.json or .txt, from this folder (default: "
        "items are made of the package's word lists)",
        "DIR",
    )
    per_cell: int = option(300, "items of each set in each construction (%(default)s)", "N")
    seed: int = option(0, "of the made items (%(default)s)")
    sets: tuple[str, ...] = option(SETS, "default: all", choices=SETS)
    constructions: tuple[str, ...] = option(CONSTRUCTIONS, "default: all", choices=CONSTRUCTIONS)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a language model is asked."""

    prompts: tuple[str, ...] = option(
        asking.PROMPTS,
        "with --llm: kinds of prompt (default: all). Without --llm the checker is measured",
        choices=asking.PROMPTS,
    )
    attempts: int = option(
        asking.ATTEMPTS,
        "with --llm: ask so often for a span of the text or an abstention (%(default)s); with 1 "
        "there is no controlled set-up",
        "N",
    )


def prepare(options: PrepareOptions, tools: Tools) -> Prepared:
    if options.published:
        return load(Path(options.published), options.sets, options.constructions, tools.extractor("triplet"))
    items = make(options.seed, options.per_cell, options.sets, options.constructions)
    made = {"word lists": "of this package, under its licence", "seed": options.seed}
    return Prepared(items, {"made": made}, [f"made of word lists with seed {options.seed}"])


def stages(items: Sequence[Item], options: RunOptions, tools: Tools) -> list[Stage]:
    if tools.has_llm:
        return asking.stages(items, tools.llm(), options.prompts, options.attempts)
    return [check_stage(CHECK, tools.checker(), lambda answers: _claims(items, answers))]


def _claims(items: Sequence[Item], answers: Answers) -> Iterator[Task]:
    """Each context with its claim, as a sentence and as a triplet."""
    for item in items:
        fields = item.fields
        claims = [fields["claim"], *([fields["triplet"]] if fields["triplet"] else [])]
        yield Task(
            item.id, {"question": fields["question"], "references": [fields["context"]], "claims": claims}
        )


SUITE = Suite(
    "imaginary",
    "Hypothetical and negated texts about supported, contradicting and imaginary things.",
    prepare,
    stages,
    score,
    page,
    within,
    PrepareOptions,
    RunOptions,
)
