"""From many labels to one: across references (merge), across claims (aggregate).

Nothing here depends on the order of its input, and nothing changes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from .types import Judgment, Label

Merge = Callable[[Sequence[Label]], Label]  # of labels in the order in which `merged_label` gives them

WORST_FIRST = (Label.CONTRADICTION, Label.NEUTRAL, Label.ABSTAIN, Label.ENTAILMENT)
SUPPORT_FIRST = (Label.ENTAILMENT, Label.CONTRADICTION, Label.NEUTRAL)
CONTRADICTION_FIRST = (Label.CONTRADICTION, Label.ENTAILMENT, Label.NEUTRAL)


def any_support(labels: Sequence[Label]) -> Label:
    """One reference that entails the claim is enough; otherwise one that contradicts it.

    >>> any_support([Label.NEUTRAL, Label.CONTRADICTION])
    <Label.CONTRADICTION: 'Contradiction'>
    """
    return _first(SUPPORT_FIRST, labels)


def any_contradiction(labels: Sequence[Label]) -> Label:
    """One reference that contradicts the claim decides; otherwise one that entails it."""
    return _first(CONTRADICTION_FIRST, labels)


def surest(labels: Sequence[Label]) -> Label:
    """The surest label that is not Neutral, where the labels come surest first, as `merged_label` gives them.

    >>> merged_label([Judgment(Label.ENTAILMENT, {Label.ENTAILMENT: 0.5}),
    ...           Judgment(Label.CONTRADICTION, {Label.CONTRADICTION: 0.9})], surest)[0]
    <Label.CONTRADICTION: 'Contradiction'>
    """
    telling = [label for label in labels if label in (Label.ENTAILMENT, Label.CONTRADICTION)]
    return any_support(telling[:1] or labels)


def cautious(judgment: Judgment, min_confidence: float) -> Judgment:
    """The judgment; or an unsure Abstain with its scores, where its label is less probable than that.

    A label without a score has the probability 0.

    >>> cautious(Judgment(Label.NEUTRAL, {Label.NEUTRAL: 0.62, Label.ENTAILMENT: 0.38}), 0.8).unsure
    'Neutral at 0.62, asked for 0.8'
    """
    if judgment.label is Label.ABSTAIN or judgment.confidence >= min_confidence:
        return judgment
    unsure = f"{judgment.label} at {round(judgment.confidence, 4)}, asked for {min_confidence}"
    return replace(judgment, label=Label.ABSTAIN, spans=(), unsure=unsure)


def merged_label(judgments: Sequence[Judgment], merge: Merge) -> tuple[Label, str]:
    """The label `merge` makes of them; or Abstain, and why, where an unsure one could still change it.

    An unsure judgment counts as anything it could have been, so one sure support is enough
    for `any_support`, whatever the unsure ones hide, and Neutral needs all to be sure. `merge` gets the
    labels by falling probability; of equally probable ones (all, without scores) support comes first.
    """
    judgments = sorted(judgments, key=lambda each: (-each.confidence, each.label is not Label.ENTAILMENT))
    doubts = [judgment.unsure for judgment in judgments if judgment.unsure]
    if not doubts:
        return merge([judgment.label for judgment in judgments]), ""
    possible = {
        merge([other if judgment.unsure else judgment.label for judgment in judgments])
        for other in SUPPORT_FIRST
    }
    if len(possible) == 1:
        return possible.pop(), ""
    counted = f"{len(doubts)} of {len(judgments)} unsure, first: " if len(judgments) > 1 else ""
    return Label.ABSTAIN, counted + doubts[0]


def conflicts(labels: Iterable[Label]) -> bool:
    """One reference entails the claim and another contradicts it."""
    return {Label.ENTAILMENT, Label.CONTRADICTION} <= set(labels)


def soft(labels: Sequence[Label]) -> dict[Label, float]:
    """The share of each label. No labels at all is a full share of Abstain."""
    counts = Counter(labels) or Counter([Label.ABSTAIN])
    return {label: counts[label] / counts.total() for label in Label}


def strict(labels: Sequence[Label]) -> dict[Label, float]:
    """All on Contradiction if any claim is; on Entailment if all are; otherwise on Neutral.

    A claim that was not judged is not support, so it makes Neutral of what was Entailment.
    Where nothing at all was judged, all on Abstain.
    """
    judged = set(labels) - {Label.ABSTAIN}
    if not judged:
        return _all_on(Label.ABSTAIN)
    if Label.CONTRADICTION in judged:
        return _all_on(Label.CONTRADICTION)
    return _all_on(Label.ENTAILMENT if set(labels) == {Label.ENTAILMENT} else Label.NEUTRAL)


def major(labels: Sequence[Label]) -> dict[Label, float]:
    """All on the label with most votes; a tie goes to the worse label.

    Worst first: Contradiction, Neutral, Abstain, Entailment.
    """
    counts = Counter(labels) or Counter([Label.ABSTAIN])
    return _all_on(max(WORST_FIRST, key=lambda label: counts[label]))


def winner(shares: Mapping[Label, float]) -> Label:
    """The label with the greatest share; a tie goes to the worse label."""
    return max(WORST_FIRST, key=lambda label: shares.get(label, 0.0))


def deciding(label: Label, judgments: Sequence[Judgment]) -> Judgment | None:
    """The judgment that carries `label`: the one most sure of it, None where none has it."""
    carriers = [judgment for judgment in judgments if judgment.label is label]
    return max(carriers, key=lambda judgment: judgment.scores.get(label, 0.0), default=None)


def _first(order: Sequence[Label], labels: Sequence[Label]) -> Label:
    return next((label for label in order if label in labels), Label.ABSTAIN)


def _all_on(label: Label) -> dict[Label, float]:
    return {other: float(other is label) for other in Label}
