"""Records as the JSON that the page reads: what is empty is left out, offsets count UTF-16 units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..io import UNCHECKED, dump, labels_of, text_index, texts_of, verdicts_of, words_of
from ..types import Label, Passage, Record, Report, Span, Verdict
from .overview import fields_of

LETTERS = {
    Label.CONTRADICTION: "C",
    Label.NEUTRAL: "N",
    Label.ABSTAIN: "A",
    Label.ENTAILMENT: "E",
    UNCHECKED: "U",
}
SNIPPET_CHARS = 90
NOWHERE = -1

Count = Callable[[int], int]


def json_in_html(value: Any) -> bytes:
    """JSON that no HTML parser takes for anything but the text of its script element."""
    text = dump(value)
    for char in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(char.encode(), f"\\u{ord(char):04x}".encode())
    return text


def response_of(record: Record) -> str:
    """What there is to read; of an item that is no record, whatever it had for a response."""
    if not record.fault:
        return record.response
    response = record.extra.get("response", record.extra.get("input", ""))
    return response if isinstance(response, str) else dump(response).decode()


def entry_json(report: Report) -> dict[str, Any]:
    """What the list of records needs: shown, filtered by and sorted by without reading the record."""
    record = report.record
    text = " ".join((record.question or response_of(record))[: 4 * SNIPPET_CHARS].split())
    return _filled(
        id=record.id[:SNIPPET_CHARS],
        text=text[:SNIPPET_CHARS],
        status=report.status if report.status != "ok" else "",
        labels="".join(LETTERS[label] for label in labels_of(report)),
        conflict=any(verdict.conflict for verdict in report.verdicts),
        unsure=any(verdict.unsure for verdict in report.verdicts),
    )


def record_json(report: Report) -> dict[str, Any]:
    """One record with all there is to show of it."""
    record = report.record
    counts = [units(text.text) for text in texts_of(record)]  # the response's, then the references'
    return _filled(
        id=record.id,
        line=record.line,
        question=record.question,
        response=response_of(record),
        status=report.status if report.status != "ok" else "",
        note=report.note,
        fields=fields_of(record),
        references=[_passage(passage) for passage in record.references],
        claims=[
            _claim(label, verdict, record, counts)
            for label, verdict in zip(labels_of(report), verdicts_of(report), strict=True)
        ],
    )


def _passage(passage: Passage) -> dict[str, Any]:
    facts = _filled(start=passage.start, title=passage.title, document=passage.document, time=passage.time)
    return {"source": passage.source, "text": passage.text} | facts


def _claim(label: str, verdict: Verdict, record: Record, counts: list[Count]) -> dict[str, Any]:
    texts = texts_of(record, verdict.claim)
    in_response, before = counts[0], len(texts) - len(record.references)
    counts = [units(verdict.claim.text), *counts]

    def place(span: Span) -> dict[str, Any]:
        index = text_index(span, texts)
        if index is None or span.start == span.end:
            return {"source": span.source, "text": words_of(span, texts)}
        here, count = span.start - texts[index].start, counts[index]
        where = {"in": span.source} if index < before else {"passage": index - before}
        return where | {"start": count(here), "end": count(here + span.end - span.start)}

    return _filled(
        parts=list(verdict.claim.triplet or (verdict.claim.text,)),
        label=LETTERS[label],
        scores=_scores(verdict.scores),
        spans=[[in_response(span.start), in_response(span.end)] for span in verdict.claim.spans],
        evidence=[place(span) for span in verdict.evidence],
        elements=[{"element": e.element, "role": e.role, **place(e.span)} for e in verdict.elements],
        answers=_answers(verdict, record.references),
        conflict=verdict.conflict,
        note=verdict.note,
        unsure=verdict.unsure,
    )


def _answers(verdict: Verdict, references: tuple[Passage, ...]) -> list[dict[str, Any]]:
    """Each with the number of the reference that it is about; by order where there is one for each."""
    in_order = verdict.passages == references
    return [
        _filled(
            source=passage.source,
            label=LETTERS[judgment.label],
            scores=_scores(judgment.scores),
            note=judgment.note,
            unsure=judgment.unsure,
            by=judgment.by,
            reason=judgment.reason,
        )
        | {"passage": number if in_order else _find(passage.source, references)}
        for number, (passage, judgment) in enumerate(zip(verdict.passages, verdict.judgments, strict=True))
    ]


def _find(source: str, references: tuple[Passage, ...]) -> int:
    return next((number for number, passage in enumerate(references) if passage.source == source), NOWHERE)


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
