"""What a report shows of one record, whichever program and format it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..types import Label, Passage

CLAIM = "claim"  # the `source` of words of the claim itself
NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Words:
    """Words of a reference, by its number, or of a text that is clear from where they are kept."""

    text: str
    source: str
    passage: int = NOWHERE  # which reference has them at these offsets, if any does
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Element:
    """Words that stand for a part of the claim, or against it (`--localize`)."""

    element: str  # subject, predicate, object, or claim
    role: str  # said, found, contradicted, missing
    words: Words


@dataclass(frozen=True, slots=True)
class Answer:
    """What one reference says about a claim."""

    source: str
    label: Label
    scores: Mapping[Label, float] = field(default_factory=dict)
    note: str = ""
    unsure: str = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """One claim and all that was found about it."""

    parts: tuple[str, ...]  # the three of a triplet, or one
    label: Label | None  # None: extracted, and not checked
    scores: Mapping[Label, float] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    evidence: tuple[Words, ...] = ()
    elements: tuple[Element, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()  # in the response
    conflict: bool = False
    note: str = ""
    unsure: str = ""

    @property
    def text(self) -> str:
        """The text that offsets into the claim count in."""
        return joined(self.parts)

    @property
    def confidence(self) -> float | None:
        """How probable the checker says the label is, where it says so."""
        return self.scores.get(self.label) if self.label else None

    @property
    def problem(self) -> bool:
        """Whether somebody should look at it."""
        return self.label is not Label.ENTAILMENT or self.conflict


@dataclass(frozen=True, slots=True)
class Shown:
    """One record, as a report shows it."""

    id: str
    line: int  # where it stands in its file
    response: str
    question: str = ""
    status: str = "ok"
    note: str = ""
    references: tuple[Passage, ...] = ()
    claims: tuple[ShownClaim, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)  # what else is short: model, setting, ...

    @property
    def problem(self) -> bool:
        return self.status in ("failed", "no_reference") or any(claim.problem for claim in self.claims)


def joined(parts: Sequence[str]) -> str:
    """A claim's text, as a checker reads it."""
    return " ".join(part for part in parts if part)


def badness(shown: Shown) -> tuple[int, int, float]:
    """A key that sorts the worst record first: contradicted, failed, in conflict, unsupported, not judged."""
    labels = [claim.label for claim in shown.claims]
    counts = (
        labels.count(Label.CONTRADICTION),
        int(shown.status == "failed"),
        sum(claim.conflict for claim in shown.claims),
        labels.count(Label.NEUTRAL),
        labels.count(Label.ABSTAIN) + labels.count(None) + int(shown.status == "no_reference"),
    )
    level = next((level for level, count in enumerate(counts) if count), len(counts))
    count = counts[level] if level < len(counts) else 0
    sure = max((claim.scores.get(Label.CONTRADICTION, 0.0) for claim in shown.claims), default=0.0)
    return level, -count, -sure
