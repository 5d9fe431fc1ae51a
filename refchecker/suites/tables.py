"""What the pages of the suites are put together from: sections, and Markdown tables of scored sheets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Results = Mapping[str, Any]  # of a report, as `runner.report` writes it
Scored = Mapping[str, Any]  # a sheet of it
Sheets = Mapping[str, Scored]  # the sheets of a system, by name
Line = tuple[str, Scored]  # what a line of a table is called, and whose values stand in it
EMPTY = "–"


def opening(results: Results, title: str, counted: str, *, by: str, more: str, **known: object) -> list[str]:
    """The head of a page: the systems, how it was made, of what, and what stands in brackets.

    `counted` is a format with the data's {items} and {groups}, and what else is `known`; the bootstrap is by
    `by`; `more` ends the sentence.
    """
    systems = results["systems"]
    first = next(iter(systems.values()))
    data, boot = first["data"], first["bootstrap"]
    made = f"Made by `{results['command']}`. " if results["command"] else ""
    return [
        f"# {title}",
        "",
        *(f"- {name}: `{scored['signature']}`" for name, scored in systems.items()),
        "",
        f"{made}{counted.format(**data, **known)}, data `{data['data']}`. In brackets: {boot['level']:.0%} "
        f"intervals, bootstrapped by {by} ({boot['draws']:,} samples, seed {boot['seed']}){more}",
        "",
        *([results["note"], ""] if results["note"] else []),
    ]


def section(title: str, about: str, rows: Sequence[str]) -> list[str]:
    """A heading, what the table below it shows, and the table; nothing where it has no rows."""
    head = [line for text in (title, about) if text for line in (text, "")]
    return [*head, *rows, ""] if len(rows) > 2 else []


def sheets_of(results: Results) -> dict[str, Sheets]:
    """The sheets of each system."""
    return {name: scored["sheets"] for name, scored in results["systems"].items()}


def lines_of(sheets: Sheets, pattern: str) -> list[Line]:
    """The sheets with such a name, each called what the pattern's group holds of it."""
    matches = ((re.fullmatch(pattern, name), sheet) for name, sheet in sheets.items())
    return [(match[1], sheet) for match, sheet in matches if match]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; bars and line breaks in cells are escaped."""
    return [_line(head), "|" + " --- |" * len(head), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def cell(metric: Mapping[str, Any] | None) -> str:
    """A metric with its interval.

    >>> cell({"value": 0.7469, "low": 0.701, "high": 0.79})
    '0.747 (0.70–0.79)'
    >>> cell({"value": None, "low": None, "high": None})
    '–'
    """
    if metric is None or metric["value"] is None:
        return EMPTY
    if metric["low"] is None:
        return f"{metric['value']:.3f}"
    return f"{metric['value']:.3f} ({metric['low']:.2f}–{metric['high']:.2f})"


def number(value: float | None, digits: int = 3) -> str:
    """The number, or a dash where there is none."""
    if value is None:
        return EMPTY
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def p_value(p: float | None) -> str:
    """A probability as people write it.

    >>> p_value(0.00099), p_value(0.0416)
    ('< .001', '.042')
    """
    if p is None:
        return EMPTY
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0")


def value(sheet: Scored | None, name: str) -> str:
    """A metric of a sheet with its interval, or a count of it; a dash where there is none."""
    if sheet is None:
        return EMPTY
    return cell(sheet["metrics"][name]) if name in sheet["metrics"] else number(sheet["counts"].get(name))


def metric_rows(lines: Sequence[Line], columns: Mapping[str, str]) -> list[str]:
    """A table with a scored sheet per line: its title, its rows, and the metrics or counts of `columns`."""
    body = [[title, number(sheet["n"]), *(value(sheet, name) for name in columns)] for title, sheet in lines]
    return table(["", "n", *columns.values()], body)


COMPARED = ("", "n", "metric", "A", "B", "A − B (95 %)", "p", "p (Holm)", "questions needed", "rows needed")


def comparison_table(compared: Sequence[Mapping[str, Any]], unit: str = "questions") -> list[str]:
    """Every compared metric on a line, and McNemar's test on one of its own."""
    rows = []
    for pair in compared:
        systems = pair["a"] if pair["a"] == pair["b"] else f"{pair['a']} : {pair['b']}"
        title = f"{systems}, {pair['sheet']}"
        for name, test in pair["metrics"].items():
            gap = {"value": test["difference"], "low": test["low"], "high": test["high"]}
            values = [number(test["a"]), number(test["b"]), signed(gap), p_value(test["p"])]
            size = number(test["groups_needed"])
            rows.append([title, number(pair["n"]), name, *values, p_value(test["p_holm"]), size, ""])
            title = ""
        if test := pair.get("mcnemar"):
            p = f"{p_value(test['p_clustered'])} (rows as independent: {p_value(test['p_exact'])})"
            values = [number(test["only_a"]), number(test["only_b"]), "", p, p_value(test["p_holm"])]
            rows.append(["", "", "right only in (McNemar)", *values, "", number(test["rows_needed"])])
    head = [title.replace("questions", unit) for title in COMPARED]
    return table(head, rows)


def signed(metric: Mapping[str, Any]) -> str:
    """A difference with its interval, each with its sign."""
    if metric["value"] is None:
        return EMPTY
    if metric["low"] is None:
        return f"{metric['value']:+.3f}"
    return f"{metric['value']:+.3f} ({metric['low']:+.2f} to {metric['high']:+.2f})"


def not_scored(systems: Mapping[str, Sheets], shown: Callable[[str], bool]) -> list[str]:
    """A line for each of those sheets that does not have a row for everything, with the reasons."""
    lines = [
        f"- {system}, {name}: {number(sheet['coverage'])} scored; "
        + "; ".join(f"{count:,} not: {why}" for why, count in sheet["missing"].items())
        for system, sheets in systems.items()
        for name, sheet in sheets.items()
        if sheet["missing"] and shown(name)
    ]
    return ["## Not scored", "", *lines, ""] if lines else []
