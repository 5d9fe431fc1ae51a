"""The published sets as items: SET_CONSTRUCTION.json, or .txt, for each set in each construction.

The JSON files have the form of SQuAD 2.0, the .txt files a line for each item: id, text, question and
correct answers (with ; between them, or ... where there is none), with tabs between. The affirmative text
of an id is the statement that question and answer make: it is the claim for the id's other texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...protocols import Extractor
from ...types import Record
from ..folder import file_hash
from ..types import Item, Prepared
from .make import AFFIRMATIVE, CONSTRUCTIONS, SETS

FILE_NAMES = {"negation": "neg", "unlikely": "non_factives"}  # what the published files call them
NO_ANSWER = "..."
PRONOUNS = {"his", "her", "its", "their"}  # extractors put names for them
_COPULA = re.compile(r"(.+?) (is|are|was|were) (.+?)\.?$")
EXPECTED = 'expected {"context": text, "qas": [{"id", "question", "answers": [{"text"}], "is_impossible"}]}'


@dataclass(frozen=True, slots=True)
class Row:
    """One published item and where it stands."""

    id: str
    context: str
    question: str
    answers: tuple[str, ...]
    place: str


def load(folder: Path, sets: Sequence[str], constructions: Sequence[str], extract: Extractor) -> Prepared:
    """The items of the files in the folder; `extract` makes the claims' triplets."""
    found = {
        each: {c: path for c in CONSTRUCTIONS if (path := _path(folder, each, c)) is not None}
        for each in sets
    }
    items: list[Item] = []
    used: list[Path] = []
    other: list[Row] = []
    for each, paths in found.items():
        if not any(construction in paths for construction in constructions):
            continue
        if AFFIRMATIVE not in paths:
            raise UsageError(
                f"{folder}: {each}_{AFFIRMATIVE}.json is missing. The claims of the set are made of it."
            )
        affirmative = {row.id: row for row in read(paths[AFFIRMATIVE])}
        triplets = _triplets(affirmative, extract)
        for construction in constructions:
            if construction in paths:
                used.append(paths[construction])
                rows = read(paths[construction])
                items += [_item(row, each, construction, affirmative, triplets) for row in rows]
                other += [row for row in rows if row.question != affirmative[row.id].question]
    if not items:
        raise UsageError(
            f"{folder}: no file of the published sets is here. They are called SET_CONSTRUCTION.json or "
            f".txt, with SET one of {', '.join(SETS)} and CONSTRUCTION one of "
            f"{', '.join(FILE_NAMES.get(c, c) for c in CONSTRUCTIONS)}."
        )
    absent = [each for each, paths in found.items() if not paths]
    notes = [f"no files here of the set {each}" for each in absent]
    notes += [f"{row.place}: item {row.id!r} does not ask what the affirmative one asks" for row in other]
    return Prepared(items, {"files": file_hash(used)}, notes)


def _path(folder: Path, each: str, construction: str) -> Path | None:
    names = [f"{each}_{FILE_NAMES.get(construction, construction)}{ending}" for ending in (".json", ".txt")]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _triplets(rows: Mapping[str, Row], extract: Extractor) -> dict[str, list[str] | None]:
    """Each statement as a triplet; None where none holds all that it says."""
    extractions = extract([Record(row.id, row.context) for row in rows.values()])
    found = {}
    for row, extraction in zip(rows.values(), extractions, strict=True):
        triplets = [list(claim.triplet) for claim in extraction.claims if claim.triplet]
        copula = _COPULA.match(row.context)
        if copula:
            triplets.append(list(copula.groups()))
        wanted = _distinct_words(row.context) - PRONOUNS
        found[row.id] = next(
            (parts for parts in triplets if wanted <= _distinct_words(" ".join(parts))), None
        )
    return found


def _distinct_words(text: str) -> set[str]:
    return set(re.findall(r"[\w']+", text.casefold()))


