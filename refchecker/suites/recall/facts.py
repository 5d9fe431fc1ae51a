"""Events and terms, as facts that the benchmark is built from.

events.jsonl: {"id", "name", "type", "description", "attributes": {key: value}}, one a line. A name that is
spoken with an article has it.
terms.jsonl: {"id", "term", "field", "definition", "sentences": [...], "facts": {key: value}}, where facts are
optional and their values stand in the sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as a_field
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...errors import UsageError


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, as key-value pairs."""

    id: str
    name: str
    type: str
    description: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Term:
    """What a term means: sentences that describe it, and the definition that is to be found."""

    id: str
    term: str
    field: str
    definition: str
    sentences: Sequence[str]
    facts: Mapping[str, str] = a_field(default_factory=dict)


def data_file(name: str) -> Path:
    """The path of a file that comes with the package."""
    return Path(str(files(__package__).joinpath("data", name)))


def load_events(path: Path) -> list[Event]:
    """The events of a file. Errors: `UsageError` with file and line."""
    found = []
    for where, row in rows(path):
        attributes = _texts_by_key(row.get("attributes"), where, "attributes")
        id_, name, type_, about = (_text(row, key, where) for key in ("id", "name", "type", "description"))
        found.append(Event(id_, name, type_, about, attributes))
    return _distinct(found, path)


def load_terms(path: Path) -> list[Term]:
    """The terms of a file. Errors: `UsageError` with file and line."""
    found = []
    for where, row in rows(path):
        id_, term, field, definition = (
            _text(row, key, where) for key in ("id", "term", "field", "definition")
        )
        sentences = row.get("sentences")
        if not isinstance(sentences, list) or not sentences or not all(isinstance(x, str) for x in sentences):
            raise UsageError(f"{where}: 'sentences' must be a list of texts, and not empty.")
        facts = _texts_by_key(row.get("facts", {}), where, "facts", empty=True)
        found.append(Term(id_, term, field, definition, sentences, facts))
    return _distinct(found, path)


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a JSON Lines file, with where it stands. Empty lines are passed over."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot read: {error}. Give a JSON Lines file in UTF-8.") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{where}: not JSON: {error}. Each line is one object.") from error
        if not isinstance(row, dict):
            raise UsageError(f"{where}: found {type(row).__name__}, expected an object.")
        yield where, row


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{where}: found {value!r} under {name!r}, expected a text.")
    return value


def _texts_by_key(value: object, where: str, name: str, *, empty: bool = False) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) and text for text in value.values()):
        raise UsageError(f"{where}: {name!r} must be an object whose values are texts.")
    if not value and not empty:
        raise UsageError(f"{where}: {name!r} is empty. An event needs at least one attribute.")
    return value


def _distinct(found: list[Any], path: Path) -> list[Any]:
    seen: set[str] = set()
    for thing in found:
        if thing.id in seen:
            raise UsageError(f"{path}: two lines have the id {thing.id!r}. Ids must differ.")
        seen.add(thing.id)
    return found
