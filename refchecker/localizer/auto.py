"""The finder `auto`: the same words where they are, the nearest in meaning where they are not."""

from __future__ import annotations

from collections.abc import Sequence

from ..text import read
from ..types import Claim
from .embedding import EmbeddingFinder
from .exact import ExactFinder
from .finding import Finding, parts_of


class AutoFinder:
    """What `exact` finds; for parts it does not find what `embedding` does, which also ranks sentences.

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
                    found[i][column] = self._both(claims[i], found[i][column], near)
        return found

    def alike(
        self, claim: Claim, start: int, end: int, text: str, places: Sequence[tuple[int, int]]
    ) -> list[float]:
        return self._embedding.alike(claim, start, end, text, places)

    def _both(self, claim: Claim, exact: Finding, near: Finding) -> Finding:
        words = read(claim.text, self._language).words
        valued = {
            part
            for part, (start, end) in parts_of(claim).items()
            if any(word.value for word in words if start <= word.start < end)
        }
        mentions = {
            part: own if own or part in valued else near.mentions[part]
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


def _is_open(finding: Finding) -> bool:
    """Whether a part is nowhere, or in more than one place."""
    parts = [own for part, own in finding.mentions.items() if part != "claim"] or [finding.mentions["claim"]]
    return any(len(own) != 1 for own in parts)
