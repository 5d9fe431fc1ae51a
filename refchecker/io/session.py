"""One run over one file: read, skip what the journal has, run the pipeline, put the output together."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import UsageError
from ..types import Record, Report
from .formats import MAX_RECORD_MB, Item, format_of, read_items, write_items
from .items import to_item
from .journal import Journal, digest_of
from .records import to_record, to_records
from .reports import from_item
from .summary import Tally

Pipeline = Callable[[Iterable[Record]], Iterator[Report]]


@dataclass(frozen=True, slots=True)
class Session:
    """Where a run reads and writes, and how.

    `settings` is everything that decides what a verdict is; a journal made with other
    settings is refused. `write` makes the output's item of a report. `tell` gets lines for a
    person, `progress` the records done and their number (0 where it is not known).
    """

    input_path: str
    output_path: str
    settings: Mapping[str, Any]
    input_format: str | None = None
    output_format: str | None = None
    write: Callable[[Report], dict[str, Any]] = to_item
    limit: int | None = None
    retry_failed: bool = False
    restart: bool = False
    max_record_mb: float = MAX_RECORD_MB
    tell: Callable[[str], None] = lambda line: None
    progress: Callable[[int, int], None] = lambda done, total: None

    def __call__(self, pipeline: Pipeline) -> Tally:
        """Run it to the end; the counts over everything written, earlier runs included.

        Errors: `UsageError` for a file that cannot be read or written. Whatever was
        finished before it, or before a `KeyboardInterrupt`, is in the journal.
        """
        target = Path(self.output_path)
        streamed = (
            self.output_path == "-"
            or self.output_path.startswith(("/dev/", "/proc/"))
            or (target.exists() and not target.is_file())
        )
        if target.is_dir():
            raise UsageError(f"{target} is a folder. Give --output_path the name of a file in it.")
        with self._input(spool=not streamed) as (path, name, fmt):
            out = self._output_format(fmt)
            if not streamed:
                return self._journalled(pipeline, path, name, fmt, out)
            if out == "csv":  # its header needs the names of all fields, known only at the end
                return self._csv_to_stream(pipeline, path, name, fmt)
            return self._streamed(pipeline, path, name, fmt, out)

    def _output_format(self, input_format: str) -> str:
        if self.output_format:
            return self.output_format
        if self.output_path == "-":
            return input_format
        try:
            return format_of(self.output_path, None)
        except UsageError:
            return input_format

    @contextmanager
    def _input(self, *, spool: bool) -> Iterator[tuple[str, str, str]]:
        """(path, name in messages, format). What can be read only once is kept in a file first."""
        path = self.input_path
        name = "standard input" if path == "-" else path
        fmt = self.input_format or "jsonl" if path == "-" else format_of(path, self.input_format)
        if Path(path).is_file() or not spool:
            yield path, name, fmt
        else:
            with tempfile.NamedTemporaryFile(prefix="refchecker-") as kept:
                with _opened(path) as stream:
                    shutil.copyfileobj(stream, kept)
                kept.flush()
                yield kept.name, name, fmt

    def _items(self, path: str, name: str, fmt: str) -> Iterator[Item]:
        with _opened(path) as stream:
            for position, item in enumerate(read_items(stream, name, fmt, self.max_record_mb)):
                if self.limit is not None and position >= self.limit:
                    return
                yield item

    def _journalled(self, pipeline: Pipeline, path: str, name: str, fmt: str, out: str) -> Tally:
        kept = journal_of(self.output_path)
        if self.retry_failed and not kept.exists():
            raise UsageError(
                f"{kept} is not there, so no failed records are known. Leave out --retry_failed."
            )
        journal = Journal(kept, self.settings, restart=self.restart)
        try:
            total = self._look_ahead(journal, path, name, fmt)
            self._work(pipeline, journal, path, name, fmt, total)
            tally = self._put_together(journal, total, out)
        except BaseException:
            journal.close()
            raise
        if tally.statuses["failed"]:
            journal.close()
        else:
            journal.remove()
        return tally

    def _look_ahead(self, journal: Journal, path: str, name: str, fmt: str) -> int:
        """Read the whole input once: its mistakes show before any work, and what is done is known."""
        total = known = changed = failed = 0
        for item in self._items(path, name, fmt):
            if journal.has(total, digest_of(item.value)):
                known += 1
                failed += journal.failed(total)
            elif journal.has_other(total):
                changed += 1
            total += 1
        if changed:
            self.tell(f"{name} has changed since the last run: {changed} finished records are checked again.")
        again = failed if self.retry_failed else 0
        if known:
            self.tell(f"going on from {journal.path}: {known - again} of {total} records are done.")
        if failed:
            self.tell(
                f"trying {failed} failed records again."
                if self.retry_failed
                else f"{failed} of them failed; --retry_failed tries them again."
            )
        return total

    def _work(self, pipeline: Pipeline, journal: Journal, path: str, name: str, fmt: str, total: int) -> None:
        waiting: deque[tuple[int, int]] = deque()  # (position, digest) of the records under way
        finished = 0

        def todo() -> Iterator[Record]:
            nonlocal finished
            for position, item in enumerate(self._items(path, name, fmt)):
                digest = digest_of(item.value)
                if journal.has(position, digest) and not (self.retry_failed and journal.failed(position)):
                    finished += 1
                    continue
                waiting.append((position, digest))
                yield to_record(item, name, position)

        for report in pipeline(todo()):
            position, digest = waiting.popleft()
            journal.add(position, digest, self.write(report))
            finished += 1
            self.progress(finished, total)
        self.progress(finished, total)

    def _put_together(self, journal: Journal, total: int, fmt: str) -> Tally:
        """The output under a temporary name, renamed when it is whole; the counts over it."""
        partial = _beside(self.output_path, ".partial")
        tally = Tally()

        def items() -> Iterator[dict[str, Any]]:
            nonlocal tally
            tally = Tally()  # a writer may ask twice
            for position, item in enumerate(journal.items(total)):
                tally.add(_read_back(item, position))
                yield item

        try:
            with open(partial, "wb") as stream:
                write_items(items, stream, fmt)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(partial, os.path.realpath(self.output_path))
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise UsageError(
                f"{self.output_path}: cannot write: {error.strerror}. All {total} records are safe in "
                f"{journal.path}; mend that and run the same command again."
            ) from error
        return tally

    def _finished(
        self, pipeline: Pipeline, path: str, name: str, fmt: str, tally: Tally
    ) -> Iterator[dict[str, Any]]:
        """The finished items of a run that nothing is kept of, counted as they come."""
        for position, report in enumerate(pipeline(to_records(self._items(path, name, fmt), name))):
            tally.add(report)
            yield self.write(report)
            self.progress(position + 1, 0)

    def _streamed(self, pipeline: Pipeline, path: str, name: str, fmt: str, out: str) -> Tally:
        """Items to standard output, or to a device, as they are finished; no journal."""
        tally = Tally()

        def items() -> Iterator[dict[str, Any]]:
            for item in self._finished(pipeline, path, name, fmt, tally):
                yield item
                stream.flush()

        with self._stream() as stream:
            write_items(items, stream, out)
            stream.flush()
        return tally

    def _csv_to_stream(self, pipeline: Pipeline, path: str, name: str, fmt: str) -> Tally:
        tally = Tally()
        with tempfile.TemporaryDirectory(prefix="refchecker-") as folder:
            journal = Journal(Path(folder, "journal"), self.settings)
            for position, item in enumerate(self._finished(pipeline, path, name, fmt, tally)):
                journal.add(position, 0, item)
            with self._stream() as stream:
                write_items(lambda: journal.items(tally.records), stream, "csv")
                stream.flush()
            journal.close()
        return tally

    @contextmanager
    def _stream(self) -> Iterator[BinaryIO]:
        try:
            if self.output_path == "-":
                yield sys.stdout.buffer
            else:
                with open(self.output_path, "wb") as stream:
                    yield stream
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UsageError(f"{self.output_path}: cannot write: {error.strerror}.") from error


def _read_back(item: dict[str, Any], position: int) -> Report:
    """A finished item as its report; labels without verdicts are its input's."""
    return from_item(Item(0, {key: item[key] for key in item if key != "ys"}), "", position)


def journal_of(output_path: str) -> Path:
    """Where a run with that output keeps what is done."""
    return _beside(output_path, ".journal")


def _beside(output_path: str, suffix: str) -> Path:
    """A name in the output's folder; where the output is a link, in the folder it leads to."""
    real = os.path.realpath(output_path) if os.path.islink(output_path) else output_path
    return Path(real + suffix)


def _opened(path: str) -> BinaryIO:
    if path == "-":
        return sys.stdin.buffer
    try:
        return open(path, "rb")
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}. Check --input_path.") from error
