"""The sheets of the conflicts suite. SLICE is all, domain/NAME, or conflict/METHOD.

`context/HOW/SLICE`, `span/HOW/SLICE`        a row per context, or context and question: is there a conflict?
`answers/HOW/SLICE`                          a row per conflicting context: both answers
`TASK/HOW/wording/N`, `TASK/HOW/wordings`    the same in the N-th wording, and all wordings side by side
`check/FORMAT/REFERENCE/SLICE`               a row per passage: does the checker flag it?
`sentences/...`, `spans/...`                 a row per claim of edited passages, and per edited passage
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from .. import metrics
from ..rows import reason
from ..types import Answers, Columns, Item, Sheet
from . import checking
from .asking import KNOWLEDGE, METHODS, OWN, key, knowledge_key, samples, wordings
from .check_sheets import FOUND, check_sheets
from .replies import majority, says, two_answers, verdict
from .rows import Kind, Outcome, sliced, unit_sheet
from .units import ANSWERS, Unit, units_of

NONE = 2  # the code of a reply that is neither yes nor no


def score(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The sheets that these answers allow."""
    sheets: list[Sheet] = []
    for name in METHODS:
        if name in answers:
            sheets += _method_sheets(name, items, answers)
    for claim_format in checking.FORMATS:
        given = answers.get(checking.stage_name(claim_format), {})
        for reference in checking.REFERENCES:
            if any(reference_key.endswith(f"[{reference}]") for reference_key in given):
                sheets += check_sheets(f"{claim_format}/{reference}", items, given, reference)
    return sheets


# -- language models -----------------------------------------------------------------------------

BINARY = Kind(
    {
        **FOUND,
        "said_conflict": lambda sheet: metrics.share(sheet["guess"] == 1),
        "unreadable": lambda sheet: metrics.share(sheet["guess"] == NONE),
    },
    ("f1", "accuracy"),
)
TWO = Kind(
    {name: metrics.of(metrics.share, name) for name in ("parametric", "conflicting", "both")},
    ("both",),
    right="both",
)


def _method_sheets(name: str, items: Sequence[Item], answers: Answers) -> Iterator[Sheet]:
    given = answers[name]
    for task in METHODS[name].tasks:
        # every pair's own units, the shared ones too: a slice must have the unedited side of its pairs
        units = [unit for item in items for unit in units_of(item, task)]
        ways = [way for way in range(len(wordings(task))) if any(key(u, way, 0) in given for u in units)]
        if not ways:
            continue
        kind = TWO if task == ANSWERS else BINARY
        for way in ways:
            score_one = partial(_two if task == ANSWERS else _binary, name, task, way, answers)
            made = list(sliced(f"{task}/{name}", units, score_one, kind))
            if way == 0:
                yield from made
            if len(ways) > 1:
                yield replace(made[0], name=f"{task}/{name}/wording/{way + 1}")
        if len(ways) > 1:
            yield _wordings_sheet(f"{task}/{name}/wordings", task, name, units, ways, answers)


def _replies(name: str, task: str, way: int, unit: Unit, answers: Answers) -> list[str] | str:
    """The replies to a unit, or why there are none."""
    method, given = METHODS[name], answers[name]
    drawn = [given.get(key(unit, way, sample)) for sample in range(samples(method, task))]
    replies = [str(answer.value["reply"]) for answer in drawn if answer and not answer.fault]
    if replies:
        return replies
    known = answers.get(KNOWLEDGE, {}).get(knowledge_key(unit)) if method.knows else None
    return reason(*drawn, known)


def _binary(name: str, task: str, way: int, answers: Answers, unit: Unit) -> Outcome:
    replies = _replies(name, task, way, unit, answers)
    if isinstance(replies, str):
        return replies
    said = majority([verdict(reply, reasoned=METHODS[name].reasoned) for reply in replies])
    conflict = wordings(task)[way].conflict.lower()
    guess = int(said == conflict) if said else NONE
    truth = int(unit.conflict)
    return [(unit.id, {"truth": truth, "guess": guess, "right": int(guess == truth)})]


def _two(name: str, task: str, way: int, answers: Answers, unit: Unit) -> Outcome:
    replies = _replies(name, task, way, unit, answers)
    if isinstance(replies, str):
        return replies
    own = answers.get(OWN, {}).get(unit.question)
    if own is None or own.fault:
        return reason(own)
    truth, edited = str(own.value["reply"]).strip(), str(unit.item.fields["substitute"])
    if not truth:
        return "the model has no answer of its own"
    if says(truth, edited):
        return "the model's own answer is the one that was put in"
    by_context, by_knowledge = two_answers(replies[0])
    conflicting, parametric = says(by_context, edited, truth), says(by_knowledge, truth, edited)
    row = {"parametric": parametric, "conflicting": conflicting, "both": parametric and conflicting}
    return [(unit.id, {name: int(value) for name, value in row.items()})]


def _wordings_sheet(
    name: str, task: str, method: str, units: Sequence[Unit], ways: Sequence[int], answers: Answers
) -> Sheet:
    """What is said in each wording, of what was asked in all: its F1 (the share of both answers) compared."""
    score_one = _two if task == ANSWERS else _binary
    column = "both" if task == ANSWERS else "guess"
    spread = spread_of_shares if task == ANSWERS else spread_of_f1
    names = [f"wording_{way + 1}" for way in ways]
    by_id = {unit.id: unit for unit in units}

    def outcome_of(unit: str) -> Outcome:
        row: dict[str, float] = {"truth": int(by_id[unit].conflict)}
        for way, wording in zip(ways, names, strict=True):
            outcome = score_one(method, task, way, answers, by_id[unit])
            if isinstance(outcome, str):
                return outcome
            row[wording] = outcome[0][1][column]
        return [(unit, row)]

    measured = {"spread": lambda sheet: spread(sheet, names), "same": lambda sheet: same(sheet, names)}
    return unit_sheet(name, units, outcome_of, Kind(measured, (), right=""))


def spread_of_f1(sheet: Columns, names: Sequence[str]) -> float:
    """The standard deviation (of a population) of the wordings' F1."""
    return float(np.std([metrics.f1(sheet["truth"], sheet[name]) for name in names]))


def spread_of_shares(sheet: Columns, names: Sequence[str]) -> float:
    return float(np.std([metrics.share(sheet[name]) for name in names]))


def same(sheet: Columns, names: Sequence[str]) -> float:
    """The share of rows that have one answer, whatever the wording."""
    said = np.stack([sheet[name] for name in names])  # [wordings, rows]
    return metrics.share((said == said[0]).all(axis=0))
