"""The sheets of the human benchmark: claims, responses, systems.

`checker/SETTING`           a row per labelled claim: the checker's label beside the annotators'
`response/SETTING/FORMAT`   a row per response with labelled claims: factual or not, its hallucination rate
`system/SETTING/MODEL/FORMAT`   a row per response of a model: the share of each label
`ranking/SETTING/FORMAT`    the same rows of all models: how the models rank by people and by the checker
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...types import Label
from .. import metrics
from ..types import Answer, Answers, Array, Item, Metric, Sheet
from .data import SETTINGS
from .systems import labels_of, own_sheets, system_sheets

FORMATS = ("human", "triplet", "sentence", "response")
SYSTEM_FORMATS = ("human", "triplet")  # formats whose shares are comparable with those of the annotators
POOLED = "all"


def score(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The sheets that these answers allow."""
    if own := answers.get("check-own"):
        return own_sheets(items, own)
    formats = {form: answers[f"check-{form}"] for form in FORMATS if f"check-{form}" in answers}
    present = [s for s in SETTINGS if any(item.fields["setting"] == s for item in items)]
    chosen = {s: [item for item in items if item.fields["setting"] == s] for s in present}
    if len(present) > 1:
        chosen[POOLED] = list(items)
    sheets = [_checker(s, own, formats["human"]) for s, own in chosen.items() if "human" in formats]
    for form, given in formats.items():
        sheets += [_response(f"{s}/{form}", own, given) for s, own in chosen.items()]
        if form in SYSTEM_FORMATS:
            for setting in present:
                sheets += system_sheets(setting, form, chosen[setting], given)
    return sheets


def within(names: Sequence[str]) -> list[tuple[str, str]]:
    """The formats of claims compared with each other: triplets against what is coarser."""
    responses = {tuple(name.split("/")[1:]): name for name in names if name.startswith("response/")}
    settings = dict.fromkeys(setting for setting, _ in responses)
    wanted = [("triplet", "sentence"), ("triplet", "response"), ("sentence", "response")]
    return [
        (responses[s, x], responses[s, y])
        for s in settings
        for x, y in wanted
        if (s, x) in responses and (s, y) in responses
    ]


# -- claims --------------------------------------------------------------------------------------


def _checker(setting: str, items: Sequence[Item], given: Mapping[str, Answer]) -> Sheet:
    rows: list[tuple[str, str, str, str]] = []
    missing: Counter[str] = Counter()
    undetermined: Counter[str] = Counter()
    for item in items:
        labels, why = labels_of(item, given.get(item.id), len(item.fields["claims"]))
        for place, truth in enumerate(item.fields["labels"]):
            if truth is None:
                missing["it has no human label"] += 1
            elif labels is None:
                missing[why] += 1
            else:
                rows.append((f"{item.id}#{place}", item.group, truth, labels[place]))
                if labels[place] == Label.ABSTAIN:
                    undetermined[why or "unsure"] += 1
    truth, guess = (metrics.codes([row[at] for row in rows]) for at in (2, 3))
    names = [*metrics.LABELS, Label.ABSTAIN]
    by_label: dict[str, Metric] = {
        f"f1_{label.lower()}": _label_f1(code) for code, label in enumerate(metrics.LABELS)
    }
    measured: dict[str, Metric] = {
        "accuracy": metrics.of(metrics.accuracy, "truth", "guess"),
        "macro_f1": metrics.of(metrics.macro_f1, "truth", "guess"),
        **by_label,
        "balanced_accuracy": metrics.of(metrics.balanced_accuracy, "truth", "guess"),
        "kappa": metrics.of(metrics.kappa, "truth", "guess"),
        "uniform_kappa": lambda sheet: metrics.uniform_kappa(
            sheet["truth"], sheet["guess"], len(metrics.LABELS)
        ),
    }
    return Sheet(
        f"checker/{setting}",
        [row[0] for row in rows],
        [row[1] for row in rows],
        {"truth": truth, "guess": guess, "right": (truth == guess).astype(int)},
        measured,
        right="right",
        label="guess",
        tested=("accuracy", "macro_f1", "f1_contradiction", "balanced_accuracy"),
        missing=missing,
        counts={
            "gold": {label.value: int((truth == code).sum()) for code, label in enumerate(names[:-1])},
            "given": {label.value: int((guess == code).sum()) for code, label in enumerate(names)},
            "majority_floor": round(float(np.bincount(truth).max() / len(truth)), 6) if len(truth) else None,
            "undetermined": dict(undetermined),
        },
    )


def _label_f1(code: int) -> Metric:
    return lambda sheet: float(metrics.f1_by_label(sheet["truth"], sheet["guess"])[code])


# -- responses -----------------------------------------------------------------------------------


class _Rated(NamedTuple):
    """A response: what share of it is not supported, by people and by the checker (nan for no claims)."""

    id: str
    group: str
    truth: float
    guess: float


def _response(name: str, items: Sequence[Item], given: Mapping[str, Answer]) -> Sheet:
    rows: list[_Rated] = []
    missing: Counter[str] = Counter()
    claims = 0
    human = name.endswith("/human")
    for item in items:
        truths = item.fields["labels"]
        labels, why = labels_of(item, given.get(item.id), len(truths) if human else None)
        if not truths:
            missing["people found no claim in it"] += 1
        elif None in truths:
            missing["a claim of it has no human label"] += 1
        elif labels is None:
            missing[why] += 1
        else:
            claims += len(labels)
            rows.append(_Rated(item.id, item.group, _unsupported(truths), _unsupported(labels)))
    truth = np.array([row.truth == 0 for row in rows], dtype=int)
    rates, guesses = (np.array([getattr(row, at) for row in rows], dtype=float) for at in ("truth", "guess"))
    guess = np.where(np.isnan(guesses), -1, guesses == 0).astype(int)
    return Sheet(
        f"response/{name}",
        [row.id for row in rows],
        [row.group for row in rows],
        {
            "truth": truth,
            "guess": guess,
            "rate": rates,
            "guessed_rate": guesses,
            "right": (truth == guess).astype(int),
        },
        {
            "accuracy": metrics.of(metrics.accuracy, "truth", "guess"),
            "fact_f1": metrics.of(metrics.f1, "truth", "guess"),
            "nonfact_f1": lambda sheet: metrics.f1(sheet["truth"], sheet["guess"], label=0),
            "balanced_accuracy": metrics.of(_balanced, "truth", "guess"),
            "pearson": metrics.of(metrics.pearson, "rate", "guessed_rate"),
            "spearman": metrics.of(metrics.spearman, "rate", "guessed_rate"),
        },
        right="right",
        tested=("accuracy", "nonfact_f1", "balanced_accuracy", "pearson"),
        missing=missing,
        counts={
            "factual": int(truth.sum()),
            "not_factual": int((truth == 0).sum()),
            "called_factual": int((guess == 1).sum()),
            "nothing_judged": int((guess == -1).sum()),
            "claims_checked": claims,
        },
    )


def _balanced(truth: Array, guess: Array) -> float:
    """The mean of the recalls of factual and of not factual responses."""
    return (metrics.recall(truth, guess, 1) + metrics.recall(truth, guess, 0)) / 2


def _unsupported(labels: Sequence[str]) -> float:
    """The share of claims that are not Entailment; nan where there are none, or none that was judged.

    One that was not judged, beside others that were, is no support.
    """
    if all(label == Label.ABSTAIN for label in labels):
        return np.nan
    return sum(label != Label.ENTAILMENT for label in labels) / len(labels)
