"""Counts over the records of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..aggregate import WORST_FIRST
from ..io import FIELDS, UNCHECKED, Tally, labels_of
from ..types import Label, Record, Report
from .choice import has_problem

MAX_GROUPS = 20
MIN_PER_GROUP = 2
FIELD_CHARS = 80
MEANING = {
    Label.CONTRADICTION: "contradicted by a reference",
    Label.NEUTRAL: "in no reference",
    Label.ABSTAIN: "not judged",
    Label.ENTAILMENT: "supported",
    UNCHECKED: "not checked",
}


def fields_of(record: Record) -> dict[str, str]:
    """The fields of its item that are not ours, and short enough to show and to group by."""
    return {
        key: str(value)
        for key, value in record.extra.items()
        if key not in FIELDS and isinstance(value, str | int | float) and len(str(value)) <= FIELD_CHARS
    }


@dataclass(slots=True)
class Overview:
    """Counts, and the labels of claims by the fields of their records; feed it each report once."""

    tally: Tally = field(default_factory=Tally)
    problems: int = 0  # records with something to look at
    groups: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    _sizes: dict[str, Counter[str]] = field(default_factory=dict)
    _dropped: set[str] = field(default_factory=set)

    def counted(self, reports: Iterable[Report]) -> Iterator[Report]:
        """The same reports, each added as it passes."""
        for report in reports:
            self.tally.add(report)
            self.problems += has_problem(report)
            for name, value in fields_of(report.record).items():
                self._add_to_group(name, value, labels_of(report))
            yield report

    def _add_to_group(self, name: str, value: str, labels: list[str]) -> None:
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

    def shares(self) -> list[tuple[str, int, float]]:
        """Label, number of claims, share of all claims; the worst first, unchecked only if there are such."""
        labels, claims = self.tally.labels, self.tally.claims
        names = [*WORST_FIRST, *([UNCHECKED] if labels[UNCHECKED] else [])]
        return [(name, labels[name], labels[name] / claims if claims else 0.0) for name in names]

    def remarks(self) -> list[str]:
        """What the labels do not tell: records without a result, disagreeing references, doubt."""
        tally = self.tally
        others = [
            f"{tally.statuses[status]:,} {status.replace('_', ' ')}"
            for status in ("failed", "no_reference", "no_claims")
            if tally.statuses[status]
        ]
        lines = [": ".join(filter(None, [_many(tally.records, "record"), ", ".join(others)]))]
        if tally.conflicts:
            lines.append(f"references disagree about {_many(tally.conflicts, 'claim')}")
        if tally.unsure:
            lines.append(f"{_many(tally.unsure, 'claim')} not judged for want of confidence")
        return lines

    def left_out(self, listed: int, everything: bool) -> list[str]:
        """How many records a list does not have that it could have, if any, in a line after an empty one."""
        there = self.tally.records if everything else self.problems
        if listed >= there:
            return []
        what = "records" if everything else "records with a problem"
        return ["", f"{listed:,} of {there:,} {what} shown, the worst; --limit N for more."]

    def headline(self) -> str:
        """The one sentence to read."""
        if not self.tally.claims:
            return f"No claims in {_many(self.tally.records, 'record')}"
        wrong = [
            f"{count:,} {MEANING[name]}"
            for name, count, _ in self.shares()
            if count and name != Label.ENTAILMENT
        ]
        claims = _many(self.tally.claims, "claim")
        return f"Of {claims}: {', '.join(wrong)}" if wrong else f"All {claims} supported"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
