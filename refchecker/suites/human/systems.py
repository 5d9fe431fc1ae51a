"""How models rank: the share of each label in a model's responses, by people and by the checker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...aggregate import soft
from ...types import Label
from .. import metrics
from ..rows import FAULT_CHARS, NOT_ASKED, Row, Scored, rows_of, sheet_of
from ..types import Answer, Columns, Item, Metric, Sheet
from .data import SETTINGS

RATES = {
    "abstain": Label.ABSTAIN,
    "entailment": Label.ENTAILMENT,
    "neutral": Label.NEUTRAL,
    "contradiction": Label.CONTRADICTION,
}
RANKED = ("entailment", "contradiction", "hallucination")


def labels_of(item: Item, answer: Answer | None, expected: int | None) -> tuple[list[str] | None, str]:
    """The labels given to a response's claims, and the fault; None where there are no labels to count."""
    if not item.fields["claims"]:
        return [], ""
    if answer is None:
        return None, NOT_ASKED
    fault = answer.fault[:FAULT_CHARS]
    labels = answer.value.get("labels")
    if labels is None or (expected is not None and len(labels) != expected):
        return None, fault or "the answer has not one label per claim"
    return (None, fault) if fault and not labels else (labels, fault)


def system_sheets(setting: str, form: str, items: Sequence[Item], given: Mapping[str, Answer]) -> list[Sheet]:
    """A sheet for each model that people annotated, and one for their ranking."""
    models = list(dict.fromkeys(item.fields["model"] for item in items))
    units = [_unit(item, given.get(item.id), form) for item in items]
    means = _means(units)
    sheets = []
    for model in models:
        members = [u for u, item in zip(units, items, strict=True) if item.fields["model"] == model]
        sheets.append(sheet_of(f"system/{setting}/{model}/{form}", members, means))
    if len(models) < 3:
        return sheets
    ranked = [
        unit if isinstance(unit.row, str) else unit._replace(row={**unit.row, "model": models.index(model)})
        for unit, model in zip(units, (item.fields["model"] for item in items), strict=True)
    ]
    correlations = {f"spearman_{name}": _rank_correlation(f"{name}_people", name) for name in RANKED}
    return [*sheets, sheet_of(f"ranking/{setting}/{form}", ranked, correlations, counts={"models": models})]


def _unit(item: Item, answer: Answer | None, form: str) -> Scored:
    """Shares by the checker and by people; a response without claims is all Abstain (RefChecker's README)."""
    truths = item.fields["labels"]
    labels, why = labels_of(item, answer, len(truths) if form == "human" else None)
    if None in truths:
        return Scored(item.id, item.group, "a claim of it has no human label")
    row = why if labels is None else {**_shares(labels), **_shares(truths, "_people")}
    return Scored(item.id, item.group, row)


def _shares(labels: Sequence[str], suffix: str = "") -> dict[str, float]:
    """The share of each label, and of Neutral and Contradiction together."""
    shares = soft([Label(label) for label in labels])
    rates = {rate: shares[label] for rate, label in RATES.items()}
    rates["hallucination"] = rates["neutral"] + rates["contradiction"]
    return {rate + suffix: share for rate, share in rates.items()}


def _means(units: Sequence[Scored]) -> dict[str, Metric]:
    """The mean of each column."""
    return {name: metrics.of(metrics.share, name) for name in next(iter(rows_of(units)), {})}


def _rank_correlation(people: str, checker: str) -> Metric:
    """Spearman's correlation of the models' mean rates."""

    def metric(sheet: Columns) -> float:
        sizes = np.bincount(sheet["model"])
        means = [
            np.bincount(sheet["model"], weights=sheet[name])[sizes > 0] / sizes[sizes > 0]
            for name in (people, checker)
        ]
        return metrics.spearman(*means)

    return metric


def own_sheets(items: Sequence[Item], given: Mapping[str, Answer]) -> list[Sheet]:
    """A model's own responses to the questions: the share of each label, per setting."""
    first = {item.group: item for item in reversed(items)}
    sheets = []
    for setting in SETTINGS:
        questions = [item for item in first.values() if item.fields["setting"] == setting]
        units = [_own_unit(item, given.get(item.group)) for item in questions]
        if units:
            sheets.append(sheet_of(f"system/{setting}/own/triplet", units, _means(units)))
    return sheets


def _own_unit(item: Item, answer: Answer | None) -> Scored:
    if answer is None:
        row: Row | str = "no response, or not checked yet"
    elif answer.fault and not answer.value.get("labels"):
        row = answer.fault[:FAULT_CHARS]
    else:
        row = _shares(answer.value["labels"])
    return Scored(item.id, item.group, row)
