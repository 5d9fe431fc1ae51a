"""Which records a report shows, and what of a claim fits on a line."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from ..types import Label
from .model import Shown, ShownClaim, badness

LISTED = 20  # records in a text or markdown report, unless told otherwise
IN_PAGE = 10_000  # and in a page


def listed(records: Iterable[Shown], limit: int, everything: bool) -> list[tuple[Shown, list[ShownClaim]]]:
    """Records and claims for a list to read, the worst first: those with a problem, or all."""
    chosen = (shown for shown in records if everything or shown.problem)
    return [
        (shown, [claim for claim in shown.claims if everything or claim.problem])
        for shown in heapq.nsmallest(limit, chosen, key=badness)
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
