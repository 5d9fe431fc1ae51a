"""recall: RECALL, the best known of the suites, by its own door. The steps are those of bench."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from . import bench

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


def run(options: argparse.Namespace) -> int:
    """Run one step; the exit code."""
    step, arguments = options.step, list(options.arguments)
    if step == "agree":
        return _agree(arguments)
    if step == "score" and arguments and not arguments[0].startswith("-"):
        return _score_file(arguments)
    return bench.run(argparse.Namespace(step=step, arguments=["recall", *arguments]))


def _score_file(arguments: Sequence[str]) -> int:
    """Outputs of a file as a system: their claims checked, everything scored, the page written."""
    from ..suites.folder import PREPARED, slug

    parser = argparse.ArgumentParser(
        prog="refchecker-cli recall score FILE", description="Score a file of outputs, whoever made them."
    )
    parser.add_argument("file", help="JSON Lines of id, condition, output, and optionally method and rating")
    parser.add_argument("--folder", default="bench/recall", metavar="DIR", help="of the data (%(default)s)")
    parser.add_argument("--name", help="name of the system (that of the file)")
    parser.add_argument("--no_triplets", action="store_true", help="do not check the outputs claim by claim")
    parser.add_argument("--quiet", action="store_true", help="only errors")
    options = parser.parse_args(arguments)
    if not Path(options.file).is_file():
        raise UsageError(
            f"{options.file}: there is no such file. Give JSON Lines of id, condition and output."
        )
    folder = ["--folder", options.folder]
    quiet = ["--quiet"] if options.quiet else []
    name = options.name or slug(Path(options.file).stem)
    if not Path(options.folder, PREPARED).exists():
        _bench("prepare", [*folder, *quiet])
    more = ["--no_triplets"] if options.no_triplets else []
    _bench("run", [*folder, *quiet, "--outputs", options.file, "--name", name, *more])
    _bench("score", [*folder, "--systems", name])
    return _bench(
        "report", [*folder, "--systems", name, "--output", str(Path(options.folder, name, "report"))]
    )


def _bench(step: str, arguments: Sequence[str]) -> int:
    return bench.run(argparse.Namespace(step=step, arguments=["recall", *arguments]))


def _agree(arguments: Sequence[str]) -> int:
    from ..suites.folder import Folder
    from ..suites.recall.ratings import agreement, llm_scores, load_people
    from ..suites.tables import number, p_value, table

    parser = argparse.ArgumentParser(
        prog="refchecker-cli recall agree", description="How far people's ratings agree with the model's."
    )
    parser.add_argument("file", help="JSON Lines of rater, id, original, edited (ratings from 1 to 5)")
    parser.add_argument("--folder", default="bench/recall", metavar="DIR", help="of the data (%(default)s)")
    parser.add_argument("--name", required=True, help="the system that was rated")
    options = parser.parse_args(arguments)
    rated = llm_scores(Folder(Path(options.folder), "recall").answers(options.name))
    if not rated:
        raise UsageError(
            f"{options.name}: no language model has rated any of its definitions. "
            f"Run: refchecker-cli recall run --rate --name {options.name} --llm provider/model"
        )
    lines = []
    for rater, scores in load_people(Path(options.file)).items():
        found = agreement(rated, scores)
        values = [number(x) for x in (found.items, found.d_rate, found.mean, found.r, found.chi2)]
        lines.append([rater, *values, p_value(found.p)])
    head = ["rater", "items", "D-Rate", "mean, edited", "Pearson's r", "chi-square", "p"]
    sys.stdout.write("\n".join(table(head, lines)) + "\n")
    return 0
