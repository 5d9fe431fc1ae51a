"""What a person wants to know of a finished run: one counting, and the summary in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..types import Claim, Label, Record, Report, Verdict
from .texts import texts_of, words_of

UNCHECKED = "Unchecked"  # stands for the label of claims that were only extracted
SHOWN = 10
WIDTH = 96


def verdicts_of(report: Report) -> tuple[Verdict, ...]:
    """Its verdicts; where claims were only extracted, one for each that judges nothing."""
    return report.verdicts or tuple(Verdict(claim, Label.ABSTAIN) for claim in report.record.claims or ())


def labels_of(report: Report) -> list[str]:
    """The label of each claim, `UNCHECKED` where claims were only extracted."""
    return [str(v.label) if report.verdicts else UNCHECKED for v in verdicts_of(report)]


@dataclass(slots=True)
class Tally:
    """Counts over reports; feed it each once with `add`."""

    statuses: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)  # of claims
    stages: Counter[str] = field(default_factory=Counter)  # pairs by the stage that answered
    conflicts: int = 0
    unsure: int = 0
    contradicted: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, report: Report) -> None:
        name = report.record.id
        self.statuses[report.status] += 1
        self.labels.update(labels_of(report))
        if report.status == "failed" and len(self.failures) < SHOWN:
            self.failures.append(f"{name}: {' '.join(report.note.split())}")
        examples = {Label.CONTRADICTION: self.contradicted, Label.NEUTRAL: self.unsupported}
        for verdict in report.verdicts:
            self.conflicts += verdict.conflict
            self.stages.update(judgment.by for judgment in verdict.judgments if judgment.by)
            self.unsure += bool(verdict.unsure)
            if verdict.unsure and len(self.doubtful) < SHOWN:
                self.doubtful.append(f"{name}: {_claim(verdict.claim)}: {verdict.unsure}")
            if verdict.label in examples and len(examples[verdict.label]) < SHOWN:
                evidence = _evidence(verdict, report.record)
                examples[verdict.label].append(f"{name}: {_claim(verdict.claim)}{evidence}")

    @property
    def records(self) -> int:
        return self.statuses.total()

    @property
    def claims(self) -> int:
        return self.labels.total()

    def hits(self, wanted: Iterable[str]) -> int:
        """How many claims have one of these labels, or a conflict where "conflict" is among them."""
        return sum(
            self.conflicts if name == "conflict" else self.labels[name.capitalize()] for name in wanted
        )

    def text(self, *, checked: bool = True) -> str:
        """The summary, several lines, no colour."""
        lines = [f"records  {self.records}" + _counts(self.statuses, leave_out="ok")]
        if checked:
            judged = self.claims - self.labels[Label.ABSTAIN]
            lines.append(f"claims   {self.claims}, judged {judged}{_percent(judged, self.claims)}")
            for label in Label:
                count = self.labels[label]
                bar = "█" * round(30 * count / self.claims) if self.claims else ""
                lines.append(f"  {label:<14}{count:>7}  {_percent(count, self.claims):>9} {bar}")
            if self.unsure:
                lines.append(f"  {self.unsure} of the Abstain are for want of confidence, not for a fault")
            if self.conflicts:
                lines.append(f"  in {self.conflicts} of them the references disagree with each other")
            lines += _answered(self.stages)
        else:
            lines.append(f"claims   {self.claims}")
        lines += _listed("contradicted by a reference", self.contradicted, self.labels[Label.CONTRADICTION])
        lines += _listed("in no reference", self.unsupported, self.labels[Label.NEUTRAL])
        lines += _listed("not sure enough", self.doubtful, self.unsure)
        lines += _listed("failed", self.failures, self.statuses["failed"])
        return "\n".join(line.rstrip() for line in lines)


def _answered(stages: Counter[str]) -> list[str]:
    """How many pairs each stage of a cascade answered, if there was one."""
    if not stages:
        return []
    total, width = stages.total(), max(map(len, stages))
    return [
        f"pairs    {total} of claim and reference, answered by",
        *(f"  {stage:<{width}}  {n:>7}  {_percent(n, total):>9}" for stage, n in stages.most_common()),
    ]


def _counts(statuses: Mapping[str, int], leave_out: str) -> str:
    others = [f"{n} {name.replace('_', ' ')}" for name, n in sorted(statuses.items()) if name != leave_out]
    return f" ({', '.join(others)})" if others else ""


def _percent(part: int, whole: int) -> str:
    return f" ({part / whole:.1%})" if whole else ""


def _listed(title: str, entries: list[str], total: int) -> list[str]:
    if not entries:
        return []
    more = f", the first {len(entries)} of {total}" if total > len(entries) else ""
    return [f"{title}{more}:", *(f"  {line}" for entry in entries for line in entry.split("\n"))]


def _claim(claim: Claim) -> str:
    return _short(" | ".join(claim.triplet) if claim.triplet else claim.text)


def _evidence(verdict: Verdict, record: Record) -> str:
    """The first words a contradiction rests on, on a line of their own."""
    spans = verdict.evidence[:1]
    return "".join(f"\n    {_short(words_of(span, texts_of(record)))} [{span.source}]" for span in spans)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
