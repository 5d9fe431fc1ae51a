"""How far a run is, for a person to see, and how an interrupted one goes on."""

from __future__ import annotations

import sys
import time
from typing import Any

from .. import __version__
from ..io import journal_of

PLAIN_PROGRESS_SECONDS = 10.0
BAR_SECONDS = 0.2


class Progress:
    """A bar on a terminal, a plain line now and then elsewhere, nothing with --quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: Any = None
        self._last = time.monotonic()
        self._done = self._total = 0
        self._note = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        if self._quiet:
            return
        if sys.stderr.isatty():
            if self._bar is None:
                from tqdm import tqdm

                self._bar = tqdm(total=total or None, unit=" records", file=sys.stderr, dynamic_ncols=True)
            self._bar.update(done - self._bar.n)
        else:
            self._plain()

    def note(self, line: str) -> None:
        """Show that line beside the records from now on; from any thread."""
        self._note = line
        if self._quiet:
            return
        if self._bar is not None:
            now = time.monotonic()
            self._bar.set_postfix_str(line, refresh=now - self._last > BAR_SECONDS)
            self._last = now
        elif not sys.stderr.isatty():
            self._plain()

    def _plain(self) -> None:
        if time.monotonic() - self._last > PLAIN_PROGRESS_SECONDS:
            self._last = time.monotonic()
            of = f" of {self._total}" if self._total else ""
            note = f", {self._note}" if self._note else ""
            print(f"{self._done}{of} records{note}", file=sys.stderr, flush=True)

    def begin(self, what: str) -> None:
        """Say what runs, where no person watches."""
        if not sys.stderr.isatty():
            self.tell(f"refchecker {__version__} {what}")

    def tell(self, line: str) -> None:
        if not self._quiet:
            print(line, file=sys.stderr)


def how_to_go_on(output_path: str | None) -> str:
    """What to say of a run that was interrupted."""
    journal = journal_of(output_path) if output_path else None
    if journal and journal.exists():
        return (
            f"interrupted. What is done is kept in {journal}; run the same command again to go on from there."
        )
    return "interrupted."
