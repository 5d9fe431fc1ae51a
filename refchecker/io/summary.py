"""What a person wants to know of a finished run, in a few lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..types import Label

SHOWN = 10
WIDTH = 96


@dataclass(slots=True)
class Tally:
    """Counts over written items; feed it each item once with `add`."""

    statuses: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    claims: int = 0
    stages: Counter[str] = field(default_factory=Counter)  # pairs by the stage that answered
    conflicts: int = 0
    contradicted: list[str] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)
    unsure: int = 0
    doubtful: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, item: Mapping[str, Any], position: int) -> None:
        status = item["status"]
        name = str(item.get("id", position + 1))
        self.statuses[status] += 1
        if status == "failed" and len(self.failures) < SHOWN:
            self.failures.append(f"{name}: {' '.join(str(item.get('status_note', '')).split())}")
        verdicts = item.get("verdicts")
        if verdicts is None:
            if status != "failed":
                self.claims += len(item.get("triplets", ()))
            return
        self.claims += len(verdicts)
        for verdict in verdicts:
            self.labels[verdict["label"]] += 1
            self.conflicts += verdict["conflict"]
            self.stages.update(each["by"] for each in verdict["references"] if each["by"])
            if verdict["unsure"]:
                self.unsure += 1
                if len(self.doubtful) < SHOWN:
                    self.doubtful.append(f"{name}: {_claim(verdict['claim'])}: {verdict['unsure']}")
            shown = {Label.CONTRADICTION: self.contradicted, Label.NEUTRAL: self.unsupported}.get(
                verdict["label"]
            )
            if shown is not None and len(shown) < SHOWN:
                shown.append(f"{name}: {_claim(verdict['claim'])}{_evidence(verdict)}")

    @property
    def records(self) -> int:
        return self.statuses.total()

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


def _claim(claim: Any) -> str:
    return _short(claim if isinstance(claim, str) else " | ".join(claim))


def _evidence(verdict: Mapping[str, Any]) -> str:
    """The first words a contradiction rests on, on a line of their own."""
    pieces = verdict["evidence"]
    return f"\n    {_short(pieces[0]['text'])} [{pieces[0]['source']}]" if pieces else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
