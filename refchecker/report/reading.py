"""Written items as what a report shows of them, their offsets checked.

Evidence that does not stand in its reference, because somebody edited the file, is a quote and
never a mark in the wrong place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..errors import UsageError
from ..io import Broken, Item, dump, read_items, to_record
from ..types import RESPONSE, Claim, Label, Record
from .model import CLAIM, NOWHERE, Answer, Element, Shown, ShownClaim, Words, joined

CLAIMS = {"triplets", "claims", "triplet_spans"}
RESULTS = CLAIMS | {"id", "response", "question", "reference", "Y", "ys", "verdicts", "status", "status_note"}
LABELS = tuple(Label)
STATUSES = ("ok", "no_claims", "no_reference", "failed")
FIELD_CHARS = 80


def read_shown(stream: BinaryIO, name: str, fmt: str, max_mb: float) -> Iterator[Shown]:
    """The records of a file that refchecker, or a program that writes like it, has written."""
    for position, item in enumerate(read_items(stream, name, fmt, max_mb)):
        yield to_shown(item, name, position)


def to_shown(item: Item, name: str, position: int) -> Shown:
    """One written item; a `UsageError` with file and line where it is no such thing."""
    where, value = f"{name} line {item.line}", item.value
    if isinstance(value, Broken):
        raise UsageError(f"{where}: {value.why} Mend the line, or write the file again.")
    record = to_record(_given(item), name, position)
    if record.fault:
        if isinstance(value, dict) and value.get("status") == "failed":
            return _failed(record, item.line, value)
        raise UsageError(record.fault)
    reader = _Reader(f"{where}: record {record.id!r}", record)
    claims = reader.claims(value)
    status = value.get("status", "ok" if claims else "no_claims")
    if status not in STATUSES:
        raise reader.fail(f"has {status!r} as status. It must be one of {', '.join(STATUSES)}.")
    return Shown(
        id=record.id,
        line=item.line,
        response=record.response,
        question=record.question,
        status=status,
        note=_text(value.get("status_note")),
        references=record.references,
        claims=claims,
        fields=_fields(value),
    )


def _given(item: Item) -> Item:
    """What of it was input; verdicts have the claims too, and are long."""
    if not isinstance(item.value, dict):
        return item
    left_out = {"verdicts"} if item.value.get("verdicts") is None else {"verdicts", *CLAIMS}
    return Item(item.line, {key: item.value[key] for key in RESULTS - left_out if key in item.value})


def _failed(record: Record, line: int, item: Mapping[str, Any]) -> Shown:
    """A record that could not even be read: what was there instead of a response, and why it failed."""
    given = item.get("response", item.get("input", ""))
    response = given if isinstance(given, str) else dump(given).decode()
    note = _text(item.get("status_note")) or record.fault
    return Shown(record.id, line, response, status="failed", note=note, fields=_fields(item))


def _fields(item: Mapping[str, Any]) -> dict[str, str]:
    """The other fields that are short enough to show, and to group by."""
    return {
        key: str(value)
        for key, value in item.items()
        if key not in RESULTS and isinstance(value, str | int | float) and len(str(value)) <= FIELD_CHARS
    }


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the claims of one item; what is not as it must be is a `UsageError` that says where."""

    where: str
    record: Record

    def fail(self, what: str) -> UsageError:
        return UsageError(f"{self.where} {what}")

    def claims(self, item: Mapping[str, Any]) -> tuple[ShownClaim, ...]:
        verdicts, claims, labels = item.get("verdicts"), self.record.claims, item.get("ys")
        if verdicts is not None:
            if not isinstance(verdicts, list):
                raise self.fail('has no list as "verdicts". Write the file again with refchecker-cli check.')
            return tuple(self._read(verdict, number) for number, verdict in enumerate(verdicts, 1))
        if claims is None:
            raise self.fail(
                'has neither "verdicts" nor "triplets": nothing was checked. Give the output of '
                "`refchecker-cli extract-check` or `check`, not its input."
            )
        if labels is None:
            return tuple(_plain(claim, None) for claim in claims)
        if not isinstance(labels, list) or len(labels) != len(claims):
            found = f"{len(labels)} labels" if isinstance(labels, list) else "no list"
            raise self.fail(f'has {found} as "ys" for {len(claims)} claims. It needs one label per claim.')
        return tuple(
            self._labelled(claim, label, number)
            for number, (claim, label) in enumerate(zip(claims, labels, strict=True), 1)
        )

    def _labelled(self, claim: Claim, given: Any, number: int) -> ShownClaim:
        """A claim of a file without verdicts: its label, or, in a list, its label per reference."""
        if not isinstance(given, list):
            return _plain(claim, self._label(given, number))
        labels = [self._label(each, number) for each in given]
        any_support = (Label.ENTAILMENT, Label.CONTRADICTION, Label.NEUTRAL)
        merged = next((label for label in any_support if label in labels), Label.ABSTAIN)
        answers = tuple(
            Answer(p.source, label) for p, label in zip(self.record.references, labels, strict=False)
        )
        conflict = {Label.ENTAILMENT, Label.CONTRADICTION} <= set(labels)
        return _plain(claim, merged, answers, conflict)

    def _label(self, given: Any, number: int) -> Label:
        try:
            return Label(str(given).capitalize())
        except ValueError:
            known = ", ".join(Label)
            raise self.fail(f"has {given!r} as label of claim {number}. Labels are {known}.") from None

    def _read(self, verdict: Any, number: int) -> ShownClaim:
        try:
            return self._claim(verdict, number)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.fail(
                f"has a verdict {number} that is not as refchecker writes it ({type(error).__name__}: "
                f"{error}). Its shape is in refchecker/output.schema.json."
            ) from error

    def _claim(self, verdict: Mapping[str, Any], number: int) -> ShownClaim:
        claim = verdict["claim"]
        parts = (claim,) if isinstance(claim, str) else tuple(str(part) for part in claim)
        text = joined(parts)
        return ShownClaim(
            parts=parts,
            label=self._label(verdict["label"], number),
            scores=_scores(verdict.get("scores")),
            answers=tuple(self._answer(each, number) for each in verdict.get("references") or ()),
            evidence=tuple(self._words(each) for each in verdict.get("evidence") or ()),
            elements=tuple(self._element(each, text) for each in verdict.get("elements") or ()),
            spans=self._spans(verdict.get("spans") or ()),
            conflict=bool(verdict.get("conflict")),
            note=_text(verdict.get("note")),
            unsure=_text(verdict.get("unsure")),
        )

    def _answer(self, given: Mapping[str, Any], number: int) -> Answer:
        return Answer(
            source=str(given["source"]),
            label=self._label(given["label"], number),
            scores=_scores(given.get("scores")),
            note=_text(given.get("note")),
            unsure=_text(given.get("unsure")),
            by=_text(given.get("by")),
            reason=_text(given.get("reason")),
        )

    def _words(self, given: Mapping[str, Any]) -> Words:
        """These words in the reference that has them, its own offsets; else in none."""
        source, start, end, text = str(given["source"]), given["start"], given["end"], str(given["text"])
        for number, passage in enumerate(self.record.references):
            first, last = start - passage.start, end - passage.start
            if passage.source == source and 0 <= first < last and passage.text[first:last] == text:
                return Words(text, source, number, first, last)
        return Words(text, source)

    def _element(self, given: Mapping[str, Any], claim: str) -> Element:
        element, role, source = str(given["element"]), str(given["role"]), str(given["source"])
        inside = {RESPONSE: self.record.response, CLAIM: claim}
        if source not in inside:
            return Element(element, role, self._words(given))
        start, end, text = given["start"], given["end"], str(given["text"])
        stands = 0 <= start < end and inside[source][start:end] == text
        return Element(element, role, Words(text, source, NOWHERE, *((start, end) if stands else (0, 0))))

    def _spans(self, given: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int], ...]:
        response = self.record.response
        spans = ((each["start"], each["end"], each["text"]) for each in given)
        return tuple((start, end) for start, end, text in spans if response[start:end] == text != "")


def _plain(
    claim: Claim, label: Label | None, answers: tuple[Answer, ...] = (), conflict: bool = False
) -> ShownClaim:
    parts = tuple(claim.triplet) if claim.triplet else (claim.text,)
    spans = tuple((span.start, span.end) for span in claim.spans)
    return ShownClaim(parts, label, answers=answers, spans=spans, conflict=conflict)


def _scores(given: Any) -> dict[Label, float]:
    return {label: float(given[label]) for label in LABELS if label in given} if given else {}


def _text(given: Any) -> str:
    return given if isinstance(given, str) else ""
