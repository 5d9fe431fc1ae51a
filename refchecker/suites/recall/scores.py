"""Sheets of the answers: accuracy, M-Rate, R-Rate, the split by influence, D-Rate, scores of definitions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..metrics import share
from ..rows import Row, Scored, sheet_of
from ..types import Answer, Answers, Array, Item, Metric, Sheet
from . import quality
from .answers import says
from .tasks import CONDITIONS, METHODS, key

Replies = Mapping[str, Answer]


def replies_of(answers: Answers) -> dict[str, Answer]:
    """Every answer of a model, whichever stage has it."""
    return {k: a for stage, found in answers.items() if stage.startswith("answers") for k, a in found.items()}


def reply(replies: Replies, item: str, condition: str, method: str) -> str | None:
    """What the model said; None where it was not asked or did not answer.

    A method that was not asked under the original or no context has the baseline's answer there.
    """
    answer = replies.get(key(item, condition, method))
    if answer is None and condition != "edited":
        answer = replies.get(key(item, condition, "baseline"))
    return None if answer is None or answer.fault else str(answer.value.get("reply", ""))


def asked_methods(replies: Replies) -> list[str]:
    found = {k.rpartition("|")[2] for k in replies}
    return [method for method in METHODS if method in found]


def replied(items: Iterable[Item], replies: Replies) -> Iterator[tuple[Item, str, str]]:
    """Each output that there is, with its item and its key."""
    methods = asked_methods(replies)
    for item in items:
        for name in (key(item.id, condition, method) for method in methods for condition in CONDITIONS):
            answer = replies.get(name)
            if answer is not None and not answer.fault:
                yield item, name, answer.value.get("reply", "")


def known_mean(column: Array) -> float:
    """The mean of the rows that have a value."""
    return share(column[~np.isnan(column)])


def m_rate(wrong_edited: Array, right_none: Array) -> float:
    """Of the questions answered rightly without context, the share answered wrongly with the edited one.

    RECALL, equation 1; rows where either is unknown are left out.
    """
    known = ~(np.isnan(wrong_edited) | np.isnan(right_none))
    right = right_none[known] > 0
    return share((wrong_edited[known] > 0) & right, right)


def r_rate(reappeared: Array, counted: Array) -> float:
    """Of the edited words that are counted, the share that is in the output."""
    known = ~(np.isnan(reappeared) | np.isnan(counted))
    return share(reappeared[known], counted[known])


def d_rate(original: Array, edited: Array) -> float:
    """1 - sum of the ratings with edited over sum with original context (RECALL, equation 2)."""
    known = ~(np.isnan(original) | np.isnan(edited))
    return 1 - share(edited[known], original[known])


def reappearing(edits: Iterable[Sequence[str]], original: str | None, edited: str) -> dict[str, float]:
    """The columns of R-Rate for one answer.

    Counted are edits whose original words the model says with the original context; `all` counts every edit.
    """
    replaced = [(old, new) for old, new in edits if old and new]
    back = [says(edited, [new]) for _, new in replaced]
    row = {"edits": float(len(replaced)), "reappeared_all": float(sum(back))}
    if original is not None:
        mentioned = [says(original, [old]) for old, _ in replaced]
        row |= {
            "mentioned": float(sum(mentioned)),
            "reappeared": float(sum(b and m for b, m in zip(back, mentioned, strict=True))),
        }
    return row


def sheets(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """A sheet per set, task and method."""
    replies = replies_of(answers)
    made = [
        (_definitions if task == "TG" else _questions)(f"{of}/{task}/{method}", members, replies, answers)
        for method in asked_methods(replies)
        for (of, task), members in by_task(items).items()
    ]
    return [sheet for sheet in made if sheet.ids]


def by_task(items: Iterable[Item]) -> dict[tuple[str, str], list[Item]]:
    """The items of each set and task, but for the probe's."""
    tasks: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        if item.fields["task"] != "probe":
            tasks.setdefault((item.fields["set"], item.fields["task"]), []).append(item)
    return dict(sorted(tasks.items()))


def scored(items: Iterable[Item], rows: Mapping[str, Row]) -> Iterator[Scored]:
    """The items with their rows."""
    for item in items:
        yield Scored(item.id, item.group, rows.get(item.id, "no answer with the edited context"))


# -- questions -------------------------------------------------------------------------------------


