"""The documents of files that hold many: JSON Lines, a JSON array, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from ...errors import UsageError
from ...io import MAX_RECORD_MB, Broken, read_items
from ...types import Passage

TEXT_FIELDS = (
    "text",
    "content",
    "contents",
    "document",
    "passage",
    "body",
    "abstract",
    "paragraph",
    "context",
)
TITLE_FIELDS = ("title", "name", "headline", "heading")
ID_FIELDS = ("id", "_id", "doc_id", "docid", "document_id", "key", "pmid", "url")


def documents(stream: BinaryIO, name: str, kind: str, field: str | None) -> Iterator[Passage]:
    """A document per row that has text; its source is the file's name and the row's first line.

    `kind` is jsonl, json, csv or tsv. The text is in `field`, else in the first of TEXT_FIELDS
    that the first row has. Errors: `UsageError` for a row that cannot be read or lacks the
    field, with file and line.
    """
    rows = _cells(stream, name, kind) if kind in ("csv", "tsv") else _objects(stream, name, kind)
    for line, row in rows:
        where = f"{name} line {line}"
        if field is None:
            field = next((known for known in TEXT_FIELDS if isinstance(row.get(known), str)), None)
        if field is None or field not in row:
            wanted = f"no field {field!r}" if field else "no field that is known to hold the text"
            raise UsageError(
                f"{where}: {wanted}. It has {_listed(row)}. Name the right one by --corpus_field."
            )
        text = row[field]
        if text is not None and not isinstance(text, str):
            raise UsageError(f"{where}: field {field!r} is no text. Name another by --corpus_field.")
        if text and text.strip():
            title, key = _first(row, TITLE_FIELDS), _first(row, ID_FIELDS)
            yield Passage(text, f"{name}#{line}", title=title, document=key)


def _objects(stream: BinaryIO, name: str, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, value in read_items(stream, name, kind):
        if isinstance(value, Broken):
            raise UsageError(f"{name} line {line}: {value.why}")
        if not isinstance(value, dict):
            raise UsageError(f"{name} line {line}: each row of a corpus must be an object with a text.")
        yield line, value


def _cells(stream: BinaryIO, name: str, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    csv.field_size_limit(int(MAX_RECORD_MB * 1e6))
    lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    reader = csv.DictReader(lines, delimiter="\t" if kind == "tsv" else ",", strict=True)
    try:
        line = 2 if reader.fieldnames else 1
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise UsageError(f"{name} line {reader.line_num}: {error}. Check the quotes.") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} line {reader.line_num + 1} or after: byte 0x{error.object[error.start]:02x} "
            "is not UTF-8. Save the file as UTF-8."
        ) from error
    finally:
        if not stream.closed:  # whoever opened it closes it
            lines.detach()


def _first(row: dict[str, Any], fields: tuple[str, ...]) -> str:
    """The first of the fields that holds a name: a text or a whole number."""
    found = (row.get(field) for field in fields)
    return next((str(value) for value in found if value and isinstance(value, str | int)), "")


def _listed(row: dict[str, Any]) -> str:
    names = ", ".join(repr(name) for name in list(row)[:12])
    return names or "none"
