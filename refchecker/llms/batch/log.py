"""Which batches are with a provider: what makes a killed run poll them instead of submitting them again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ...io import Database

FILE_NAME = "batches.sqlite"
_SCHEMA = """
PRAGMA synchronous=FULL;  -- what is in it was paid for
CREATE TABLE IF NOT EXISTS batches (
    tag TEXT PRIMARY KEY, signature TEXT, batch_id TEXT, since REAL, pid INTEGER);
CREATE TABLE IF NOT EXISTS asked (key BLOB PRIMARY KEY, tag TEXT);
CREATE INDEX IF NOT EXISTS asked_by_tag ON asked (tag);
"""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A batch: our name for it, the provider's (None: killed before it was told), how much, since when."""

    tag: str
    batch_id: str | None
    count: int
    since: float  # seconds of the epoch


class BatchLog:
    """A SQLite file in the cache's folder, for several processes: keys of requests, ids of batches."""

    def __init__(self, folder: str | Path) -> None:
        self._base = Database(
            Path(folder, FILE_NAME),
            _SCHEMA,
            "cannot note batches here: {error}. Choose another --cache_dir.",
        )

    def intend(self, tag: str, signature: str, keys: Iterable[bytes]) -> list[bytes]:
        """Note that these are about to be submitted; those among them that no other process has taken."""
        with self._base.transaction():
            taken = [key for key in keys if self._taken(key, tag)]
            if taken:
                self._base.execute(
                    "INSERT INTO batches VALUES (?, ?, NULL, ?, ?)",
                    (tag, signature, time.time(), os.getpid()),
                )
        return taken

    def _taken(self, key: bytes, tag: str) -> bool:
        self._base.execute("INSERT OR IGNORE INTO asked VALUES (?, ?)", (key, tag))
        return self.has(tag, key)

    def submitted(self, tag: str, batch_id: str) -> None:
        """Note the provider's id of a batch."""
        self._base.execute("UPDATE batches SET batch_id = ? WHERE tag = ?", (batch_id, tag))

    def open(self, signature: str) -> list[Submitted]:
        """The batches of a model that are not finished, oldest first; not those being submitted elsewhere."""
        rows = self._base.execute(
            "SELECT tag, batch_id, (SELECT count(*) FROM asked WHERE asked.tag = batches.tag), since, pid"
            " FROM batches WHERE signature = ? ORDER BY since",
            (signature,),
        )
        return [Submitted(*row) for *row, pid in rows if row[1] or pid == os.getpid() or not _runs(pid)]

    def has(self, tag: str, key: bytes) -> bool:
        """Whether a request is in a batch that is not finished."""
        return bool(self._base.execute("SELECT 1 FROM asked WHERE key = ? AND tag = ?", (key, tag)))

    def finish(self, tag: str) -> None:
        """Forget a batch: its answers are kept, or it never came to be."""
        with self._base.transaction():
            self._base.execute("DELETE FROM asked WHERE tag = ?", (tag,))
            self._base.execute("DELETE FROM batches WHERE tag = ?", (tag,))

    def close(self) -> None:
        self._base.close()


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
