"""The six seams. A plain function satisfies any of them.

Models work in batches, so `LLM`, `Extractor` and `Checker` take a list and
return a list of the same length in the same order. The rest take one thing.

An extractor or checker that waits for others rather than computes may also have
`begin(items) -> concurrent.futures.Future[list]`, with the same list for the same items. It
returns at once; the pipeline then begins each record as it comes and never waits for a batch.
The future carries what went wrong with these items; a `UsageError` in it ends the run. A retriever
may have `begin(record) -> concurrent.futures.Future[Sequence[Passage]]` to the same end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .types import Extraction, Judgment, Label, Located, Pair, Passage, Record, Verdict


class LLM(Protocol):
    """Prompts in, replies out."""

    def __call__(self, prompts: Sequence[str], /) -> list[str]: ...


class Extractor(Protocol):
    """The claims of each record's response."""

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]: ...


class Checker(Protocol):
    """What each pair's passage says about its claim."""

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]: ...


class Retriever(Protocol):
    """References for a record that came without."""

    def __call__(self, record: Record, /) -> Sequence[Passage]: ...


class Localizer(Protocol):
    """Where a record says what its verdicts rest on: one answer per verdict, in order."""

    def __call__(self, record: Record, verdicts: Sequence[Verdict], /) -> list[Located]: ...


class Aggregator(Protocol):
    """The share of each label; shares sum to 1."""

    def __call__(self, labels: Sequence[Label], /) -> dict[Label, float]: ...
