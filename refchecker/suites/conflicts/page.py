"""The report of the conflicts suite: three tasks by method, breakdowns, wordings, and the checker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..plots import series_of
from ..tables import (
    Results,
    Sheets,
    comparison_table,
    lines_of,
    metric_rows,
    not_scored,
    number,
    opening,
    section,
    sheets_of,
    table,
    value,
)
from ..types import Page, Plot
from .asking import METHODS
from .checking import FORMATS, REFERENCES
from .units import ANSWERS, CONTEXT, SPAN, TASKS

TITLES = {
    CONTEXT: "Task 1: is there a conflict in the context?",
    SPAN: "Task 2: is there one in what it has on the question?",
    ANSWERS: "Task 3: both answers",
}
SHORT_TITLES = {CONTEXT: "1: context", SPAN: "2: question", ANSWERS: "3: both answers"}
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
MAIN_TITLES = {"f1": "F1", "both": "Both answers right"}
BREAKDOWNS = {"conflict": "by the way the conflict was made", "domain": "by domain"}


def page(results: Results) -> Page:
    """The page; plots of the tasks by method, and by domain."""
    systems = sheets_of(results)
    made = results["prepared"].get("sources", {}).get("made", {})
    lines = opening(
        results,
        "Knowledge conflicts",
        "{items:,} pairs of {groups:,} entities ({pairs}), passages: {passages}",
        by="entity",
        more=". What each metric is: docs/metrics_conflicts.md.",
        pairs=", ".join(f"{count} {kind}" for kind, count in made.get("pairs", {}).items()),
        passages=made.get("passages", "unknown"),
    )
    for name, sheets in systems.items():
        lines += [*_language_model(name, sheets), *_checker(name, sheets)]
    lines += section("## Compared in pairs", "", comparison_table(results["comparisons"], "entities"))
    lines += not_scored(systems, lambda name: name.endswith("/all"))
    return Page(lines, list(_plots(systems)))


def _slices(sheets: Sheets, prefix: str, of: str) -> list[str]:
    """The slices of a kind that the sheets of a prefix have rows in."""
    return [name for name, sheet in lines_of(sheets, f"{re.escape(prefix)}/({of}/.*)") if sheet["n"]]


# -- language models -----------------------------------------------------------------------------


def _language_model(name: str, sheets: Sheets) -> list[str]:
    lines: list[str] = []
    for task in TASKS:
        methods = [method for method in METHODS if f"{task}/{method}/all" in sheets]
        if methods:
            rows = [(METHODS[method].title, sheets[f"{task}/{method}/all"]) for method in methods]
            columns = TWO if task == ANSWERS else BINARY
            lines += section(f"## {name}. {TITLES[task]}", "", metric_rows(rows, columns))
            lines += [*_breakdown(sheets, task, methods), *_wordings(sheets, task, methods)]
    return lines


def _breakdown(sheets: Sheets, task: str, methods: Sequence[str]) -> list[str]:
    """One metric by the way the conflict was made, and by domain: methods across."""
    metric = MAIN[task]
    head = ["", "n", *(METHODS[method].title for method in methods)]
    lines = []
    for of, title in BREAKDOWNS.items():
        rows = []
        for name in _slices(sheets, f"{task}/{methods[0]}", of):
            across = [sheets.get(f"{task}/{method}/{name}") for method in methods]
            size = next(sheet["n"] for sheet in across if sheet)
            rows.append([name.split("/", 1)[1], number(size), *(value(sheet, metric) for sheet in across)])
        lines += [f"{MAIN_TITLES[metric]} {title}:", "", *table(head, rows), ""]
    return lines


def _wordings(sheets: Sheets, task: str, methods: Sequence[str]) -> list[str]:
    """The main metric in each wording, how far it spreads, and how often all say the same."""
    rows = []
    for method in methods:
        if whole := sheets.get(f"{task}/{method}/wordings"):
            names = _slices(sheets, f"{task}/{method}", "wording")
            values = [value(sheets[f"{task}/{method}/{name}"], MAIN[task]) for name in names]
            rows.append((METHODS[method].title, whole, values))
    most = max((len(values) for *_, values in rows), default=0)
    head = ["", "n", *(f"wording {i + 1}" for i in range(most)), "standard deviation", "same in all"]
    body = [
        [
            title,
            number(whole["n"]),
            *values,
            *[""] * (most - len(values)),
            *(value(whole, name) for name in ("spread", "same")),
        ]
        for title, whole, values in rows
    ]
    return section("", "Wordings of the question (prompts/conflicts_wordings.txt):", table(head, body))


# -- checkers ------------------------------------------------------------------------------------


def _checker(name: str, sheets: Sheets) -> list[str]:
    lines: list[str] = []
    for kind, columns in CHECK_COLUMNS.items():
        rows = [
            (f"{prefix.split('/', 1)[1]}: {part}", sheets[f"{prefix}/{part}"])
            for prefix in _checked(sheets, kind)
            for part in ("all", *_slices(sheets, prefix, "conflict"))
        ]
        if rows:
            lines += ["", CHECK_TITLES[kind], "", *metric_rows(rows, columns)]
    for prefix in _checked(sheets, "check")[-1:]:
        rows = [(domain, sheets[f"{prefix}/{domain}"]) for domain in _slices(sheets, prefix, "domain")]
        title = f"By domain, {prefix.split('/', 1)[1]}:"
        lines += ["", title, "", *metric_rows(rows, CHECK_COLUMNS["check"])]
    return [f"## Checker {name}", *lines, ""] if lines else []


def _checked(sheets: Sheets, kind: str) -> list[str]:
    """The prefixes of a kind of sheet: verbatim first, so that the last is the harder reference."""
    prefixes = [f"{kind}/{form}/{reference}" for reference in REFERENCES for form in reversed(FORMATS)]
    return [prefix for prefix in prefixes if f"{prefix}/all" in sheets]


# -- plots ---------------------------------------------------------------------------------------


def _plots(systems: Mapping[str, Sheets]) -> Iterator[Plot]:
    for name, sheets in systems.items():
        methods = [method for method in METHODS if any(f"{task}/{method}/all" in sheets for task in TASKS)]
        if methods:
            series = [
                series_of(title, [sheets.get(f"{task}/{method}/all") for method in methods], MAIN[task])
                for task, title in SHORT_TITLES.items()
            ]
            titles, y = [METHODS[method].title for method in methods], "F1; share of both answers"
            yield Plot(f"{name}_tasks", f"{name}: three tasks", "bars", titles, series, y=y)
        for prefix in _checked(sheets, "check")[-1:]:
            domains = _slices(sheets, prefix, "domain")
            title = f"{name}: edited passages flagged, {prefix.split('/', 1)[1]}"
            series = [series_of("F1", [sheets[f"{prefix}/{domain}"] for domain in domains], "f1")]
            names = [domain.removeprefix("domain/") for domain in domains]
            yield Plot(f"{name}_domains", title, "bars", names, series, y="F1")
