"""recall: RECALL, the best known of the suites, by its own door. The steps are those of bench."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...protocols import REQUIRED, option
from ..options import LLMOptions, parse
from .commands import run_step

STEPS = ("prepare", "run", "score", "report", "agree")

EXAMPLES = """examples:
  refchecker-cli recall prepare
      563 events and 512 terms of the package become questions and texts, true and edited, in bench/recall
  refchecker-cli recall run --llm local/qwen --llm_api_base http://127.0.0.1:8091/v1
      ask a model under every condition; stop it anywhere, the same command goes on
  refchecker-cli recall score outputs.jsonl
      score outputs that you have: JSON Lines of {"id", "condition": original|edited|none, "output"},
      ids from bench/recall/items.jsonl; optionally "method" and "rating"
  refchecker-cli recall score
      score again what was run; no model is asked
  refchecker-cli recall report
      tables and plots of all systems
  refchecker-cli recall run --rate --name qwen --llm openai/gpt-6.1-terra
      another model rates the definitions of system qwen, for D-Rate
  refchecker-cli recall agree people.jsonl --name qwen
      how far people's ratings agree with these: JSON Lines of {"rater", "id", "original", "edited"}

`refchecker-cli recall STEP --help` has the options."""


def add(commands: Any) -> None:
    """The sub-command; its steps have parsers of their own."""
    sub = commands.add_parser(
        "recall",
        help="Measure robustness against false contexts (RECALL).",
        description="RECALL: does a model keep to what it knows when the context is wrong?",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub.add_argument("step", choices=STEPS, metavar="STEP", help=", ".join(STEPS))
    sub.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="options, or a file to score")


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """Outputs to score, and as what."""

    file: str = option(
        REQUIRED, "JSON Lines of id, condition, output, and optionally method and rating", flags=["file"]
    )
    folder: str = option("bench/recall", "of the data (%(default)s)", "DIR")
    name: str | None = option(None, "name of the system (that of the file)")
    no_triplets: bool = option(False, "do not check the outputs claim by claim")
    quiet: bool = option(False, "only errors")


@dataclass(frozen=True, kw_only=True)
class AgreeOptions:
    """Ratings of people, and the system they are compared with."""

    file: str = option(
        REQUIRED, "JSON Lines of rater, id, original, edited (ratings from 1 to 5)", flags=["file"]
    )
    folder: str = option("bench/recall", "of the data (%(default)s)", "DIR")
    name: str = option(REQUIRED, "the system that was rated")


def run(parsed: argparse.Namespace) -> int:
    """Run one step; the exit code."""
    step, arguments = parsed.step, list(parsed.arguments)
    if step == "agree":
        about = "How far people's ratings agree with the model's."
        return agree(*parse("refchecker-cli recall agree", about, {AgreeOptions: ""}, arguments))
    if step == "score" and arguments and not arguments[0].startswith("-"):
        about = "Score a file of outputs, whoever made them."
        return score_file(*parse("refchecker-cli recall score FILE", about, {ScoreOptions: ""}, arguments))
    return run_step(step, ["recall", *arguments])


def score_file(options: ScoreOptions) -> int:
    """Outputs of a file as a system: their claims checked, everything scored, the page written."""
    from ...suites.folder import PREPARED, slug
    from ...suites.recall import SUITE
    from ...suites.recall.suite import PrepareOptions, RunOptions
    from ...suites.runner import GO_ON
    from ..options.bench import FolderOptions, MeasureOptions, ModelOptions, PageOptions
    from . import steps

    if not Path(options.file).is_file():
        raise UsageError(
            f"{options.file}: there is no such file. Give JSON Lines of id, condition and output."
        )
    name = options.name or slug(Path(options.file).stem)
    where = FolderOptions(folder=options.folder, name=name)
    models, llm = ModelOptions(quiet=options.quiet), LLMOptions()
    if not Path(options.folder, PREPARED).exists():
        steps.prepare(SUITE, where, models, llm, PrepareOptions())
    run_options = RunOptions(outputs=options.file, no_triplets=options.no_triplets)
    steps.run(SUITE, where, GO_ON, models, llm, run_options)
    measure = MeasureOptions(systems=(name,))
    steps.score(SUITE, where, measure)
    output = str(Path(options.folder, name, "report"))
    arguments = ["--folder", options.folder, "--systems", name, "--output", output]
    command = shlex.join(["refchecker-cli", "bench", "report", SUITE.name, *arguments])
    return steps.report(SUITE, where, measure, PageOptions(output=output), command=command)


def agree(options: AgreeOptions) -> int:
    """Print how far each person's ratings agree with the model's."""
    from ...suites.folder import Folder
    from ...suites.recall.ratings import agreement, llm_scores, load_people
    from ...suites.tables import number, p_value, table

    rated = llm_scores(Folder(Path(options.folder), "recall").answers(options.name))
    if not rated:
        raise UsageError(
            f"{options.name}: no language model has rated any of its definitions. "
            f"Run: refchecker-cli recall run --rate --name {options.name} --llm provider/model"
        )
    lines = []
    for rater, scores in load_people(Path(options.file)).items():
        agreed = agreement(rated, scores)
        values = [number(x) for x in (agreed.items, agreed.d_rate, agreed.mean, agreed.r, agreed.chi2)]
        lines.append([rater, *values, p_value(agreed.p)])
    head = ["rater", "items", "D-Rate", "mean, edited", "Pearson's r", "chi-square", "p"]
    sys.stdout.write("\n".join(table(head, lines)) + "\n")
    return 0
