"""The four steps of a benchmark: prepare, run, score, report.

Each reads what the one before left in the folder.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..errors import ComponentError, UsageError
from ..io import Journal, digest_of
from ..protocols import option
from .compare import comparisons, comparisons_within
from .folder import SCORE, Folder, header, read_answers, read_positions, write_json, write_whole
from .stats import DRAWS, LEVEL, TEST_DRAWS, finite, interval, resampled
from .types import Answer, Sheet, Stage, Suite, Task, Tools

Told = Callable[[int, int], None]  # how many tasks are done, of how many


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run left: tasks by what became of them."""

    tasks: int
    asked: int  # in this run; the others were answered before
    failed: int


@dataclass(frozen=True, kw_only=True)
class Resuming:
    """Which tasks are asked, beside those that have no answer yet."""

    limit: int | None = option(None, "only the first N items", least=1)
    retry_failed: bool = option(False, "ask again what failed")
    restart: bool = option(False, "drop the answers that are there")


GO_ON = Resuming()


def prepare(suite: Suite, folder: Folder, options: Any, tools: Tools) -> dict[str, Any]:
    """Get or build the data, by the suite's `prepare_options`; what prepare.json then says."""
    return folder.write(suite.prepare(options, tools), {"version": __version__})


def run(
    suite: Suite,
    folder: Folder,
    system: str,
    options: Any,
    tools: Tools,
    resuming: Resuming = GO_ON,
    progress: Told = lambda done, total: None,
) -> Ran:
    """Ask what has not been answered, stage by stage, by the suite's `run_options`.

    Stop it anywhere: the same call goes on.
    """
    items = folder.items()[: resuming.limit]
    data = folder.prepared()["data"]
    answers: dict[str, Mapping[str, Answer]] = {}
    total = Ran(0, 0, 0)
    for stage in suite.stages(items, options, tools):
        path = folder.system(system) / f"{stage.name}.jsonl"
        settings = {
            "suite": suite.name,
            "stage": stage.name,
            "signature": stage.signature,
            "data": data,
            "version": __version__,
        }
        ran = run_stage(stage, path, settings, answers, resuming, progress)
        total = Ran(total.tasks + ran.tasks, total.asked + ran.asked, total.failed + ran.failed)
        answers[stage.name] = read_answers(path)
    return total


def run_stage(
    stage: Stage,
    path: Path,
    settings: Mapping[str, Any],
    answers: Mapping[str, Mapping[str, Answer]],
    resuming: Resuming,
    progress: Told,
) -> Ran:
    """Answer the stage's tasks that its journal has no answer to."""
    if not resuming.restart:
        _compare(path, settings)
    tasks = list(stage.tasks(answers))
    if len({task.key for task in tasks}) < len(tasks):
        raise ComponentError(f"stage {stage.name!r} has two tasks with the same key")
    places = _places(tasks, {} if resuming.restart else read_positions(path))
    digests = {task.key: digest_of([task.key, task.ask]) for task in tasks}
    path.parent.mkdir(parents=True, exist_ok=True)
    journal = Journal(path, settings, restart=resuming.restart)
    try:
        todo = [
            task
            for task in tasks
            if not journal.has(places[task.key], digests[task.key])
            or (resuming.retry_failed and journal.failed(places[task.key]))
        ]
        kept = len(tasks) - len(todo)
        progress(kept, len(tasks))
        outcomes = stage.answer(iter(todo))
        for done, (task, answer) in enumerate(_paired(todo, outcomes, stage), start=kept + 1):
            journal.add(places[task.key], digests[task.key], _line(task, answer))
            progress(done, len(tasks))
        failed = sum(journal.failed(places[task.key]) for task in tasks)
    finally:
        journal.close()
    return Ran(len(tasks), len(todo), failed)


def _places(tasks: Sequence[Task], known: Mapping[str, int]) -> dict[str, int]:
    """Each task's place in the journal: the one it had, whatever came before it then, or a new one."""
    free = count(max(known.values(), default=-1) + 1)
    return {task.key: known[task.key] if task.key in known else next(free) for task in tasks}


def _line(task: Task, answer: Answer) -> dict[str, Any]:
    status = "failed" if answer.fault else "ok"
    return {"key": task.key, "value": dict(answer.value), "fault": answer.fault, "status": status}


def _paired(todo: Sequence[Task], outcomes: Iterator[Answer], stage: Stage) -> Iterator[tuple[Task, Answer]]:
    try:
        yield from zip(todo, outcomes, strict=True)
    except ValueError as error:
        raise ComponentError(f"stage {stage.name!r} gave not one answer per task: {error}") from error


def _compare(path: Path, settings: Mapping[str, Any]) -> None:
    before = header(path) or settings
    changed = [f"{k}: {before.get(k)} -> {settings[k]}" for k in settings if before.get(k) != settings[k]]
    if changed:
        raise UsageError(
            f"{path}: the answers here were given with other settings ({'; '.join(changed)}). "
            "Give another --name to keep them, or --restart to ask everything again."
        )


