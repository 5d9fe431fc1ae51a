"""References from your own documents, without a key or a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...protocols import optional_parts
from ...types import Passage, Record
from ..passages import MAX_WORDS, OVERLAP_WORDS
from ..ranking import POOL, Embed, distinct, reranked
from .index import Index, Settings
from .readers import said

PASSAGES = 3  # per record; measured in benchmark/results/retrieval.md


class CorpusRetriever:
    """The passages of a folder or file that fit a record's question and response best.

    Reads text, markdown, HTML, PDF, JSON Lines, JSON arrays, CSV and TSV, packed by gzip or not.
    A passage's source is its file's path below `path`, with `#` and the line of its row or the
    number of its page; `start` counts characters of that text. The index is in `cache_dir`; only
    files that have changed are read again. `field` of rows that holds the text is found by its
    name where `corpus_field` does not tell. With `embed` the best passages are ranked again by
    meaning. Safe to call from several threads. Errors: `UsageError` for a corpus that is not
    there or has nothing to read, and for rows that cannot be read, with file and line.

    >>> retrieve = CorpusRetriever("documents/")                      # doctest: +SKIP
    >>> retrieve(Record("1", "It opened in 1889.", "When did the Eiffel tower open?"))  # doctest: +SKIP
    [Passage(text='The Eiffel tower ...', source='towers.md', start=1204, ...), ...]
    """

    def __init__(
        self,
        path: str | Path,
        *,
        k: int = PASSAGES,
        language: str = "en",
        cache_dir: str | Path = "./.cache",
        corpus_field: str | None = None,
        embed: Embed | None = None,
        max_words: int = MAX_WORDS,
        overlap_words: int = OVERLAP_WORDS,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        settings = Settings(language, corpus_field, max_words, overlap_words)
        self._k, self._embed = k, embed
        self._index = Index(Path(path), settings, cache_dir=cache_dir, tell=tell)
        name = optional_parts(embed, "embed").signature if embed else ""
        self.signature = f"corpus:{self._index.digest}|k{k}{f'|{name}' if name else ''}"
        index = self._index
        tell(f"corpus {path}: {index.size} passages of {index.documents} documents in {index.files} files")
        for line in said(index.passed):
            tell(line)

    def __call__(self, record: Record) -> list[Passage]:
        # the question twice: a response may be long, and may be about what was not asked
        query = " ".join((record.question, record.question, record.response))
        found = distinct(self._index.passages(self._index.best(query, POOL)))
        if self._embed:
            found = reranked([f"{record.question} {record.response}".strip()], found, self._embed)
        return found[: self._k]

    @property
    def size(self) -> int:
        """How many passages there are."""
        return self._index.size

    def close(self) -> None:
        self._index.close()
