"""JSON arrays, JSON Lines and CSV as streams of plain items, one record in memory at a time.

A reader yields `Item(line, value)`. Where one line of many is broken, `value` is a `Broken`
that says how; where the whole file is, a `UsageError` names the file and the line.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import UsageError

FORMATS = {"json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}
JSON_CELLS = ("reference", "triplets", "claims", "triplet_spans", "Y", "ys", "verdicts")
CHUNK_BYTES = 1 << 18
MAX_RECORD_MB = 32


class Broken(NamedTuple):
    """An item that could not be read: why, and as much of it as is worth keeping."""

    why: str
    raw: str


class Item(NamedTuple):
    line: int  # 1-based
    value: Any  # what the file holds there, or a Broken


def format_of(path: str, given: str | None) -> str:
    """`given`, or what the suffix says: json, jsonl or csv."""
    if given:
        return given
    suffix = Path(path).suffix.lstrip(".").lower()
    if suffix not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"{path}: cannot tell the format from the name. Use {known}, or pass --format.")
    return FORMATS[suffix]


def read_items(stream: BinaryIO, name: str, fmt: str, max_mb: float = MAX_RECORD_MB) -> Iterator[Item]:
    """The items of an open file. `max_mb` bounds the size of one record, not of the file."""
    readers: dict[str, Callable[[BinaryIO, str, int], Iterator[Item]]] = {
        "json": _read_array,
        "jsonl": _read_lines,
        "csv": _read_csv,
    }
    limit = int(max_mb * 1e6)
    empty = True
    for item in readers[fmt](stream, name, limit):
        empty = False
        yield item
    if empty and fmt != "json":
        raise UsageError(f"{name}: there are no records in it. It needs one with a response per line.")


def write_items(items: Callable[[], Iterable[dict[str, Any]]], stream: BinaryIO, fmt: str) -> None:
    """Write all items; `items` is called once, and twice for CSV, whose header needs every field name."""
    if fmt == "csv":
        columns = list(dict.fromkeys(key for item in items() for key in item))
        _write_csv(items(), columns, stream)
        return
    written = 0
    for item in items():
        if fmt == "jsonl":
            stream.write(dump(item) + b"\n")
        else:
            stream.write((b",\n" if written else b"[\n") + dump(item, indent=2))
        written += 1
    if fmt == "json":
        stream.write(b"\n]\n" if written else b"[]\n")


def dump(value: Any, indent: int | None = None) -> bytes:
    """UTF-8 JSON. A lone surrogate, which UTF-8 cannot hold, is written as its escape."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent).encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent).encode()


def _read_lines(stream: BinaryIO, name: str, limit: int) -> Iterator[Item]:
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit:
            size = len(line) + _skip_line(stream, line)
            yield Item(number, Broken(_too_big(size, limit), line[:200].decode("utf-8", "replace")))
            continue
        line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if line.strip():
            yield Item(number, _parsed_line(line))


