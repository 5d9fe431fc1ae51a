"""A report for a terminal: counts, then what is wrong, the worst first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..types import Label
from .choice import against, listed, reasons
from .model import Shown, ShownClaim
from .overview import UNCHECKED, Overview
from .terminal import cells, printable, shorten, wrap

MIN_WIDTH, MAX_WIDTH = 40, 120
BAR = 30
QUOTE_LINES = 3
COLOURS = {Label.CONTRADICTION: "31", Label.NEUTRAL: "33", Label.ENTAILMENT: "32", Label.ABSTAIN: "90"}


def text_report(
    records: Iterable[Shown],
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
    page = _Page(min(max(width, MIN_WIDTH), MAX_WIDTH), colour)
    lines = [*page.overview(overview, title), *page.records(chosen)]
    for line in overview.left_out(len(chosen), everything):
        lines += ["", line]
    return "\n".join(lines) + "\n"


class _Page:
    def __init__(self, width: int, colour: bool) -> None:
        self.width, self.colour = width, colour

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def tone(self, text: str, label: Label | None) -> str:
        return self.paint(text, COLOURS.get(label or Label.ABSTAIN, "0"))

    def overview(self, overview: Overview, title: str) -> Iterator[str]:
        yield from wrap(f"{printable(title)}: {overview.headline()}", self.width)
        yield ""
        for name, count, share in overview.shares():
            bar = "█" * round(BAR * share)
            line = f"  {name:<14}{count:>8,} {share:>6.1%} "
            yield (line + self.tone(bar, None if name == UNCHECKED else Label(name))).rstrip()
        for line in overview.remarks():
            yield f"  {line}"

    def records(self, chosen: list[tuple[Shown, list[ShownClaim]]]) -> Iterator[str]:
        for shown, claims in chosen:
            yield ""
            place = f" (line {shown.line})"
            name = shorten(printable(shown.id), self.width - cells(place))
            yield self.paint(name, "1") + place
            if shown.question:
                yield f"  {shorten(printable(shown.question), self.width - 2)}"
            if shown.status != "ok":
                why = f": {shown.note}" if shown.note else ""
                yield from self.indented(shown.status.replace("_", " ") + why, 2)
            for claim in claims:
                yield from self.claim(claim)

    def claim(self, claim: ShownClaim) -> Iterator[str]:
        label = claim.label or UNCHECKED
        sure = "" if claim.confidence is None else f"{claim.confidence:.0%}"
        flag = ", conflict" if claim.conflict else ""
        head = f"{label}{f' {sure}' if sure else ''}{flag}: "
        first, *rest = wrap(
            head + printable(" · ".join(part for part in claim.parts if part)), self.width - 4
        ) or [head]
        yield "  " + self.tone(first[: len(head)], claim.label) + first[len(head) :]
        yield from (f"    {line}" for line in rest)
        for reason in reasons(claim):
            yield from self.indented(reason, 4)
        for words, source in against(claim):
            end = f" [{shorten(printable(source), self.width // 2)}]"
            room = QUOTE_LINES * (self.width - 8) - cells(end)
            yield from self.indented(f"“{shorten(printable(words), room)}”{end}", 6)

    def indented(self, text: str, by: int) -> Iterator[str]:
        return (" " * by + line for line in wrap(printable(text), self.width - by))
