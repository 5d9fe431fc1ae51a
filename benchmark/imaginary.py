"""The imaginary suite's results: a checker on made and on published items, or a language model on a sample.

    python -m benchmark.imaginary                            # the embedded checker
    python -m benchmark.imaginary --checker_name nli:...     # another
    python -m benchmark.imaginary --llm openai/NAME --llm_api_base URL --per_cell 20

Writes benchmark/results/imaginary_checker and imaginary_checker_published, or imaginary_llm, each .json, .md
and .png. It takes the steps of `refchecker-cli bench`, and the options of `bench run`: --restart where the
checker has changed. Answers are kept in --folder, so that what was interrupted goes on. Published items are
found through REFCHECKER_DATA.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmark.data import data_root
from refchecker.cli import exit_code
from refchecker.cli.bench import steps
from refchecker.cli.bench.commands import options_of
from refchecker.cli.options import LLMOptions
from refchecker.cli.options.bench import FolderOptions, MeasureOptions, ModelOptions, PageOptions
from refchecker.suites import find
from refchecker.suites.types import Suite

RESULTS = Path(__file__).resolve().parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path(".cache", "imaginary"), help="(%(default)s)")
    parser.add_argument("--per_cell", type=int, help="items of each cell (300; with --llm 20)")
    parser.add_argument("--llm", help="language model to measure, instead of a checker")
    options, others = parser.parse_known_args()
    suite = find("imaginary")
    per_cell = options.per_cell or (20 if options.llm else 300)
    made = suite.prepare_options(per_cell=per_cell)
    if options.llm:
        return measure(suite, options.folder / "llm", made, ["--llm", options.llm, *others], "imaginary_llm")
    published = suite.prepare_options(published=str(data_root("hypotheticals") / "hypotheticals"))
    return measure(suite, options.folder / "made", made, others, "imaginary_checker") or measure(
        suite, options.folder / "published", published, others, "imaginary_checker_published"
    )


def measure(suite: Suite, folder: Path, prepare: Any, words: list[str], name: str) -> int:
    """Prepare, run, report; the exit code of the first step that fails."""
    where, output = FolderOptions(folder=str(folder)), os.path.relpath(RESULTS / name)
    note = f"All its steps: python -m benchmark.imaginary{''.join(f' {word}' for word in sys.argv[1:])}."
    named, *run = options_of("run", suite, words)
    steps.prepare(suite, where, ModelOptions(), LLMOptions(), prepare)
    if code := steps.run(suite, replace(where, name=named.name), *run):
        return code
    command = shlex.join(
        ["refchecker-cli", "bench", "report", "imaginary", "--folder", str(folder), "--output", output]
    )
    return steps.report(suite, where, MeasureOptions(), PageOptions(output=output, note=note), command)


if __name__ == "__main__":
    sys.exit(exit_code(main))
