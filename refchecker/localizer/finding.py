"""What a finder says about a claim and a text, and the parts of a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from ..text import ReadText
from ..types import Claim, Part
from .matching import Mention

PARTS: tuple[Part, ...] = ("subject", "predicate", "object")


class Finding(NamedTuple):
    """Where a text says the parts of a claim."""

    mentions: Mapping[Part, Sequence[Mention]]
    ranks: Sequence[float]  # of each sentence of the text: how near it is to the claim
    support: Sequence[Sequence[float]]  # of each sentence, for each word of the claim: how well it says it


class Finder(Protocol):
    """A finding for each claim and text: `found[claim][text]`. A score of 0.5 is the least that counts."""

    @property
    def signature(self) -> str: ...

    def __call__(self, claims: Sequence[Claim], texts: Sequence[str], /) -> list[list[Finding]]: ...

    def alike(
        self, claim: Claim, start: int, end: int, text: str, places: Sequence[tuple[int, int]], /
    ) -> list[float]:
        """How near `claim.text[start:end]` is to each of those places of a text, -1 to 1."""
        ...


def parts_of(claim: Claim) -> dict[Part, tuple[int, int]]:
    """Where the parts of a claim stand in its text; the whole of it is "claim" where it has no triplet.

    >>> parts_of(Claim.of_triplet("Apollo 11", "landed in", "1969"))
    {'subject': (0, 9), 'predicate': (10, 19), 'object': (20, 24)}
    """
    parts: dict[Part, tuple[int, int]] = {}
    at = 0
    for part, text in zip(PARTS, claim.triplet or (), strict=False):
        start = claim.text.find(text, at)
        if text.strip() and start >= 0:
            at = start + len(text)
            parts[part] = (start, at)
    return parts or {"claim": (0, len(claim.text))}


def stretches_of(claim: Claim) -> dict[Part, tuple[int, int]]:
    """Its parts, and the whole of it."""
    return {**parts_of(claim), "claim": (0, len(claim.text))}


def words_within(page: ReadText, start: int, end: int) -> list[int]:
    """The places of the words of a text that begin in `start:end`."""
    return [place for place, word in enumerate(page.words) if start <= word.start < end]
