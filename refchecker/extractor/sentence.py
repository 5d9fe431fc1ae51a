"""Every sentence of a response is a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from ..text import DECLINES, NOTHING, kind, sentences
from ..types import RESPONSE, Claim, Extraction, Passage, Record


@dataclass(frozen=True, slots=True)
class SentenceExtractor:
    """Sentences as claims, without those that ask, greet or decline to answer."""

    language: str = "en"

    @property
    def signature(self) -> str:
        return f"sentence({self.language},spacy-{version('spacy')},v1)"

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]:
        return [self._claims(record) for record in records]

    def _claims(self, record: Record) -> Extraction:
        passage = Passage(record.response, RESPONSE)
        pieces = [(kind(piece.text), piece) for piece in sentences(passage, language=self.language)]
        claims = tuple(
            Claim(piece.text, spans=(piece.span(0, len(piece.text)),))
            for what, piece in pieces
            if what == "statement"
        )
        if claims:
            return Extraction(claims)
        return Extraction((), DECLINES if any(what == "refusal" for what, _ in pieces) else NOTHING)
