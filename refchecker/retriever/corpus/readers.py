"""The files of a corpus, each as the documents it holds."""

from __future__ import annotations

import gzip
import logging
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from ...errors import UsageError, imported
from ...types import Passage
from ..decoding import decoded
from ..html import read_html
from . import rows

KINDS = {
    ".txt": "text", ".text": "text", ".rst": "text", ".md": "markdown", ".markdown": "markdown",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
}  # fmt: skip
_HEADING = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)


class File(NamedTuple):
    """A file of the corpus; `name` is its path below the corpus with `/` between, `kind` one of KINDS."""

    name: str
    path: Path
    kind: str


class Passed(NamedTuple):
    """What was passed over, and why."""

    where: str
    why: str


def files_below(root: Path) -> tuple[list[File], list[Passed]]:
    """The files of a folder and all below it that can be read, by name; or the one file `root` is.

    Errors: `UsageError` where there is no such file or folder, or it is of no kind that can be read.
    """
    known = ", ".join(KINDS)
    if root.is_file():
        if not (kind := _kind(root.name)):
            raise UsageError(f"{root}: cannot tell from its name how to read it. Known are {known}.")
        return [File(_named(Path(root.name)), root, kind)], []
    if not root.is_dir():
        raise UsageError(f"{root}: no such file or folder. Give --corpus the documents to search.")
    found: list[File] = []
    passed: list[Passed] = []

    def refused(error: OSError) -> None:
        passed.append(Passed(os.path.relpath(error.filename, root), f"cannot be read ({error.strerror})"))

    for folder, folders, names in os.walk(root, onerror=refused):
        below = Path(folder).relative_to(root)
        for name in folders:
            if name.startswith("."):
                passed.append(Passed(_named(below / name), "hidden"))
            elif Path(folder, name).is_symlink():
                passed.append(Passed(_named(below / name), "a link to a folder"))
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            relative = _named(below / name)
            if name.startswith("."):
                passed.append(Passed(relative, "hidden"))
            elif kind := _kind(name):
                found.append(File(relative, Path(folder, name), kind))
            else:
                passed.append(Passed(relative, "of a kind that is not read here"))
    return sorted(found), sorted(passed)


def documents(file: File, field: str | None) -> Iterator[Passage | Passed]:
    """The documents of a file, each whole, and what of it had to be passed over.

    `field` names the text of a row. Errors: `UsageError` for rows that cannot be read.
    """
    try:
        with _opened(file.path) as stream:
            if file.kind in ("jsonl", "json", "csv", "tsv"):
                yield from _rows(stream, file, field)
            elif file.kind == "pdf":
                yield from _pages(stream, file.name)
            else:
                yield _text(stream.read(), file)
    except (OSError, EOFError) as error:
        yield Passed(file.name, f"cannot be read ({getattr(error, 'strerror', None) or error})")


def said(passed: Iterable[Passed]) -> list[str]:
    """What was passed over, in a line per reason.

    >>> said([Passed("a.png", "of another kind"), Passed("b.png", "of another kind")])
    ['passed over: 2 of another kind (a.png, b.png)']
    """
    reasons = Counter(item.why for item in passed)
    lines = []
    for why, count in reasons.most_common():
        shown = [item.where for item in passed if item.why == why][:3]
        lines.append(f"passed over: {count} {why} ({', '.join(shown)}{', ...' if count > 3 else ''})")
    return lines


def _named(path: Path) -> str:
    """The path as text; bytes of a name that are no UTF-8 as escapes."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def _kind(name: str) -> str:
    plain = name.lower().removesuffix(".gz")
    return KINDS.get(Path(plain).suffix, "")


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb"))


def _rows(stream: BinaryIO, file: File, field: str | None) -> Iterator[Passage | Passed]:
    if file.kind == "json" and not stream.peek(64).lstrip().startswith(b"["):  # type: ignore[attr-defined]
        yield Passed(file.name, "no JSON array of documents")
        return
    empty = True
    for document in rows.documents(stream, file.name, file.kind, field):
        empty = False
        yield document
    if empty:
        yield Passed(file.name, "without text")


def _text(data: bytes, file: File) -> Passage | Passed:
    title = ""
    if file.kind == "html":
        title, text = read_html(data)
    else:
        known = decoded(data)
        if known is None:
            return Passed(file.name, "no text in it, but other data")
        text = known
        if file.kind == "markdown" and (heading := _HEADING.search(text)):
            title = heading.group(1)
    return Passage(text, file.name, title=title) if text.strip() else Passed(file.name, "without text")


def _pages(stream: BinaryIO, name: str) -> Iterator[Passage | Passed]:
    pypdf = imported("pypdf", "retrieval")
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of every oddity it can cope with
    empty = True
    number = 0
    try:
        reader = pypdf.PdfReader(stream)
        if reader.is_encrypted and not reader.decrypt(""):
            yield Passed(name, "a PDF with a password")
            return
        title = str((reader.metadata or {}).get("/Title") or "")
        for number, page in enumerate(reader.pages, start=1):
            text = page.extract_text()
            if text.strip():
                empty = False
                yield Passage(text, f"{name}#{number}", title=title)
    except Exception as error:  # of many kinds, for a broken file can be broken anywhere
        where = f"{name}#{number + 1}" if number else name
        yield Passed(where, f"a PDF that is broken from there on ({type(error).__name__})")
        return
    if empty:
        yield Passed(name, "a PDF without text, perhaps scanned")
