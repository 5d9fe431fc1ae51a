"""What spans of a report cut out: words of the references, of the response, of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..types import CLAIM, RESPONSE, Claim, Passage, Record, Span


@dataclass(frozen=True, slots=True)
class Quote(Span):
    """Words that do not stand where their offsets say, as in a file that somebody has edited."""

    text: str = ""

    def __post_init__(self) -> None:
        """Any offsets will do."""


def texts_of(record: Record, claim: Claim | None = None) -> tuple[Passage, ...]:
    """All that spans point into: the claim where one is named, the response, and last the references."""
    claims = (Passage(claim.text, CLAIM),) if claim else ()
    return (*claims, Passage(record.response, RESPONSE), *record.references)


def text_index(span: Span, texts: Sequence[Passage]) -> int | None:
    """The first of the texts that has the whole span."""
    having = (
        index
        for index, text in enumerate(texts)
        if text.source == span.source and text.start <= span.start <= span.end <= text.start + len(text.text)
    )
    return None if isinstance(span, Quote) else next(having, None)


def words_of(span: Span, texts: Sequence[Passage]) -> str:
    """The words that a span cuts out of the text that has them."""
    if isinstance(span, Quote):
        return span.text
    index = text_index(span, texts)
    if index is None:
        return ""
    text = texts[index]
    return text.text[span.start - text.start : span.end - text.start]
