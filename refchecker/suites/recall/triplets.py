"""Scoring by triplets, which the paper does not have: each claim of an output against both contexts.

A claim is *kept* where the original context alone entails it, *misled* where the edited one alone does,
*both* where both do, and *own* where neither does. So a right answer wrapped in copied errors is seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...types import Label
from ..metrics import pearson, share
from ..types import Answer, Answers, Columns, Item, Metric, Sheet, Task
from .answers import says
from .scores import asked_methods, columns_of, known_mean, replies_of, reply
from .tasks import CONDITIONS, conditions_of, key

KINDS = ("kept", "misled", "own", "both")
STAGE = "triplets"


def tasks(items: Sequence[Item], stage: str, answers: Answers) -> Iterator[Task]:
    """Each output of a stage with both contexts; nothing for empty outputs and those that failed."""
    replies = answers[stage]
    for item in items:
        if item.fields["task"] == "probe":
            continue
        for method in asked_methods(replies):
            for condition in CONDITIONS:
                answer = replies.get(key(item.id, condition, method))
                if answer is None or answer.fault or not answer.value.get("reply", "").strip():
                    continue
                contexts = [item.fields["original"], item.fields["edited"]]
                ask = {"response": answer.value["reply"], "references": contexts, "claims": None}
                yield Task(key(item.id, condition, method), ask)


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
    checked = {k: a for stage, own in answers.items() if stage.startswith(STAGE) for k, a in own.items()}
    replies = replies_of(answers)
    found = []
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        if item.fields["task"] != "probe":
            groups.setdefault((item.fields["set"], item.fields["task"]), []).append(item)
    for method in asked_methods(replies) if checked else []:
        for (of, task), own in sorted(groups.items()):
            for condition in conditions_of(method):
                found.append(
                    _claims(f"triplets/{of}/{task}/{condition}/{method}", own, checked, condition, method)
                )
            if task != "TG":
                found.append(_relation(f"relation/{of}/{task}/{method}", own, checked, replies, method))
    return [sheet for sheet in found if sheet.ids or sheet.missing]


def _claims(
    name: str, own: Sequence[Item], checked: Mapping[str, Answer], condition: str, method: str
) -> Sheet:
    ids, groups, rows = [], [], []
    missing: Counter[str] = Counter()
    bare = 0
    for item in own:
        answer = checked.get(key(item.id, condition, method))
        if answer is None:
            continue
        if answer.fault:
            missing["outputs that could not be checked"] += 1
        bare += not answer.value.get("claims") and not answer.fault
        for place, by_context in enumerate(answer.value.get("by_reference", ())):
            kind = kind_of(by_context)
            if not kind:
                missing["claims that were not judged"] += 1
                continue
            ids.append(f"{item.id}#{place}")
            groups.append(item.group)
            rows.append({each: float(each == kind) for each in KINDS})
    metrics: dict[str, Metric] = {kind: _share_of(kind) for kind in KINDS}
    counts = {"outputs_without_claims": bare}
    return Sheet(name, ids, groups, columns_of(rows), metrics, missing=dict(missing), counts=counts)


def _share_of(kind: str) -> Metric:
    return lambda c: share(c[kind]) if kind in c else math.nan


def _relation(
    name: str, own: Sequence[Item], checked: Mapping[str, Answer], replies: Mapping[str, Answer], method: str
) -> Sheet:
    """Per question with claims under the edited context: the misled share beside what M-Rate counts."""
    kept, rows = [], []
    without = 0
    for item in own:
        answer = checked.get(key(item.id, "edited", method))
        kinds = [kind_of(pair) for pair in answer.value.get("by_reference", ())] if answer else []
        kinds = [kind for kind in kinds if kind]
        edited, alone = (reply(replies, item.id, c, method) for c in ("edited", "none"))
        if not kinds or edited is None:
            without += edited is not None
            continue
        names = item.fields["answers"]
        kept.append(item)
        rows.append(
            {
                "misled": kinds.count("misled") / len(kinds),
                "any_misled": float("misled" in kinds),
                "wrong_edited": float(not says(edited, names)),
                "right_none": math.nan if alone is None else float(says(alone, names)),
            }
        )
    metrics: dict[str, Metric] = {
        "misled_share": lambda c: known_mean(c["misled"]),
        "misled_share_where_wrong": lambda c: known_mean(c["misled"][c["wrong_edited"] > 0]),
        "misled_share_where_right": lambda c: known_mean(c["misled"][c["wrong_edited"] == 0]),
        "right_but_misled": lambda c: known_mean(c["any_misled"][c["wrong_edited"] == 0]),
        "r_with_wrong": lambda c: pearson(c["misled"], c["wrong_edited"]),
        "r_with_m_rate": _with_m_rate,
    }
    missing = {"no claim with the edited context": without} if without else {}
    ids, groups = [item.id for item in kept], [item.group for item in kept]
    return Sheet(name, ids, groups, columns_of(rows), metrics if rows else {}, missing=missing)


def _with_m_rate(c: Columns) -> float:
    """Correlation with being wrong, of the questions that are right without context: M-Rate's denominator."""
    right = np.nan_to_num(c["right_none"]) > 0
    return pearson(c["misled"][right], c["wrong_edited"][right])
