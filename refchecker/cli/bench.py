"""bench: the benchmark suites, step by step. prepare, run, score, report, compare, and collect.

The options of a step are those of its suite too, so the suite is loaded, and its parser made, when it is
named: `refchecker-cli --help` loads none.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..registry import names
from . import bench_options, llm_options
from .progress import Progress

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


def run(options: argparse.Namespace) -> int:
    """Run one step; the exit code."""
    step: str = options.step
    if step == "compare":
        return _compare(options.arguments)
    if step == "collect":
        return _collect(options)
    parsed = _parsed(step, options.arguments)
    return {"prepare": _prepare, "run": _run, "score": _score, "report": _report}[step](parsed)


def _parser(step: str, suite: str = "") -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=" ".join(filter(None, ["refchecker-cli bench", step, suite])),
        description=ABOUT[step],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _parsed(step: Any, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a step of the suite that is named first."""
    known = sorted(names("suite"))
    if not arguments or arguments[0].startswith("-"):
        parser = _parser(step)
        parser.add_argument("suite", nargs="?", help=f"{', '.join(known)}; SUITE --help tells its options")
        parser.parse_known_args(arguments)
        raise UsageError(f"name the suite first: bench {step} SUITE. Suites: {', '.join(known)}")
    from ..suites import find

    suite = find(arguments[0])
    parser = _parser(step, suite.name)
    bench_options.ADD[step](parser)
    suite.add_options(parser.add_argument_group(f"suite {suite.name}"), step)
    options = parser.parse_args(arguments[1:])
    options.suite = suite
    options.given = list(arguments)
    return options


def _folder(options: argparse.Namespace) -> Any:
    from ..suites.folder import Folder

    return Folder(Path(options.folder or f"bench/{options.suite.name}"), options.suite.name)


@contextmanager
def _asking(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Any, Progress]]:
    """Tools and progress of a step that may ask models; at its end it tells what was asked."""
    from .suite_tools import OptionTools

    if options.provider_batch:
        raise UsageError("bench asks one request at a time: leave out --provider_batch.")
    progress = Progress(quiet=options.quiet)
    ledger = llm_options.ledger_of(options, progress.note)
    try:
        with progress:
            yield OptionTools(options, folder, ledger, progress.tell), progress
    finally:
        for line in llm_options.usage_lines(ledger):
            progress.tell(line)


def _prepare(options: argparse.Namespace) -> int:
    from ..suites import runner

    folder = _folder(options)
    with _asking(options, folder.path) as (tools, progress):
        made = runner.prepare(options.suite, folder, options, tools)
    for line in made["notes"]:
        progress.tell(line)
    progress.tell(f"{folder.path}: {made['items']:,} items in {made['groups']:,} groups, data {made['data']}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from ..suites.folder import Folder

    folder: Folder = _folder(options)
    if not options.dry_run:
        return _ran(options, folder)
    folder.prepared()
    with tempfile.TemporaryDirectory(prefix="refchecker-") as place:
        trial = Folder(Path(place, "trial"), folder.suite)
        shutil.copytree(folder.path, trial.path)
        return _ran(options, trial)


def _ran(options: argparse.Namespace, folder: Any) -> int:
    from ..suites import runner

    name = options.name or bench_options.system_name(options)
    if not options.quiet and not sys.stderr.isatty():
        print(f"refchecker {__version__} bench run {options.suite.name}, system {name}", file=sys.stderr)
    try:
        with _asking(options, folder.path) as (tools, progress):
            ran = runner.run(
                options.suite,
                folder,
                name,
                options,
                tools,
                limit=options.limit,
                retry_failed=options.retry_failed,
                restart=options.restart,
                progress=progress,
            )
    except KeyboardInterrupt:
        print(
            f"interrupted. What is answered is in {folder.system(name)}; the same command goes on.",
            file=sys.stderr,
        )
        return 130
    if options.dry_run:
        progress.tell(
            "dry run: nothing was asked, nothing is kept. Stages that need answers are not counted."
        )
        return 0
    for line in tools.remarks():
        progress.tell(line)
    progress.tell(
        f"{folder.system(name)}: {ran.tasks:,} tasks, {ran.tasks - ran.asked:,} of them answered before, "
        f"{ran.failed:,} failed"
    )
    if ran.failed:
        progress.tell("--retry_failed asks those that failed again.")
    return 3 if ran.failed else 0


def _score(options: argparse.Namespace) -> int:
    from ..suites import runner
    from ..suites.folder import SCORE

    folder = _folder(options)
    folder.prepared()
    for name in options.systems or folder.systems():
        scored = runner.score(options.suite, folder, name, draws=options.draws, seed=options.seed)
        lacking = sum(sum(sheet["missing"].values()) for sheet in scored["sheets"].values())
        note = f", {lacking:,} units not scored (the file says why)" if lacking else ""
        print(f"{folder.system(name) / SCORE}: {len(scored['sheets'])} sheets{note}", file=sys.stderr)
    return 0


def _report(options: argparse.Namespace) -> int:
    from ..suites import runner

    folder = _folder(options)
    written, lacking = runner.report(
        options.suite,
        folder,
        options.systems or (),
        against=options.against,
        note=options.note,
        command=_without_note(["refchecker-cli", "bench", "report", *options.given]),
        draws=options.draws,
        test_draws=options.test_draws,
        seed=options.seed,
        output=Path(options.output) if options.output else None,
        plots=not options.no_plots,
    )
    for path in written:
        print(path)
    if lacking:
        print(f"no plots: {lacking}.", file=sys.stderr)
    return 0


def _without_note(command: Sequence[str]) -> str:
    """The command as one types it, without the note, which the page has on its own.

    >>> _without_note(["bench", "report", "--note", "two runs", "--output", "a b"])
    "bench report --output 'a b'"
    """
    kept = [word for before, word in pairwise(["", *command]) if "--note" not in (before, word)]
    return shlex.join(word for word in kept if not word.startswith("--note="))


def _compare(arguments: Sequence[str]) -> int:
    from ..suites import find
    from ..suites.compare import check_same_data, chosen, comparisons
    from ..suites.folder import Folder
    from ..suites.runner import sheets
    from ..suites.tables import comparison_table

    parser = _parser("compare")
    bench_options.add_compare(parser)
    options = parser.parse_args(arguments)
    places = [Path(options.a), Path(options.b)]
    about = [bench_options.suite_of(place) for place in places]
    check_same_data(*about)
    suite = find(about[0]["suite"])
    own = [chosen(sheets(suite, Folder(p.parent, suite.name), p.name), options.sheets) for p in places]
    found = comparisons(
        [(places[0].name, own[0], places[1].name, own[1])], draws=options.test_draws, seed=options.seed
    )
    if not found:
        raise UsageError(
            f"no sheet to compare. {places[0].name} has {', '.join(own[0]) or 'none'}; "
            f"{places[1].name} has {', '.join(own[1]) or 'none'}."
        )
    if options.json:
        from ..io import dump

        print(dump(found, indent=1).decode())
    else:
        print("\n".join(comparison_table(found)))
    return 0


def _collect(given: argparse.Namespace) -> int:
    from ..suites.collect import collect

    parser = _parser("collect")
    bench_options.add_collect(parser)
    options = parser.parse_args(given.arguments)
    given.output_path = options.output_path  # whose journal an interrupt tells of
    with _asking(options, Path(options.output_path).parent) as (tools, progress):
        failed = collect(options, tools.llm(), progress)
    return 3 if failed else 0
