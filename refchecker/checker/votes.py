"""Several judgments of one claim, as one: repeats of a question, windows of a passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ..types import Judgment, Label
from .windows import best_label


def majority(votes: Sequence[Judgment]) -> Judgment:
    """What most of the votes that could be read say, with their shares as scores.

    Undetermined where no more than half of the votes could be read: few voices are no vote.

    >>> votes = [Judgment(Label(name)) for name in ("Neutral", "Entailment", "Entailment", "Abstain")]
    >>> round(majority(votes).scores[Label.ENTAILMENT], 2)
    0.67
    """
    read = [vote for vote in votes if vote.label is not Label.ABSTAIN]
    if 2 * len(read) <= len(votes):
        return next(vote for vote in votes if vote.label is Label.ABSTAIN)
    counted = Counter(vote.label for vote in read)
    scores: dict[Label, float] = {
        label: counted[label] / len(read) for label in Label if label is not Label.ABSTAIN
    }
    winner = best_label(scores)
    return replace(next(vote for vote in read if vote.label is winner), scores=scores)


def over_windows(judgments: Sequence[Judgment]) -> Judgment:
    """Any window that entails is enough, else any that contradicts, else Neutral.

    A window that could not be judged might have entailed: then only Entailment stands.
    """
    if len(judgments) == 1:
        return judgments[0]
    for label in (Label.ENTAILMENT, Label.ABSTAIN, Label.CONTRADICTION):
        carriers = [judgment for judgment in judgments if judgment.label is label]
        if carriers:
            return max(carriers, key=lambda judgment: judgment.confidence)
    return min(judgments, key=lambda judgment: judgment.confidence)
