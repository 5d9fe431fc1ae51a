"""The report of the conflicts suite: three tasks by method, breakdowns, wordings, and the checker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..tables import cell, comparison_table, coverage_lines, metric_rows, number, table
from ..types import Page, Plot, Series
from .asking import METHODS
from .checking import FORMATS, REFERENCES
from .units import ANSWERS, CONTEXT, SPAN, TASKS

Results = Mapping[str, Any]
Sheets = Mapping[str, Mapping[str, Any]]
TITLES = {
    CONTEXT: "Task 1: is there a conflict in the context?",
    SPAN: "Task 2: is there one in what it has on the question?",
    ANSWERS: "Task 3: both answers",
}
BINARY = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "said_conflict": "said conflict",
    "unreadable": "unreadable",
}
TWO = {"parametric": "from knowledge", "conflicting": "from the context", "both": "both"}
CHECK_COLUMNS = {
    "check": {
        "precision": "precision",
        "recall": "recall",
        "f1": "F1",
        "precision_unsupported": "precision, anything unsupported",
        "recall_unsupported": "recall, anything unsupported",
        "f1_unsupported": "F1, anything unsupported",
    },
    "sentences": {"precision": "precision", "recall": "recall", "f1": "F1"},
    "spans": {
        "pointed": "points to the edit",
        "precision": "words: precision",
        "recall": "words: recall",
        "f1": "words: F1",
        "against_pointed": "points to what was replaced",
    },
}
CHECK_TITLES = {
    "check": "Is the passage flagged? n counts passages, unedited ones among them. Precision and recall are "
    "of Contradiction; beside them of anything that is not Entailment.",
    "sentences": "Is the claim flagged that says what was put in? n counts claims of edited passages.",
    "spans": "Are the flagged words the edited ones? n counts edited passages. The first column is of those "
    "that are flagged.",
}
MAIN = {CONTEXT: "f1", SPAN: "f1", ANSWERS: "both"}


def page(results: Results) -> Page:
    """The page; plots of the tasks by method, and by domain."""
    systems = results["systems"]
    lines = [
        "# Knowledge conflicts",
        "",
        *(f"- {name}: `{scored['signature']}`" for name, scored in systems.items()),
        "",
        *_how(results),
    ]
    for name, scored in systems.items():
        lines += [*_reader(name, scored["sheets"]), *_checker(name, scored["sheets"])]
    if results["comparisons"]:
        lines += ["## Compared in pairs", "", *comparison_table(results["comparisons"], "entities"), ""]
    if found := coverage_lines(systems):
        lines += ["## Not scored", "", *(line for line in found if "/all:" in line), ""]
    return Page(lines, list(_plots(systems)))


def _how(results: Results) -> list[str]:
    first = next(iter(results["systems"].values()))
    data, boot = first["data"], first["bootstrap"]
    made = results["prepared"].get("sources", {}).get("made", {})
    pairs = ", ".join(f"{count} {kind}" for kind, count in made.get("pairs", {}).items())
    command = f"Made by `{results['command']}`. " if results["command"] else ""
    return [
        f"{command}{data['items']:,} pairs of {data['groups']:,} entities ({pairs}), passages: "
        f"{made.get('passages', 'unknown')}, data `{data['data']}`. In brackets: {boot['level']:.0%} "
        f"intervals, bootstrapped by entity ({boot['draws']:,} samples, seed {boot['seed']}). "
        "What each metric is: docs/metrics_conflicts.md.",
        "",
        *([results["note"], ""] if results["note"] else []),
    ]


def _rows(sheets: Sheets, prefix: str, places: Sequence[str]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(place, sheets[f"{prefix}/{place}"]) for place in places if f"{prefix}/{place}" in sheets]


def _places(sheets: Sheets, prefix: str, of: str) -> list[str]:
    """The slices of a kind that the sheets of a prefix have rows in."""
    start = f"{prefix}/{of}/"
    found = [name for name in sheets if name.startswith(start) and sheets[name]["n"]]
    return [name.removeprefix(f"{prefix}/") for name in found]


# -- language models -----------------------------------------------------------------------------


def _reader(name: str, sheets: Sheets) -> list[str]:
    lines: list[str] = []
    for task in TASKS:
        asked = [method for method in METHODS if f"{task}/{method}/all" in sheets]
        if not asked:
            continue
        columns = TWO if task == ANSWERS else BINARY
        rows = [(METHODS[method].title, sheets[f"{task}/{method}/all"]) for method in asked]
        lines += [f"## {name}. {TITLES[task]}", "", *metric_rows(rows, columns), ""]
        lines += _breakdown(sheets, task, asked)
        lines += _wordings(sheets, task, asked)
    return lines


def _breakdown(sheets: Sheets, task: str, asked: Sequence[str]) -> list[str]:
    """One metric by the way the conflict was made, and by domain: methods across."""
    metric = MAIN[task]
    titles = {"f1": "F1", "both": "Both answers right"}
    lines = []
    for of, title in (("conflict", "by the way the conflict was made"), ("domain", "by domain")):
        places = _places(sheets, f"{task}/{asked[0]}", of)
        rows = []
        for place in places:
            found = [sheets.get(f"{task}/{method}/{place}") for method in asked]
            values = [cell(sheet["metrics"][metric] if sheet else None) for sheet in found]
            size = next((sheet["n"] for sheet in found if sheet), None)
            rows.append([place.split("/", 1)[1], number(size), *values])
        head = ["", "n", *(METHODS[method].title for method in asked)]
        lines += [f"{titles[metric]} {title}:", "", *table(head, rows), ""]
    return lines


def _wordings(sheets: Sheets, task: str, asked: Sequence[str]) -> list[str]:
    """The main metric in each wording, how far it spreads, and how often all say the same."""
    rows = []
    for method in asked:
        if whole := sheets.get(f"{task}/{method}/wordings"):
            places = _places(sheets, f"{task}/{method}", "wording")
            values = [cell(sheets[f"{task}/{method}/{place}"]["metrics"][MAIN[task]]) for place in places]
            more = [cell(whole["metrics"][name]) for name in ("spread", "same")]
            rows.append((METHODS[method].title, number(whole["n"]), values, more))
    if not rows:
        return []
    most = max(len(values) for _, _, values, _ in rows)
    head = ["", "n", *(f"wording {i + 1}" for i in range(most)), "standard deviation", "same in all"]
    body = [[title, n, *values, *[""] * (most - len(values)), *more] for title, n, values, more in rows]
    return ["Wordings of the question (prompts/conflicts_wordings.txt):", "", *table(head, body), ""]


# -- checkers ------------------------------------------------------------------------------------


def _checker(name: str, sheets: Sheets) -> list[str]:
    lines: list[str] = []
    for kind, columns in CHECK_COLUMNS.items():
        rows = []
        for place in _checked(sheets, kind):
            slices = ["all", *_places(sheets, place, "conflict")]
            rows += [
                (f"{place.split('/', 1)[1]}: {title}", sheet) for title, sheet in _rows(sheets, place, slices)
            ]
        if rows:
            lines += ["", CHECK_TITLES[kind], "", *metric_rows(rows, columns)]
    for place in _checked(sheets, "check")[-1:]:
        rows = _rows(sheets, place, _places(sheets, place, "domain"))
        title = f"By domain, {place.split('/', 1)[1]}:"
        lines += ["", title, "", *metric_rows(rows, CHECK_COLUMNS["check"])]
    return [f"## Checker {name}", *lines, ""] if lines else []


def _checked(sheets: Sheets, kind: str) -> list[str]:
    """The prefixes of a kind of sheet: verbatim first, so that the last is the harder reference."""
    places = [f"{kind}/{each}/{reference}" for reference in REFERENCES for each in reversed(FORMATS)]
    return [place for place in places if f"{place}/all" in sheets]


# -- plots ---------------------------------------------------------------------------------------


def _plots(systems: Mapping[str, Mapping[str, Any]]) -> Iterator[Plot]:
    for name, scored in systems.items():
        sheets = scored["sheets"]
        asked = [method for method in METHODS if any(f"{task}/{method}/all" in sheets for task in TASKS)]
        if asked:
            series = [_series(sheets, task, [f"{task}/{method}/all" for method in asked]) for task in TASKS]
            places = [METHODS[method].title for method in asked]
            yield Plot(
                f"{name}_tasks", f"{name}: three tasks", "bars", places, series, y="F1; share of both answers"
            )
        for place in _checked(sheets, "check")[-1:]:
            domains = _places(sheets, place, "domain")
            names = [f"{place}/{domain}" for domain in domains]
            yield Plot(
                f"{name}_domains",
                f"{name}: edited passages flagged, {place.split('/', 1)[1]}",
                "bars",
                [domain.removeprefix("domain/") for domain in domains],
                [_series(sheets, "check", names)],
                y="F1",
            )


def _series(sheets: Sheets, task: str, names: Sequence[str]) -> Series:
    metric = MAIN.get(task, "f1")
    found = [sheets[name]["metrics"][metric] if name in sheets else {} for name in names]
    titles = {CONTEXT: "1: context", SPAN: "2: question", ANSWERS: "3: both answers"}
    values, lows, highs = ([each.get(part) for each in found] for part in ("value", "low", "high"))
    return Series(titles.get(task, "F1"), values, lows, highs)
