"""The sheets of the imaginary suite.

`check/FORMAT/SET/CONSTRUCTION`         a row per context: the checker's label for its claim
`PROMPT/SETUP/SET/CONSTRUCTION`         a row per question: the model's answer

FORMAT is sentence or triplet. A cell's rows have the number of their statement as id, so that cells of one
system are compared in pairs. `non_affirmative` in the place of a construction is the five that are not
affirmative together, `all` in the place of a set the three sets, `balance` everything together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...types import Label
from .. import metrics
from ..squad import exact_match, f1, normalised
from ..types import Answer, Answers, Columns, Item, Metric, Sheet
from .asking import PROMPTS, SETUPS, VERIFY, final_answer, verify_key
from .make import AFFIRMATIVE, CONSTRUCTIONS, SETS
from .replies import denied

CHECK = "check"
FORMATS = ("sentence", "triplet")
POOLED, EVERY_SET, BALANCE = "non_affirmative", "all", "balance"
NOT_ASKED = "not asked yet: the run is not finished"
FAULT_CHARS = 80
Row = Mapping[str, Any]
Rows = tuple[list[tuple[Item, Row]], Counter[str]]  # what is scored, and why the rest is not


def score(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The sheets that these answers allow."""
    sheets: list[Sheet] = []
    for place, form in enumerate(FORMATS):
        if CHECK in answers:
            sheets += _sheets(f"{CHECK}/{form}", items, _checked(answers[CHECK], place), _CHECKER)
    for kind in PROMPTS:
        source = "instructed" if kind == "two_step" else kind
        if source not in answers or (kind == "two_step" and VERIFY not in answers):
            continue
        for setup in SETUPS:
            if setup == "uncontrolled" or _asked_again(answers[source]):
                sheets += _sheets(f"{kind}/{setup}", items, _answered(answers, kind, setup), _READER)
    return sheets


def within(names: Sequence[str]) -> list[tuple[str, str]]:
    """Cells of one system in pairs: each set against the imaginary one, each construction against negation.

    Of a checker on sentences, of a language model in the controlled set-up.
    """
    pairs = []
    for system in [f"{CHECK}/sentence", *(f"{kind}/controlled" for kind in PROMPTS)]:
        for construction in (*CONSTRUCTIONS, POOLED):
            for each in ("supported", "contradicting"):
                pairs.append((f"{system}/{each}/{construction}", f"{system}/imaginary/{construction}"))
        for construction in CONSTRUCTIONS[2:]:
            pairs.append((f"{system}/imaginary/{construction}", f"{system}/imaginary/negation"))
    return [(a, b) for a, b in pairs if a in names and b in names]


class _Kind(NamedTuple):
    """What is measured of the rows of a sheet."""

    columns: tuple[str, ...]
    metrics: Mapping[str, Metric]
    tested: tuple[str, ...]
    label: str = ""


Scored = Callable[[Item], Row | str]  # the columns' values, or why there are none


def _sheets(name: str, items: Sequence[Item], scored: Scored, kind: _Kind) -> Iterator[Sheet]:
    """A sheet for each cell, for the non-affirmative ones together, and for all."""
    cells: dict[str, Rows] = defaultdict(lambda: ([], Counter()))
    for item in items:
        each, construction = item.fields["set"], item.fields["construction"]
        places = [f"{each}/{construction}", f"{EVERY_SET}/{construction}", BALANCE]
        if construction != AFFIRMATIVE:
            places += [f"{each}/{POOLED}", f"{EVERY_SET}/{POOLED}"]
        row = scored(item)
        for place in places:
            if isinstance(row, str):
                cells[place][1][row] += 1
            else:
                cells[place][0].append((item, row))
    sets, constructions = (*SETS, EVERY_SET), (*CONSTRUCTIONS, POOLED)
    for place in [*(f"{each}/{c}" for each in sets for c in constructions), BALANCE]:
        if place in cells:
            yield _sheet(f"{name}/{place}", *cells[place], kind)


def _sheet(name: str, rows: Sequence[tuple[Item, Row]], missing: Mapping[str, int], kind: _Kind) -> Sheet:
    columns = {
        column: np.array([row[column] for _, row in rows], dtype=float if column == "f1" else int)
        for column in ("right", *kind.columns)
    }
    balance = {"balanced_accuracy": balanced} if name.endswith(BALANCE) else {}
    return Sheet(
        name,
        [_unit(item, name) for item, _ in rows],
        [item.group for item, _ in rows],
        columns,
        {**kind.metrics, **balance},
        right="right",
        label=kind.label,
        tested=("balanced_accuracy",) if balance else kind.tested,
        missing=missing,
        counts={"right_by_frame": _by_frame(rows)}
        if name.startswith(f"{CHECK}/sentence/{EVERY_SET}/")
        else {},
    )


