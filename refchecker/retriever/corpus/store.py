"""The passages of a corpus and the counts of their terms, in a SQLite file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...io import Database
from ...types import Passage
from ..scores import Block
from .readers import Passed

_LOCK_SECONDS = 0.2
_BITS = 32  # a passage's number is its file's, and in that many lower bits its place in the file
_MOST_COUNT = 65535
_BLOCK_PASSAGES = 4096  # about as many are handed out at a time

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, size INTEGER, modified_ns INTEGER,
    settled INTEGER, digest TEXT, documents INTEGER, passages INTEGER, passed TEXT);
CREATE TABLE IF NOT EXISTS passages (
    number INTEGER PRIMARY KEY, text TEXT NOT NULL, source TEXT NOT NULL, start INTEGER NOT NULL,
    title TEXT NOT NULL, document TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS blocks (number INTEGER PRIMARY KEY, sizes BLOB, terms BLOB, counts BLOB);
CREATE TABLE IF NOT EXISTS vocabulary (number INTEGER PRIMARY KEY, term TEXT UNIQUE NOT NULL);
"""
_BLOCKS = f"""
SELECT blocks.number, sizes, terms, counts FROM files JOIN blocks
ON blocks.number BETWEEN files.number << {_BITS} AND (files.number + 1 << {_BITS}) - 1
ORDER BY files.name, blocks.number
"""


class Stamp(NamedTuple):
    """By what a file is known again."""

    size: int
    modified_ns: int
    settled: bool  # a later change would show in the time; not so where it had only just been changed
    digest: str


