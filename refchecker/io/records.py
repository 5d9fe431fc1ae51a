"""The border: plain items in, `Record`s; `Report`s out, plain items again.

Inside, a record's references are a tuple of passages and its claims a tuple of claims. The
shapes a file may use for them are accepted here and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from typing import Any

from ..aggregate import winner
from ..types import CLAIM, RESPONSE, Claim, Element, Label, Passage, Record, Report, Span, Verdict
from .formats import Broken, Item

_PROVENANCE = ("title", "document", "time")  # of a reference, where it is known
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Fault(Exception):
    """One record's own fault; becomes `Record.fault`."""


def to_records(items: Iterable[Item], name: str) -> Iterator[Record]:
    """A record per item. What is wrong with an item is in its record's `fault`, with file and line."""
    for position, item in enumerate(items):
        yield to_record(item, name, position)


def to_record(item: Item, name: str, position: int) -> Record:
    where = f"{name} line {item.line}"
    value = item.value
    if isinstance(value, Broken):
        return Record(str(position + 1), "", extra={"input": value.raw}, fault=f"{where}: {value.why}")
    if not isinstance(value, dict):
        fault = f"{where}: found {_kind(value)} where a record must be an object with a response."
        return Record(str(position + 1), "", extra={"input": value}, fault=fault)
    name_of_record = str(value.get("id", position + 1))
    clean = _without_surrogates(value)
    try:
        return Record(
            name_of_record,
            _response(clean),
            _question(clean),
            _references(clean.get("reference")),
            _claims(clean),
            extra=value,
        )
    except _Fault as fault:
        return Record(name_of_record, "", extra=value, fault=f"{where}: record {name_of_record!r} {fault}")


def _without_surrogates(value: Any) -> Any:
    """The value with halves of characters, which no tokenizer takes, replaced one for one."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(part) for part in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(part) for key, part in value.items()}
    return value


def _response(item: Mapping[str, Any]) -> str:
    response = item.get("response")
    if response is None:
        raise _Fault('has no "response". Every record needs one, a string.')
    if not isinstance(response, str):
        raise _Fault(f'has {_kind(response)} as "response". It must be a string.')
    return response


def _question(item: Mapping[str, Any]) -> str:
    question = item.get("question")
    if question is not None and not isinstance(question, str):
        raise _Fault(f'has {_kind(question)} as "question". It must be a string, or left out.')
    return question or ""


def _references(given: Any) -> tuple[Passage, ...]:
    """A string, a list of strings or a list of {text, source, ...}; blank ones count as none.

    A source that is named again for another text gets a number, so that a span's source and
    offsets name one text only. Pieces of one source that agree where they overlap keep its name.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        return (Passage(given, "reference"),) if given.strip() else ()
    if not isinstance(given, list):
        raise _Fault(f'has {_kind(given)} as "reference". It must be a string or a list of strings.')
    passages: list[Passage] = []
    for position, reference in enumerate(given):
        passage = _passage(reference, position)
        if passage.text.strip():
            source = passage.source
            namesakes = [p for p in passages if p.source == source or p.source.startswith(f"{source}#")]
            if not all(_agree(p, passage) for p in namesakes if p.source == source):
                passage = replace(passage, source=f"{source}#{len(namesakes) + 1}")
            passages.append(passage)
    return tuple(passages)


def _passage(given: Any, position: int) -> Passage:
    """One entry of the list of references. What a dictionary has of another type than ours is not ours."""
    source = f"reference[{position}]"
    if isinstance(given, str):
        return Passage(given, source)
    fields = given if isinstance(given, dict) else {}
    text, source, start = fields.get("text"), fields.get("source", source), fields.get("start", 0)
    if not isinstance(text, str) or not isinstance(source, str):
        raise _Fault(
            f"has {_kind(given)} as reference {position + 1}. "
            "Each must be a string, or an object with a string text and source."
        )
    known = {name: fields[name] for name in _PROVENANCE if isinstance(fields.get(name), str)}
    return Passage(text, source, start if type(start) is int and start > 0 else 0, **known)


def _agree(one: Passage, other: Passage) -> bool:
    """Whether two pieces of one source have the same characters where they overlap."""
    start = max(one.start, other.start)
    end = min(one.start + len(one.text), other.start + len(other.text))
    return start >= end or (
        one.text[start - one.start : end - one.start] == other.text[start - other.start : end - other.start]
    )


def _claims(item: Mapping[str, Any]) -> tuple[Claim, ...] | None:
    key = "triplets" if item.get("triplets") is not None else "claims"
    given = item.get(key)
    if given is None:
        return None
    if not isinstance(given, list):
        raise _Fault(f'has {_kind(given)} as "{key}". It must be a list.')
    spans = item.get("triplet_spans")
    if not isinstance(spans, list) or len(spans) != len(given):
        spans = [[]] * len(given)
    length = len(item["response"])
    return tuple(
        _claim(c, key, n, _spans(s, length)) for n, (c, s) in enumerate(zip(given, spans, strict=True), 1)
    )


