"""The border: items that were written, as `Report`s again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, get_args

from ..aggregate import any_support, conflicts, soft
from ..errors import UsageError
from ..types import Claim, Element, Judgment, Label, Passage, Record, Report, Span, Status, Verdict
from .formats import Broken, Item, read_items
from .records import Fault, to_record
from .texts import Quote, texts_of, words_of

_RESULTS = {"Y", "ys", "verdicts", "status", "status_note"}  # what a run writes anew
_CLAIMS = {"triplets", "claims", "triplet_spans"}
FIELDS = {"id", "response", "question", "reference"} | _CLAIMS | _RESULTS  # of an item, where it is ours
_LABELS, _STATUSES = tuple(Label), get_args(Status)


def from_item(item: Item, name: str, position: int) -> Report:
    """The report of which `to_item` has made the item; what is wrong with it is in its record's `fault`.

    Items of other programs have labels in "ys" and no "verdicts": one per claim, or a list with one per
    reference. Where there is neither, nothing was checked, and there are claims only.
    """
    value = item.value if isinstance(item.value, dict) else {}
    checked = value.get("verdicts") is not None  # verdicts have the claims too
    fields = {key: value[key] for key in value if key not in _RESULTS}
    if value:
        item = Item(item.line, {key: fields[key] for key in fields if not checked or key not in _CLAIMS})
    record = to_record(item, name, position)
    status = value.get("status", "ok" if value.get("verdicts") or record.claims else "no_claims")
    verdicts: tuple[Verdict, ...] = ()
    try:
        verdicts = () if record.fault else _verdicts(value, record)
        if status not in _STATUSES:
            raise Fault(f"has {status!r} as status. It must be one of {', '.join(_STATUSES)}.")
    except Fault as fault:
        record = replace(record, fault=f"{name} line {item.line}: record {record.id!r} {fault}")
    if checked:
        claims = None if record.fault else tuple(verdict.claim for verdict in verdicts)
        record = replace(record, claims=claims, extra=fields)
    note = _text(value.get("status_note"))
    if record.fault and status == "failed":
        note = note or record.fault
        record = replace(record, fault=note)
    return Report(record, verdicts, _shares(value.get("Y"), [v.label for v in verdicts]), status, note)


def read_reports(stream: BinaryIO, name: str, fmt: str, max_mb: float) -> Iterator[Report]:
    """The reports in a file that refchecker, or a program that writes like it, has written."""
    for position, item in enumerate(read_items(stream, name, fmt, max_mb)):
        yield read_report(item, name, position)


def read_report(item: Item, name: str, position: int) -> Report:
    """One written item; a `UsageError` with file and line where it is no such thing."""
    report = from_item(item, name, position)
    fault = report.record.fault
    if isinstance(item.value, Broken):
        raise UsageError(f"{fault} Mend the line, or write the file again.")
    if fault and report.status != "failed":
        raise UsageError(fault)
    if report.record.claims is None and not fault:
        raise UsageError(
            f'{name} line {item.line}: record {report.record.id!r} has neither "verdicts" nor "triplets": '
            "nothing was checked. Give the output of `refchecker-cli extract-check` or `check`, "
            "not its input."
        )
    return report


def _verdicts(item: Mapping[str, Any], record: Record) -> tuple[Verdict, ...]:
    verdicts, claims, labels = item.get("verdicts"), record.claims, item.get("ys")
    if verdicts is not None:
        if not isinstance(verdicts, list):
            raise Fault('has no list as "verdicts". Write the file again with refchecker-cli check.')
        return tuple(_verdict(verdict, number, record) for number, verdict in enumerate(verdicts, 1))
    if claims is None or labels is None:
        return ()
    if not isinstance(labels, list) or len(labels) != len(claims):
        kind = f"{len(labels)} labels" if isinstance(labels, list) else "no list"
        raise Fault(f'has {kind} as "ys" for {len(claims)} claims. It needs one label per claim.')
    return tuple(
        _labelled(claim, label, number, record.references)
        for number, (claim, label) in enumerate(zip(claims, labels, strict=True), 1)
    )


def _labelled(claim: Claim, label: Any, number: int, references: Sequence[Passage]) -> Verdict:
    """A claim with its label or, in a list, its label per reference."""
    if not isinstance(label, list):
        return Verdict(claim, _label(label, number))
    labels = [_label(one, number) for one in label]
    return Verdict(
        claim,
        any_support(labels),
        passages=tuple(references[: len(labels)]),
        judgments=tuple(map(Judgment, labels[: len(references)])),
        conflict=conflicts(labels),
    )


def _verdict(verdict: Any, number: int, record: Record) -> Verdict:
    try:
        claim = _claim(verdict["claim"])
        texts, claim_texts = texts_of(record), texts_of(record, claim)
        spans = [_span(cut, texts) for cut in verdict.get("spans") or ()]
        answers = verdict.get("references") or ()
        return Verdict(
            replace(claim, spans=tuple(span for span in spans if not isinstance(span, Quote))),
            _label(verdict["label"], number),
            _scores(verdict.get("scores")),
            _passages([str(answer["source"]) for answer in answers], record.references),
            tuple(_judgment(answer, number) for answer in answers),
            tuple(_span(cut, texts) for cut in verdict.get("evidence") or ()),
            bool(verdict.get("conflict")),
            _text(verdict.get("note")),
            _text(verdict.get("unsure")),
            tuple(
                Element(
                    cut["element"],
                    cut["role"],
                    _span(cut, claim_texts if cut["role"] == "missing" else texts),
                    float(cut.get("score", 1)),
                )
                for cut in verdict.get("elements") or ()
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Fault(
            f"has a verdict {number} that is not as refchecker writes it ({type(error).__name__}: "
            f"{error}). Its shape is in refchecker/output.schema.json."
        ) from error


def _judgment(answer: Mapping[str, Any], number: int) -> Judgment:
    return Judgment(
        _label(answer["label"], number),
        _scores(answer.get("scores")),
        note=_text(answer.get("note")),
        unsure=_text(answer.get("unsure")),
        by=_text(answer.get("by")),
        reason=_text(answer.get("reason")),
    )


def _claim(claim: Any) -> Claim:
    parts = (claim,) if isinstance(claim, str) else tuple(str(part) for part in claim)
    return Claim.of_triplet(*parts) if len(parts) == 3 else Claim(" ".join(parts))


def _passages(sources: Sequence[str], references: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """The references that judgments answer, by order where there is one for each, else by name."""
    if sources == [passage.source for passage in references]:
        return references
    named = {passage.source: passage for passage in reversed(references)}
    return tuple(named.get(source, Passage("", source)) for source in sources)


def _span(cut: Mapping[str, Any], texts: Sequence[Passage]) -> Span:
    """Where the words stand, if they do."""
    quote = Quote(str(cut["source"]), cut["start"], cut["end"], str(cut["text"]))
    if not 0 <= quote.start <= quote.end:
        return quote
    span = Span(quote.source, quote.start, quote.end)
    return span if words_of(span, texts) == quote.text else quote


def _label(label: Any, number: int) -> Label:
    try:
        return Label(str(label).capitalize())
    except ValueError:
        known = ", ".join(Label)
        raise Fault(f"has {label!r} as label of claim {number}. Labels are {known}.") from None


def _shares(written: Any, labels: Sequence[Label]) -> dict[Label, float]:
    """Y as it was written: the shares, or the winning label; made anew where there is neither."""
    if isinstance(written, dict) and set(written) == set(Label):
        return {label: written[label] for label in Label}
    return soft([Label(written)] if written in _LABELS else labels)


def _scores(scores: Any) -> dict[Label, float]:
    return {label: float(scores[label]) for label in Label if label in scores} if scores else {}


def _text(text: Any) -> str:
    return text if isinstance(text, str) else ""
