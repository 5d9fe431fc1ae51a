"""The checker's part: each passage against the unedited one, as it stands and in other words.

What it should find is the edit: its passage, its sentence, its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...pipeline import run
from ...protocols import Checker, Extractor, Localizer, optional_parts
from ...types import RESPONSE, Label, Passage, Record, Report, Verdict
from ..types import Answer, Answers, Item, Stage, Task
from .units import CONTEXT, Unit, units_of

VERBATIM, RESTATED = "verbatim", "restated"
REFERENCES = (VERBATIM, RESTATED)
FORMATS = ("sentence", "triplet")
REFERENCE = "reference"
Spans = list[list[int]]


def stage_name(claim_format: str) -> str:
    return f"check_{claim_format}"


def check_key(unit: Unit, reference: str) -> str:
    return f"{unit.id} [{reference}]"


def reference_text(item: Item, reference: str) -> str:
    """ "" where the passage is not known in other words."""
    return str(item.fields["parametric" if reference == VERBATIM else "restated"])


def check_stage(
    items: Sequence[Item],
    claim_format: str,
    extract: Extractor,
    check: Checker,
    locate: Localizer | None,
    references: Sequence[str],
) -> Stage:
    """Answers are {"claims", "labels", "flagged", "against"}, a line per claim.

    Spans are [start, end]: the words of the passage that are flagged (all of what says the claim, where no
    localizer points to some), and the words of the reference against it.
    """

    def tasks(answers: Answers) -> Iterator[Task]:
        for item in items:
            for unit in units_of(item, CONTEXT):
                for reference in references:
                    text = reference_text(item, reference)
                    # an unedited passage is asked about with the first pair of its entity alone
                    if text and (unit.conflict or first[item.group] == item.id):
                        ask = {"response": unit.context, "reference": text}
                        yield Task(check_key(unit, reference), ask)

    first: dict[str, str] = {}
    for item in items:
        first.setdefault(item.group, item.id)

    def answer(asked: Iterable[Task]) -> Iterator[Answer]:
        records = (_record(task) for task in asked)
        for report in run(records, extract=extract, check=check, locate=locate):
            yield _answer(report)

    parts = [f"extract:{optional_parts(extract).signature}", f"check:{optional_parts(check).signature}"]
    parts += [f"locate:{optional_parts(locate).signature}"] if locate else []
    return Stage(stage_name(claim_format), "|".join(parts), tasks, answer)


def _record(task: Task) -> Record:
    return Record(task.key, task.ask["response"], references=(Passage(task.ask["reference"], REFERENCE),))


def _answer(report: Report) -> Answer:
    verdicts = report.verdicts
    value: dict[str, Any] = {
        "claims": [verdict.claim.text for verdict in verdicts],
        "labels": [verdict.label.value for verdict in verdicts],
        "flagged": [_flagged(verdict) for verdict in verdicts],
        "against": [
            _spans((e.span for e in verdict.elements if e.role == "contradicted"), REFERENCE)
            for verdict in verdicts
        ],
    }
    return Answer(value, report.note if report.status in ("failed", "no_reference") else "")


def _flagged(verdict: Verdict) -> Spans:
    """The words of the passage that a contradicted claim is wrong about."""
    if verdict.label is not Label.CONTRADICTION:
        return []
    words = _spans((e.span for e in verdict.elements if e.role == "missing"), RESPONSE)
    return words or _spans(verdict.claim.spans, RESPONSE)


def _spans(spans: Iterable[Any], source: str) -> Spans:
    return [[span.start, span.end] for span in spans if span.source == source]
