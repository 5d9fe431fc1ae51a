"""SQLite files that several processes, and threads, open at once."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import UsageError

LOCK_SECONDS = 30.0  # how long another's lock is waited for
_PAUSE_SECONDS = 0.01


def connected(path: Path, *, read_only: bool = False, journal_mode: str = "WAL") -> sqlite3.Connection:
    """The file, made where it is missing; every statement is a transaction of its own.

    In WAL a commit waits for no disk, and survives any death of the process. SQLite does not wait for others
    when it changes a new file to WAL, whatever its timeout; here it does.

    Errors: `sqlite3.Error`, also where the lock was not to be had in `LOCK_SECONDS`.
    """
    base = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}",
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    until = time.monotonic() + LOCK_SECONDS
    while not read_only:
        try:
            base.execute(f"PRAGMA journal_mode={journal_mode}")
            base.execute("PRAGMA synchronous=NORMAL")
            break
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # also of extended codes
            if not busy or time.monotonic() > until:
                base.close()
                raise
            time.sleep(_PAUSE_SECONDS)
    return base


class Database:
    """A SQLite file with those tables. Outside a `transaction` every statement is one of its own.

    Errors: `UsageError` where the file cannot be used, which says `trouble`, a text with {error} in it, of
    `name`, else of the path.
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        trouble: str,
        *,
        name: Path | None = None,
        read_only: bool = False,
        journal_mode: str = "WAL",
    ) -> None:
        self._name, self._trouble = name or path, trouble
        self._lock = threading.RLock()
        with self.usable():
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._base = connected(path, read_only=read_only, journal_mode=journal_mode)
            if not read_only:
                self._base.executescript(schema)

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a statement gives."""
        with self._lock, self.usable():
            return self._base.execute(statement, values).fetchall()

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with self._lock, self.usable():
            self._base.executemany(statement, rows)

    def stream(self, statement: str) -> Iterator[Any]:
        """The rows one by one, for those that memory would not hold; no other thread writes meanwhile."""
        with self.usable():
            yield from self._base.execute(statement)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done in here, and nobody else writes meanwhile."""
        with self._lock:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._base.in_transaction:  # of a full disk SQLite goes back by itself
                    self.execute("ROLLBACK")
                raise
            self.execute("COMMIT")

    @contextmanager
    def usable(self) -> Iterator[None]:
        """What goes wrong with files in here becomes a `UsageError`."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{self._name}: {self._trouble.format(error=error)}") from error

    def close(self) -> None:
        with self._lock:
            self._base.close()