def _claim(given: Any, key: str, number: int, spans: tuple[Span, ...]) -> Claim:
    """Three strings, one string, or an object that has either as its "triplet" or "claim"."""
    if isinstance(given, dict):
        given = given.get("triplet", given.get("claim"))
    if isinstance(given, str) and given.strip():
        return Claim(given, spans=spans)
    if not isinstance(given, list) or not all(isinstance(part, str) for part in given):
        raise _Fault(f"has {_kind(given)} as entry {number} of {key!r}. {_CLAIM_SHAPE}")
    if len(given) != 3:
        raise _Fault(f"has {len(given)} elements in entry {number} of {key!r}. {_CLAIM_SHAPE}")
    if not "".join(given).strip():
        raise _Fault(f"has an empty triplet as entry {number} of {key!r}. {_CLAIM_SHAPE}")
    subject, predicate, obj = given
    return Claim.of_triplet(subject, predicate, obj, spans)


_CLAIM_SHAPE = "A triplet is three strings, [subject, predicate, object]; a sentence claim is one string."


def _spans(given: Any, length: int) -> tuple[Span, ...]:
    """Pairs of offsets into the response; what is not one is left out."""
    return tuple(
        Span(RESPONSE, pair[0], pair[1])
        for pair in (given if isinstance(given, list) else [])
        if isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(offset, int) for offset in pair)
        and 0 <= pair[0] <= pair[1] <= length
    )


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    if isinstance(value, str) and not value.strip():
        return "an empty string"
    if isinstance(value, list) and not all(isinstance(part, str) for part in value):
        return "a list that holds more than strings"
    return kinds.get(type(value), "a number")


def to_item(report: Report, *, soft: bool = True, checked: bool = True) -> dict[str, Any]:
    """The input item with what was found; every input field that is not a result stays as it was.

    `soft` writes Y as the shares of the labels, otherwise as the winning label. With
    `checked` false (extraction only) there are claims and no verdicts.
    """
    record = report.record
    item = {key: value for key, value in record.extra.items() if key != "status_note"}
    claims = record.claims or ()
    if item.get("triplets") is None:
        item["triplets"] = [_plain(claim) for claim in claims]
        item["triplet_spans"] = [[[span.start, span.end] for span in claim.spans] for claim in claims]
    if checked:
        item |= _found(record)
        shares = {str(label): round(report.shares[label], 6) for label in Label}
        item["Y"] = shares if soft else str(winner(report.shares))
        item["ys"] = [str(verdict.label) for verdict in report.verdicts]
        item["verdicts"] = [_verdict(verdict, record) for verdict in report.verdicts]
    item["status"] = report.status
    if report.note:
        item["status_note"] = report.note
    return item


def to_referenced_item(report: Report) -> dict[str, Any]:
    """The input item with the references that were found for it, and nothing about claims."""
    record = report.record
    item = {key: value for key, value in record.extra.items() if key != "status_note"} | _found(record)
    item["status"] = "ok" if record.references else "no_reference"
    note = "" if record.references else "no reference was found"
    if report.status == "failed":
        item["status"], note = "failed", report.note
    return item | ({"status_note": note} if note else {})


def _found(record: Record) -> dict[str, Any]:
    """The record's references, where its item came without."""
    if not record.references or _references(record.extra.get("reference")):
        return {}
    return {"reference": [_reference(passage) for passage in record.references]}


def _reference(passage: Passage) -> dict[str, Any]:
    """A retrieved reference; what is not known of it is left out."""
    known = {name: value for name in _PROVENANCE if (value := getattr(passage, name))}
    return {"text": passage.text, "source": passage.source, "start": passage.start, **known}


def _plain(claim: Claim) -> list[str] | str:
    return list(claim.triplet) if claim.triplet else claim.text


def _scores(scores: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): round(scores[label], 4) for label in Label if label in scores}


def _verdict(verdict: Verdict, record: Record) -> dict[str, Any]:
    return {
        "claim": _plain(verdict.claim),
        "label": str(verdict.label),
        "scores": _scores(verdict.scores),
        "conflict": verdict.conflict,
        "references": [
            {
                "source": passage.source,
                "label": str(judgment.label),
                "scores": _scores(judgment.scores),
                "note": judgment.note,
                "unsure": judgment.unsure,
                "by": judgment.by,
                "reason": judgment.reason,
            }
            for passage, judgment in zip(verdict.passages, verdict.judgments, strict=True)
        ],
        "evidence": [_cut(span, record) for span in dict.fromkeys(verdict.evidence)],
        "elements": [_element(each, verdict.claim, record) for each in verdict.elements],
        "spans": [_cut(span, record) for span in verdict.claim.spans],
        "note": verdict.note,
        "unsure": verdict.unsure,
    }


def _element(each: Element, claim: Claim, record: Record) -> dict[str, Any]:
    if each.role == "missing" and each.span.source == CLAIM:
        place = {**_place(each.span), "text": claim.text[each.span.start : each.span.end]}
    else:
        place = _cut(each.span, record)
    return {"element": each.element, "role": each.role, **place, "score": round(each.score, 4)}


def _cut(span: Span, record: Record) -> dict[str, Any]:
    if span.source == RESPONSE:
        text = record.response[span.start : span.end]
    else:
        text = next(
            p.text[span.start - p.start : span.end - p.start]
            for p in record.references
            if p.source == span.source and p.start <= span.start and span.end <= p.start + len(p.text)
        )
    return {**_place(span), "text": text}


def _place(span: Span) -> dict[str, Any]:
    return {"source": span.source, "start": span.start, "end": span.end}


def output_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one item that `check` and `extract-check` write."""
    schema: dict[str, Any] = json.loads(files("refchecker").joinpath("output.schema.json").read_text("utf-8"))
    return schema
