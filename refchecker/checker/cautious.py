"""Any checker, with an answer only where it is sure enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import UsageError
from ..protocols import Checker
from ..types import Judgment, Label, Pair


@dataclass(frozen=True, slots=True)
class Cautious:
    """The judgments of `check`, unsure where its label is less probable than `min_confidence`.

    An unsure judgment is Abstain without being a fault. A checker that gives no scores is
    never sure.

    >>> from refchecker.types import Claim, Passage
    >>> leaning = Judgment(Label.ENTAILMENT, {Label.ENTAILMENT: 0.62, Label.NEUTRAL: 0.38})
    >>> check = Cautious(lambda pairs: [leaning for _ in pairs], min_confidence=0.8)
    >>> check([Pair(Claim("it rains"), Passage("Clouds.", "doc"))])[0].unsure
    'Entailment at 0.62, asked for 0.8'
    """

    check: Checker
    min_confidence: float

    def __post_init__(self) -> None:
        if not 0 <= self.min_confidence <= 1:
            raise UsageError(f"min_confidence is a probability, from 0 to 1, and not {self.min_confidence}")

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        return [cautious(judgment, self.min_confidence) for judgment in self.check(pairs)]


def cautious(judgment: Judgment, min_confidence: float) -> Judgment:
    """The judgment, or an unsure Abstain with the same scores where its label is less probable than that."""
    if judgment.label is Label.ABSTAIN or judgment.confidence >= min_confidence:
        return judgment
    said = f"at {round(judgment.confidence, 4)}" if judgment.label in judgment.scores else "without a score"
    unsure = f"{judgment.label} {said}, asked for {min_confidence}"
    return replace(judgment, label=Label.ABSTAIN, spans=(), unsure=unsure)
