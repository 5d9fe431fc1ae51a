"""The border: plain items in, `Record`s.

Inside, a record's references are a tuple of passages and its claims a tuple of claims. The
shapes a file may use for them are accepted here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..types import RESPONSE, Claim, Passage, Record, Span
from .formats import Broken, Item

PROVENANCE = ("title", "document", "time")  # of a reference, where it is known
_SURROGATE = re.compile("[\ud800-\udfff]")


class Fault(Exception):
    """One record's own fault; becomes `Record.fault`."""


def to_records(items: Iterable[Item], name: str) -> Iterator[Record]:
    """A record per item. What is wrong with an item is in its record's `fault`, with file and line."""
    for position, item in enumerate(items):
        yield to_record(item, name, position)


def to_record(item: Item, name: str, position: int) -> Record:
    value, where = item.value, f"{name} line {item.line}"
    if not isinstance(value, dict):
        why = f"found {_kind(value)} where a record must be an object with a response."
        raw, why = (value.raw, value.why) if isinstance(value, Broken) else (value, why)
        return Record(str(position + 1), "", extra={"input": raw}, fault=f"{where}: {why}", line=item.line)
    record = Record(str(value.get("id", position + 1)), "", extra=value, line=item.line)
    clean = _without_surrogates(value)
    try:
        return replace(
            record,
            response=_response(clean),
            question=_question(clean),
            references=references_of(clean.get("reference")),
            claims=_claims(clean),
        )
    except Fault as fault:
        return replace(record, fault=f"{where}: record {record.id!r} {fault}")


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
        raise Fault('has no "response". Every record needs one, a string.')
    if not isinstance(response, str):
        raise Fault(f'has {_kind(response)} as "response". It must be a string.')
    return response


def _question(item: Mapping[str, Any]) -> str:
    question = item.get("question")
    if question is not None and not isinstance(question, str):
        raise Fault(f'has {_kind(question)} as "question". It must be a string, or left out.')
    return question or ""


def references_of(value: Any) -> tuple[Passage, ...]:
    """Of a string, a list of strings or a list of {text, source, ...}; blank ones count as none.

    A source that is named again for another text gets a number, so that a span's source and
    offsets name one text only. Pieces of one source that agree where they overlap keep its name.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return (Passage(value, "reference"),) if value.strip() else ()
    if not isinstance(value, list):
        raise Fault(f'has {_kind(value)} as "reference". It must be a string or a list of strings.')
    passages: list[Passage] = []
    for position, reference in enumerate(value):
        passage = _passage(reference, position)
        if passage.text.strip():
            source = passage.source
            namesakes = [p for p in passages if p.source == source or p.source.startswith(f"{source}#")]
            if not all(_agree(p, passage) for p in namesakes if p.source == source):
                passage = replace(passage, source=f"{source}#{len(namesakes) + 1}")
            passages.append(passage)
    return tuple(passages)


def _passage(value: Any, position: int) -> Passage:
    """One entry of the list of references. What a dictionary has of another type than ours is not ours."""
    source = f"reference[{position}]"
    if isinstance(value, str):
        return Passage(value, source)
    fields = value if isinstance(value, dict) else {}
    text, source, start = fields.get("text"), fields.get("source", source), fields.get("start", 0)
    if not isinstance(text, str) or not isinstance(source, str):
        raise Fault(
            f"has {_kind(value)} as reference {position + 1}. "
            "Each must be a string, or an object with a string text and source."
        )
    known = {name: fields[name] for name in PROVENANCE if isinstance(fields.get(name), str)}
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
    value = item.get(key)
    if value is None:
        return None
    if not isinstance(value, list):
        raise Fault(f'has {_kind(value)} as "{key}". It must be a list.')
    spans = item.get("triplet_spans")
    if not isinstance(spans, list) or len(spans) != len(value):
        spans = [[]] * len(value)
    length = len(item["response"])
    return tuple(
        _claim(c, key, n, _spans(s, length)) for n, (c, s) in enumerate(zip(value, spans, strict=True), 1)
    )


def _claim(value: Any, key: str, number: int, spans: tuple[Span, ...]) -> Claim:
    """Three strings, one string, or an object that has either as its "triplet" or "claim"."""
    if isinstance(value, dict):
        value = value.get("triplet", value.get("claim"))
    if isinstance(value, str) and value.strip():
        return Claim(value, spans=spans)
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise Fault(f"has {_kind(value)} as entry {number} of {key!r}. {_CLAIM_SHAPE}")
    if len(value) != 3:
        raise Fault(f"has {len(value)} elements in entry {number} of {key!r}. {_CLAIM_SHAPE}")
    if not "".join(value).strip():
        raise Fault(f"has an empty triplet as entry {number} of {key!r}. {_CLAIM_SHAPE}")
    subject, predicate, obj = value
    return Claim.of_triplet(subject, predicate, obj, spans)


_CLAIM_SHAPE = "A triplet is three strings, [subject, predicate, object]; a sentence claim is one string."


def _spans(value: Any, length: int) -> tuple[Span, ...]:
    """Pairs of offsets into the response; what is not one is left out."""
    return tuple(
        Span(RESPONSE, pair[0], pair[1])
        for pair in (value if isinstance(value, list) else [])
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
