"""How models rank: the share of each label in a model's responses, by people and by the checker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ...aggregate import soft
from ...types import Label
from .. import metrics
from ..types import Answer, Array, Columns, Item, Metric, Sheet
from .data import SETTINGS

FAULT_CHARS = 80
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
        return None, "not asked yet: the run is not finished"
    fault = answer.fault[:FAULT_CHARS]
    labels = answer.value.get("labels")
    if labels is None or (expected is not None and len(labels) != expected):
        return None, fault or "the answer has not one label per claim"
    return (None, fault) if fault and not labels else (labels, fault)


class _Shares:
    """The rows of a sheet of shares, as they are collected."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.groups: list[str] = []
        self.shares: dict[str, list[dict[Label, float]]] = {}
        self.missing: Counter[str] = Counter()

    def add(self, item: Item, **labels: Sequence[str]) -> None:
        self.ids.append(item.id)
        self.groups.append(item.group)
        for suffix, given in labels.items():
            self.shares.setdefault(suffix, []).append(soft([Label(label) for label in given]))

    def columns(self) -> dict[str, Array]:
        """A column per label and for Neutral or Contradiction, for each who gave labels."""
        found: dict[str, Array] = {}
        for who, rows in self.shares.items():
            suffix = "" if who == "checker" else f"_{who}"
            for rate, label in RATES.items():
                found[rate + suffix] = np.array([row[label] for row in rows], dtype=float)
            found["hallucination" + suffix] = found["neutral" + suffix] + found["contradiction" + suffix]
        return found


def system_sheets(setting: str, form: str, items: Sequence[Item], given: Mapping[str, Answer]) -> list[Sheet]:
    """A sheet for each model that people annotated, and one for their ranking."""
    models = list(dict.fromkeys(item.fields["model"] for item in items))
    whole = _collected(items, given, form)
    columns = whole.columns()
    model_of = {item.id: models.index(item.fields["model"]) for item in items}
    column = np.array([model_of[unit] for unit in whole.ids], dtype=int)
    sheets = []
    for place, model in enumerate(models):
        rows = np.flatnonzero(column == place)
        missing = _collected([item for item in items if item.fields["model"] == model], given, form).missing
        sheets.append(
            Sheet(
                f"system/{setting}/{model}/{form}",
                [whole.ids[row] for row in rows],
                [whole.groups[row] for row in rows],
                {name: values[rows] for name, values in columns.items()},
                _means(columns),
                missing=missing,
            )
        )
    if len(models) < 3:
        return sheets
    ranking = Sheet(
        f"ranking/{setting}/{form}",
        whole.ids,
        whole.groups,
        {**columns, "model": column},
        {f"spearman_{name}": _rank_correlation(f"{name}_people", name) for name in RANKED},
        missing=whole.missing,
        counts={"models": models},
    )
    return [*sheets, ranking]


def _collected(items: Iterable[Item], given: Mapping[str, Answer], form: str) -> _Shares:
    """Shares by the checker and by people; a response without claims is all Abstain (RefChecker's README)."""
    found = _Shares()
    for item in items:
        truths = item.fields["labels"]
        labels, why = labels_of(item, given.get(item.id), len(truths) if form == "human" else None)
        if None in truths:
            found.missing["a claim of it has no human label"] += 1
        elif labels is None:
            found.missing[why] += 1
        else:
            found.add(item, checker=labels, people=truths)
    return found


def _means(columns: Columns) -> dict[str, Metric]:
    return {name: metrics.of(metrics.share, name) for name in columns}


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
        asked = [item for item in first.values() if item.fields["setting"] == setting]
        found = _Shares()
        for item in asked:
            answer = given.get(item.group)
            if answer is None:
                found.missing["no response, or not checked yet"] += 1
            elif answer.fault and not answer.value.get("labels"):
                found.missing[answer.fault[:FAULT_CHARS]] += 1
            else:
                found.add(item, checker=answer.value["labels"])
        columns = found.columns()
        if asked:
            sheets.append(
                Sheet(
                    f"system/{setting}/own/triplet",
                    found.ids,
                    found.groups,
                    columns,
                    _means(columns),
                    missing=found.missing,
                )
            )
    return sheets
