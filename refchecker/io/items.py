"""The border: `Report`s out, plain items again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from ..aggregate import winner
from ..types import Claim, Label, Passage, Record, Report, Span, Verdict
from .records import PROVENANCE, references_of
from .texts import texts_of, words_of


def to_item(report: Report, *, soft: bool = True, checked: bool = True) -> dict[str, Any]:
    """The input item with what was found; every input field that is not a result stays as it was.

    `soft` writes Y as the shares of the labels, otherwise as the winning label. With
    `checked` false (extraction only) there are claims and no verdicts.
    """
    record = report.record
    item = {key: value for key, value in record.extra.items() if key != "status_note"}
    claims = record.claims or ()
    if item.get("triplets") is None:
        item["triplets"] = [_claim_item(claim) for claim in claims]
        item["triplet_spans"] = [[[span.start, span.end] for span in claim.spans] for claim in claims]
    if checked:
        item |= _retrieved(record)
        shares = {str(label): round(report.shares[label], 6) for label in Label}
        item["Y"] = shares if soft else str(winner(report.shares))
        item["ys"] = [str(verdict.label) for verdict in report.verdicts]
        item["verdicts"] = [_verdict_item(verdict, record) for verdict in report.verdicts]
    item["status"] = report.status
    if report.note:
        item["status_note"] = report.note
    return item


def to_referenced_item(report: Report) -> dict[str, Any]:
    """The input item with the references that were found for it, and nothing about claims."""
    record = report.record
    status, note = ("ok", "") if record.references else ("no_reference", "no reference was found")
    if report.status == "failed":
        status, note = "failed", report.note
    item = {key: value for key, value in record.extra.items() if key != "status_note"}
    item |= _retrieved(record) | {"status": status}
    return item | ({"status_note": note} if note else {})


def _retrieved(record: Record) -> dict[str, Any]:
    """The record's references, where its item came without; what is not known of one is left out."""
    if not record.references or references_of(record.extra.get("reference")):
        return {}
    return {
        "reference": [
            {"text": passage.text, "source": passage.source, "start": passage.start}
            | {name: value for name in PROVENANCE if (value := getattr(passage, name))}
            for passage in record.references
        ]
    }


def _claim_item(claim: Claim) -> list[str] | str:
    return list(claim.triplet) if claim.triplet else claim.text


def _score_items(scores: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): round(scores[label], 4) for label in Label if label in scores}


def _verdict_item(verdict: Verdict, record: Record) -> dict[str, Any]:
    texts, claim_texts = texts_of(record), texts_of(record, verdict.claim)
    return {
        "claim": _claim_item(verdict.claim),
        "label": str(verdict.label),
        "scores": _score_items(verdict.scores),
        "conflict": verdict.conflict,
        "references": [
            {
                "source": passage.source,
                "label": str(judgment.label),
                "scores": _score_items(judgment.scores),
                "note": judgment.note,
                "unsure": judgment.unsure,
                "by": judgment.by,
                "reason": judgment.reason,
            }
            for passage, judgment in zip(verdict.passages, verdict.judgments, strict=True)
        ],
        "evidence": [_cut(span, texts) for span in dict.fromkeys(verdict.evidence)],
        "elements": [
            {
                "element": element.element,
                "role": element.role,
                **_cut(element.span, claim_texts if element.role == "missing" else texts),
                "score": round(element.score, 4),
            }
            for element in verdict.elements
        ],
        "spans": [_cut(span, texts) for span in verdict.claim.spans],
        "note": verdict.note,
        "unsure": verdict.unsure,
    }


def _cut(span: Span, texts: Sequence[Passage]) -> dict[str, Any]:
    return {"source": span.source, "start": span.start, "end": span.end, "text": words_of(span, texts)}


def output_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one item that `check` and `extract-check` write."""
    schema: dict[str, Any] = json.loads(files("refchecker").joinpath("output.schema.json").read_text("utf-8"))
    return schema
