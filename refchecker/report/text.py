"""A report for a terminal: counts, then what is wrong, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..io import UNCHECKED
from ..types import Label, Record, Report, Verdict
from .choice import against, claim_line, entries, headed, listed, reasons
from .overview import Overview
from .terminal import cells, printable, shorten, wrap

MIN_WIDTH, MAX_WIDTH = 40, 120
BAR = 30
QUOTE_LINES = 3
COLOURS = {
    Label.CONTRADICTION: "31",
    Label.NEUTRAL: "33",
    Label.ENTAILMENT: "32",
    Label.ABSTAIN: "90",
    UNCHECKED: "90",
}


def text_report(
    records: Iterable[Report],
    *,
    title: str,
    limit: int,
    everything: bool = False,
    width: int = 100,
    colour: bool = False,
) -> str:
    """Counts over all records, then at most `limit` of those with a problem, or of all."""
    overview = Overview()
    chosen = listed(overview.counted(records), limit, everything)
    screen = _Screen(min(max(width, MIN_WIDTH), MAX_WIDTH), colour)
    lines = [*screen.overview(overview, title)]
    for report in chosen:
        lines += ["", *screen.record(report, entries(report, everything))]
    return "\n".join([*lines, *overview.left_out(len(chosen), everything)]) + "\n"


class _Screen:
    def __init__(self, width: int, colour: bool) -> None:
        self.width, self.colour = width, colour

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def overview(self, overview: Overview, title: str) -> Iterator[str]:
        yield from wrap(f"{printable(title)}: {overview.headline()}", self.width)
        yield ""
        for name, count, share in overview.shares():
            bar = "█" * round(BAR * share)
            line = f"  {name:<14}{count:>8,} {share:>6.1%} "
            yield (line + self.paint(bar, COLOURS[name])).rstrip()
        for line in overview.remarks():
            yield f"  {line}"

    def record(self, report: Report, claims: list[tuple[str, Verdict]]) -> Iterator[str]:
        record = report.record
        line = f" (line {record.line})"
        yield self.paint(shorten(printable(record.id), self.width - cells(line)), "1") + line
        if record.question:
            yield f"  {shorten(printable(record.question), self.width - 2)}"
        if report.status != "ok":
            why = f": {report.note}" if report.note else ""
            yield from self.indented(report.status.replace("_", " ") + why, 2)
        for label, verdict in claims:
            yield from self.claim(label, verdict, record)

    def claim(self, label: str, verdict: Verdict, record: Record) -> Iterator[str]:
        head = f"{headed(label, verdict)}{', conflict' if verdict.conflict else ''}: "
        first, *rest = wrap(head + printable(claim_line(verdict.claim)), self.width - 4) or [head]
        yield "  " + self.paint(first[: len(head)], COLOURS[label]) + first[len(head) :]
        yield from (f"    {line}" for line in rest)
        for reason in reasons(verdict):
            yield from self.indented(reason, 4)
        for words, source in against(verdict, record):
            end = f" [{shorten(printable(source), self.width // 2)}]"
            room = QUOTE_LINES * (self.width - 8) - cells(end)
            yield from self.indented(f"“{shorten(printable(words), room)}”{end}", 6)

    def indented(self, text: str, by: int) -> Iterator[str]:
        return (" " * by + line for line in wrap(printable(text), self.width - by))
