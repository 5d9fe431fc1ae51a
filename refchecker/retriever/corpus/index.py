"""A corpus on disk, kept indexed: only files that changed are read again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import UsageError
from ...types import Passage
from .. import passages, terms
from ..scores import Block, Scores, counted
from . import readers
from .readers import File, Passed
from .store import Stamp, Store

VERSION = 1  # of what is kept; an index of another version is not looked at
TELL_SECONDS = 10.0
_BATCH_PASSAGES = 2048
_RACE_NS = 2_000_000_000  # a file changed as shortly ago may change again under the same time
_TITLE_WORDS = 30
_SURROGATE = re.compile("[\ud800-\udfff]")

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides the passages of a corpus and their terms."""

    language: str = "en"
    field: str | None = None
    max_words: int = passages.MAX_WORDS
    overlap_words: int = passages.OVERLAP_WORDS

    @property
    def key(self) -> str:
        known = {**asdict(self), "versions": (VERSION, terms.VERSION)}
        return json.dumps(known, sort_keys=True)


class Index:
    """The passages of a corpus, to be asked; several threads may.

    It is as the corpus was when it was opened. `digest` names the content of the files and the
    settings, wherever the corpus lies. Errors: `UsageError` for a corpus that is not there, has
    no text or holds a row that cannot be read.
    """

    def __init__(self, root: Path, settings: Settings, *, cache_dir: str | Path, tell: Tell) -> None:
        files, self.passed = readers.files_below(root)
        if not files:
            raise UsageError(
                f"{root}: there is no file in it that can be read here. Known are {', '.join(readers.KINDS)}."
                + _reasons(self.passed)
            )
        place = hashlib.sha256(f"{root.resolve()}\0{settings.key}".encode()).hexdigest()[:16]
        self._settings = settings
        self._store = Store(Path(cache_dir, "corpus", place))
        with self._store.alone(lambda: tell(f"another process indexes {root}; waiting for it")):
            _Update(self._store, settings, root, tell).run(files)
            stamps = sorted((name, stamp.digest) for name, (_, stamp) in self._store.stamps().items())
            self.digest = hashlib.sha256(json.dumps([settings.key, stamps]).encode()).hexdigest()[:16]
            self.files, self.documents, self.size, passed = self._store.totals()
            self.passed = sorted([*self.passed, *passed])
            if not self.size:
                raise UsageError(f"{root}: there is no text in what is there.{_reasons(self.passed)}")
            self._numbers, self._scores = self._weighted(tell)
            self._store.hold()

    def best(self, query: str, most: int) -> list[int]:
        """The positions of the passages that BM25 gives the highest scores, best first."""
        asked = terms.terms(query, self._settings.language)
        return self._scores.best(self._store.numbers_of(asked), most)

    def passages(self, positions: Sequence[int]) -> list[Passage]:
        return self._store.passages([int(self._numbers[position]) for position in positions])

    def close(self) -> None:
        self._store.close()

    def _weighted(self, tell: Tell) -> tuple[NDArray[np.int64], Scores]:
        """The numbers of all passages, and their BM25 weights, made anew where a file has changed."""
        folder = self._store.folder / f"scores-{self.digest}"
        if not folder.exists():
            partial = self._store.folder / "scores.partial"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            tell(f"weighing the terms of {self.size} passages")
            numbers = np.concatenate([numbers for numbers, _ in self._store.blocks()])
            np.save(partial / "numbers.npy", numbers)
            scores = Scores(lambda: (block for _, block in self._store.blocks()), self._store.vocabulary_size)
            scores.save(partial)
            os.rename(partial, folder)
        for other in self._store.folder.glob("scores-*"):
            if other != folder:  # who has it open keeps it
                shutil.rmtree(other, ignore_errors=True)
        return np.load(folder / "numbers.npy", mmap_mode="r"), Scores.load(folder)