def _parsed_line(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Broken(_not_utf8(line, error), line.decode("utf-8", "backslashreplace").rstrip("\n"))
    except json.JSONDecodeError as error:
        why = f"not JSON: {error.msg} at column {error.colno}. JSON Lines needs one whole object per line."
        return Broken(why, line.decode("utf-8").rstrip("\n"))
    except RecursionError:
        return Broken("nested too deeply to be a record.", line[:200].decode("utf-8", "replace"))


def _skip_line(stream: BinaryIO, start: bytes) -> int:
    """Read on to the end of the line without keeping it; the number of bytes passed over."""
    skipped = 0
    piece = start
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(CHUNK_BYTES)
        skipped += len(piece)
    return skipped


def _too_big(size: int, limit: int) -> str:
    return (
        f"the record takes {size / 1e6:.1f} MB, over the limit of {limit / 1e6:g} MB. "
        "Split it, or raise --max_record_mb."
    )


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    return f"byte 0x{data[error.start]:02x} at column {error.start + 1} is not UTF-8. Save the file as UTF-8."


class _Text:
    """A growing window on a UTF-8 stream that counts the lines it has left behind."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.stream, self.name = stream, name
        self.decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self.text, self.at, self.line, self.ended = "", 0, 1, False

    def more(self, size: int = CHUNK_BYTES) -> bool:
        """Read on; false at the end of the file."""
        data = self.stream.read(size)
        try:
            fresh = self.decode(data, not data)
        except UnicodeDecodeError as error:
            line = self.line + self.text.count("\n", self.at) + error.object.count(b"\n", 0, error.start)
            raise UsageError(
                f"{self.name} line {line}: byte 0x{error.object[error.start]:02x} is not UTF-8. "
                "Save the file as UTF-8."
            ) from error
        self.text, self.at = self.text[self.at :] + fresh, 0
        self.ended = not data
        return bool(data)

    def advance(self, at: int) -> None:
        self.line += self.text.count("\n", self.at, at)
        self.at = at

    def peek(self) -> str:
        """The next character that is not white space; empty at the end of the file."""
        while True:
            at = self.at
            while at < len(self.text) and self.text[at] in " \t\r\n":
                at += 1
            self.advance(at)
            if at < len(self.text):
                return self.text[at]
            if not self.more():
                return ""

    def fail(self, why: str, line: int | None = None) -> UsageError:
        return UsageError(f"{self.name} line {line or self.line}: {why}")


def _read_array(stream: BinaryIO, name: str, limit: int) -> Iterator[Item]:
    text = _Text(stream, name)
    first = text.peek()
    if first == "":
        raise UsageError(f"{name}: the file is empty. It needs a JSON array of objects with a response.")
    if first != "[":
        hint = " If each line is an object of its own, pass --format jsonl." if first == "{" else ""
        raise text.fail(f"found {first!r} where a JSON array begins with '['.{hint}")
    text.advance(text.at + 1)
    if text.peek() == "]":
        text.advance(text.at + 1)
    else:
        separator = ","
        while separator == ",":
            if text.peek() in ("", "]"):
                raise text.fail(
                    "the array breaks off after a comma: a record is missing or one comma too many."
                )
            line = text.line
            yield Item(line, _next_value(text, limit))
            separator = text.peek()
            if separator not in (",", "]"):
                found = f"found {separator!r}" if separator else "the file ends"
                raise text.fail(f"{found} where ',' or ']' should follow the record of line {line}.")
            text.advance(text.at + 1)
    if trailing := text.peek():
        raise text.fail(f"found {trailing!r} after the end of the array. The file must hold one array only.")


_DECODER = json.JSONDecoder()


def _next_value(text: _Text, limit: int) -> Any:
    while True:
        try:
            value, end = _DECODER.raw_decode(text.text, text.at)
            if end < len(text.text) or text.ended:
                text.advance(end)
                return value
            problem: json.JSONDecodeError | None = None
        except json.JSONDecodeError as error:
            problem = error
        except RecursionError as error:
            raise text.fail("nested too deeply to be a record.") from error
        size = len(text.text) - text.at
        if size > limit:
            raise text.fail(_too_big(size, limit) + " (or it is not closed)")
        line = text.line + (text.text.count("\n", text.at, problem.pos) if problem else 0)
        if not text.more(max(CHUNK_BYTES, size)) and problem:
            raise text.fail(f"not JSON: {problem.msg}. Mend it there; nothing was checked.", line)


def _read_csv(stream: BinaryIO, name: str, limit: int) -> Iterator[Item]:
    csv.field_size_limit(limit)
    lines = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        reader = csv.DictReader(lines, strict=True)
        header = reader.fieldnames
        if not header:
            raise UsageError(f"{name}: the file is empty. Its first line needs the names of the columns.")
        if "response" not in header:
            raise UsageError(f"{name} line 1: no column 'response'. Found: {', '.join(header)}.")
        for row in reader:
            yield Item(reader.line_num, _from_cells(row))
    except csv.Error as error:
        raise UsageError(
            f"{name} line {reader.line_num}: {error}. Check the quotes; see --max_record_mb."
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} line {reader.line_num + 1} or after: byte 0x{error.object[error.start]:02x} "
            "is not UTF-8. Save the file as UTF-8."
        ) from error
    finally:
        lines.detach()


def _from_cells(row: dict[str | None, Any]) -> Any:
    if None in row:
        return Broken(
            "more cells than the header has columns. Quote cells that hold a comma.", str(row[None])
        )
    item: dict[str, Any] = {}
    for key, cell in row.items():
        if cell is not None and key is not None and (cell != "" or key not in JSON_CELLS):
            item[key] = _from_cell(cell) if key in JSON_CELLS else cell
    return item


def _from_cell(cell: str) -> Any:
    """A list or an object where the cell is one in JSON, otherwise the text itself."""
    if cell.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(cell)
        except json.JSONDecodeError:
            pass
    return cell


def _write_csv(items: Iterable[dict[str, Any]], columns: list[str], stream: BinaryIO) -> None:
    lines = io.TextIOWrapper(
        stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
    )
    try:
        writer = csv.DictWriter(lines, columns)  # ends lines with \r\n, and so quotes a lone \r too
        writer.writeheader()
        for item in items:
            writer.writerow({key: _to_cell(value) for key, value in item.items()})
    finally:
        lines.detach()


def _to_cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else dump(value).decode()
