"""The options of each step of bench, beside those of its suite."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..llms import CONCURRENCY
from . import llm_options
from .options import at_least, known


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", metavar="DIR", help="where data and answers are kept (bench/SUITE)")


def _models(parser: argparse.ArgumentParser) -> None:
    """The models that a step may ask."""
    group = parser.add_argument_group("models")
    group.add_argument(
        "--llm", metavar="MODEL", help="language model to measure: provider/model, gpt4, claude2"
    )
    group.add_argument(
        "--checker_name",
        default="embedded",
        metavar="NAME",
        help=f"{known('checker')} (default: %(default)s)",
    )
    group.add_argument(
        "--extractor_name",
        default="spacy",
        metavar="NAME",
        help=f"{known('extractor')} (default: %(default)s)",
    )
    group.add_argument(
        "--device", default="auto", help="for the nli checker: auto, cpu, cuda:N (%(default)s)"
    )
    group.add_argument(
        "--claims_per_prompt", type=at_least(1), default=1, metavar="N", help="claims that share a request"
    )
    group.add_argument(
        "--concurrency", type=at_least(1), metavar="N", help=f"requests under way at once ({CONCURRENCY})"
    )
    group.add_argument(
        "--cache_dir", default="./.cache", help="where the answers of language models are kept (%(default)s)"
    )
    group.add_argument("--quiet", action="store_true", help="only errors")
    llm_options.add_options(parser, ["llm", "checker", "extractor"])


def _resuming(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=at_least(1), metavar="N", help="only the first N items")
    parser.add_argument("--retry_failed", action="store_true", help="ask again what failed")
    parser.add_argument("--restart", action="store_true", help="drop the answers that are there")


def add_prepare(parser: argparse.ArgumentParser) -> None:
    _folder(parser)
    _models(parser)


def add_run(parser: argparse.ArgumentParser) -> None:
    _folder(parser)
    parser.add_argument("--name", help="name of the system in the folder (made of the model's name)")
    _resuming(parser)
    _models(parser)


def _bootstrap(parser: argparse.ArgumentParser, *, intervals: bool = True, tests: bool = True) -> None:
    from ..suites.stats import DRAWS, TEST_DRAWS

    few = at_least(10)
    if intervals:
        parser.add_argument(
            "--draws", type=few, default=DRAWS, metavar="N", help="samples for intervals (%(default)s)"
        )
    if tests:
        parser.add_argument(
            "--test_draws", type=few, default=TEST_DRAWS, metavar="N", help="for paired tests (%(default)s)"
        )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (%(default)s)")


def _systems(parser: argparse.ArgumentParser) -> None:
    _folder(parser)
    parser.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of the folder")


def add_score(parser: argparse.ArgumentParser) -> None:
    _systems(parser)
    _bootstrap(parser, tests=False)


def add_report(parser: argparse.ArgumentParser) -> None:
    _systems(parser)
    _bootstrap(parser)
    parser.add_argument(
        "--against", default="", metavar="NAME", help="compare the systems with this one only"
    )
    parser.add_argument("--output", metavar="PATH", help="PATH.json, PATH.md, PATH_*.png (DIR/report)")
    parser.add_argument("--note", default="", metavar="TEXT", help="a paragraph for the head of the page")
    parser.add_argument("--no_plots", action="store_true", help="no PNG files")


def add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", help="folder of a system, such as bench/human/embedded")
    parser.add_argument("b", help="folder of another, on the same data")
    parser.add_argument(
        "--sheets", nargs="+", default=[], metavar="PATTERN", help="such as 'checker/*' (all)"
    )
    parser.add_argument("--json", action="store_true", help="JSON instead of a table")
    _bootstrap(parser, intervals=False)


def add_collect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input_path",
        required=True,
        metavar="FILE",
        help="JSON, JSON Lines or CSV with a question per record",
    )
    parser.add_argument(
        "--output_path", required=True, metavar="FILE", help="JSON Lines, input of extract-check"
    )
    parser.add_argument("--closed_book", action="store_true", help="do not show the model the references")
    parser.add_argument(
        "--max_new_tokens", type=at_least(1), default=512, metavar="N", help="of a response (%(default)s)"
    )
    _resuming(parser)
    _models(parser)


ADD: dict[str, Any] = {
    "prepare": add_prepare,
    "run": add_run,
    "score": add_score,
    "report": add_report,
}


def system_name(options: argparse.Namespace) -> str:
    """A name for the system, of what makes it: the model, the file of predictions, or the checker."""
    from ..suites.folder import slug

    if options.llm:
        return slug(options.llm)
    if predictions := getattr(options, "predictions", None):
        return slug(Path(predictions).stem)
    return "majority" if getattr(options, "majority", False) else slug(options.checker_name)


def suite_of(place: Path) -> dict[str, Any]:
    """Suite and data that a system's answers are of."""
    from ..suites.folder import header

    for path in sorted(place.glob("*.jsonl")):
        if settings := header(path):
            return settings
    raise UsageError(f"{place}: no answers here. Give the folder of a system, such as bench/human/embedded.")