class _Update:
    """Bring the store up to what the files are now."""

    def __init__(self, store: Store, settings: Settings, root: Path, tell: Tell) -> None:
        self._store, self._settings, self._root, self._tell = store, settings, root, tell
        self._vocabulary: dict[str, int] | None = None
        self._last_told = time.monotonic()
        self._passages = 0

    def run(self, files: Sequence[File]) -> None:
        known = self._store.stamps()
        names = {file.name for file in files}
        with self._store.transaction():
            for name, (number, stamp) in known.items():
                if name not in names or not stamp.digest:
                    self._store.drop(number)
        for done, file in enumerate(files):
            number, old = known.get(file.name, (0, Stamp(0, 0, False, "")))
            stamp = _stamp(file.path, old)
            if stamp == old:
                continue
            with self._store.transaction():
                if stamp.digest == old.digest:
                    self._store.restamp(number, stamp)
                else:
                    self._store.drop(number)
                    new = self._store.begin(file.name)
            if stamp.digest != old.digest:
                self._read(file, new, stamp, f"file {done + 1} of {len(files)}")

    def _read(self, file: File, number: int, stamp: Stamp, progress: str) -> None:
        """Take in the passages of a file, some at a time; without the last step they count for nothing."""
        passed: list[Passed] = []
        documents = first = 0

        def pieces() -> Iterator[Passage]:
            nonlocal documents
            for found in readers.documents(file, self._settings.field):
                if isinstance(found, Passed):
                    passed.append(found)
                else:
                    documents += 1
                    yield from self._split(found)

        waiting = pieces()
        while batch := list(islice(waiting, _BATCH_PASSAGES)):
            with self._store.transaction():
                self._store.add(number, first, batch, self._counted(batch))
            first += len(batch)
            self._passages += len(batch)
            if time.monotonic() - self._last_told > TELL_SECONDS:
                self._last_told = time.monotonic()
                self._tell(f"indexing {self._root}: {progress}, {self._passages} passages")
        with self._store.transaction():
            self._store.finish(number, stamp, documents, first, passed)

    def _split(self, document: Passage) -> list[Passage]:
        return passages.split(
            _clean(document),
            max_words=self._settings.max_words,
            overlap_words=self._settings.overlap_words,
            language=self._settings.language,
        )

    def _counted(self, batch: Sequence[Passage]) -> Block:
        """The terms of passages and of their titles, numbered; new terms are kept."""
        if self._vocabulary is None:
            self._vocabulary = self._store.vocabulary()
        vocabulary, new = self._vocabulary, list[str]()

        def number(term: str) -> int:
            known = vocabulary.get(term)
            if known is None:
                known = vocabulary[term] = len(vocabulary)
                new.append(term)
            return known

        first, language = len(vocabulary), self._settings.language
        block = counted((terms.terms(f"{_short(p.title)} {p.text}", language) for p in batch), number)
        self._store.add_terms(new, first)
        return block


def _reasons(passed: Sequence[Passed]) -> str:
    return "".join(f" {line.capitalize()}." for line in readers.said(passed))


def _clean(document: Passage) -> Passage:
    """Halves of characters, which neither SQLite nor a tokenizer takes, replaced one for one."""
    texts = document.text, document.title, document.document
    if all(map(str.isascii, texts)):
        return document
    text, title, key = (_SURROGATE.sub("\ufffd", each) for each in texts)
    return replace(document, text=text, title=title, document=key)


def _short(title: str) -> str:
    return " ".join(title.split()[:_TITLE_WORDS])


def _stamp(path: Path, old: Stamp) -> Stamp:
    """The file as it is now; its content is only looked at where size or time do not tell enough."""
    try:
        now_ns, status = time.time_ns(), path.stat()
        settled = status.st_mtime_ns < now_ns - _RACE_NS
        if old.settled and (old.size, old.modified_ns) == (status.st_size, status.st_mtime_ns):
            return old
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:  # the reader will say so
        return Stamp(0, 0, False, f"unreadable: {error.strerror}")
    return Stamp(status.st_size, status.st_mtime_ns, settled, digest)
