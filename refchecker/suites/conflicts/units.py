"""What is asked of a model: contexts, questions, and what would be right. Pure functions of the items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..types import Item

CONTEXT, SPAN, ANSWERS = "context", "span", "answers"
TASKS = (CONTEXT, SPAN, ANSWERS)


class Unit(NamedTuple):
    """One thing to ask. Two pairs of an entity share the units of their unedited passage."""

    id: str
    task: str
    item: Item
    context: str
    question: str
    conflict: bool  # whether the right answer is that there is one


def units_of(item: Item, task: str) -> Iterator[Unit]:
    """The units of a pair. Without questions there are none but those of the first task."""
    fields = item.fields
    sides = ((item.group, fields["parametric"], False), (item.id, fields["conflicting"], True))
    about, other = fields["about"], fields["other"]
    if task == CONTEXT:
        for name, text, conflict in sides:
            yield Unit(f"{CONTEXT}: {name}", CONTEXT, item, text, "", conflict)
    elif task == SPAN and about and other:
        for name, text, conflict in sides:
            for question in (about, other):
                touched = conflict and question == about
                yield Unit(f"{SPAN}: {name}: {question}", SPAN, item, text, question, touched)
    elif task == ANSWERS and about:
        yield Unit(f"{ANSWERS}: {item.id}", ANSWERS, item, fields["conflicting"], about, True)


def all_units(items: Sequence[Item], *tasks: str) -> Iterator[Unit]:
    """Those of all pairs, pair by pair, each once."""
    seen = set()
    for unit in (unit for item in items for task in tasks for unit in units_of(item, task)):
        if unit.id not in seen:
            seen.add(unit.id)
            yield unit