# -- scoring: from here on no model, no network --------------------------------------------------


def sheets(suite: Suite, folder: Folder, system: str) -> dict[str, Sheet]:
    """The sheets of a system by name."""
    return {sheet.name: sheet for sheet in suite.score(folder.items(), folder.answers(system))}


def score(suite: Suite, folder: Folder, system: str, *, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """Every metric with its interval, counts and coverage; also kept in SYSTEM/score.json."""
    return _scored(suite, folder, system, sheets(suite, folder, system), draws, seed)


def _scored(
    suite: Suite, folder: Folder, system: str, by_name: Mapping[str, Sheet], draws: int, seed: int
) -> dict[str, Any]:
    stages = folder.stages(system)
    prepared = folder.prepared()
    scored = {
        "suite": suite.name,
        "system": system,
        "signature": signature(suite.name, stages, prepared["data"]),
        "stages": {name: settings["signature"] for name, settings in stages.items()},
        "versions": {"refchecker": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "data": {name: prepared[name] for name in ("data", "items", "groups")},
        "bootstrap": {"draws": draws, "seed": seed, "level": LEVEL, "unit": "group"},
        "sheets": {name: scored_sheet(sheet, draws=draws, seed=seed) for name, sheet in by_name.items()},
    }
    write_json(folder.system(system) / SCORE, scored)
    return scored


def signature(suite: str, stages: Mapping[str, Mapping[str, Any]], data: str) -> str:
    """`suite|components of the stages|data:hash|v:version`, each component once."""
    parts = [part for settings in stages.values() for part in settings["signature"].split("|")]
    return "|".join([suite, *dict.fromkeys(parts), f"data:{data}", f"v:{__version__}"])


def scored_sheet(sheet: Sheet, *, draws: int = DRAWS, seed: int = 0) -> dict[str, Any]:
    """A sheet as it is written: values, intervals, counts and coverage."""
    samples = resampled(sheet.columns, sheet.groups, sheet.metrics, draws=draws, seed=seed)
    rows, lacking = len(sheet.ids), sum(sheet.missing.values())
    metrics = {}
    for name, metric in sheet.metrics.items():
        low, high = interval(samples[name])
        value = metric(sheet.columns) if rows else math.nan
        metrics[name] = {"value": finite(value), "low": finite(low), "high": finite(high)}
    return {
        "n": rows,
        "groups": len(set(sheet.groups)),
        "coverage": finite(rows / (rows + lacking)) if rows + lacking else None,
        "missing": dict(sheet.missing),
        "counts": dict(sheet.counts),
        "metrics": metrics,
    }


def report(
    suite: Suite,
    folder: Folder,
    systems: Sequence[str] = (),
    *,
    against: str = "",
    note: str = "",
    command: str = "",
    draws: int = DRAWS,
    test_draws: int = TEST_DRAWS,
    seed: int = 0,
    output: Path | None = None,
    plots: bool = True,
) -> tuple[list[Path], str]:
    """Write OUTPUT.json, OUTPUT.md and its plots over those systems (all there are).

    Gives the paths, and what is missing for plots. Systems are compared in pairs with
    `against`, or all with one another.
    """
    from .plots import draw

    names = list(systems) or folder.systems()
    if not names:
        raise UsageError(
            f"{folder.path}: no system has answers here. Run: refchecker-cli bench run {suite.name}"
        )
    if against and against not in names:
        raise UsageError(f"--against {against}: it is none of the systems {', '.join(names)}")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if not against or against in (a, b)]
    by_system = {name: sheets(suite, folder, name) for name in names}
    between = [(a, by_system[a], b, by_system[b]) for a, b in pairs]
    within = [(name, of, x, y) for name, of in by_system.items() for x, y in suite.within(list(of))]
    results = {
        "suite": suite.name,
        "command": command,
        "note": note,
        "prepared": folder.prepared(),
        "systems": {name: _scored(suite, folder, name, by_system[name], draws, seed) for name in names},
        "test_draws": test_draws,
        "comparisons": comparisons(between, draws=test_draws, seed=seed),
        "within": comparisons_within(within, draws=test_draws, seed=seed),
    }
    page = suite.page(results)
    output = output or folder.path / "report"
    write_json(output.with_name(output.name + ".json"), results)
    drawn, lacking = draw(page.plots, output) if plots else ([], "")
    pictures = [f"![{plot.title}]({path.name})" for plot, path in zip(page.plots, drawn, strict=False)]
    text = "\n".join([*page.lines, *([""] if pictures else []), *pictures]) + "\n"
    write_whole(output.with_name(output.name + ".md"), text.encode())
    return [output.with_name(output.name + ".json"), output.with_name(output.name + ".md"), *drawn], lacking
