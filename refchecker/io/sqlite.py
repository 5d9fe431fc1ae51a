"""SQLite files that several processes, and threads, open at once."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

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
