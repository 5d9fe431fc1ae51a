"""Markdown tables of scores: a value with its interval in a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

EMPTY = "–"


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


def metric_rows(lines: Sequence[tuple[str, Mapping[str, Any]]], columns: Mapping[str, str]) -> list[str]:
    """A table with a scored sheet per line: its title, its rows, and the metrics of `columns`."""
    body = [
        [title, number(sheet["n"]), *(cell(sheet["metrics"].get(name)) for name in columns)]
        for title, sheet in lines
    ]
    return table(["", "n", *columns.values()], body)


COMPARED = ("", "n", "metric", "A", "B", "A − B (95 %)", "p", "p (Holm)", "questions needed", "rows needed")


def comparison_table(found: Sequence[Mapping[str, Any]], unit: str = "questions") -> list[str]:
    """Every compared metric on a line, and McNemar's test on one of its own."""
    rows = []
    for one in found:
        systems = one["a"] if one["a"] == one["b"] else f"{one['a']} : {one['b']}"
        title = f"{systems}, {one['sheet']}"
        for name, each in one["metrics"].items():
            gap = {"value": each["difference"], "low": each["low"], "high": each["high"]}
            values = [number(each["a"]), number(each["b"]), signed(gap), p_value(each["p"])]
            size = number(each["groups_needed"])
            rows.append([title, number(one["n"]), name, *values, p_value(each["p_holm"]), size, ""])
            title = ""
        if test := one.get("mcnemar"):
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


def coverage_lines(systems: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line for each sheet that does not have a row for everything, with the reasons."""
    return [
        f"- {system}, {name}: {number(sheet['coverage'])} scored; "
        + "; ".join(f"{count:,} not: {why}" for why, count in sheet["missing"].items())
        for system, scored in systems.items()
        for name, sheet in scored["sheets"].items()
        if sheet["missing"]
    ]
