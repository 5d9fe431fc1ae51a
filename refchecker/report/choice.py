"""Which records a report shows, and what of a claim fits on a line."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from ..io import labels_of, texts_of, verdicts_of, words_of
from ..types import Claim, Label, Record, Report, Verdict

LISTED = 20  # records in a text or markdown report, unless told otherwise
IN_PAGE = 10_000  # and in a page


def listed(reports: Iterable[Report], limit: int, everything: bool) -> list[Report]:
    """Reports for a list to read, the worst first: those with a problem, or all."""
    chosen = (report for report in reports if everything or has_problem(report))
    return heapq.nsmallest(limit, chosen, key=badness)


def entries(report: Report, everything: bool) -> list[tuple[str, Verdict]]:
    """Label and verdict of the claims that somebody should look at, or of all."""
    return [
        (label, verdict)
        for label, verdict in zip(labels_of(report), verdicts_of(report), strict=True)
        if everything or is_problem(verdict)
    ]


def is_problem(verdict: Verdict) -> bool:
    return verdict.label is not Label.ENTAILMENT or verdict.conflict


def has_problem(report: Report) -> bool:
    return report.status in ("failed", "no_reference") or any(map(is_problem, verdicts_of(report)))


def badness(report: Report) -> tuple[int, int, float]:
    """A key that sorts the worst record first: contradicted, failed, in conflict, unsupported, not judged."""
    verdicts = verdicts_of(report)
    labels = [verdict.label for verdict in verdicts]
    counts = (
        labels.count(Label.CONTRADICTION),
        int(report.status == "failed"),
        sum(verdict.conflict for verdict in verdicts),
        labels.count(Label.NEUTRAL),
        labels.count(Label.ABSTAIN) + int(report.status == "no_reference"),
    )
    level = next((level for level, count in enumerate(counts) if count), len(counts))
    sure = max((verdict.scores.get(Label.CONTRADICTION, 0.0) for verdict in verdicts), default=0.0)
    return level, -sum(counts[level : level + 1]), -sure


def headed(label: str, verdict: Verdict) -> str:
    """The label, and how probable the checker says it is, where it does."""
    sure = verdict.scores.get(verdict.label)
    return label if sure is None else f"{label} {sure:.0%}"


def claim_line(claim: Claim) -> str:
    return " · ".join(filter(None, claim.triplet or (claim.text,)))


def against(verdict: Verdict, record: Record) -> list[tuple[str, str]]:
    """The words that say most about why, and their source: what contradicts an element, or evidence."""
    spans = [e.span for e in verdict.elements if e.role == "contradicted"] or verdict.evidence[:1]
    texts = texts_of(record)
    return list(dict.fromkeys((words_of(span, texts), span.source) for span in spans))


def reasons(verdict: Verdict) -> list[str]:
    """Why, in the checker's words, those of references with the claim's own label first."""
    judgments = sorted(verdict.judgments, key=lambda judgment: judgment.label != verdict.label)
    lines = [verdict.note, verdict.unsure, _disagreement(verdict), *(j.reason for j in judgments)]
    return list(dict.fromkeys(filter(None, lines)))


def _disagreement(verdict: Verdict) -> str:
    sides = [
        f"{judgment.label} by {passage.source}"
        for passage, judgment in zip(verdict.passages, verdict.judgments, strict=True)
        if judgment.label not in (Label.NEUTRAL, Label.ABSTAIN)
    ]
    return f"references disagree: {', '.join(sides)}" if verdict.conflict else ""
