"""A plain file of model outputs, whoever made them, in the place of asking a model.

JSON Lines, an output a line: {"id", "condition", "output"}, and optionally "method" (baseline) and "rating",
a language model's rating of a definition from 1 to 5. Ids are those of items.jsonl.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from ...errors import UsageError
from ..types import Answer, Answers, Item, Stage, Task
from .facts import rows
from .tasks import CONDITIONS, METHODS, conditions_of, key

FIELDS = f'{{"id", "condition": {"|".join(CONDITIONS)}, "output", "method": {"|".join(METHODS)} (baseline)}}'
ABSENT = "it is not in the file of outputs"


@dataclass(frozen=True, slots=True)
class Outputs:
    """What a file holds, by key; `unknown` counts the lines whose id is of no item."""

    texts: Mapping[str, str]
    ratings: Mapping[str, int]
    unknown: int = 0
    first_unknown: str = ""


def load_outputs(path: Path, items: Sequence[Item]) -> Outputs:
    """The outputs of a file. Errors: `UsageError` with file, line and remedy."""
    known = {item.id for item in items}
    texts: dict[str, str] = {}
    ratings: dict[str, int] = {}
    strangers: list[str] = []
    for where, row in rows(path):
        item, condition, method = row.get("id"), row.get("condition"), row.get("method", "baseline")
        if not isinstance(item, str) or not isinstance(row.get("output"), str):
            raise UsageError(f"{where}: each line needs {FIELDS}; 'id' and 'output' are texts.")
        for name, value, allowed in (("condition", condition, CONDITIONS), ("method", method, METHODS)):
            if value not in allowed:
                raise UsageError(f"{where}: {name} is {value!r}. It is one of {', '.join(allowed)}.")
        if item not in known:
            strangers.append(f"{where}: {item!r}")
            continue
        name = key(item, str(condition), method)
        if name in texts:
            raise UsageError(f"{where}: a second output for {name}. Keep one line for each.")
        texts[name] = row["output"]
        if (rating := row.get("rating")) is not None:
            if not isinstance(rating, int) or isinstance(rating, bool) or not 1 <= rating <= 5:
                raise UsageError(f"{where}: rating is {rating!r}. It is a whole number from 1 to 5.")
            ratings[name] = rating
    if not texts:
        hint = f" None of its ids is of these data, such as {strangers[0]}." if strangers else ""
        raise UsageError(f"{path}: no output to score.{hint} Each line needs {FIELDS}.")
    return Outputs(texts, ratings, len(strangers), strangers[0] if strangers else "")


def stages(items: Sequence[Item], outputs: Outputs) -> list[Stage]:
    """The file as if it had been asked; what it lacks is a fault, and so counted."""
    methods = {name.rpartition("|")[2] for name in outputs.texts}

    def written(answers: Answers) -> Iterator[Task]:
        for item in items:
            for method, condition in product(METHODS, CONDITIONS):
                name = key(item.id, condition, method)
                wanted = method in methods and condition in conditions_of(method)
                if name in outputs.texts or (wanted and item.fields["task"] != "probe"):
                    yield Task(name, {"output": _digest(outputs.texts.get(name))})

    def rated(answers: Answers) -> Iterator[Task]:
        return (Task(name, {"rating": value}) for name, value in outputs.ratings.items())

    stages = [Stage("answers", "outputs:file", written, _answered(lambda task: outputs.texts.get(task.key)))]
    if outputs.ratings:
        stages.append(
            Stage("ratings", "ratings:file", rated, _answered(lambda task: str(task.ask["rating"])))
        )
    return stages


def _answered(text_of: Callable[[Task], str | None]) -> Callable[[Iterable[Task]], Iterator[Answer]]:
    def answer(tasks: Iterable[Task]) -> Iterator[Answer]:
        for text in map(text_of, tasks):
            yield Answer(fault=ABSENT) if text is None else Answer({"reply": text, "stop": "file"})

    return answer


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]
