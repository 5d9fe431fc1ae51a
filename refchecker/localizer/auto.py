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
        findings = self._exact(claims, texts)
        open_claims = [
            [i for i, by_text in enumerate(findings) if _is_open(by_text[column])]
            for column in range(len(texts))
        ]
        doubtful = [text for text, rows in zip(texts, open_claims, strict=True) if rows]
        self._embedding.embedded([*(claim.text for claim in claims if doubtful), *doubtful])
        for column, rows in enumerate(open_claims):
            if rows:
                nearest = self._embedding([claims[i] for i in rows], [texts[column]])
                for i, [near] in zip(rows, nearest, strict=True):
                    findings[i][column] = self._both(claims[i], findings[i][column], near)
        return findings

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
            part: exact_mentions if exact_mentions or part in valued else near.mentions[part]
            for part, exact_mentions in exact.mentions.items()
        }
        ranks = [(one + other) / 2 for one, other in zip(exact.ranks, near.ranks, strict=True)]
        support = [
            [
                score if word.value else max(score, by_meaning)
                for word, score, by_meaning in zip(words, *rows, strict=True)
            ]
            for rows in zip(exact.support, near.support, strict=True)
        ]
        return Finding(mentions, ranks, support)


def _is_open(finding: Finding) -> bool:
    """Whether a part is nowhere, or in more than one place."""
    of_parts = [mentions for part, mentions in finding.mentions.items() if part != "claim"]
    return any(len(mentions) != 1 for mentions in of_parts or [finding.mentions["claim"]])
