"""The sheets of the imaginary suite.

`check/FORMAT/SET/CONSTRUCTION`         a row per context: the checker's label for its claim
`PROMPT/SETUP/SET/CONSTRUCTION`         a row per question: the model's answer

FORMAT is sentence or triplet. A cell's rows have the number of their statement as id, so that cells of one
system are compared in pairs. `non_affirmative` in the place of a construction is the five that are not
affirmative together, `all` in the place of a set the three sets, `balance` everything together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...types import Label
from .. import metrics
from ..rows import FAULT_CHARS, NOT_ASKED, Row, Scored, reason, sheet_of
from ..squad import exact_match, f1, normalised
from ..types import Answer, Answers, Columns, Item, Metric, Sheet
from .asking import PROMPTS, SETUPS, VERIFY, final_answer, verify_key
from .make import AFFIRMATIVE, CONSTRUCTIONS, SETS
from .replies import denied

CHECK = "check"
FORMATS = ("sentence", "triplet")
POOLED, EVERY_SET, BALANCE = "non_affirmative", "all", "balance"


def score(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The sheets that these answers allow."""
    sheets: list[Sheet] = []
    for number, form in enumerate(FORMATS):
        if CHECK in answers:
            sheets += _sheets(f"{CHECK}/{form}", items, _checked(answers[CHECK], number), _CHECKER)
    for kind in PROMPTS:
        source = "instructed" if kind == "two_step" else kind
        if source not in answers or (kind == "two_step" and VERIFY not in answers):
            continue
        asked_again = any(answer.value.get("attempts", 1) > 1 for answer in answers[source].values())
        for setup in SETUPS:
            if setup == "uncontrolled" or asked_again:
                sheets += _sheets(f"{kind}/{setup}", items, _answered(answers, kind, setup), _LANGUAGE_MODEL)
    return sheets


def within(names: Sequence[str]) -> list[tuple[str, str]]:
    """Cells of one system in pairs: each set against the imaginary one, each construction against negation.

    Of a checker on sentences, of a language model in the controlled set-up.
    """
    pairs = []
    for system in [f"{CHECK}/sentence", *(f"{kind}/controlled" for kind in PROMPTS)]:
        for construction in (*CONSTRUCTIONS, POOLED):
            for of in ("supported", "contradicting"):
                pairs.append((f"{system}/{of}/{construction}", f"{system}/imaginary/{construction}"))
        for construction in CONSTRUCTIONS[2:]:
            pairs.append((f"{system}/imaginary/{construction}", f"{system}/imaginary/negation"))
    return [(a, b) for a, b in pairs if a in names and b in names]


class _Kind(NamedTuple):
    """What is measured of the rows of a sheet."""

    metrics: Mapping[str, Metric]
    tested: tuple[str, ...]
    label: str = ""


Score = Callable[[Item], Row | str]  # the columns' values, or why there are none


def _sheets(name: str, items: Sequence[Item], score_one: Score, kind: _Kind) -> Iterator[Sheet]:
    """A sheet for each cell, for the non-affirmative ones together, and for all."""
    cells: dict[str, list[tuple[Item, Row | str]]] = defaultdict(list)
    for item in items:
        of, construction = item.fields["set"], item.fields["construction"]
        parts = [f"{of}/{construction}", f"{EVERY_SET}/{construction}", BALANCE]
        if construction != AFFIRMATIVE:
            parts += [f"{of}/{POOLED}", f"{EVERY_SET}/{POOLED}"]
        row = score_one(item)
        for part in parts:
            cells[part].append((item, row))
    sets, constructions = (*SETS, EVERY_SET), (*CONSTRUCTIONS, POOLED)
    for part in [*(f"{of}/{c}" for of in sets for c in constructions), BALANCE]:
        if part in cells:
            yield _sheet(f"{name}/{part}", cells[part], kind)


def _sheet(name: str, rows: Sequence[tuple[Item, Row | str]], kind: _Kind) -> Sheet:
    balance = {"balanced_accuracy": balanced} if name.endswith(BALANCE) else {}
    return sheet_of(
        name,
        [Scored(_unit(item, name), item.group, row) for item, row in rows],
        {**kind.metrics, **balance},
        right="right",
        label=kind.label,
        tested=("balanced_accuracy",) if balance else kind.tested,
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


def _by_frame(rows: Sequence[tuple[Item, Row | str]]) -> dict[str, list[int]]:
    """How many claims are right in each sentence frame, of how many."""
    frames: dict[str, list[int]] = {}
    for item, row in rows:
        if (frame := item.fields["frame"]) and not isinstance(row, str):
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
    {
        **{name: metrics.of(metrics.share, name) for name in ("entailment", "neutral", "contradiction")},
        "accuracy": metrics.of(metrics.share, "right"),
    },
    ("entailment",),
    "label",
)


def _checked(given: Mapping[str, Answer], number: int) -> Score:
    """The labels of the claims in one format: the first of an answer, or the second."""

    def score_one(item: Item) -> Row | str:
        answer = given.get(item.id)
        if answer is None:
            return NOT_ASKED
        labels = answer.value.get("labels", ())
        if number >= len(labels):
            return answer.fault[:FAULT_CHARS] or "its claim has no triplet"
        label, asserted = labels[number], item.fields["construction"] == AFFIRMATIVE
        return {
            "label": int(metrics.codes([label])[0]),
            "right": int((label == Label.ENTAILMENT) == asserted),
            "affirmative": int(asserted),
            **{name.lower(): int(label == name) for name in metrics.LABELS},
        }

    return score_one


# -- language models -----------------------------------------------------------------------------

_LANGUAGE_MODEL = _Kind(
    {
        **{name: metrics.of(metrics.share, name) for name in ("f1", "em", "abstained")},
        "as_asserted": metrics.of(metrics.share, "as_asserted", "wrong"),
        "from_memory": metrics.of(metrics.share, "from_memory", "wrong"),
    },
    ("f1",),
)


def _answered(answers: Answers, kind: str, setup: str) -> Score:
    source = "instructed" if kind == "two_step" else kind

    def score_one(item: Item) -> Row | str:
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
                return reason(second)
            answer = "" if denied(second.value["reply"]) else answer
        return _read(item, answer)

    return score_one


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
