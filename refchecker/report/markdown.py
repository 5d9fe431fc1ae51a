"""A report in markdown: for the summary of a CI job, a pull request, an issue.

What records say stands in table cells only, with everything escaped that markdown, GitHub's
among it, would take for its own: it is read as text, and nobody is mentioned by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..types import Label
from .choice import against, listed, reasons
from .model import Shown, ShownClaim
from .overview import MEANING, UNCHECKED, Overview
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
_SPECIAL = re.compile(r"[\\`*_\[\]{}<>|~&$#!]")


def markdown_report(records: Iterable[Shown], *, title: str, limit: int, everything: bool = False) -> str:
    """Counts over all records, then a table with at most `limit` of those with a problem, or of all."""
    overview = Overview()
    chosen = listed(overview.counted(records), limit, everything)
    lines = [*_overview(overview, title), *_table(chosen)]
    for line in overview.left_out(len(chosen), everything):
        lines += ["", line]
    return "\n".join(lines) + "\n"


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


def _table(chosen: list[tuple[Shown, list[ShownClaim]]]) -> Iterator[str]:
    if not chosen:
        return
    yield ""
    yield "| record | claim | label | why |"
    yield "|---|---|---|---|"
    for shown, claims in chosen:
        name = f"**{cell(shown.id, QUESTION_COLUMNS)}**"
        if shown.question:
            name += f"<br>{cell(shown.question, QUESTION_COLUMNS)}"
        if shown.status in ("failed", "no_reference") or not claims:
            yield f"| {name} | | {shown.status.replace('_', ' ')} | {cell(shown.note, QUOTE_COLUMNS)} |"
            name = ""
        for claim in claims:
            yield f"| {name} | {_claim(claim)} |"
            name = ""


def _claim(claim: ShownClaim) -> str:
    label = str(claim.label or UNCHECKED)
    sure = "" if claim.confidence is None else f" {claim.confidence:.0%}"
    conflict = "<br>conflict" if claim.conflict else ""
    why = [cell(reason, QUOTE_COLUMNS) for reason in reasons(claim)]
    why += [
        f"“{cell(words, QUOTE_COLUMNS)}” ({cell(source, QUESTION_COLUMNS)})"
        for words, source in against(claim)
    ]
    text = cell(" · ".join(part for part in claim.parts if part), CLAIM_COLUMNS)
    return f"{text} | {SIGNS[label]} {label}{sure}{conflict} | {'<br>'.join(why)}"
