"""The sheets of the human benchmark: claims, responses, systems.

`checker/SETTING`           a row per labelled claim: the checker's label beside the annotators'
`response/SETTING/FORMAT`   a row per response with labelled claims: factual or not, its hallucination rate
`system/SETTING/MODEL/FORMAT`   a row per response of a model: the share of each label
`ranking/SETTING/FORMAT`    the same rows of all models: how the models rank by people and by the checker
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from ...types import Label
from .. import metrics
from ..rows import Row, Scored, rows_of, sheet_of
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
    units: list[Scored] = []
    undetermined: Counter[str] = Counter()
    for item in items:
        labels, why = labels_of(item, given.get(item.id), len(item.fields["claims"]))
        for number, truth in enumerate(item.fields["labels"]):
            row: Row | str = why
            if truth is None:
                row = "it has no human label"
            elif labels is not None:
                codes = metrics.codes([truth, labels[number]]).tolist()
                row = {"truth": codes[0], "guess": codes[1], "right": int(codes[0] == codes[1])}
                if labels[number] == Label.ABSTAIN:
                    undetermined[why or "unsure"] += 1
            units.append(Scored(f"{item.id}#{number}", item.group, row))
    truths, guesses = (Counter(row[of] for row in rows_of(units)) for of in ("truth", "guess"))
    measured: dict[str, Metric] = {
        "accuracy": metrics.of(metrics.accuracy, "truth", "guess"),
        "macro_f1": metrics.of(metrics.macro_f1, "truth", "guess"),
        **{f"f1_{label.lower()}": _label_f1(code) for code, label in enumerate(metrics.LABELS)},
        "balanced_accuracy": metrics.of(metrics.balanced_accuracy, "truth", "guess"),
        "kappa": metrics.of(metrics.kappa, "truth", "guess"),
        "uniform_kappa": lambda sheet: metrics.uniform_kappa(
            sheet["truth"], sheet["guess"], len(metrics.LABELS)
        ),
    }
    return sheet_of(
        f"checker/{setting}",
        units,
        measured,
        right="right",
        label="guess",
        tested=("accuracy", "macro_f1", "f1_contradiction", "balanced_accuracy"),
        counts={
            "gold": {label.value: truths[code] for code, label in enumerate(metrics.LABELS)},
            "given": {
                label.value: guesses[code] for code, label in enumerate((*metrics.LABELS, Label.ABSTAIN))
            },
            "majority_floor": round(max(truths.values()) / truths.total(), 6) if truths else None,
            "undetermined": dict(undetermined),
        },
    )


def _label_f1(code: int) -> Metric:
    return lambda sheet: float(metrics.f1_by_label(sheet["truth"], sheet["guess"])[code])


# -- responses -----------------------------------------------------------------------------------


def _response(name: str, items: Sequence[Item], given: Mapping[str, Answer]) -> Sheet:
    """The share of a response that is not supported, by people and by the checker (nan for no claims)."""
    units: list[Scored] = []
    claims = 0
    for item in items:
        truths = item.fields["labels"]
        labels, why = labels_of(item, given.get(item.id), len(truths) if name.endswith("/human") else None)
        row: Row | str = why
        if not truths:
            row = "people found no claim in it"
        elif None in truths:
            row = "a claim of it has no human label"
        elif labels is not None:
            claims += len(labels)
            rate, guessed = _unsupported(truths), _unsupported(labels)
            truth, guess = int(rate == 0), -1 if math.isnan(guessed) else int(guessed == 0)
            row = {"truth": truth, "guess": guess, "rate": rate, "guessed_rate": guessed}
            row["right"] = int(truth == guess)
        units.append(Scored(item.id, item.group, row))
    truths, guesses = (Counter(row[of] for row in rows_of(units)) for of in ("truth", "guess"))
    return sheet_of(
        f"response/{name}",
        units,
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
        counts={
            "factual": truths[1],
            "not_factual": truths[0],
            "called_factual": guesses[1],
            "nothing_judged": guesses[-1],
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
        return math.nan
    return sum(label != Label.ENTAILMENT for label in labels) / len(labels)
