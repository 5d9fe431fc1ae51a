"""Label probabilities from the log-probabilities of a reply's tokens."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from ...types import Label

ALTERNATIVES = 10  # per token; the three labels are among the first
LABELS = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)
_BEFORE_LABEL = re.compile(r"\blabel\b[\"'*]*\s*[:=]\s*", re.IGNORECASE)
_LEAST_MASS = 0.5  # with less than this on the three labels, it is not where the label is told


def label_scores(tokens: Sequence[tuple[str, Mapping[str, float]]]) -> dict[Label, float]:
    """The probability of each label where the reply begins to name its own; empty where that is not told.

    `tokens` are those of the reply, each with alternatives and their log-probabilities. The
    three labels begin with different letters, so the first token of each tells them apart.

    >>> {str(k): round(v, 2) for k, v in label_scores([("Ent", {"Ent": -0.11, "N": -2.3})]).items()}
    {'Entailment': 0.9, 'Neutral': 0.1, 'Contradiction': 0.0}
    """
    text = "".join(token for token, _ in tokens)
    begin = max((match.end() for match in _BEFORE_LABEL.finditer(text)), default=0)
    position = 0
    for token, alternatives in tokens:
        beyond = token[max(0, begin - position) :]
        position += len(token)
        if re.search(r"[^\W\d_]", beyond):
            return _scores(alternatives)
    return {}


def _scores(alternatives: Mapping[str, float]) -> dict[Label, float]:
    mass = dict.fromkeys(LABELS, 0.0)
    for token, logprob in alternatives.items():
        letters = re.findall(r"[^\W\d_]+", token)
        word = letters[-1].casefold() if letters else ""
        for label in LABELS:
            if word and (label.casefold().startswith(word) or word.startswith(label.casefold())):
                mass[label] += math.exp(min(0.0, logprob))
    total = sum(mass.values())
    return {label: value / total for label, value in mass.items()} if total >= _LEAST_MASS else {}
