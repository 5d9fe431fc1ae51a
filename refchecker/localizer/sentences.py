"""The sentences that carry a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..protocols import Checker
from ..types import Claim, Label, Pair, Passage
from .finding import Finding
from .words import Reading, read

CANDIDATES = 6  # sentences the checker is asked about, the nearest to the claim
MOST = 3  # sentences of one reference
ENOUGH = 0.05  # how far below the whole passage's probability the chosen sentences may stay
_RANK_WEIGHT = 0.5  # of the nearness to the claim, beside the checker's probability
_LEAST_GAIN = 0.15  # of the claim, by weight, that a further sentence must add where no checker is asked


class Case(NamedTuple):
    """A claim, a passage that decides about it, and what is known of its sentences."""

    claim: Claim
    passage: Passage
    question: str
    label: Label
    probability: float  # that the checker gave the label, with the whole passage before it
    page: Reading
    finding: Finding


def by_words(case: Case) -> list[int]:
    """The sentences nearest to the claim, best first, each with words of it that those before it lack."""
    ranks, support = case.finding.ranks, case.finding.support
    if not ranks or max(ranks) <= 0:
        return []
    chosen = [max(range(len(ranks)), key=ranks.__getitem__)]
    while len(chosen) < MOST:
        said = [max(own) for own in zip(*(support[i] for i in chosen), strict=True)]
        gains = [_gain(case, said, own) for own in support]
        best = max(range(len(gains)), key=gains.__getitem__)
        if gains[best] < _LEAST_GAIN:
            break
        chosen.append(best)
    return chosen


def _gain(case: Case, said: Sequence[float], own: Sequence[float]) -> float:
    """The share of the claim's words that a sentence supports and the others do not."""
    words = read(case.claim.text).words
    gains = [new >= 0.5 > old for old, new, word in zip(said, own, words, strict=True) if not word.light]
    return sum(gains) / max(len(gains), 1)


def by_checker(cases: Sequence[Case], check: Checker) -> list[list[int]]:
    """For each case the sentences that carry its label, best first.

    The checker is asked about each of the sentences nearest to the claim; the surest is taken, and the next
    ones with it until the checker is about as sure as with the whole passage. What makes it less sure is
    left out again.
    """
    some = [offered(case) for case in cases]
    alone = _asked(check, cases, [[(i,) for i in own] for own in some])
    order = [_ordered(*each) for each in zip(cases, some, alone, strict=True)]
    chosen = [own[:1] for own in order]
    best = [sure[tuple(own)] if own else 0.0 for own, sure in zip(chosen, alone, strict=True)]
    for place in range(1, CANDIDATES):
        tried = [
            [tuple(sorted((*own, ranked[place])))]
            if place < len(ranked) and len(own) < MOST and sure < case.probability - ENOUGH
            else []
            for case, own, ranked, sure in zip(cases, chosen, order, best, strict=True)
        ]
        if not any(tried):
            break
        for i, found in enumerate(_asked(check, cases, tried)):
            for sure in found.values():
                if sure > best[i] + ENOUGH / 2:
                    chosen[i], best[i] = [*chosen[i], order[i][place]], sure
    return chosen


def offered(case: Case) -> list[int]:
    """The few sentences that are nearest to the claim."""
    ranks = case.finding.ranks
    return sorted(range(len(ranks)), key=lambda i: -ranks[i])[:CANDIDATES]


def _ordered(case: Case, offered: Sequence[int], sure: Mapping[tuple[int, ...], float]) -> list[int]:
    return sorted(offered, key=lambda i: -(sure[(i,)] + _RANK_WEIGHT * case.finding.ranks[i]))


def _asked(
    check: Checker, cases: Sequence[Case], wanted: Sequence[Sequence[tuple[int, ...]]]
) -> list[dict[tuple[int, ...], float]]:
    """The probability of each case's label with only those sentences before the checker."""
    pairs = [
        Pair(case.claim, _joined(case, some), case.question)
        for case, own in zip(cases, wanted, strict=True)
        for some in own
    ]
    answers = iter(check(pairs) if pairs else ())
    return [
        {some: next(answers).scores.get(case.label, 0.0) for some in own}
        for case, own in zip(cases, wanted, strict=True)
    ]


def _joined(case: Case, some: Sequence[int]) -> Passage:
    text = " ".join(case.page.text[slice(*case.page.sentences[i])] for i in sorted(some))
    return Passage(text, case.passage.source)
