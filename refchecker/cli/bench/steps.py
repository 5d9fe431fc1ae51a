"""The steps of bench as functions: what the runner does, told to a person. Each gives an exit code.

Their options are those of the command line, whose parser is made of them; a program makes them itself:

    steps.prepare(suite, FolderOptions(), ModelOptions(), LLMOptions(), suite.prepare_options(per_domain=1))
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...io import dump
from ...suites import collect as collection
from ...suites import find, runner
from ...suites.collect import CollectOptions
from ...suites.compare import check_same_data, chosen, comparisons
from ...suites.folder import SCORE, Folder, header, slug
from ...suites.runner import Resuming
from ...suites.tables import comparison_table
from ...suites.types import Suite
from ..components import clients_of
from ..options import LLM, Groups, LLMOptions
from ..options.bench import CompareOptions, FolderOptions, MeasureOptions, ModelOptions, PageOptions
from ..progress import Progress, how_to_go_on
from .tools import ModelTools


def folder_of(suite: Suite, where: FolderOptions) -> Folder:
    """The folder that is named, or the suite's usual one."""
    return Folder(Path(where.folder or f"bench/{suite.name}"), suite.name)


@contextmanager
def _asking(
    models: ModelOptions, llm: LLMOptions, folder: Path, system: str | None = None
) -> Iterator[tuple[ModelTools, Progress]]:
    """Tools and progress of a step that may ask models; at its end it tells what was asked."""
    if llm.provider_batch:
        raise UsageError("bench asks one request at a time: leave out --provider_batch.")
    progress = Progress(quiet=models.quiet)
    clients = clients_of(llm, models.cache_dir, models.concurrency, progress.note)
    try:
        with progress:
            yield ModelTools(folder, progress.tell, bool(models.llm), system, models, clients), progress
    finally:
        for line in clients.usage():
            progress.tell(line)


def prepare(suite: Suite, where: FolderOptions, models: ModelOptions, llm: LLMOptions, options: Any) -> int:
    """Get or build the data; `options` are the suite's own."""
    folder = folder_of(suite, where)
    with _asking(models, llm, folder.path) as (tools, progress):
        made = runner.prepare(suite, folder, options, tools)
    for line in made["notes"]:
        progress.tell(line)
    progress.tell(f"{folder.path}: {made['items']:,} items in {made['groups']:,} groups, data {made['data']}")
    return 0


def run(
    suite: Suite,
    where: FolderOptions,
    resuming: Resuming,
    models: ModelOptions,
    llm: LLMOptions,
    options: Any,
) -> int:
    """Ask what is not answered yet; `options` are the suite's own. 3 where some of it failed."""
    folder = folder_of(suite, where)
    name = where.name or system_name(suite, models, options)
    with ExitStack() as trials:
        if llm.dry_run:
            folder.prepared()
            trial = Path(trials.enter_context(tempfile.TemporaryDirectory(prefix="refchecker-")), "trial")
            folder = Folder(shutil.copytree(folder.path, trial), folder.suite)
        Progress(quiet=models.quiet).begin(f"bench run {suite.name}, system {name}")
        try:
            with _asking(models, llm, folder.path, where.name) as (tools, progress):
                ran = runner.run(suite, folder, name, options, tools, resuming, progress)
        except KeyboardInterrupt:
            kept = folder.system(name)
            print(f"interrupted. What is answered is in {kept}; the same command goes on.", file=sys.stderr)
            return 130
    if llm.dry_run:
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


def system_name(suite: Suite, models: ModelOptions, options: Any) -> str:
    """A name for the system, of what makes it: the model, what the suite's options say, or the checker."""
    return slug(models.llm) if models.llm else suite.system_name(options) or slug(models.checker_name)


def score(suite: Suite, where: FolderOptions, measure: MeasureOptions) -> int:
    """Make scores of the answers."""
    folder = folder_of(suite, where)
    folder.prepared()
    for name in measure.systems or folder.systems():
        scored = runner.score(suite, folder, name, draws=measure.draws, seed=measure.seed)
        lacking = sum(sum(sheet["missing"].values()) for sheet in scored["sheets"].values())
        note = f", {lacking:,} units not scored (the file says why)" if lacking else ""
        print(f"{folder.system(name) / SCORE}: {len(scored['sheets'])} sheets{note}", file=sys.stderr)
    return 0


def report(
    suite: Suite, where: FolderOptions, measure: MeasureOptions, page: PageOptions, command: str = ""
) -> int:
    """Write the page and its plots; `command` is what it names as its maker."""
    written, lacking = runner.report(
        suite,
        folder_of(suite, where),
        measure.systems,
        against=page.against,
        note=page.note,
        command=command,
        draws=measure.draws,
        test_draws=measure.test_draws,
        seed=measure.seed,
        output=Path(page.output) if page.output else None,
        plots=not page.no_plots,
    )
    for path in written:
        print(path)
    if lacking:
        print(f"no plots: {lacking}.", file=sys.stderr)
    return 0


def compare(systems: CompareOptions, measure: MeasureOptions) -> int:
    """Print what two systems differ in, on the same items."""
    paths = [Path(systems.a), Path(systems.b)]
    settings = [_settings(path) for path in paths]
    check_same_data(*settings)
    suite = find(settings[0]["suite"])
    a, b = [
        chosen(runner.sheets(suite, Folder(path.parent, suite.name), path.name), systems.sheets)
        for path in paths
    ]
    names = [path.name for path in paths]
    compared = comparisons([(names[0], a, names[1], b)], draws=measure.test_draws, seed=measure.seed)
    if not compared:
        raise UsageError(
            f"no sheet to compare. {names[0]} has {', '.join(a) or 'none'}; "
            f"{names[1]} has {', '.join(b) or 'none'}."
        )
    print(dump(compared, indent=1).decode() if systems.json else "\n".join(comparison_table(compared)))
    return 0


def _settings(system: Path) -> dict[str, Any]:
    """Suite and data that a system's answers are of."""
    for path in sorted(system.glob("*.jsonl")):
        if settings := header(path):
            return settings
    raise UsageError(f"{system}: no answers here. Give the folder of a system, such as bench/human/embedded.")


def collect(options: CollectOptions, resuming: Resuming, models: ModelOptions, llm: LLMOptions) -> int:
    """Write a response to each question. 3 where some could not be had."""
    try:
        with _asking(models, llm, Path(options.output_path).parent) as (tools, progress):
            failed = collection.collect(options, resuming, tools.llm(), progress, dry_run=llm.dry_run)
    except KeyboardInterrupt:
        print(how_to_go_on(options.output_path), file=sys.stderr)
        return 130
    return 3 if failed else 0


_FOLDER: Groups = {FolderOptions: ""}
_MODELS: Groups = {ModelOptions: "models"} | LLM
OPTIONS: dict[str, Groups] = {  # of each step, in the order in which its function takes them
    "prepare": _FOLDER | _MODELS,
    "run": _FOLDER | {Resuming: ""} | _MODELS,
    "score": _FOLDER | {MeasureOptions: ""},
    "report": _FOLDER | {MeasureOptions: "", PageOptions: ""},
    "compare": {CompareOptions: "", MeasureOptions: ""},
    "collect": {CollectOptions: "", Resuming: ""} | _MODELS,
}
WITHOUT = {
    "prepare": ["name"],
    "score": ["name", "test_draws"],
    "report": ["name"],
    "compare": ["systems", "draws"],
}
STEPS: dict[str, Callable[..., int]] = {
    "prepare": prepare,
    "run": run,
    "score": score,
    "report": report,
    "compare": compare,
    "collect": collect,
}
