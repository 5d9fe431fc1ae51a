"""What is done so far, one line a record, beside the output; the output is put together from it.

A line holds the record's position, the digest of its input, its status and its finished
item. Lines are appended as records finish, in one write each. A line that a crash cut
short is dropped when the journal is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError
from .formats import dump

VERSION = 1
SYNC_SECONDS = 1.0
NOTHING = -1


class Journal:
    """An open journal. Memory: 17 bytes a record.

    Errors: `UsageError` when the file cannot be written, belongs to a run with other
    settings, or is in use by another run.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], *, restart: bool = False) -> None:
        self.path = path
        self._offsets = array("q")
        self._digests = array("Q")
        self._failed = bytearray()
        self._end = 0  # where the next line begins
        self._synced = time.monotonic()
        try:
            # unbuffered: a failed write must leave nothing to flush
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115
        except OSError as error:
            raise UsageError(
                f"{path}: cannot write beside the output: {error.strerror}. "
                "Choose an --output_path in a folder that exists and that you may write to."
            ) from error
        try:
            _lock(self._file, path)
            if restart:
                self._file.truncate(0)
            self._load(settings)
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return sum(offset != NOTHING for offset in self._offsets)

    def has(self, position: int, digest: int) -> bool:
        """Whether this very input is finished at this position."""
        return self.has_other(position) and self._digests[position] == digest

    def has_other(self, position: int) -> bool:
        """Whether something is finished at this position, whatever its input was."""
        return position < len(self._offsets) and self._offsets[position] != NOTHING

    def failed(self, position: int) -> bool:
        """Whether the record finished there was written as failed."""
        return bool(self._failed[position])

    def add(self, position: int, digest: int, item: Mapping[str, Any]) -> None:
        """Keep one finished record. Once this returns, a killed process does not lose it."""
        failed = item.get("status") == "failed"
        line = dump({"position": position, "digest": digest, "failed": failed, "item": item}) + b"\n"
        offset = self._end
        try:
            self._append(line)
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise UsageError(
                f"{self.path}: cannot write: {error.strerror}. The {len(self)} records before this are safe "
                "in it; make room and run the same command again to go on."
            ) from error
        self._note(position, digest, failed, offset)

    def items(self, count: int) -> Iterator[dict[str, Any]]:
        """The finished items of positions 0 to `count` - 1, in order."""
        with open(self.path, "rb") as lines:
            for position in range(min(count, len(self._offsets))):
                if self._offsets[position] != NOTHING:
                    lines.seek(self._offsets[position])
                    yield json.loads(lines.readline())["item"]

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.close()

    def _note(self, position: int, digest: int, failed: bool, offset: int) -> None:
        missing = position + 1 - len(self._offsets)
        if missing > 0:
            self._offsets.extend([NOTHING] * missing)
            self._digests.extend([0] * missing)
            self._failed.extend(bytes(missing))
        self._offsets[position], self._digests[position] = offset, digest
        self._failed[position] = failed

    def _append(self, line: bytes) -> None:
        written = 0
        while written < len(line):
            written += self._file.write(line[written:])
        self._end += len(line)

    def _load(self, settings: Mapping[str, Any]) -> None:
        with open(self.path, "rb") as lines:
            header = lines.readline()
            if header.endswith(b"\n"):
                self._compare(header, settings)
                self._end = len(header)
                while entry := _parsed(line := lines.readline()):
                    self._note(entry["position"], entry["digest"], entry["failed"], self._end)
                    self._end += len(line)
        self._file.truncate(self._end)
        if not self._end:
            try:
                self._append(dump({"refchecker_journal": VERSION, "settings": settings}) + b"\n")
            except OSError as error:
                raise UsageError(
                    f"{self.path}: cannot write: {error.strerror}. Make room and try again."
                ) from error

    def _compare(self, header: bytes, settings: Mapping[str, Any]) -> None:
        try:
            found = json.loads(header)["settings"]
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{self.path} line 1: this is not a journal of refchecker. Move it away, or pass --restart."
            ) from error
        changed = [
            f"{key}: {found.get(key)} -> {settings.get(key)}"
            for key in dict.fromkeys([*found, *settings])
            if found.get(key) != settings.get(key)
        ]
        if changed:
            raise UsageError(
                f"{self.path}: an unfinished run with other settings is kept here ({'; '.join(changed)}). "
                "Use its settings to finish it, another --output_path to leave it, or --restart to drop it."
            )


def digest_of(value: Any) -> int:
    """64 bits that stand for one input item."""
    text = json.dumps(value, sort_keys=True).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def _parsed(line: bytes) -> Any:
    """The entry of a whole line; None where the line was cut short."""
    if not line.endswith(b"\n"):
        return None
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return (
        entry
        if isinstance(entry, dict) and {"position", "digest", "failed", "item"} <= entry.keys()
        else None
    )


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not a POSIX system: two runs on one output are then not noticed
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UsageError(
            f"{path}: another run is writing this output now. Wait for it, or choose another --output_path."
        ) from error
