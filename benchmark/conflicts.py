"""The conflicts suite's results: the checker on pairs of passages, or a language model on a sample of them.

    python -m benchmark.conflicts                            # the embedded checker
    python -m benchmark.conflicts --checker_name nli:...     # another
    python -m benchmark.conflicts --llm openai/NAME --llm_api_base URL --per_domain 1

Writes benchmark/results/conflicts_checker or conflicts_llm, .json, .md and .png. It takes the steps of
`refchecker-cli bench`, and the options of `bench run`: --restart where the checker has changed. Answers are
kept in --folder, so that what was interrupted goes on; --report_only makes the tables of what is there. With
--llm the passages are the package's too: a model as small as this one knows too little to be asked for them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path

from refchecker.cli import exit_code
from refchecker.cli.bench import steps
from refchecker.cli.bench.commands import options_of
from refchecker.cli.options import LLMOptions
from refchecker.cli.options.bench import FolderOptions, MeasureOptions, ModelOptions, PageOptions
from refchecker.suites import find

RESULTS = Path(os.path.relpath(Path(__file__).resolve().parent / "results"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=Path(".cache", "conflicts"), help="(%(default)s)")
    parser.add_argument("--per_domain", type=int, help="entities of each domain (all; with --llm 1)")
    parser.add_argument("--substitutions", type=int, help="of each entity (2; with --llm 1)")
    parser.add_argument("--llm", help="language model to measure, instead of a checker")
    parser.add_argument("--report_only", action="store_true", help="only the tables of the answers there are")
    parser.add_argument("--note", default="", help="a sentence for the page")
    options, others = parser.parse_known_args()
    kind = "llm" if options.llm else "checker"
    words = [*(["--llm", options.llm] if options.llm else []), *others]
    made = f"Made by `python -m benchmark.conflicts{''.join(f' {word}' for word in words)}`."
    suite, folder, output = find("conflicts"), str(options.folder / kind), str(RESULTS / f"conflicts_{kind}")
    named, *run = options_of("run", suite, words)
    where = FolderOptions(folder=folder)
    if not options.report_only:
        prepare = suite.prepare_options(
            substitutions=options.substitutions or (1 if options.llm else 2),
            per_domain=options.per_domain or (1 if options.llm else None),
        )
        steps.prepare(suite, where, ModelOptions(), LLMOptions(), prepare)
        if code := steps.run(suite, replace(where, name=named.name), *run):
            return code
    page = PageOptions(output=output, note=f"{options.note} {made}".strip())
    command = shlex.join(
        ["refchecker-cli", "bench", "report", "conflicts", "--folder", folder, "--output", output]
    )
    return steps.report(suite, where, MeasureOptions(), page, command)


if __name__ == "__main__":
    sys.exit(exit_code(main))
