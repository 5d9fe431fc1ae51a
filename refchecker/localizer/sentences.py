"""The sentences that carry a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..protocols import Checker
from ..text import ReadText, read
from ..types import Claim, Label, Pair, Passage
from .finding import Finding

CANDIDATES = 6  # sentences that may be chosen, the nearest to the claim
MOST = 3  # sentences of one reference
# Chosen on WiCE (`benchmark.evidence`): how much a sentence counts for, beside its nearness to the claim, by
# the share of the claim's words that it adds, and by what the checker says of it alone; what a further
# sentence must count for, of what the first one does; or else must add.
_ADDS, _SURE, _ENOUGH, _LEAST_ADDED = 0.4, 0.5, 0.8, 0.125
_AS_SURE = 0.05  # how far below the whole passage's probability a sentence may stay that needs no other


class Case(NamedTuple):
    """A claim, a passage that decides about it, and what is known of its sentences."""

    claim: Claim
    passage: Passage
    question: str
    label: Label
    probability: float  # that the checker gave the label, with the whole passage before it
    page: ReadText
    finding: Finding


def by_words(case: Case) -> list[int]:
    """The few sentences nearest to the claim, best first, and those that say what these lack of it."""
    return _chosen(case, offered(case), {})


def by_checker(cases: Sequence[Case], check: Checker) -> list[list[int]]:
    """The same for each case; what the checker says with each sentence alone before it counts too.

    A sentence with which it is as sure as with the whole passage needs none that only has the rest.
    """
    near = [(case, offered(case)) for case in cases]
    pairs = [Pair(case.claim, _sentence(case, i), case.question) for case, numbers in near for i in numbers]
    answers = iter(check(pairs) if pairs else ())
    return [
        _chosen(case, numbers, {i: next(answers).scores.get(case.label, 0.0) for i in numbers})
        for case, numbers in near
    ]


def _chosen(case: Case, numbers: Sequence[int], sure: Mapping[int, float]) -> list[int]:
    ranks, support = case.finding.ranks, case.finding.support
    nearest = max(ranks, default=0.0)
    if nearest <= 0:
        return []
    worth = {i: ranks[i] + _SURE * nearest * sure.get(i, 0.0) for i in numbers}
    first = max(numbers, key=worth.__getitem__)
    chosen = [first]
    while len(chosen) < min(MOST, len(numbers)):
        known = [max(scores) for scores in zip(*(support[i] for i in chosen), strict=True)]
        adds = {i: _gain(case, known, support[i]) for i in numbers if i not in chosen}
        best = max(adds, key=lambda i: worth[i] + _ADDS * adds[i])
        if worth[best] + _ADDS * adds[best] < _ENOUGH * worth[first]:
            best = max(adds, key=lambda i: (adds[i], worth[i]))
            surest = max((sure[i] for i in chosen if i in sure), default=0.0)
            if adds[best] < _LEAST_ADDED or (sure and surest >= case.probability - _AS_SURE):
                break
        chosen.append(best)
    return chosen


def _gain(case: Case, known: Sequence[float], scores: Sequence[float]) -> float:
    """The share of the claim's words that a sentence supports and the others do not."""
    words = read(case.claim.text).words
    gains = [new >= 0.5 > old for old, new, word in zip(known, scores, words, strict=True) if not word.light]
    return sum(gains) / max(len(gains), 1)


def offered(case: Case) -> list[int]:
    """The few sentences that are nearest to the claim."""
    ranks = case.finding.ranks
    return sorted(range(len(ranks)), key=lambda i: -ranks[i])[:CANDIDATES]


def _sentence(case: Case, number: int) -> Passage:
    return Passage(case.page.text[slice(*case.page.sentences[number])], case.passage.source)
