"""bench: the benchmark suites, step by step. prepare, run, score, report, compare, and collect.

The options of a step are those of its suite too, so the suite is loaded, and its parser made, when it is
named: `refchecker-cli --help` loads none.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...registry import names
from ..options import parse

if TYPE_CHECKING:
    from ...suites.types import Suite

ABOUT = {
    "prepare": "Get or build a suite's data.",
    "run": "Ask models; what is answered is kept, and the same command goes on.",
    "score": "Make scores of the answers. No model is asked.",
    "report": "Make tables and plots of the scores of all systems.",
    "compare": "Compare two systems on the same items, in pairs.",
    "collect": "Collect a language model's responses to questions.",
}

EXAMPLES = """examples:
  refchecker-cli bench prepare human --data ../shared/data
  refchecker-cli bench run human --checker_name embedded
      check every labelled response; stop it anywhere, the same command goes on
  refchecker-cli bench run human --predictions roberta_large_nli_predictions.jsonl --name roberta
  refchecker-cli bench score human
  refchecker-cli bench report human --against embedded
  refchecker-cli bench compare bench/human/embedded bench/human/roberta
  refchecker-cli bench collect --input_path questions.jsonl --output_path responses.jsonl --llm gpt4"""


def add(commands: Any) -> None:
    """The sub-command; its steps have parsers of their own."""
    sub = commands.add_parser(
        "bench",
        help="Run a benchmark suite.",
        description="Benchmark suites: "
        + ", ".join(sorted(names("suite")))
        + ".\n\nsteps:\n"
        + "\n".join(f"  {step:8}  {about}" for step, about in ABOUT.items()),
        epilog=EXAMPLES + "\n\n`refchecker-cli bench STEP SUITE --help` has the options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sub.add_argument("step", choices=tuple(ABOUT), metavar="STEP", help=", ".join(ABOUT))
    sub.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="a suite, and options")


def run(parsed: argparse.Namespace) -> int:
    """Run one step; the exit code."""
    return run_step(parsed.step, parsed.arguments)


def run_step(step: str, arguments: Sequence[str]) -> int:
    """Run that step, of the suite that is named first, with the options after it; the exit code."""
    from . import steps

    if step in ("compare", "collect"):
        return steps.STEPS[step](*options_of(step, None, arguments))
    suite = _suite(step, arguments)
    options = options_of(step, suite, arguments[1:])
    if step == "report":
        options.append(_without_note(["refchecker-cli", "bench", "report", *arguments]))
    return steps.STEPS[step](suite, *options)


def options_of(step: str, suite: Suite | None, arguments: Sequence[str]) -> list[Any]:
    """The options of a step, parsed, in the order in which its function takes them."""
    from . import steps

    groups, command = dict(steps.OPTIONS[step]), f"refchecker-cli bench {step}"
    if suite:
        command += f" {suite.name}"
    if suite and step in ("prepare", "run"):
        of_suite = suite.prepare_options if step == "prepare" else suite.run_options
        groups[of_suite] = f"suite {suite.name}"
    return parse(command, ABOUT[step], groups, arguments, steps.WITHOUT.get(step, ()))


def _suite(step: str, arguments: Sequence[str]) -> Suite:
    """The suite that is named first."""
    known = sorted(names("suite"))
    if not arguments or arguments[0].startswith("-"):
        parser = argparse.ArgumentParser(prog=f"refchecker-cli bench {step}", description=ABOUT[step])
        parser.add_argument("suite", nargs="?", help=f"{', '.join(known)}; SUITE --help tells its options")
        parser.parse_known_args(arguments)
        raise UsageError(f"name the suite first: bench {step} SUITE. Suites: {', '.join(known)}")
    from ...suites import find

    return find(arguments[0])


def _without_note(command: Sequence[str]) -> str:
    """The command as one types it, without the note, which the page has on its own.

    >>> _without_note(["bench", "report", "--note", "two runs", "--output", "a b"])
    "bench report --output 'a b'"
    """
    kept = [word for before, word in pairwise(["", *command]) if "--note" not in (before, word)]
    return shlex.join(word for word in kept if not word.startswith("--note="))
