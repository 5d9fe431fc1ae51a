"""What a checker's probabilities are worth, and where to draw lines in them, from labelled claims.

Pure functions. A row is (scores, true label). An outcome is (probability, came true): of the
label that was given, or of one label whatever was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from refchecker.aggregate import Merge, cautious, merged_label
from refchecker.types import Judgment, Label

Scores = Mapping[Label, float]
Row = tuple[Scores, Label]
Outcome = tuple[float, bool]

LABELS = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)


def of_top_label(rows: Sequence[Row]) -> list[Outcome]:
    """The probability of each row's most probable label, and whether that label is the true one."""
    tops = [max(LABELS, key=lambda label: scores.get(label, 0.0)) for scores, _ in rows]
    return [(scores.get(top, 0.0), top is true) for top, (scores, true) in zip(tops, rows, strict=True)]


def of_label(rows: Sequence[Row], label: Label) -> list[Outcome]:
    """The probability of that label in each row, and whether it is the true one."""
    return [(scores.get(label, 0.0), true is label) for scores, true in rows]


def sureness(judgments: Sequence[Judgment], merge: Merge) -> float:
    """The highest `min_confidence` at which these references' verdict is not "unsure"; 0 if there is none.

    With one reference, the probability of its label.
    """
    levels = sorted({judgment.confidence for judgment in judgments}, reverse=True)
    return next(
        (level for level in levels if not merged_label([cautious(j, level) for j in judgments], merge)[1]),
        0.0,
    )


# -- calibration ---------------------------------------------------------------------------------


class Bin(NamedTuple):
    """Outcomes of like probability: how many, their mean probability, the share that came true."""

    size: int
    probability: float
    share: float


def equal_width(outcomes: Sequence[Outcome], bins: int) -> list[Bin]:
    """The bins [0, 1/n), [1/n, 2/n), …, [1 - 1/n, 1] that are not empty."""
    members: dict[int, list[Outcome]] = {}
    for outcome in outcomes:
        members.setdefault(min(int(outcome[0] * bins), bins - 1), []).append(outcome)
    return [_bin(members[number]) for number in sorted(members)]


def equal_mass(outcomes: Sequence[Outcome], bins: int) -> list[Bin]:
    """At most `bins` bins in order of probability, of like size; equal probabilities stay together."""
    filled: list[list[Outcome]] = [[]]
    for _, tied in groupby(sorted(outcomes), key=lambda outcome: outcome[0]):
        if len(filled[-1]) * bins >= len(outcomes):
            filled.append([])
        filled[-1].extend(tied)
    return [_bin(members) for members in filled if members]


def _bin(members: Sequence[Outcome]) -> Bin:
    size = len(members)
    return Bin(size, sum(p for p, _ in members) / size, sum(true for _, true in members) / size)


def calibration_error(
    outcomes: Sequence[Outcome],
    *,
    bins: int = 15,
    binned: Callable[[Sequence[Outcome], int], list[Bin]] = equal_width,
) -> float:
    """ECE: the mean over outcomes of |share that came true - mean probability| of their bin; from 0 to 1.

    Guo et al. 2017, "On Calibration of Modern Neural Networks", eq. 3, for the label given
    (`of_top_label`); with `binned=equal_mass`, Nixon et al. 2019, "Measuring Calibration in
    Deep Learning". No outcomes have no error.
    """
    gaps = [filled.size * abs(filled.share - filled.probability) for filled in binned(outcomes, bins)]
    return sum(gaps) / max(len(outcomes), 1)


def classwise_error(rows: Sequence[Row], *, bins: int = 15) -> float:
    """The mean over the labels of the ECE of their probabilities.

    Kull et al. 2019, "Beyond temperature scaling", eq. 2 (classwise-ECE).
    """
    return sum(calibration_error(of_label(rows, label), bins=bins) for label in LABELS) / len(LABELS)


def tempered(scores: Scores, temperature: float) -> dict[Label, float]:
    """softmax(log(scores) / temperature): flatter above 1, sharper below (Guo et al. 2017, eq. 9)."""
    logs = {label: math.log(max(scores.get(label, 0.0), 1e-6)) / temperature for label in LABELS}
    powers = {label: math.exp(log - max(logs.values())) for label, log in logs.items()}
    return {label: power / sum(powers.values()) for label, power in powers.items()}


def fit_temperature(rows: Sequence[Row]) -> float:
    """The temperature from 1/8 to 8 under which the true labels are most probable.

    The loss has one valley, so a ternary search finds it.
    """

    def loss(power: float) -> float:
        return -sum(math.log(max(tempered(scores, 2**power)[true], 1e-12)) for scores, true in rows)

    low, high = -3.0, 3.0
    while high - low > 0.01:
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if loss(left) <= loss(right) else (left, high)
    return float(2 ** ((low + high) / 2))


# -- thresholds ----------------------------------------------------------------------------------


class Threshold(NamedTuple):
    """A line in the probabilities, and what is at or above it."""

    at: float
    kept: int
    precision: float  # of what is kept, the share that came true
    bound: float  # its lower confidence bound
    recall: float  # of all that came true, the share that is kept


def wilson_bound(hits: int, total: int, z: float = 1.645) -> float:
    """The lower end of the score interval for a share (Wilson 1927); z = 1.645 is 95 % one-sided."""
    if not total:
        return 0.0
    share, square = hits / total, z * z
    spread = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return max(0.0, (share + square / (2 * total) - spread) / (1 + square / total))


def for_precision(outcomes: Sequence[Outcome], precision: float, *, z: float = 0.0) -> Threshold | None:
    """The lowest threshold at and above which at least that share came true; None if there is none.

    With z > 0 the lower bound of the share has to reach it (`wilson_bound`), which asks for
    enough cases. It is the best of many thresholds on these rows, so expect a little less on others.
    """
    falling = sorted(outcomes, reverse=True)
    hits = list(accumulate(true for _, true in falling))
    best = None
    for kept, (at, _) in enumerate(falling, 1):
        if kept < len(falling) and falling[kept][0] == at:
            continue  # equal probabilities are kept together or not at all
        share, bound = hits[kept - 1] / kept, wilson_bound(hits[kept - 1], kept, z)
        if (bound if z else share) >= precision:
            best = Threshold(at, kept, share, bound, hits[kept - 1] / max(hits[-1], 1))
    return best


def agreement_at(outcomes: Sequence[Outcome], confidence: float) -> float:
    """How often a cascade gives its last stage's answer, if the first keeps what is at or above that.

    An outcome is the first stage's probability and whether it says what the last would say.
    """
    differ = sum(probability >= confidence and not same for probability, same in outcomes)
    return 1 - differ / max(len(outcomes), 1)


def for_agreement(outcomes: Sequence[Outcome], agreement: float) -> float | None:
    """The lowest confidence at which a cascade agrees that often with its last stage.

    Above it the agreement only grows. None where even the highest probability must not be kept:
    then the first stage is of no use.
    """
    levels = sorted({probability for probability, _ in outcomes})
    return next((level for level in levels if agreement_at(outcomes, level) >= agreement), None)
