"""Records as the JSON that the page reads: what is empty is left out, offsets count UTF-16 units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..io import dump
from ..types import RESPONSE, Label, Passage
from .model import CLAIM, NOWHERE, Answer, Shown, ShownClaim, Words

LETTERS = {Label.CONTRADICTION: "C", Label.NEUTRAL: "N", Label.ABSTAIN: "A", Label.ENTAILMENT: "E", None: "U"}
SNIPPET_CHARS = 90

Count = Callable[[int], int]


def json_in_html(value: Any) -> bytes:
    """JSON that no HTML parser takes for anything but the text of its script element."""
    text = dump(value)
    for char in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(char.encode(), f"\\u{ord(char):04x}".encode())
    return text


def entry_json(shown: Shown) -> dict[str, Any]:
    """What the list of records needs: shown, filtered by and sorted by without reading the record."""
    text = " ".join((shown.question or shown.response)[: 4 * SNIPPET_CHARS].split())
    return _filled(
        id=shown.id[:SNIPPET_CHARS],
        text=text[:SNIPPET_CHARS],
        status=shown.status if shown.status != "ok" else "",
        labels="".join(LETTERS[claim.label] for claim in shown.claims),
        conflict=any(claim.conflict for claim in shown.claims),
        unsure=any(claim.unsure for claim in shown.claims),
    )


def record_json(shown: Shown) -> dict[str, Any]:
    """One record with all there is to show of it."""
    here = units(shown.response)
    there = [units(passage.text) for passage in shown.references]
    return _filled(
        id=shown.id,
        line=shown.line,
        question=shown.question,
        response=shown.response,
        status=shown.status if shown.status != "ok" else "",
        note=shown.note,
        fields=dict(shown.fields),
        references=[_passage(passage) for passage in shown.references],
        claims=[_claim(claim, shown, here, there) for claim in shown.claims],
    )


def _passage(passage: Passage) -> dict[str, Any]:
    facts = _filled(start=passage.start, title=passage.title, document=passage.document, time=passage.time)
    return {"source": passage.source, "text": passage.text} | facts


def _claim(claim: ShownClaim, shown: Shown, here: Count, there: list[Count]) -> dict[str, Any]:
    inside = {RESPONSE: here, CLAIM: units(claim.text)}

    def place(words: Words) -> dict[str, Any]:
        if words.passage != NOWHERE:
            count = there[words.passage]
            return {"passage": words.passage, "start": count(words.start), "end": count(words.end)}
        if words.end > words.start:
            count = inside[words.source]
            return {"in": words.source, "start": count(words.start), "end": count(words.end)}
        return {"source": words.source, "text": words.text}

    return _filled(
        parts=list(claim.parts),
        label=LETTERS[claim.label],
        scores=_scores(claim.scores),
        spans=[[here(start), here(end)] for start, end in claim.spans],
        evidence=[place(words) for words in claim.evidence],
        elements=[{"element": e.element, "role": e.role, **place(e.words)} for e in claim.elements],
        answers=_answers(claim.answers, [passage.source for passage in shown.references]),
        conflict=claim.conflict,
        note=claim.note,
        unsure=claim.unsure,
    )


def _answers(answers: tuple[Answer, ...], sources: list[str]) -> list[dict[str, Any]]:
    """Each with the number of the reference that it is about; by order where there is one for each."""
    in_order = [answer.source for answer in answers] == sources
    return [
        _filled(
            source=answer.source,
            label=LETTERS[answer.label],
            scores=_scores(answer.scores),
            note=answer.note,
            unsure=answer.unsure,
            by=answer.by,
            reason=answer.reason,
        )
        | {"passage": number if in_order else _find(answer.source, sources)}
        for number, answer in enumerate(answers)
    ]


def _find(source: str, sources: list[str]) -> int:
    return sources.index(source) if source in sources else NOWHERE


def _scores(scores: Mapping[Label, float]) -> dict[str, float]:
    return {LETTERS[label]: score for label, score in scores.items()}


def _filled(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in ("", 0, False, [], {})}


def units(text: str) -> Count:
    """How many UTF-16 units, in which JavaScript counts, stand before a character offset.

    >>> list(map(units("a😀b"), range(4)))
    [0, 1, 3, 4]
    """
    if not text or max(text) <= "\uffff":
        return int
    above = [0]
    for char in text:
        above.append(above[-1] + (char > "\uffff"))
    return lambda offset: offset + above[offset]
