"""Ratings of definitions from 1 to 5, by a language model and by people, and how well these agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import UsageError
from ...llms.prompt import prompt
from ..metrics import pearson
from ..types import Answers, Item, Task
from .facts import rows
from .scores import d_rate, rating_in, replied, replies_of
from .tasks import key

RATING_TOKENS = 8
Scores = Mapping[str, tuple[float, float]]  # item -> ratings with the original and with the edited context


def tasks(items: Sequence[Item], answers: Answers) -> Iterator[Task]:
    """Each definition that the system wrote, for a language model to rate."""
    replies, form = replies_of(answers), prompt("recall_rate")
    definitions = [item for item in items if item.fields["task"] == "TG"]
    for item, name, output in replied(definitions, replies):
        subject, target = item.fields["subject"], item.fields["target"]
        user = form.user.substitute(subject=subject, target=target, output=output)
        yield Task(name, {"system": form.system, "user": user, "max_tokens": RATING_TOKENS})


def llm_scores(answers: Answers, method: str = "baseline") -> dict[str, tuple[float, float]]:
    """What the language model gave the outputs of a method, by item, where both can be read."""
    ratings = answers.get("ratings", {})
    both = {}
    for name in ratings:
        item = name.rsplit("|", 2)[0]
        if name == key(item, "edited", method):
            original, edited = (rating_in(ratings, item, c, method) for c in ("original", "edited"))
            if not math.isnan(original + edited):
                both[item] = original, edited
    return both


def load_people(path: Path) -> dict[str, dict[str, tuple[float, float]]]:
    """People's ratings, by rater and item, of JSON Lines {"rater", "id", "original", "edited"}."""
    raters: dict[str, dict[str, tuple[float, float]]] = {}
    for where, row in rows(path):
        pair: tuple[Any, Any] = row.get("original"), row.get("edited")
        if not isinstance(row.get("id"), str) or not all(x in (1, 2, 3, 4, 5) for x in pair):
            raise UsageError(
                f'{where}: each line needs {{"rater", "id", "original", "edited"}}, ratings from 1 to 5.'
            )
        raters.setdefault(str(row.get("rater", "1")), {})[row["id"]] = (float(pair[0]), float(pair[1]))
    return raters


@dataclass(frozen=True, slots=True)
class Agreement:
    """One rater against another on the items that both rated (RECALL, section 4.1)."""

    items: int
    d_rate: float  # of the second rater
    mean: float  # of the second rater's ratings with the edited context
    r: float  # Pearson, of the D-Rates per item
    chi2: float  # of the moving directions, with Yates's correction
    p: float


def agreement(model: Scores, person: Scores) -> Agreement:
    """How far a person's ratings follow the model's.

    The moving direction of an item is 0 where its D-Rate 1 - s_e/s_o is below 0, else 1.
    """
    shared = sorted(set(model) & set(person))
    pairs = [
        np.array([ratings[item] for item in shared], dtype=float).reshape(-1, 2)
        for ratings in (model, person)
    ]
    declines = [1 - pair[:, 1] / pair[:, 0] for pair in pairs]
    chi2, p = chi_square(*(decline >= 0 for decline in declines))
    original, edited = pairs[1][:, 0], pairs[1][:, 1]
    mean = float(edited.mean()) if shared else math.nan
    return Agreement(len(shared), d_rate(original, edited), mean, pearson(*declines), chi2, p)


def chi_square(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Chi-square of two 0/1 columns with Yates's correction, and its p; nan where one is constant."""
    table = np.array([[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]], dtype=float)
    total, below = table.sum(), float(table.sum(0).prod() * table.sum(1).prod())
    if not below:
        return math.nan, math.nan
    gap = max(abs(float(table[0, 0] * table[1, 1] - table[0, 1] * table[1, 0])) - total / 2, 0.0)
    chi2 = total * gap**2 / below
    return float(chi2), math.erfc(math.sqrt(chi2 / 2))
