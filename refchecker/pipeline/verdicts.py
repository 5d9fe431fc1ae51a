"""Judgments to verdicts to the report on one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..aggregate import Merge, conflicts, deciding, merged_label
from ..errors import RefCheckerError
from ..protocols import Aggregator, Localizer
from ..types import Claim, Extraction, Judgment, Label, Passage, Record, Report, Status, Verdict
from .faults import error_note


def report_of(
    record: Record,
    extraction: Extraction,
    judgments: list[tuple[Judgment, ...]],
    checked: bool,
    merge: Merge,
    aggregate: Aggregator,
    locate: Localizer | None,
) -> Report:
    """The report on one record: `judgments` has, per claim and reference, those of the reference's pieces."""
    width = len(record.references)
    verdicts = tuple(
        _verdict(
            claim,
            record.references,
            tuple(_merged(pieces, merge) for pieces in judgments[i * width : (i + 1) * width]),
            merge,
        )
        for i, claim in enumerate(extraction.claims)
        if checked
    )
    status, note = _status(record, extraction, verdicts, checked)
    if locate and verdicts:
        verdicts, fault = _located(record, verdicts, locate)
        note = "; ".join(filter(None, (note, fault)))
    return Report(record, verdicts, aggregate([v.label for v in verdicts]), status, note)


def _status(
    record: Record, extraction: Extraction, verdicts: Sequence[Verdict], checked: bool
) -> tuple[Status, str]:
    if record.fault:
        return "failed", record.fault
    if extraction.failed:
        return "failed", extraction.note
    if not extraction.claims:
        return "no_claims", extraction.note
    if not checked:
        return "ok", extraction.note
    if not record.references:
        return "no_reference", "there is no reference to check against"
    undetermined = [v for v in verdicts if v.note]
    if undetermined:
        return "failed", f"{len(undetermined)} of {len(verdicts)} claims undetermined: {undetermined[0].note}"
    return "ok", extraction.note


def _merged(pieces: tuple[Judgment, ...], merge: Merge) -> Judgment:
    """What the pieces of one reference say merged_label, with the scores of the piece that decides."""
    if len(pieces) == 1:
        return pieces[0]
    label, unsure = merged_label(pieces, merge)
    chosen = deciding(label, pieces) or Judgment(label)
    note = "; ".join(dict.fromkeys(piece.note for piece in pieces if piece.note))
    return replace(chosen, note=note, unsure=unsure)


def _verdict(
    claim: Claim,
    references: tuple[Passage, ...],
    judgments: tuple[Judgment, ...],
    merge: Merge,
) -> Verdict:
    label, unsure = merged_label(judgments, merge)
    chosen = deciding(label, judgments)
    evidence = tuple(
        span
        for judgment in judgments
        if judgment.label is label and label in (Label.ENTAILMENT, Label.CONTRADICTION)
        for span in judgment.spans
    )
    undetermined = [
        j.note or "no answer" for j in judgments if j.note or (j.label is Label.ABSTAIN and not j.unsure)
    ]
    return Verdict(
        claim,
        label,
        scores=chosen.scores if chosen else {},
        passages=references,
        judgments=judgments,
        evidence=evidence,
        conflict=conflicts(judgment.label for judgment in judgments),
        note="; ".join(dict.fromkeys(undetermined)),
        unsure=unsure,
    )


def _located(
    record: Record, verdicts: tuple[Verdict, ...], locate: Localizer
) -> tuple[tuple[Verdict, ...], str]:
    """The verdicts with what the localizer found; as they are, and why, where it broke on this record."""
    try:
        located = locate(record, verdicts)
        return tuple(
            replace(verdict, evidence=each.evidence or verdict.evidence, elements=each.elements)
            for verdict, each in zip(verdicts, located, strict=True)
        ), ""
    except RefCheckerError:
        raise
    except Exception as error:
        return verdicts, f"localizer: {error_note(error)}"
