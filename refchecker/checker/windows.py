"""Pieces of a reference that fit a model beside a claim, and what their scores say together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..text import windows
from ..types import Judgment, Label, Passage

VERSION = 1  # of everything here that can change a verdict
MIN_TOKENS = 16  # a smaller window shows too little of the reference to judge by
MAX_OVERLAP_TOKENS = 64
_STEP_TOKENS = 16  # budgets are rounded down to this, so that claims of like length share windows

Scores = Mapping[Label, float]
Offsets = Sequence[tuple[int, int]]


def window_tokens(claim_tokens: int, room: int) -> int:
    """How many tokens a window beside that claim may have, out of `room` for both; 0 if too few.

    >>> window_tokens(12, 509), window_tokens(500, 509)
    (496, 0)
    """
    free = room - claim_tokens
    if free < MIN_TOKENS:
        return 0
    return free - free % _STEP_TOKENS


CANNOT_CUT = Judgment(Label.ABSTAIN, note="the reference cannot be cut into pieces that fit the model")


def too_long(claim_tokens: int, most: int) -> Judgment:
    """The judgment of a claim that leaves no room for the reference."""
    note = f"the claim is {claim_tokens} tokens long, the model takes at most {most}"
    return Judgment(Label.ABSTAIN, note=note)


def unaskable(has_claim: bool, has_reference: bool) -> Judgment | None:
    """The judgment where one side is empty; None where there is something to ask."""
    if has_claim and has_reference:
        return None
    return Judgment(Label.ABSTAIN, note=f"the {'reference' if has_claim else 'claim'} is empty")


def cut(
    passage: Passage,
    offsets_of: Callable[[str], Offsets],
    *,
    max_tokens: int,
    overlap_tokens: int = MAX_OVERLAP_TOKENS,
    language: str = "en",
) -> list[Passage]:
    """The passage in overlapping windows, each at most `max_tokens` long when tokenised on its own.

    A piece can have more tokens alone than inside the text it was cut from; then the cut is
    made again with a smaller budget. Empty where even single characters are too long.
    """
    offsets, budget = offsets_of(passage.text), max_tokens
    while budget > 0:
        pieces = windows(
            passage,
            offsets,
            max_tokens=budget,
            overlap_tokens=min(overlap_tokens, budget // 3),
            language=language,
        )
        excess = max(len(offsets_of(piece.text)) for piece in pieces) - max_tokens
        if excess <= 0:
            return pieces
        budget -= excess
    return []


def best_label(scores: Scores) -> Label:
    """The most probable label; a tie is not a finding, so it goes to Neutral."""
    order = (Label.NEUTRAL, Label.CONTRADICTION, Label.ENTAILMENT)
    return max(order, key=lambda label: scores.get(label, 0.0))


def combine(pieces: Sequence[Passage], scores: Sequence[Scores]) -> Judgment:
    """What the windows of one passage say together: any support, else any contradiction.

    `scores[i]` belongs to `pieces[i]`. The surest window decides and its span is kept;
    where all are Neutral, the scores are their mean.
    """
    labels = [best_label(of_piece) for of_piece in scores]
    for label in (Label.ENTAILMENT, Label.CONTRADICTION):
        carriers = [index for index, best in enumerate(labels) if best is label]
        if carriers:
            index = max(carriers, key=lambda i: scores[i][label])
            span = pieces[index].span(0, len(pieces[index].text))
            return Judgment(label, rounded(scores[index]), spans=(span,))
    mean = {label: sum(of_piece[label] for of_piece in scores) / len(scores) for label in scores[0]}
    return Judgment(Label.NEUTRAL, rounded(mean))


def rounded(scores: Scores) -> dict[Label, float]:
    return {label: round(float(scores[label]), 4) for label in Label if label in scores}
