"""Searches and pages that were had before: a cache, and snapshots that replay a run offline."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...errors import RetrievalError, UsageError
from ...io import Database
from .threads import Once

VERSION = 1  # of the keys and values: another number makes all that is kept unknown
FILE_NAME = "web.sqlite"
FAILED = "cause"  # the member that only the outcome of a failure has

Outcome = Mapping[str, Any]

_IN_MEMORY = 300  # outcomes, failures too: what is not there is not asked for again and again in one run
_WHOLE = ("snapshot", "whole")


class Outcomes:
    """Outcomes by kind and key in a SQLite file that several threads and processes may use at once.

    Errors: `UsageError` where the file cannot be used.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, journal_mode: str = "WAL") -> None:
        self.path = Path(path)
        self._base = Database(
            self.path,
            "CREATE TABLE IF NOT EXISTS outcomes "
            "(kind TEXT, key TEXT, at REAL NOT NULL, outcome TEXT NOT NULL, PRIMARY KEY (kind, key))",
            "cannot keep searches and pages here: {error}. "
            "Make room, mend or remove the file, or name another.",
            read_only=read_only,
            journal_mode=journal_mode,
        )

    def get(self, kind: str, key: str, *, since: float = 0.0) -> Outcome | None:
        """What was kept under that key, if it is not older than `since`, in seconds of the epoch."""
        rows = self._base.execute(
            "SELECT outcome FROM outcomes WHERE kind = ? AND key = ? AND at >= ?",
            (f"{kind}{VERSION}", key, since),
        )
        return dict(json.loads(rows[0][0])) if rows else None

    def put(self, kind: str, key: str, outcome: Outcome) -> None:
        self._base.execute(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
            (f"{kind}{VERSION}", key, time.time(), json.dumps(outcome)),
        )

    def close(self) -> None:
        self._base.close()


class Snapshot:
    """A file with every outcome of a run. Once it is whole it answers alone, and nothing is asked.

    A recording that was stopped, or that lacks what could not be had, goes on.
    Errors: `UsageError` for a file that is none.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path)
        self.frozen = False
        if path.is_file() and path.stat().st_size:
            with open(path, "rb") as file:
                if not file.read(16).startswith(b"SQLite format 3"):
                    raise UsageError(f"{path}: is no snapshot of searches and pages. Name another file.")
            kept = Outcomes(path, read_only=True)
            self.frozen = kept.get(*_WHOLE) is not None
            kept.close()
        # no WAL: it is to be one file, which can be passed on
        self._kept = Outcomes(path, read_only=self.frozen, journal_mode="DELETE")

    def get(self, kind: str, key: str) -> Outcome | None:
        """What was recorded; `RetrievalError` where nothing was and nothing may be asked."""
        known = self._kept.get(kind, key)
        if known is None and self.frozen:
            raise RetrievalError(
                f"the snapshot {self._kept.path} has no {kind} {key[:200]}: it was recorded from another "
                "input or with other settings. Record one of this run under another name."
            )
        return known

    def put(self, kind: str, key: str, outcome: Outcome) -> None:
        self._kept.put(kind, key, outcome)

    def finish(self) -> None:
        """Nothing is missing: from now on it answers alone."""
        if not self.frozen:
            self._kept.put(*_WHOLE, {"recorded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})

    def close(self) -> None:
        self._kept.close()


class Memory:
    """Each outcome from the snapshot, else the cache, else made, once, however many threads want it.

    Failures are in no cache, nor is what is not to be `cached`. `max_age_days` is how old what is
    taken from the cache may be.
    """

    def __init__(
        self,
        cache: Outcomes | None = None,
        snapshot: Snapshot | None = None,
        *,
        max_age_days: float | None = None,
    ) -> None:
        self._cache, self._snapshot, self._max_age_days = cache, snapshot, max_age_days
        self._once: Once[Outcome] = Once(_IN_MEMORY)
        self._whole = True  # until something could not be had that a replay will want

    def __call__(self, kind: str, key: str, make: Callable[[], Outcome], *, cached: bool = True) -> Outcome:
        cache = self._cache if cached else None
        try:
            return self._once((kind, key), lambda: self._outcome(kind, key, make, cache))
        except BaseException:
            self._whole = False
            raise

    @property
    def frozen(self) -> bool:
        """Whether a whole snapshot answers, and nothing is ever made."""
        return self._snapshot is not None and self._snapshot.frozen

    def finish(self) -> None:
        """The run has come to its end: its snapshot is whole, unless something could not be had."""
        if self._snapshot and self._whole:
            self._snapshot.finish()

    def close(self) -> None:
        if self._snapshot:
            self._snapshot.close()
        if self._cache:
            self._cache.close()

    def _outcome(self, kind: str, key: str, make: Callable[[], Outcome], cache: Outcomes | None) -> Outcome:
        if self._snapshot and (recorded := self._snapshot.get(kind, key)) is not None:
            return recorded
        since = time.time() - self._max_age_days * 86400 if self._max_age_days else 0.0
        outcome = cache.get(kind, key, since=since) if cache else None
        if outcome is None:
            outcome = make()
            if cache and FAILED not in outcome:
                cache.put(kind, key, outcome)
        if self._snapshot:
            self._snapshot.put(kind, key, outcome)
        return outcome
