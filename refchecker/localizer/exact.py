"""The finder `exact`: the same words, or the same date, number or name written otherwise. No model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul

from ..text import ReadText, read, share, trigrams
from ..types import Claim
from .finding import Finding, stretches_of
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

    def _finding(self, claim: Claim, page: ReadText) -> Finding:
        by_part = {
            part: mentions(read(claim.text[start:end], self._language), page)
            for part, (start, end) in stretches_of(claim).items()
        }
        if claim.triplet:
            by_part["claim"] = [mention for mention in by_part["claim"] if mention.score >= _MOST_OF_IT]
        wanted = read(claim.text, self._language)
        by_sentence = support(wanted, page)
        return Finding(by_part, ranked(wanted, by_sentence), by_sentence)


def ranked(wanted: ReadText, by_sentence: Sequence[Sequence[float]]) -> list[float]:
    """How much of the claim each sentence says, 0 to 1, by the support of its words."""
    weights = []
    for item, word in enumerate(wanted.words):
        having = sum(supported[item] > 0 for supported in by_sentence)
        rare = math.log(1 + (len(by_sentence) - having + 0.5) / (having + 0.5))
        weights.append(0.0 if word.light else rare if having else math.log(2 * len(by_sentence) + 2))
    total = sum(weights) or 1.0
    return [sum(map(mul, weights, supported)) / total for supported in by_sentence]
