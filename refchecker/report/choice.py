"""Which records a report shows, and what of a claim fits on a line."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from ..types import Label
from .model import Shown, ShownClaim, badness

LISTED = 20  # records in a text or markdown report, unless told otherwise


def worst(records: Iterable[Shown], limit: int | None) -> list[tuple[int, Shown]]:
    """The `limit` worst with their positions, the worst first; no more than that are in memory."""

    def key(pair: tuple[int, Shown]) -> tuple[tuple[int, int, float], int]:
        return badness(pair[1]), pair[0]

    numbered = enumerate(records)
    return sorted(numbered, key=key) if limit is None else heapq.nsmallest(limit, numbered, key=key)


def in_file_order(records: Iterable[Shown], limit: int | None) -> Iterator[Shown]:
    """The `limit` worst, as they stand in the file; all of them as they come where there is no limit."""
    if limit is None:
        yield from records
    else:
        yield from (shown for _, shown in sorted(worst(records, limit), key=lambda pair: pair[0]))


def listed(
    records: Iterable[Shown], limit: int | None, everything: bool
) -> list[tuple[Shown, list[ShownClaim]]]:
    """Records and claims for a list to read, the worst first: those with a problem, or all."""
    chosen = (shown for shown in records if everything or shown.problem)
    return [
        (shown, [claim for claim in shown.claims if everything or claim.problem])
        for _, shown in worst(chosen, limit)
    ]


def against(claim: ShownClaim) -> list[tuple[str, str]]:
    """The words that say most about why, and their source: what contradicts an element, or evidence."""
    words = [e.words for e in claim.elements if e.role == "contradicted"] or list(claim.evidence[:1])
    return list(dict.fromkeys((each.text, each.source) for each in words))


def reasons(claim: ShownClaim) -> list[str]:
    """Why, in the checker's words, those of references with the claim's own label first."""
    answers = sorted(claim.answers, key=lambda answer: answer.label != claim.label)
    said = [claim.note, claim.unsure, _disagreement(claim), *(answer.reason for answer in answers)]
    return list(dict.fromkeys(filter(None, said)))


def _disagreement(claim: ShownClaim) -> str:
    sides = [
        f"{a.label} by {a.source}" for a in claim.answers if a.label not in (Label.NEUTRAL, Label.ABSTAIN)
    ]
    return f"references disagree: {', '.join(sides)}" if claim.conflict else ""
