"""RefChecker's human annotations, as they are published and as one file per setting.

Published: `human_annotations_v1/SETTING/SOURCE_MODEL_answers.json`, arrays of {"id", "response",
"claude2_response_kg": [{"triplet", "human_label"}]}, and, made by the benchmark's own script and not
part of the annotations, `data/SETTING/SOURCE.json` with {"id", "question", "context": [text]}.
One file per setting: `SETTING.jsonl` with {"id", "model", "question", "reference", "response", "triplets"}.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...types import Label
from ..folder import file_hash
from ..types import Item, Prepared

SETTINGS = ("zero_context", "noisy_context", "accurate_context")
SOURCES = {"zero_context": "nq", "noisy_context": "msmarco", "accurate_context": "dolly"}
LABELS = tuple(label.value for label in (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION))
ANNOTATIONS = "human_annotations_v1"
LAYOUT = (
    "It needs zero_context.jsonl, noisy_context.jsonl or accurate_context.jsonl, "
    f"or RefChecker's {ANNOTATIONS}/SETTING/SOURCE_MODEL_answers.json."
)


def load(root: Path, settings: Sequence[str] = SETTINGS) -> Prepared:
    """The annotated responses under a folder, in whichever layout it has.

    Errors: `UsageError` for a folder without them, and for a row that is not as it should be, with its file.
    """
    if not root.is_dir():
        raise UsageError(f"{root}: there is no such folder. {LAYOUT}")
    names = [(f"{setting}.jsonl", f"human/{setting}.jsonl") for setting in settings]
    if paths := [path for pair in names if (path := _first(root, *pair))]:
        items = [item for path in paths for item in _from_lines(path)]
        return Prepared(items, file_hash(paths), _notes(items))
    published = [path for setting in settings for path in _published(root, setting)]
    if not published:
        raise UsageError(f"{root}: no human annotations here. {LAYOUT}")
    documents = {setting: _documents(root, setting) for setting in settings}
    items = [item for path in published for item in _from_published(path, documents[path.parent.name])]
    used = [*published, *(path for setting in settings if (path := _document_file(root, setting)))]
    return Prepared(items, file_hash(used), _notes(items))


def _first(root: Path, *names: str) -> Path | None:
    return next((root / name for name in names if (root / name).is_file()), None)


def _notes(items: Sequence[Item]) -> list[str]:
    lines = []
    for setting in dict.fromkeys(item.fields["setting"] for item in items):
        own = [item.fields for item in items if item.fields["setting"] == setting]
        claims = sum(len(fields["claims"]) for fields in own)
        questions = len({item.group for item in items if item.fields["setting"] == setting})
        models = len({fields["model"] for fields in own})
        lines.append(
            f"{setting}: {len(own)} responses of {models} models to {questions} questions, {claims} claims"
        )
        if bare := sum(not fields["references"] for fields in own):
            lines.append(
                f"{setting}: {bare} responses have no reference, so a checker cannot be run on them. "
                f"In RefChecker's layout references are in data/{setting}/{SOURCES[setting]}.json, which its "
                f"benchmark script makes: put it beside {ANNOTATIONS}."
            )
        if unlabelled := sum(label is None for fields in own for label in fields["labels"]):
            lines.append(f"{setting}: {unlabelled} claims have no human label and are not scored")
    return lines


def _item(where: str, setting: str, model: str, row: Mapping[str, Any], triplets: object) -> Item:
    """The item of one response; `row` has id, question, reference and response."""
    for name in ("id", "response"):
        if not isinstance(row.get(name), str):
            raise UsageError(f"{where}: found {row.get(name)!r} under {name!r}, expected a text.")
    if not isinstance(triplets, list):
        raise UsageError(f"{where}: its triplets are {type(triplets).__name__}, expected a list.")
    claims, labels = [], []
    for number, triplet in enumerate(triplets):
        parts = triplet.get("triplet") if isinstance(triplet, dict) else None
        if not isinstance(parts, list) or len(parts) != 3:
            raise UsageError(
                f'{where}, triplet {number}: found {json.dumps(triplet)[:80]}, expected {{"triplet": '
                '[subject, predicate, object], "human_label": label}.'
            )
        label = triplet.get("human_label")
        if label not in (None, "", *LABELS):
            raise UsageError(
                f"{where}, triplet {number}: {label!r} is no label. Labels are {', '.join(LABELS)}."
            )
        claims.append(["" if part is None else str(part) for part in parts])
        labels.append(label or None)
    return Item(
        f"{setting}/{model}/{row['id']}",
        f"{setting}/{row['id']}",
        {
            "setting": setting,
            "model": model,
            "question": row.get("question") or "",
            "references": _texts(where, row.get("reference")),
            "response": row["response"],
            "claims": claims,
            "labels": labels,
        },
    )


def _texts(where: str, reference: object) -> list[str]:
    texts = [reference] if isinstance(reference, str) else reference or []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{where}: its reference is no text and no list of texts.")
    return texts


def _from_lines(path: Path) -> Iterator[Item]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            where = f"{path} line {number}"
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{where}: not JSON: {error}.") from error
            if not isinstance(row, dict) or not isinstance(row.get("model"), str):
                raise UsageError(
                    f'{where}: expected an object with "model", "id", "response" and "triplets".'
                )
            yield _item(where, path.stem, row["model"], row, row.get("triplets"))


def _published(root: Path, setting: str) -> list[Path]:
    """The answer files of a setting, by name of the model."""
    pattern = f"{SOURCES[setting]}_*_answers.json"
    for folder in (root / setting, root / ANNOTATIONS / setting, root / "benchmark" / ANNOTATIONS / setting):
        if paths := sorted(folder.glob(pattern)):
            return paths
    return []


def _document_file(root: Path, setting: str) -> Path | None:
    name = f"{setting}/{SOURCES[setting]}.json"
    return _first(root, name, f"data/{name}", f"../data/{name}", f"benchmark/data/{name}")


def _documents(root: Path, setting: str) -> dict[str, Mapping[str, Any]]:
    """Question and context of each id; empty where the file is not there."""
    path = _document_file(root, setting)
    return {str(row.get("id")): row for _, row in _array(path)} if path else {}


def _from_published(path: Path, documents: Mapping[str, Mapping[str, Any]]) -> Iterator[Item]:
    setting = path.parent.name
    model = path.name.removeprefix(f"{SOURCES[setting]}_").removesuffix("_answers.json")
    for where, row in _array(path):
        document = documents.get(str(row.get("id")), {})
        annotated: Any = next((row[key] for key in row if key.endswith("_response_kg")), [])
        whole = {
            **row,
            "id": str(row.get("id", "")),
            "question": document.get("question"),
            "reference": document.get("context"),
        }
        yield _item(where, setting, model, whole, annotated)


def _array(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each object of a JSON array, with where it stands."""
    try:
        rows = json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}.") from error
    if not isinstance(rows, list):
        raise UsageError(f"{path}: found {type(rows).__name__}, expected an array of objects.")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise UsageError(f"{path}, element {number}: found {type(row).__name__}, expected an object.")
        yield f"{path}, element {number}", row


def prediction(item: str, number: int, label: str) -> str:
    """The line of a predictions file for one claim of an item. `predictions` reads it."""
    names = dict(zip(("setting", "model", "id"), item.split("/", 2), strict=True))
    return json.dumps(names | {"claim_index": number, "label": label}) + "\n"


def predictions(path: Path) -> dict[tuple[str, int], str]:
    """Labels that a checker gave elsewhere: JSON Lines of {"setting", "model", "id", "claim_index", "label"}.

    By the item's id and the place of the claim in its response.
    """
    labels = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                key = f"{row['setting']}/{row['model']}/{row['id']}", int(row["claim_index"])
                labels[key] = Label(row["label"]).value
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(
                    f"{path} line {number}: {type(error).__name__}: {error}. Each line needs "
                    '{"setting", "model", "id", "claim_index", "label"}.'
                ) from error
    return labels
