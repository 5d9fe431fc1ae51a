"""The nouns of refchecker. Everything here is frozen and JSON-shaped.

A Record becomes Claims, each Claim is judged against the Record's references, the
judgments become one Verdict per claim, and the verdicts become one Report per record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

RESPONSE = "response"  # the `source` of spans that point into Record.response
CLAIM = "claim"  # the `source` of spans that point into Claim.text

Status = Literal["ok", "no_claims", "no_reference", "failed"]
Part = Literal["subject", "predicate", "object", "claim"]
Role = Literal["said", "found", "contradicted", "missing"]


class Label(StrEnum):
    """What the references say about a claim."""

    ENTAILMENT = "Entailment"
    NEUTRAL = "Neutral"
    CONTRADICTION = "Contradiction"
    ABSTAIN = "Abstain"  # nothing was judged: no claims, no references, or an unreadable reply


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters, `source_text[start:end]`."""

    source: str  # a Passage.source, or RESPONSE
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"span needs 0 <= start <= end, got {self.start}:{self.end} in {self.source!r}")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of reference text. `start` is where it begins in its source document."""

    text: str
    source: str
    start: int = 0
    title: str = ""  # what its document calls itself
    document: str = ""  # the id its document has in a corpus
    time: str = ""  # when it was fetched, ISO 8601

    def span(self, start: int, end: int) -> Span:
        """Turn offsets in this passage into offsets in its source.

        >>> Passage("Paris is in France.", "doc1", start=100).span(0, 5)
        Span(source='doc1', start=100, end=105)
        """
        return Span(self.source, self.start + start, self.start + end)

    def cut(self, start: int, end: int) -> Passage:
        """The piece `text[start:end]`, which still knows where it stands in its source.

        >>> piece = Passage("Paris is in France.", "doc1", start=100).cut(12, 18)
        >>> piece.text, piece.source, piece.start
        ('France', 'doc1', 112)
        """
        return Passage(
            self.text[start:end], self.source, self.start + start, self.title, self.document, self.time
        )


class Triplet(NamedTuple):
    """One fact of a response, as an edge of a knowledge graph."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable statement of a response."""

    text: str  # what a checker reads
    triplet: Triplet | None = None
    spans: tuple[Span, ...] = ()  # where the response says it

    @classmethod
    def of_triplet(cls, subject: str, predicate: str, obj: str, spans: tuple[Span, ...] = ()) -> Claim:
        """The claim whose text is the triplet's elements in order, one space between them."""
        text = " ".join(part for part in (subject, predicate, obj) if part)
        return cls(text, Triplet(subject, predicate, obj), spans)


@dataclass(frozen=True, slots=True)
class Record:
    """One response to check. With `claims` given, extraction is skipped."""

    id: str
    response: str
    question: str = ""
    references: tuple[Passage, ...] = ()
    claims: tuple[Claim, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # the input item as it was read
    fault: str = ""  # what is wrong with the input item; it is then reported as failed, untouched
    line: int = 0  # where it begins in its file, 1-based; 0 where it is of none


class Pair(NamedTuple):
    """One unit of checking work."""

    claim: Claim
    passage: Passage
    question: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The claims of one response."""

    claims: tuple[Claim, ...]
    note: str = ""  # why there are none, when that is not what the text says
    failed: bool = False  # the extractor broke on this response; `note` says how


@dataclass(frozen=True, slots=True)
class Judgment:
    """A checker's answer for one Pair.

    ABSTAIN means undetermined, and why: by a fault, which `note` tells, or because the answer
    was not sure enough, which `unsure` tells. A fault makes its record `failed`; being unsure
    does not, and is never support either.
    """

    label: Label
    scores: Mapping[Label, float] = field(default_factory=dict)  # probabilities, sum to 1
    note: str = ""  # the reply that could not be read, the claim that was too long, ...
    spans: tuple[Span, ...] = ()  # the windows of the passage that decided
    unsure: str = ""  # what it would have been, how surely, and what was asked for
    by: str = ""  # the stage of a cascade that answered
    reason: str = ""  # in a sentence, why this label, where the checker says it

    @property
    def confidence(self) -> float:
        """How probable it says its label is; 0 where it does not say."""
        return self.scores.get(self.label, 0.0)


@dataclass(frozen=True, slots=True)
class Element:
    """A part of a claim ("claim" where it has no triplet), and words that bear on it.

    `said`: the response says the part here. `found`: the reference does. `contradicted`: these words
    of the reference stand against it. `missing`: these words of the claim, in its own text and where
    the response says them, are not supported.
    """

    element: Part
    role: Role
    span: Span
    score: float  # 0 to 1; 1 is the same words


@dataclass(frozen=True, slots=True)
class Located:
    """Where to look to see a verdict: whole sentences of the references, best first, and single words."""

    evidence: tuple[Span, ...] = ()
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim, judged against every reference. `judgments[i]` answers `passages[i]`."""

    claim: Claim
    label: Label
    scores: Mapping[Label, float] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    judgments: tuple[Judgment, ...] = ()
    evidence: tuple[Span, ...] = ()
    conflict: bool = False  # one reference entails the claim and another contradicts it
    note: str = ""
    unsure: str = ""  # why the label is Abstain where nothing went wrong
    elements: tuple[Element, ...] = ()  # a localizer's


@dataclass(frozen=True, slots=True)
class Report:
    """Everything known about one record. `shares` sums to 1."""

    record: Record
    verdicts: tuple[Verdict, ...]
    shares: Mapping[Label, float]
    status: Status
    note: str = ""
