"""A report in markdown: for the summary of a CI job, a pull request, an issue.

What records say stands in table cells only, with everything escaped that markdown, GitHub's
among it, would take for its own: it is read as text, and nobody is mentioned by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..io import UNCHECKED
from ..types import Label, Record, Report, Verdict
from .choice import against, claim_line, entries, headed, listed, reasons
from .overview import MEANING, Overview
from .terminal import printable, shorten

SIGNS = {
    Label.CONTRADICTION: "🔴",
    Label.NEUTRAL: "🟡",
    Label.ABSTAIN: "⚪",
    Label.ENTAILMENT: "🟢",
    UNCHECKED: "⚪",
}
QUESTION_COLUMNS, CLAIM_COLUMNS, QUOTE_COLUMNS = 120, 300, 240
MAX_FIELDS = 3
TABLE = ("| record | claim | label | why |", "|---|---|---|---|")
_SPECIAL = re.compile(r"[\\`*_\[\]{}<>|~&$#!]")


def markdown_report(records: Iterable[Report], *, title: str, limit: int, everything: bool = False) -> str:
    """Counts over all records, then a table with at most `limit` of those with a problem, or of all."""
    overview = Overview()
    chosen = listed(overview.counted(records), limit, everything)
    lines = [*_overview(overview, title), *(["", *TABLE] if chosen else [])]
    for report in chosen:
        lines += _rows(report, entries(report, everything))
    return "\n".join([*lines, *overview.left_out(len(chosen), everything)]) + "\n"


def cell(text: str, columns: int) -> str:
    r"""Text for a table's cell, shortened.

    >>> print(cell("a|b <i> *c*", 80))
    a\|b \<i\> \*c\*
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", shorten(printable(text), columns))
    return escaped.replace("@", "@\u200b").replace("://", ":\u200b//").replace("www.", "www\u200b.")


def _overview(overview: Overview, title: str) -> Iterator[str]:
    yield f"## {overview.headline()}"
    yield ""
    yield f"| {cell(title, QUESTION_COLUMNS)} | claims | share |"
    yield "|---|---:|---:|"
    for name, count, share in overview.shares():
        yield f"| {SIGNS[name]} {name}: {MEANING[name]} | {count:,} | {share:.1%} |"
    for line in overview.remarks():
        yield ""
        yield f"{line}"
    for name, group in list(overview.grouping().items())[:MAX_FIELDS]:
        labels = [label for label, count, _ in overview.shares() if count]
        yield ""
        yield f"| {cell(name, QUESTION_COLUMNS)} | claims | {' | '.join(labels)} |"
        yield "|---|---:" + "|---:" * len(labels) + "|"
        for value, counts in sorted(group.items()):
            total = counts.total()
            shares = (f"{counts[label] / total:.1%}" if total else "" for label in labels)
            yield f"| {cell(value, QUESTION_COLUMNS)} | {total:,} | {' | '.join(shares)} |"


def _rows(report: Report, claims: list[tuple[str, Verdict]]) -> Iterator[str]:
    record, status = report.record, report.status
    name = f"**{cell(record.id, QUESTION_COLUMNS)}**"
    if record.question:
        name += f"<br>{cell(record.question, QUESTION_COLUMNS)}"
    if status in ("failed", "no_reference") or not claims:
        yield f"| {name} | | {status.replace('_', ' ')} | {cell(report.note, QUOTE_COLUMNS)} |"
        name = ""
    for label, verdict in claims:
        yield f"| {name} | {_claim(label, verdict, record)} |"
        name = ""


def _claim(label: str, verdict: Verdict, record: Record) -> str:
    conflict = "<br>conflict" if verdict.conflict else ""
    why = [cell(reason, QUOTE_COLUMNS) for reason in reasons(verdict)]
    why += [
        f"“{cell(words, QUOTE_COLUMNS)}” ({cell(source, QUESTION_COLUMNS)})"
        for words, source in against(verdict, record)
    ]
    text = cell(claim_line(verdict.claim), CLAIM_COLUMNS)
    return f"{text} | {SIGNS[label]} {headed(label, verdict)}{conflict} | {'<br>'.join(why)}"
