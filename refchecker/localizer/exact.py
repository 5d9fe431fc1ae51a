"""The finder `exact`: the same words, or the same date, number or name written otherwise. No model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..text import Reading, read, share, trigrams
from ..types import Claim
from .finding import Finding, readings_of
from .matching import mentions, support

_MOST_OF_IT = 0.75  # of all the words of a triplet, that a stretch has which says the whole of it


class ExactFinder:
    """Mentions of a claim's parts by their words; sentences rank by the words they share with the claim.

    A word counts the more, the fewer sentences of the text have it, as in BM25.
    """

    signature = "exact(v1)"

    def __init__(self, *, language: str = "en") -> None:
        self._language = language

    def __call__(self, claims: Sequence[Claim], texts: Sequence[str], /) -> list[list[Finding]]:
        pages = [read(text, self._language) for text in texts]
        return [[self._finding(claim, page) for page in pages] for claim in claims]

    def alike(
        self, claim: Claim, start: int, end: int, text: str, places: Sequence[tuple[int, int]]
    ) -> list[float]:
        """The share of letter trigrams in common."""
        wanted = trigrams(claim.text[start:end])
        return [share(wanted, trigrams(text[left:right])) for left, right in places]

    def _finding(self, claim: Claim, page: Reading) -> Finding:
        found = {part: mentions(wanted, page) for part, wanted in readings_of(claim, self._language).items()}
        if claim.triplet:
            found["claim"] = [each for each in found["claim"] if each.score >= _MOST_OF_IT]
        wanted = read(claim.text, self._language)
        by_sentence = support(wanted, page)
        return Finding(found, ranked(wanted, by_sentence), by_sentence)


def ranked(wanted: Reading, by_sentence: Sequence[Sequence[float]]) -> list[float]:
    """How much of the claim each sentence says, 0 to 1, by the support of its words."""
    weights = []
    for item, word in enumerate(wanted.words):
        having = sum(each[item] > 0 for each in by_sentence)
        rare = math.log(1 + (len(by_sentence) - having + 0.5) / (having + 0.5))
        weights.append(0.0 if word.light else rare if having else math.log(2 * len(by_sentence) + 2))
    total = sum(weights) or 1.0
    return [
        sum(weight * own for weight, own in zip(weights, each, strict=True)) / total for each in by_sentence
    ]
