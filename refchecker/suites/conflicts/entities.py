"""Entities by domain and field, each with a passage about it: ours, or those of a file.

A line of a file is {"domain", "field", "entity"} and, where they are known, "passage", "restated" (the same
facts in other words) and "questions": pairs of a question about the passage and its answer, copied from it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...errors import UsageError

OURS = "entities.jsonl"


@dataclass(frozen=True, slots=True)
class Entity:
    """A subject, and what is said about it."""

    domain: str
    field: str
    name: str
    passage: str = ""
    restated: str = ""
    questions: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        return f"{self.domain}/{self.field}/{self.name}"


def ours() -> list[Entity]:
    """The package's own entities, with passages that are true."""
    source = files(__package__).joinpath("data", OURS)
    return list(_read(source.read_text("utf-8"), OURS))


def load(path: Path) -> list[Entity]:
    """The entities of a JSON Lines file."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot read: {error}. Check --entities.") from error
    found = list(_read(text, str(path)))
    if not found:
        raise UsageError(f'{path}: no entities. Each line needs "domain", "field" and "entity".')
    return found


def _read(text: str, name: str) -> Iterator[Entity]:
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entity = _entity(json.loads(line))
        except ValueError as error:
            raise UsageError(f"{name} line {number}: {error}") from error
        if entity.id in seen:
            raise UsageError(
                f"{name} line {number}: {entity.id} stands on line {seen[entity.id]} too. "
                "Leave one of them out."
            )
        seen[entity.id] = number
        yield entity


def _entity(line: Any) -> Entity:
    """The entity of a parsed line. Raises ValueError that says what is wrong, and what to do."""
    if not isinstance(line, dict):
        raise ValueError('not an object. Each line needs "domain", "field" and "entity".')
    for key in ("domain", "field", "entity"):
        if not isinstance(line.get(key), str) or not line[key].strip():
            raise ValueError(f'{key!r} is not a text. Each line needs "domain", "field" and "entity".')
    for key in ("passage", "restated"):
        if not isinstance(line.get(key, ""), str):
            raise ValueError(f"{key!r} is not a text. Leave it out where there is none.")
    passage, questions = line.get("passage", ""), line.get("questions", [])
    if not isinstance(questions, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        for pair in questions
    ):
        raise ValueError('"questions" is no list of [question, answer].')
    for question, answer in questions:
        if not answer or answer not in passage:
            raise ValueError(
                f"the answer {answer!r} to {question!r} is not in the passage. Copy it from there, or leave "
                "the question out."
            )
    return Entity(
        line["domain"].strip(),
        line["field"].strip(),
        line["entity"].strip(),
        passage.strip(),
        line.get("restated", "").strip(),
        tuple((question, answer) for question, answer in questions),
    )


def chosen(
    entities: Sequence[Entity], domains: Sequence[str], per_field: int | None, per_domain: int | None
) -> list[Entity]:
    """Those of the named domains (all where none is named), the first so many of each field and domain."""
    known = list(dict.fromkeys(entity.domain for entity in entities))
    unknown = [name for name in domains if name not in known]
    if unknown:
        raise UsageError(f"--domains {unknown[0]}: no such domain. There are: {', '.join(known)}")
    taken: Counter[tuple[str, ...]] = Counter()
    kept = []
    for entity in entities:
        places = {(entity.domain, entity.field): per_field, (entity.domain,): per_domain}
        full = any(most is not None and taken[place] >= most for place, most in places.items())
        if not full and (not domains or entity.domain in domains):
            taken.update(places.keys())
            kept.append(entity)
    return kept