class Store:
    """One corpus, for one process to write (within `alone`) and any number to read.

    Errors: `UsageError` where the file cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._base = Database(
            folder / "passages.sqlite",
            _SCHEMA,
            "cannot keep the index of the corpus here: {error}. "
            "Make room, mend or remove the folder, or choose another --cache_dir.",
            name=folder,
        )
        self.transaction = self._base.transaction

    @contextmanager
    def alone(self, waiting: Callable[[], None]) -> Iterator[None]:
        """No other process is in here meanwhile; `waiting` is called once where one has to be waited for.

        By a lock of SQLite's, which goes with its process however that ends.
        """
        told = False
        with (
            self._base.usable(),
            closing(sqlite3.connect(self.folder / "lock.sqlite", timeout=0, isolation_level=None)) as gate,
        ):
            while not _locked(gate):
                if not told:
                    waiting()
                told = True
                time.sleep(_LOCK_SECONDS)
            yield

    def stamps(self) -> dict[str, tuple[int, Stamp]]:
        """By name, the number and the stamp of each file; one that was not read to its end has no digest."""
        rows = self._base.execute("SELECT name, number, size, modified_ns, settled, digest FROM files")
        return {
            name: (number, Stamp(size or 0, at or 0, bool(settled), digest or ""))
            for name, number, size, at, settled, digest in rows
        }

    def drop(self, number: int) -> None:
        """Forget a file."""
        span = number << _BITS, (number + 1 << _BITS) - 1
        for table in ("passages", "blocks"):
            self._base.execute(f"DELETE FROM {table} WHERE number BETWEEN ? AND ?", span)
        self._base.execute("DELETE FROM files WHERE number = ?", (number,))

    def begin(self, name: str) -> int:
        """The number of a new file, which is unfinished until `finish`."""
        self._base.execute("INSERT INTO files (name) VALUES (?)", (name,))
        [[number]] = self._base.execute("SELECT last_insert_rowid()")
        return int(number)

    def finish(
        self, number: int, stamp: Stamp, documents: int, passages: int, passed: Sequence[Passed]
    ) -> None:
        self._base.execute(
            "UPDATE files SET size = ?, modified_ns = ?, settled = ?, digest = ?, "
            "documents = ?, passages = ?, passed = ? WHERE number = ?",
            (*stamp, documents, passages, json.dumps(passed), number),
        )

    def restamp(self, number: int, stamp: Stamp) -> None:
        """The same content with another time."""
        self._base.execute(
            "UPDATE files SET size = ?, modified_ns = ?, settled = ?, digest = ? WHERE number = ?",
            (*stamp, number),
        )

    def add(self, file: int, first: int, passages: Sequence[Passage], block: Block) -> None:
        """Passages of a file, the first of which is its `first`, and their terms."""
        start = (file << _BITS) + first
        self._base.execute_many(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)",
            (
                (number, p.text, p.source, p.start, p.title, p.document)
                for number, p in enumerate(passages, start)
            ),
        )
        counts = np.minimum(block.counts, _MOST_COUNT).astype(np.uint16)
        self._base.execute(
            "INSERT INTO blocks VALUES (?, ?, ?, ?)",
            (start, block.sizes.tobytes(), block.terms.tobytes(), counts.tobytes()),
        )

    def vocabulary(self) -> dict[str, int]:
        """Every term with its number, from 0 on."""
        return dict(self._base.stream("SELECT term, number FROM vocabulary"))

    @property
    def vocabulary_size(self) -> int:
        [[size]] = self._base.execute("SELECT count(*) FROM vocabulary")
        return int(size)

    def add_terms(self, terms: Sequence[str], first: int) -> None:
        self._base.execute_many("INSERT INTO vocabulary VALUES (?, ?)", enumerate(terms, first))

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Block]]:
        """All passages by file name and place: their numbers and the counts of their terms."""
        waiting: list[tuple[NDArray[np.int64], Block]] = []
        for start, sizes, terms, counts in self._base.stream(_BLOCKS):
            block = Block(
                np.frombuffer(sizes, np.int32),
                np.frombuffer(terms, np.int32),
                np.frombuffer(counts, np.uint16).astype(np.int32),
            )
            waiting.append((start + np.arange(len(block.sizes)), block))
            if sum(len(numbers) for numbers, _ in waiting) >= _BLOCK_PASSAGES:
                yield _joined(waiting)
                waiting = []
        if waiting:
            yield _joined(waiting)

    def hold(self) -> None:
        """From now on read what is there now, whatever another process writes."""
        self._base.execute("BEGIN")
        self._base.execute("SELECT 1 FROM files LIMIT 1")

    def totals(self) -> tuple[int, int, int, list[Passed]]:
        """How many files with text, documents and passages there are, and what in files was passed over."""
        [(files, documents, passages)] = self._base.execute(
            "SELECT coalesce(sum(passages > 0), 0), coalesce(sum(documents), 0), coalesce(sum(passages), 0) "
            "FROM files"
        )
        rows = self._base.execute("SELECT passed FROM files WHERE passed != '[]' ORDER BY name")
        return (
            files,
            documents,
            passages,
            [Passed(*entry) for [passed] in rows for entry in json.loads(passed)],
        )

    def numbers_of(self, terms: Sequence[str]) -> list[int]:
        """The numbers of those terms that are known, as often as they are given."""
        query = "SELECT number FROM vocabulary WHERE term = ?"
        return [number for term in terms for [number] in self._base.execute(query, (term,))]

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        query = "SELECT text, source, start, title, document FROM passages WHERE number = ?"
        return [Passage(*row) for number in numbers for row in self._base.execute(query, (number,))]

    def close(self) -> None:
        self._base.close()


def _locked(gate: sqlite3.Connection) -> bool:
    """Whether the lock could be had."""
    try:
        gate.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def _joined(waiting: Sequence[tuple[NDArray[np.int64], Block]]) -> tuple[NDArray[np.int64], Block]:
    if len(waiting) == 1:
        return waiting[0]
    columns = zip(*(block for _, block in waiting), strict=True)
    return np.concatenate([numbers for numbers, _ in waiting]), Block(*map(np.concatenate, columns))