def _unit(item: Item, name: str) -> str:
    """The statement's number in a cell; more of the id where a sheet has several items of a statement."""
    _, construction, number = item.id.split("/", 2)
    if name.endswith(BALANCE) or f"/{EVERY_SET}/" in name:
        return item.id
    return f"{construction}/{number}" if name.endswith(POOLED) else number


def _by_frame(rows: Iterable[tuple[Item, Row]]) -> dict[str, list[int]]:
    """How many claims are right in each sentence frame, of how many."""
    frames: dict[str, list[int]] = {}
    for item, row in rows:
        if frame := item.fields["frame"]:
            count = frames.setdefault(frame, [0, 0])
            count[0] += int(row["right"])
            count[1] += 1
    return frames


def balanced(sheet: Columns) -> float:
    """The mean of the shares that are right on affirmative and on other contexts."""
    asserted = sheet["affirmative"] == 1
    return (metrics.share(sheet["right"][asserted]) + metrics.share(sheet["right"][~asserted])) / 2


# -- checkers ------------------------------------------------------------------------------------

_CHECKER = _Kind(
    ("label", "affirmative", "entailment", "neutral", "contradiction"),
    {
        **{name: metrics.of(metrics.share, name) for name in ("entailment", "neutral", "contradiction")},
        "accuracy": metrics.of(metrics.share, "right"),
    },
    ("entailment",),
    "label",
)


def _checked(given: Mapping[str, Answer], place: int) -> Scored:
    def scored(item: Item) -> Row | str:
        answer = given.get(item.id)
        if answer is None:
            return NOT_ASKED
        labels = answer.value.get("labels", ())
        if place >= len(labels):
            return answer.fault[:FAULT_CHARS] or "its claim has no triplet"
        asserted = item.fields["construction"] == AFFIRMATIVE
        code = int(metrics.codes([labels[place]])[0])
        names = {label.lower(): int(labels[place] == label) for label in metrics.LABELS}
        right = int((labels[place] == Label.ENTAILMENT) == asserted)
        return {"label": code, "right": right, "affirmative": int(asserted), **names}

    return scored


# -- language models -----------------------------------------------------------------------------

_READER = _Kind(
    ("affirmative", "em", "f1", "abstained", "wrong", "as_asserted", "from_memory"),
    {
        **{name: metrics.of(metrics.share, name) for name in ("f1", "em", "abstained")},
        "as_asserted": metrics.of(metrics.share, "as_asserted", "wrong"),
        "from_memory": metrics.of(metrics.share, "from_memory", "wrong"),
    },
    ("f1",),
)


def _asked_again(given: Mapping[str, Answer]) -> bool:
    """Whether the run asked until a reply was acceptable."""
    return any(answer.value.get("attempts", 1) > 1 for answer in given.values())


def _answered(answers: Answers, kind: str, setup: str) -> Scored:
    source = "instructed" if kind == "two_step" else kind

    def scored(item: Item) -> Row | str:
        given = answers[source].get(item.id)
        if given is None:
            return NOT_ASKED
        replies = given.value.get("replies", ())
        if given.fault and (setup == "controlled" or not replies):
            return given.fault[:FAULT_CHARS]
        answer = final_answer(replies, setup, source, item.fields["context"])
        if answer is None:
            return "skipped: no acceptable reply in all attempts"
        if kind == "two_step" and answer:
            second = answers[VERIFY].get(verify_key(item, answer))
            if second is None or second.fault:
                return second.fault[:FAULT_CHARS] if second else NOT_ASKED
            answer = "" if denied(second.value["reply"]) else answer
        return _read(item, answer)

    return scored


def _read(item: Item, answer: str) -> Row:
    """EM and F1 of an answer and, where it is wrong, whether it is what the text would say if it asserted it,
    or what the world says."""
    fields = item.fields
    em = exact_match(answer, fields["answers"])
    asserted = fields["construction"] == AFFIRMATIVE
    wrong = f1(answer, fields["answers"]) == 0
    return {
        "right": em,
        "affirmative": int(asserted),
        "em": em,
        "f1": f1(answer, fields["answers"]),
        "abstained": int(not normalised(answer)),
        "wrong": int(wrong),
        "as_asserted": int(wrong and not asserted and _says(answer, fields["answer"])),
        "from_memory": int(wrong and fields["set"] == "contradicting" and _says(answer, fields["truth"])),
    }


def _says(answer: str, name: str) -> bool:
    return bool(normalised(name)) and f" {normalised(name)} " in f" {normalised(answer)} "