def _item(
    row: Row,
    each: str,
    construction: str,
    affirmative: Mapping[str, Row],
    triplets: Mapping[str, list[str] | None],
) -> Item:
    statement = affirmative.get(row.id)
    if statement is None:
        raise UsageError(f"{row.place}: the affirmative file of the set has no item with the id {row.id!r}.")
    fields = {
        "set": each,
        "construction": construction,
        "context": row.context,
        "question": row.question,
        "answer": min(statement.answers, key=len),
        "answers": list(row.answers),
        "claim": statement.context,
        "triplet": triplets[row.id],
        "truth": "",
        "relation": "",
        "frame": "",
    }
    return Item(f"{each}/{construction}/{row.id}", f"{each}/{row.id}", fields)


# -- reading -------------------------------------------------------------------------------------


def read(path: Path) -> list[Row]:
    """The rows of one file. Errors: `UsageError` with file and line for what is not as it must be."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot read: {error}.") from error
    rows = list(_json_rows(path, text) if path.suffix == ".json" else _table_rows(path, text))
    must_answer = path.stem.endswith(f"_{AFFIRMATIVE}")
    seen: dict[str, str] = {}
    for row in rows:
        if row.id in seen:
            raise UsageError(f"{row.place}: the id {row.id!r} is also at {seen[row.id]}. Ids must differ.")
        seen[row.id] = row.place
        for name, value in (("text", row.context), ("question", row.question)):
            if not value.strip():
                raise UsageError(f"{row.place}: item {row.id!r} has no {name}.")
        if must_answer and not row.answers:
            raise UsageError(f"{row.place}: item {row.id!r} is affirmative and has no answer.")
        if row.answers and not must_answer:
            raise UsageError(
                f"{row.place}: item {row.id!r} has an answer; only affirmative ones may have one."
            )
    return rows


def _table_rows(path: Path, text: str) -> Iterator[Row]:
    for number, line in enumerate(text.split("\n"), start=1):
        place = f"{path} line {number}"
        cells = line.rstrip("\r").split("\t")
        if not line.strip() or (number == 1 and cells[0].strip() == "id"):
            continue
        if len(cells) != 4:
            raise UsageError(
                f"{place}: found {len(cells)} cells, expected 4, split by tabs: id, text, question, answers."
            )
        answers = [] if cells[3].strip() == NO_ANSWER else cells[3].split(";")
        yield Row(cells[0].strip(), cells[1], cells[2], tuple(a.strip() for a in answers if a.strip()), place)


def _json_rows(path: Path, text: str) -> Iterator[Row]:
    for line, entry in _entries(path, text):
        place = f"{path} line {line}"
        try:
            for paragraph in entry["paragraphs"]:
                for qa in paragraph["qas"]:
                    texts = [_text(answer["text"]) for answer in qa["answers"]]
                    answers = tuple(a.strip() for a in texts if a.strip())
                    row = Row(
                        str(qa["id"]), _text(paragraph["context"]), _text(qa["question"]), answers, place
                    )
                    impossible = qa["is_impossible"]
                    if bool(answers) == bool(impossible):
                        raise UsageError(
                            f"{place}: item {row.id!r} has {len(answers)} answers and "
                            f"is_impossible {impossible}. It must have one or the other."
                        )
                    yield row
        except (KeyError, TypeError) as error:
            raise UsageError(f"{place}: {type(error).__name__} {error}; {EXPECTED}.") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"found {type(value).__name__} where a text must be")
    return value


def _entries(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Each entry of the list "data" with the line where it begins."""
    try:
        whole = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", 1)
        raise UsageError(f"{path} line {line}: not JSON: {error}.") from error
    if not isinstance(whole, dict) or not isinstance(whole.get("data"), list):
        raise UsageError(f'{path} line 1: expected an object with a list under "data".')
    decoder = json.JSONDecoder()
    at = text.index("[", text.index('"data"')) + 1
    for _ in whole["data"]:
        while text[at] in " \t\r\n,":
            at += 1
        entry, end = decoder.raw_decode(text, at)
        yield text.count("\n", 0, at) + 1, entry
        at = end
