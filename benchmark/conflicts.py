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
import sys
from pathlib import Path

from refchecker.cli import main as cli

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
    per_domain = options.per_domain or (1 if options.llm else None)
    substitutions = options.substitutions or (1 if options.llm else 2)
    prepare = ["--substitutions", str(substitutions)] + (
        ["--per_domain", str(per_domain)] if per_domain else []
    )
    run = [*(["--llm", options.llm] if options.llm else []), *others]
    at = ["--folder", str(options.folder / kind)]
    words = [*(["--llm", options.llm] if options.llm else []), *others]
    made = f"Made by `python -m benchmark.conflicts{''.join(f' {word}' for word in words)}`."
    note = f"{options.note} {made}".strip()
    commands = [
        ["prepare", "conflicts", *at, *prepare],
        ["run", "conflicts", *at, *run],
        ["report", "conflicts", *at, "--output", str(RESULTS / f"conflicts_{kind}"), "--note", note],
    ]
    wanted = commands[2:] if options.report_only else commands
    return next((code for command in wanted if (code := cli(["bench", *command]))), 0)


if __name__ == "__main__":
    sys.exit(main())
