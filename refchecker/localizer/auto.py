"""The finder `auto`: the same words where they are, the nearest in meaning where they are not."""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Claim
from .embedding import EmbeddingFinder
from .exact import ExactFinder
from .finding import Finding, parts_of
from .matching import Mention
from .words import read

_NEARNESS = 0.3  # what the embedding adds to a mention's score, where the same words stand in several places


class AutoFinder:
    """What `exact` finds; for parts it does not find, and to choose between places, what `embedding` says.

    Dates and numbers are left to `exact`: to an embedding one year is much like another.
    Texts are embedded only where that can change something.
    """

    def __init__(self, exact: ExactFinder, embedding: EmbeddingFinder, *, language: str = "en") -> None:
        self._exact, self._embedding, self._language = exact, embedding, language
        self.signature = f"auto({exact.signature},{embedding.signature})"

    def __call__(self, claims: Sequence[Claim], texts: Sequence[str], /) -> list[list[Finding]]:
        found = self._exact(claims, texts)
        doubtful = [
            text for column, text in enumerate(texts) if any(_is_open(each[column]) for each in found)
        ]
        self._embedding.embedded([*(claim.text for claim in claims if doubtful), *doubtful])
        for column, text in enumerate(texts):
            open_ = [i for i, each in enumerate(found) if _is_open(each[column])]
            if open_:
                nearest = self._embedding([claims[i] for i in open_], [text])
                for i, [near] in zip(open_, nearest, strict=True):
                    found[i][column] = self._both(claims[i], text, found[i][column], near)
        return found

    def alike(
        self, claim: Claim, start: int, end: int, text: str, places: Sequence[tuple[int, int]]
    ) -> list[float]:
        return self._embedding.alike(claim, start, end, text, places)

    def _both(self, claim: Claim, text: str, exact: Finding, near: Finding) -> Finding:
        places, words = parts_of(claim), read(claim.text, self._language).words
        valued = {
            part
            for part, (start, end) in places.items()
            if any(word.value for word in words if start <= word.start < end)
        }
        mentions = {
            part: self._ordered(claim, places[part], text, own)
            if own or part in valued
            else near.mentions[part]
            for part, own in exact.mentions.items()
        }
        ranks = [(one + other) / 2 for one, other in zip(exact.ranks, near.ranks, strict=True)]
        support = [
            [
                own if word.value else max(own, other)
                for word, own, other in zip(words, one, other, strict=True)
            ]
            for one, other in zip(exact.support, near.support, strict=True)
        ]
        return Finding(mentions, ranks, support)

    def _ordered(
        self, claim: Claim, place: tuple[int, int], text: str, own: Sequence[Mention]
    ) -> Sequence[Mention]:
        """Mentions with the score by their words, less what they are further off than the nearest."""
        if len(own) < 2:
            return own
        cosines = self._embedding.alike(claim, *place, text, [(each.start, each.end) for each in own])
        return [
            each._replace(score=each.score * (1 - _NEARNESS * (max(cosines) - cosine)))
            for each, cosine in zip(own, cosines, strict=True)
        ]


def _is_open(finding: Finding) -> bool:
    """Whether a part is nowhere, or in more than one place."""
    return any(len(own) != 1 for own in finding.mentions.values())
