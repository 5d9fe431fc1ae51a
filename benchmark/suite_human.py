"""The human suite: the embedded checker, roberta-large NLI and the majority label on people's labels.

    python -m benchmark.suite_human
    python -m benchmark.suite_human --restart      # after the embedded model has changed

Writes benchmark/results/suite_human.json, .md and plots. The data is found through REFCHECKER_DATA. Answers
are kept in runs/suite_human: stop it, and the same command goes on. `--out_of_fold FILE` (as
`training.embedded.weigh` writes it: JSON Lines of setting, model, id, claim_index, label) adds the system
"unseen", which the others are tested against: those labels, and in noisy context, which was not trained on,
the checker's own.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmark.data import data_root
from refchecker.cli.bench import steps
from refchecker.cli.options import LLMOptions
from refchecker.cli.options.bench import FolderOptions, ModelOptions
from refchecker.suites import runner
from refchecker.suites.folder import Folder
from refchecker.suites.human import data as human_data
from refchecker.suites.human import suite as human_suite

RESULTS = Path(__file__).resolve().parent / "results"
FOLDER = Path("runs") / "suite_human"
NOTE = (
    "The embedded checker has learnt from the labels of zero and accurate context. What it reaches there on "
    "questions that it did not see is the system unseen, or [embedded_cv.md](embedded_cv.md). "
    "roberta_large_nli is what upstream's default checker answered, from a file that comes with the data; it "
    "has answers to the annotators' triplets only."
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--restart", action="store_true", help="check everything again")
    parser.add_argument("--out_of_fold", type=Path, metavar="FILE", help="labels on unseen questions")
    parser.add_argument("--checker_name", default="embedded", help="the checker to measure (%(default)s)")
    options = parser.parse_args()
    data = data_root("human")
    checker = options.checker_name.replace(":", "-").replace("/", "-")
    predictions = str(data / "human" / "roberta_large_nli_predictions.jsonl")
    systems = {
        checker: human_suite.RunOptions(),
        "roberta_large_nli": human_suite.RunOptions(predictions=predictions),
        "majority": human_suite.RunOptions(majority=True),
    }
    models = ModelOptions(checker_name=options.checker_name)
    prepare = human_suite.PrepareOptions(data=str(data))
    steps.prepare(human_suite.SUITE, FolderOptions(folder=str(FOLDER)), models, LLMOptions(), prepare)
    for name, system in systems.items():
        run(name, system, models, restart=options.restart)
    shown = list(systems)
    if options.out_of_fold:
        unseen = FOLDER / "unseen.jsonl"
        unseen.write_text("".join(unseen_labels(options.out_of_fold, checker)), encoding="utf-8")
        run("unseen", human_suite.RunOptions(predictions=str(unseen)), models, restart=True)
        shown.append("unseen")
    written, lacking = runner.report(
        human_suite.SUITE,
        Folder(FOLDER, "human"),
        shown,
        against="unseen" if options.out_of_fold else checker,
        note=NOTE,
        command=shlex.join(["python", "-m", "benchmark.suite_human", *sys.argv[1:]]),
        output=RESULTS / "suite_human",
    )
    for path in written:
        print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    if lacking:
        sys.exit(lacking)


def unseen_labels(out_of_fold: Path, checker: str) -> Iterator[str]:
    """Lines of those labels, and of the checker's own in the settings that they leave out."""
    lines = out_of_fold.read_text(encoding="utf-8").splitlines(keepends=True)
    yield from lines
    known = {json.loads(line)["setting"] for line in lines}
    for item, answer in Folder(FOLDER, "human").answers(checker)["check-human"].items():
        if item.partition("/")[0] not in known:
            for place, label in enumerate(answer.value["labels"]):
                yield human_data.prediction(item, place, label)


def run(name: str, system: human_suite.RunOptions, models: ModelOptions, *, restart: bool) -> None:
    """Have that system answer; records that failed are written as such and reported."""
    where, resuming = FolderOptions(folder=str(FOLDER), name=name), runner.Resuming(restart=restart)
    if (code := steps.run(human_suite.SUITE, where, resuming, models, LLMOptions(), system)) not in (0, 3):
        sys.exit(code)


if __name__ == "__main__":
    main()
