"""Scoring by triplets, which the paper does not have: each claim of an output against both contexts.

A claim is *kept* where the original context alone entails it, *misled* where the edited one alone does,
*both* where both do, and *own* where neither does. So a right answer wrapped in copied errors is seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...types import Label
from ..metrics import of, pearson, share
from ..rows import Scored, rows_of, sheet_of
from ..types import Answer, Answers, Columns, Item, Metric, Sheet, Task
from .answers import says
from .scores import asked_methods, by_task, known_mean, mean_of, replied, replies_of, reply
from .tasks import conditions_of, key

KINDS = ("kept", "misled", "own", "both")
STAGE = "triplets"


def tasks(items: Sequence[Item], stage: str, answers: Answers) -> Iterator[Task]:
    """Each output of a stage with both contexts; nothing for empty outputs and those that failed."""
    for item, name, output in replied(items, answers[stage]):
        if item.fields["task"] != "probe" and output.strip():
            contexts = [item.fields["original"], item.fields["edited"]]
            yield Task(name, {"response": output, "references": contexts, "claims": None})


def kind_of(by_context: Sequence[str]) -> str:
    """What a claim is, by its labels against the original and the edited context; empty if not judged.

    >>> kind_of(["Neutral", "Entailment"]), kind_of(["Contradiction", "Neutral"])
    ('misled', 'own')
    """
    if len(by_context) != 2 or Label.ABSTAIN in by_context:
        return ""
    original, edited = (label == Label.ENTAILMENT for label in by_context)
    return {(1, 0): "kept", (0, 1): "misled", (1, 1): "both"}.get((int(original), int(edited)), "own")


def sheets(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The claims by set, task, condition and method; and how they go with the answers."""
    checked = {k: a for stage, given in answers.items() if stage.startswith(STAGE) for k, a in given.items()}
    replies = replies_of(answers)
    made = []
    for method in asked_methods(replies) if checked else []:
        for (group, task), members in by_task(items).items():
            for condition in conditions_of(method):
                name = f"triplets/{group}/{task}/{condition}/{method}"
                made.append(_claims(name, members, checked, condition, method))
            if task != "TG":
                made.append(_relation(f"relation/{group}/{task}/{method}", members, checked, replies, method))
    return [sheet for sheet in made if sheet.ids or sheet.missing]


def _claims(
    name: str, items: Sequence[Item], checked: Mapping[str, Answer], condition: str, method: str
) -> Sheet:
    units: list[Scored] = []
    bare = 0
    for item in items:
        answer = checked.get(key(item.id, condition, method))
        if answer is None:
            continue
        if answer.fault:
            units.append(Scored(item.id, item.group, "outputs that could not be checked"))
        bare += not answer.value.get("claims") and not answer.fault
        for number, by_context in enumerate(answer.value.get("by_reference", ())):
            kind = kind_of(by_context)
            row = {name: float(name == kind) for name in KINDS}
            unit = f"{item.id}#{number}"
            units.append(Scored(unit, item.group, row if kind else "claims that were not judged"))
    metrics: dict[str, Metric] = {kind: of(share, kind) for kind in KINDS}
    return sheet_of(name, units, metrics, counts={"outputs_without_claims": bare})


def _relation(
    name: str,
    items: Sequence[Item],
    checked: Mapping[str, Answer],
    replies: Mapping[str, Answer],
    method: str,
) -> Sheet:
    """Per question with claims under the edited context: the misled share beside what M-Rate counts."""
    units: list[Scored] = []
    for item in items:
        answer = checked.get(key(item.id, "edited", method))
        judged = [kind_of(pair) for pair in answer.value.get("by_reference", ())] if answer else []
        kinds = [kind for kind in judged if kind]
        edited, alone = (reply(replies, item.id, c, method) for c in ("edited", "none"))
        if edited is None:
            continue
        names = item.fields["answers"]
        row = {
            "misled": kinds.count("misled") / max(len(kinds), 1),
            "any_misled": float("misled" in kinds),
            "wrong_edited": float(not says(edited, names)),
            "right_none": math.nan if alone is None else float(says(alone, names)),
        }
        units.append(Scored(item.id, item.group, row if kinds else "no claim with the edited context"))
    metrics: dict[str, Metric] = {
        "misled_share": mean_of("misled"),
        "misled_share_where_wrong": lambda c: known_mean(c["misled"][c["wrong_edited"] > 0]),
        "misled_share_where_right": lambda c: known_mean(c["misled"][c["wrong_edited"] == 0]),
        "right_but_misled": lambda c: known_mean(c["any_misled"][c["wrong_edited"] == 0]),
        "r_with_wrong": of(pearson, "misled", "wrong_edited"),
        "r_with_m_rate": _with_m_rate,
    }
    return sheet_of(name, units, metrics if rows_of(units) else {})


def _with_m_rate(c: Columns) -> float:
    """Correlation with being wrong, of the questions that are right without context: M-Rate's denominator."""
    right = np.nan_to_num(c["right_none"]) > 0
    return pearson(c["misled"][right], c["wrong_edited"][right])