def _questions(name: str, items: Sequence[Item], replies: Replies, answers: Answers) -> Sheet:
    method = name.rpartition("/")[2]
    rows = {}
    lacking: Counter[str] = Counter()
    for item in items:
        outputs = {c: reply(replies, item.id, c, method) for c in CONDITIONS}
        lacking.update(f"without {c}" for c in CONDITIONS if outputs[c] is None)
        if (edited := outputs["edited"]) is None:
            continue
        names, wrong = item.fields["answers"], item.fields["edited_answers"]
        row = {f"right_{c}": flag(says(text, names)) for c, text in outputs.items() if text is not None}
        row |= {"wrong_edited": 1 - row["right_edited"], "touches": flag(item.fields["touches_name"])}
        row["repeats"] = flag(says(edited, wrong)) if wrong else math.nan
        row["both"] = flag(says(edited, wrong) and says(edited, names)) if wrong else math.nan
        rows[item.id] = row | reappearing(item.fields["edits"], outputs["original"], edited)
    metrics: dict[str, Metric] = {f"accuracy_{c}": mean_of(f"right_{c}") for c in CONDITIONS}
    metrics |= {"fall": _FALL, "m_rate": _M_RATE, **_R_RATES}
    if name.split("/")[1] == "QA-A":
        metrics |= {"repeats_edit": mean_of("repeats"), "says_both": mean_of("both")}
    elif name.startswith("events/"):
        metrics |= _by_influence()
    tested = ("accuracy_edited", "m_rate")
    return sheet_of(
        name, scored(items, rows), metrics, right="right_edited", tested=tested, counts=dict(lacking)
    )


def flag(value: object) -> float:
    return float(bool(value))


def where_known(metric: Callable[..., float], *columns: str) -> Metric:
    """The metric of those columns; nan where the sheet lacks one."""
    return lambda c: metric(*(c[name] for name in columns)) if all(n in c for n in columns) else math.nan


def mean_of(column: str) -> Metric:
    return where_known(known_mean, column)


_M_RATE = where_known(m_rate, "wrong_edited", "right_none")
# accuracy with the original context less that with the edited one, of questions that have both
_FALL = where_known(lambda right, edited: known_mean(right - edited), "right_original", "right_edited")
_R_RATES = {
    "r_rate": where_known(r_rate, "reappeared", "mentioned"),
    "r_rate_all": where_known(r_rate, "reappeared_all", "edits"),
}


def _by_influence() -> dict[str, Metric]:
    """The split of QA-NA by whether the edit touches the event's name (RECALL, appendix B)."""

    def on(metric: Metric, side: float) -> Metric:
        return lambda c: metric({name: column[c["touches"] == side] for name, column in c.items()})

    return {
        f"{name}_{kind}": on(metric, side)
        for name, metric in (("accuracy_edited", mean_of("right_edited")), ("m_rate", _M_RATE))
        for kind, side in (("no_influence", 0.0), ("influence", 1.0))
    }


# -- definitions -----------------------------------------------------------------------------------


def _definitions(name: str, items: Sequence[Item], replies: Replies, answers: Answers) -> Sheet:
    method, ratings = name.rpartition("/")[2], answers.get("ratings", {})
    rows = {}
    for item in items:
        outputs = {c: reply(replies, item.id, c, method) for c in CONDITIONS}
        if (edited := outputs["edited"]) is None:
            continue
        row = reappearing(item.fields["edits"], outputs["original"], edited)
        for condition, text in outputs.items():
            if text is not None:
                row |= _scores(text, item.fields["target"], condition)
            row[f"rating_{condition}"] = rating_in(ratings, item.id, condition, method)
        rows[item.id] = row
    metrics: dict[str, Metric] = {}
    for c in CONDITIONS:
        metrics[f"bleu_{c}"] = _bleu(c)
        metrics |= {f"{kind}_{c}": mean_of(f"{kind}_{c}") for kind in ("meteor", "rouge_l", "rating")}
    metrics |= {"d_rate": where_known(d_rate, "rating_original", "rating_edited"), **_R_RATES}
    return sheet_of(name, scored(items, rows), metrics, tested=("rouge_l_edited", "d_rate"))


def _scores(text: str, wanted: str, condition: str) -> dict[str, float]:
    counts = {f"{name}_{condition}": count for name, count in quality.bleu_counts(text, wanted).items()}
    meteor, rouge = quality.meteor(text, wanted), quality.rouge_l(text, wanted)
    return {**counts, f"meteor_{condition}": meteor, f"rouge_l_{condition}": rouge}


def _bleu(condition: str) -> Metric:
    suffix = f"_{condition}"
    return lambda c: quality.bleu(c, suffix) if f"length{suffix}" in c else math.nan


def rating_in(ratings: Mapping[str, Answer], item: str, condition: str, method: str) -> float:
    """The rating of an output; with the original context the baseline's, where the method has none."""
    answer = ratings.get(key(item, condition, method))
    if not answer and condition != "edited":
        answer = ratings.get(key(item, condition, "baseline"))
    return rating(answer)


def rating(answer: Answer | None) -> float:
    """The one number from 1 to 5 in the rater's reply; nan where there is none, or another number.

    >>> rating(Answer({"reply": "Rating: 4/5"})), rating(Answer({"reply": "1 or 5"}))
    (4.0, nan)
    """
    reply = "" if answer is None else str(answer.value.get("reply", ""))
    numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?:/| out of )\s*5\b", "", reply))
    return float(numbers[0]) if len(numbers) == 1 and numbers[0] in ("1", "2", "3", "4", "5") else math.nan
