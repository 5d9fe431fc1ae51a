"""Counts over the records of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..types import Label
from .model import Shown

MAX_GROUPS = 20
MIN_PER_GROUP = 2
UNCHECKED = "Unchecked"  # stands for the label of claims that were only extracted
LABELS = (Label.CONTRADICTION, Label.NEUTRAL, Label.ABSTAIN, Label.ENTAILMENT)  # the worst first
MEANING = {
    Label.CONTRADICTION: "contradicted by a reference",
    Label.NEUTRAL: "in no reference",
    Label.ABSTAIN: "not judged",
    Label.ENTAILMENT: "supported",
    UNCHECKED: "not checked",
}


@dataclass(slots=True)
class Overview:
    """Feed it each record once, with `add` or `counted`."""

    statuses: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)  # of claims
    conflicts: int = 0
    unsure: int = 0
    problems: int = 0  # records with something to look at
    groups: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    _sizes: dict[str, Counter[str]] = field(default_factory=dict)
    _dropped: set[str] = field(default_factory=set)

    def counted(self, records: Iterable[Shown]) -> Iterator[Shown]:
        """The same records, each added as it passes."""
        for shown in records:
            self.add(shown)
            yield shown

    def add(self, shown: Shown) -> None:
        labels = Counter(str(claim.label or UNCHECKED) for claim in shown.claims)
        self.statuses[shown.status] += 1
        self.labels += labels
        self.conflicts += sum(claim.conflict for claim in shown.claims)
        self.unsure += sum(bool(claim.unsure) for claim in shown.claims)
        self.problems += shown.problem
        for name, value in shown.fields.items():
            self._add_to_group(name, value, labels)

    def _add_to_group(self, name: str, value: str, labels: Counter[str]) -> None:
        if name in self._dropped:
            return
        group = self.groups.setdefault(name, {})
        group.setdefault(value, Counter()).update(labels)
        self._sizes.setdefault(name, Counter())[value] += 1
        if len(group) > MAX_GROUPS:  # an id, or free text
            del self.groups[name], self._sizes[name]
            self._dropped.add(name)

    def grouping(self) -> dict[str, dict[str, Counter[str]]]:
        """The fields worth comparing by, such as model or setting: per value, the labels of its claims."""
        return {
            name: group
            for name, group in self.groups.items()
            if len(group) > 1 and self._sizes[name].total() >= MIN_PER_GROUP * len(group)
        }

    @property
    def records(self) -> int:
        return self.statuses.total()

    @property
    def claims(self) -> int:
        return self.labels.total()

    def shares(self) -> list[tuple[str, int, float]]:
        """Label, number of claims, share of all claims; the worst first, unchecked only if there are such."""
        names = [*map(str, LABELS), *([UNCHECKED] if self.labels[UNCHECKED] else [])]
        return [
            (name, self.labels[name], self.labels[name] / self.claims if self.claims else 0.0)
            for name in names
        ]

    def remarks(self) -> list[str]:
        """What the labels do not tell: records without a result, disagreeing references, doubt."""
        others = [
            f"{self.statuses[status]:,} {status.replace('_', ' ')}"
            for status in ("failed", "no_reference", "no_claims")
            if self.statuses[status]
        ]
        lines = [": ".join(filter(None, [_many(self.records, "record"), ", ".join(others)]))]
        if self.conflicts:
            lines.append(f"references disagree about {_many(self.conflicts, 'claim')}")
        if self.unsure:
            lines.append(f"{_many(self.unsure, 'claim')} not judged for want of confidence")
        return lines

    def left_out(self, listed: int, everything: bool) -> list[str]:
        """How many records a list does not have that it could have, if any, in a line."""
        there, what = (self.records, "records") if everything else (self.problems, "records with a problem")
        return (
            [f"{listed:,} of {there:,} {what} shown, the worst; --limit N for more."]
            if listed < there
            else []
        )

    def headline(self) -> str:
        """The one sentence to read."""
        if not self.claims:
            return f"No claims in {_many(self.records, 'record')}"
        found = [
            f"{self.labels[label]:,} {MEANING[label]}"
            for label in (*LABELS[:-1], UNCHECKED)
            if self.labels[label]
        ]
        if not found:
            return f"All {_many(self.claims, 'claim')} supported"
        return f"Of {_many(self.claims, 'claim')}: {', '.join(found)}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
