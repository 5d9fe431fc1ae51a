"""Which output of a classification model means which label, by the names it gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...errors import UsageError
from ...types import Label

_NAMES = {
    Label.ENTAILMENT: "entailment|entail|entails|entailed|supported|support|supports|consistent|yes",
    Label.NEUTRAL: (
        "neutral|nei|not enough info|not enough information|unverifiable|not supported|unsupported|"
        "not entailment|not entailed|non entailment|no entailment"
    ),
    Label.CONTRADICTION: (
        "contradiction|contradict|contradicts|contradictory|refuted|refutes|refute|inconsistent|"
        "not consistent|no"
    ),
}
_LABEL_OF = {name: label for label, names in _NAMES.items() for name in names.split("|")}


def labels_of(id2label: Mapping[int, str], model: str) -> tuple[Label, ...]:
    """The label of each output of `model`, in the order of its outputs.

    Two outputs are supported / not supported: whatever the second is called, it is Neutral,
    for such a model cannot tell a contradiction from a gap. Errors: `UsageError` for a name
    that is not known; nothing is guessed from positions.

    >>> labels_of({0: "CONTRADICTION", 1: "neutral", 2: "entailment"}, "m")[2]
    <Label.ENTAILMENT: 'Entailment'>
    """
    names = [id2label[position] for position in sorted(id2label)]
    if len(names) == 1:
        raise UsageError(
            f"{model} has a single output (a regression score), and the nli checker needs one output per "
            "label. Use a model that answers entailment, neutral and contradiction, or family='hhem' where "
            "the score is the consistency that Vectara's first HHEM gives."
        )
    labels = [_LABEL_OF.get(_plain(name)) for name in names]
    if len(labels) == 2 and None not in labels and labels.count(Label.ENTAILMENT) == 1:
        return tuple(Label.ENTAILMENT if label is Label.ENTAILMENT else Label.NEUTRAL for label in labels)
    if len(labels) == 3 and set(labels) == set(_NAMES):
        return tuple(label for label in labels if label is not None)
    raise UsageError(
        f"{model} names its outputs {', '.join(map(repr, names))}, which does not say which is entailment. "
        'Set "id2label" in its config.json, for example '
        '{"0": "entailment", "1": "neutral", "2": "contradiction"}, as the model was trained.'
    )


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-/]+", " ", str(name)).strip().lower()
