"""How well a checker agrees with people: RefChecker's annotations, hypothetical contexts, other claim sets.

    python -m benchmark.human --checker embedded --name human
    python -m benchmark.human --suite
    python -m benchmark.human --suite --restart      # after the embedded model has changed

Each reference of a triplet is judged on its own and the labels are merged by `any_support`, or as `--merge`
says. Writes benchmark/results/NAME.json and NAME.md. The data is found through REFCHECKER_DATA (default
../shared/data).

With `--suite` it takes the steps of `refchecker-cli bench` with the suite human: the checker, roberta-large
NLI and the majority label, by claim, response and model. Writes benchmark/results/suite_human.json, .md and
plots. Answers are kept in runs/suite_human: stop it, and the same command goes on. `--out_of_fold FILE` (as
`training.embedded.weigh` writes it: JSON Lines of setting, model, id, claim_index, label) adds the system
"unseen", which the others are tested against: those labels, and in noisy context, which was not trained on,
the checker's own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.data import data_root
from benchmark.labels import (
    BASELINE,
    CLAIM_SETS,
    ORDER,
    RESULTS,
    SETTINGS,
    SUPPORT_SETS,
    VARIANTS,
    Check,
    baseline_labels,
    claim_items,
    data_hash,
    human_items,
    hypothetical_items,
    judge,
    merged,
    summary,
    table,
)
from refchecker.aggregate import Merge, any_support
from refchecker.cli.bench import steps
from refchecker.cli.options import LLMOptions
from refchecker.cli.options.bench import FolderOptions, ModelOptions
from refchecker.registry import find, load, names
from refchecker.suites import runner
from refchecker.suites.folder import Folder
from refchecker.suites.human import data as human_data
from refchecker.suites.human.suite import SUITE, PrepareOptions, RunOptions
from refchecker.types import Label

FOLDER = Path("runs") / "suite_human"
NOTE = (
    "The embedded checker has learnt from the labels of zero and accurate context. What it reaches there on "
    "questions that it did not see is the system unseen, or [embedded_cv.md](embedded_cv.md). "
    "roberta_large_nli is what upstream's default checker answered, from a file that comes with the data; it "
    "has answers to the annotators' triplets only."
)


# -- labels by the checker alone -----------------------------------------------------------------


def evaluate(check: Check, root: Path, merge: Merge = any_support) -> dict[str, Any]:
    """Settings beside the baseline, claim sets and hypotheticals."""
    human, baseline, speed = {}, {}, {}
    for setting in SETTINGS:
        items = human_items(root, setting)
        began = time.perf_counter()
        judged = judge(check, items)
        seconds = time.perf_counter() - began
        pairs = sum(len(item.passages) for item in items)
        speed[setting] = {
            "pairs": pairs,
            "seconds": round(seconds, 1),
            "pairs_per_second": round(pairs / seconds),
        }
        human[setting] = summary(items, merged(judged, merge))
        baseline[setting] = summary(items, baseline_labels(root, setting))
    claims = {}
    for name in CLAIM_SETS:
        items = claim_items(root, name)
        labels = merged(judge(check, items), merge)
        if name in SUPPORT_SETS:
            labels = [Label.NEUTRAL if label is Label.CONTRADICTION else label for label in labels]
        claims[name] = summary(items, labels)
    hypotheticals = {}
    for variant in VARIANTS:
        labels = merged(judge(check, hypothetical_items(root, variant)), merge)
        hypotheticals[variant] = {label.value: round(labels.count(label) / len(labels), 4) for label in ORDER}
    return {
        "human": human,
        "roberta_large_nli": baseline,
        "claims": claims,
        "hypotheticals": hypotheticals,
        "speed": speed,
    }


_IN_SAMPLE = (
    "The shipped model learnt from zero and accurate context, its network also from WiCE: there these are no "
    "measure. What it reaches on questions that it never saw is in `embedded_cv.md`. Noisy context, FM2, "
    "HealthVer, QAGS and the hypothetical contexts are in no part of it.\n",
)


def page(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    checker = results["checker"]
    rows = []
    for setting in SETTINGS:
        title = setting.replace("_", " ")
        rows.append((f"{title}, {checker}", results["human"][setting]))
        rows.append((f"{title}, roberta-large NLI", results["roberta_large_nli"][setting]))
    lines = [
        "# Agreement with human labels",
        "",
        f"`{results['signature']}`",
        "",
        f"Made by `{results['command']}`. In brackets: 95 % intervals, bootstrapped by question.",
        "",
        "## RefChecker's annotated triplets",
        "",
        *table(rows),
        "",
        *_IN_SAMPLE[checker.partition(":")[0] != "embedded" :],
        "## Other claim sets",
        "",
        f"{', '.join(SUPPORT_SETS)} are labelled supported or not: what is not Entailment counts as Neutral.",
        "",
        *table([(name, results["claims"][name]) for name in CLAIM_SETS]),
        "",
        "## Hypothetical contexts",
        "",
        "The claim is the affirmative sentence. Only on `affirmative` should it be called Entailment.",
        "",
        "| context | Entailment | Neutral | Contradiction |",
        "| --- | --- | --- | --- |",
    ]
    for variant, shares in results["hypotheticals"].items():
        lines.append(f"| {variant} | " + " | ".join(f"{shares[label]:.2f}" for label in ORDER) + " |")
    lines += ["", "## Speed, as information", ""]
    for setting, values in results["speed"].items():
        pairs, seconds, rate = values["pairs"], values["seconds"], values["pairs_per_second"]
        lines.append(f"- {setting}: {pairs} pairs in {seconds} s, {rate} a second")
    lines.append(
        f"- peak memory of the process: {results['peak_megabytes']} MB; processors: {results['processors']}"
    )
    return "\n".join(lines) + "\n"


def measure(options: argparse.Namespace, root: Path) -> None:
    """Labels by the checker alone, in results/NAME.json and NAME.md."""
    check = load("checker", options.checker, threads=options.threads)
    results = evaluate(check, root, find("merge", options.merge))
    signature = getattr(check, "signature", options.checker)
    results |= {
        "checker": options.checker.split(":")[0],
        "signature": f"check:{signature}|merge:{options.merge}|data:{data_hash(root)}",
        "command": f"python -m benchmark.human --checker {options.checker.split(':')[0]}"
        + f" --merge {options.merge}" * (options.merge != "any_support")
        + f" --name {options.name}" * (options.name != "human"),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "processors": len(os.sched_getaffinity(0)),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{options.name}.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = page(results)
    (RESULTS / f"{options.name}.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


# -- the suite -----------------------------------------------------------------------------------


def measure_suite(options: argparse.Namespace, root: Path) -> None:
    """All steps of the suite, in results/suite_human.json, .md and plots."""
    checker = options.checker.replace(":", "-").replace("/", "-")
    systems = {
        checker: RunOptions(),
        "roberta_large_nli": RunOptions(predictions=str(root / BASELINE)),
        "majority": RunOptions(majority=True),
    }
    models = ModelOptions(checker_name=options.checker)
    folder = FolderOptions(folder=str(FOLDER))
    steps.prepare(SUITE, folder, models, LLMOptions(), PrepareOptions(data=str(root)))
    for name, system in systems.items():
        run_system(name, system, models, restart=options.restart)
    shown = list(systems)
    if options.out_of_fold:
        unseen = FOLDER / "unseen.jsonl"
        unseen.write_text("".join(unseen_labels(options.out_of_fold, checker)), encoding="utf-8")
        run_system("unseen", RunOptions(predictions=str(unseen)), models, restart=True)
        shown.append("unseen")
    written, lacking = runner.report(
        SUITE,
        Folder(FOLDER, "human"),
        shown,
        against="unseen" if options.out_of_fold else checker,
        note=NOTE,
        command=shlex.join(["python", "-m", "benchmark.human", *sys.argv[1:]]),
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
            for number, label in enumerate(answer.value["labels"]):
                yield human_data.prediction(item, number, label)


def run_system(name: str, system: RunOptions, models: ModelOptions, *, restart: bool) -> None:
    """Have that system answer; records that failed are written as such and reported."""
    where, resuming = FolderOptions(folder=str(FOLDER), name=name), runner.Resuming(restart=restart)
    if (code := steps.run(SUITE, where, resuming, models, LLMOptions(), system)) not in (0, 3):
        sys.exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--checker", default="embedded", help="a checker's name, such as embedded or nli:MODEL"
    )
    parser.add_argument(
        "--merge", choices=sorted(names("merge")), default="any_support", help="several references"
    )
    parser.add_argument("--name", default="human", help="results/NAME.json and NAME.md are written")
    parser.add_argument("--threads", type=int, help="threads of the embedded checker")
    parser.add_argument("--suite", action="store_true", help="the suite human instead, all its steps")
    parser.add_argument("--restart", action="store_true", help="with --suite: check everything again")
    parser.add_argument(
        "--out_of_fold", type=Path, metavar="FILE", help="with --suite: labels on unseen questions"
    )
    options = parser.parse_args()
    if not options.suite and (options.restart or options.out_of_fold):
        parser.error("--restart and --out_of_fold go with --suite")
    if options.suite and (options.merge, options.name, options.threads) != ("any_support", "human", None):
        parser.error("--merge, --name and --threads do not go with --suite")
    root = data_root("human")
    (measure_suite if options.suite else measure)(options, root)


if __name__ == "__main__":
    main()
