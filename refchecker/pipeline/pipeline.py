"""Record -> claims -> judgments -> verdicts -> report, as a stream.

Reading, extraction, retrieval and checking each have their own thread and pass records on through
channels. A stage takes whatever is waiting, up to its batch size, so it neither idles while work is
there nor waits for a batch to fill. A component that has `begin` gets each record as soon as it is
there and waits for none of them; records then pass each other, and are put in order again at the end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..aggregate import Merge, any_support, cautious, soft
from ..protocols import (
    Aggregator,
    Checker,
    Extractor,
    Localizer,
    Retriever,
    done_future,
    optional_parts,
)
from ..types import Extraction, Judgment, Label, Pair, Passage, Record, Report
from .channel import Channel, guarded
from .faults import error_note, isolated, result_of
from .in_flight import completed
from .verdicts import report_of

A = TypeVar("A")
B = TypeVar("B")
Splitter = Callable[[Passage], Sequence[Passage]]


def whole(passage: Passage) -> Sequence[Passage]:
    """A splitter that does not split: checkers cut what is too long for them on their own."""
    return (passage,)


def run(
    records: Iterable[Record],
    *,
    extract: Extractor | None = None,
    check: Checker | None = None,
    retrieve: Retriever | None = None,
    locate: Localizer | None = None,
    split: Splitter = whole,
    merge: Merge = any_support,
    aggregate: Aggregator = soft,
    extract_batch: int = 32,
    check_batch: int = 256,
    in_flight: int = 1024,
    min_confidence: float = 0.0,
) -> Iterator[Report]:
    """Yield one report per record, in order, while later records are still being worked on.

    At most `in_flight` records are in memory at once; of them a component with `begin` has begun a quarter,
    or 64 where that is more. `extract_batch` counts records, `check_batch` counts pairs. A judgment whose
    label is less probable than `min_confidence` is Abstain and `unsure`, which is no fault. Without
    `check`, reports carry the claims and no verdicts. An exception in a component fails only the records it
    cannot do without; a `RefCheckerError` ends the run.
    """
    incoming: Channel[_Work] = Channel()
    extracted: Channel[_Work] = Channel()
    referenced: Channel[_Work] = Channel()
    finished: Channel[tuple[int, Report]] = Channel()
    completions: tuple[Channel[Any], ...] = (Channel(), Channel(), Channel())  # of each stage's component
    channels: tuple[Channel[Any], ...] = (incoming, extracted, referenced, finished, *completions)
    slots = threading.Semaphore(in_flight)
    most_in_flight = max(in_flight // 4, 64)
    stopping = threading.Event()

    def read() -> None:
        for position, record in enumerate(records):
            slots.acquire()
            if stopping.is_set():
                return
            incoming.put(_Work(position, record))

    def find_claims() -> None:
        for work in _extracted(incoming, extract, extract_batch, completions[0], most_in_flight):
            extracted.put(work)

    def find_references() -> None:
        for work in _referenced(extracted, retrieve, check is None, completions[1], most_in_flight):
            referenced.put(work)

    def judge() -> None:
        for work, judgments in _judged(referenced, check, split, check_batch, completions[2], most_in_flight):
            sure = [tuple(cautious(piece, min_confidence) for piece in pieces) for pieces in judgments]
            report = report_of(
                work.record, work.extraction, sure, check is not None, merge, aggregate, locate
            )
            finished.put((work.position, report))

    stages = (read, incoming), (find_claims, extracted), (find_references, referenced), (judge, finished)
    for stage, output in stages:
        threading.Thread(target=guarded, args=(stage, output, channels), daemon=True).start()
    try:
        for report in _in_order(finished):
            yield report
            slots.release()
    finally:
        stopping.set()
        for channel in channels:
            channel.cancel()
        slots.release()


def _in_order(finished: Channel[tuple[int, A]]) -> Iterator[A]:
    """What stands at positions 0, 1, 2, ..., each as soon as all before it are there."""
    early: dict[int, A] = {}
    position = 0
    for at, item in finished:
        early[at] = item
        while position in early:
            yield early.pop(position)
            position += 1


@dataclass(frozen=True, slots=True)
class _Work:
    position: int
    record: Record
    extraction: Extraction = field(default_factory=lambda: Extraction(()))

    @property
    def size(self) -> int:
        return len(self.extraction.claims) * len(self.record.references)

    @property
    def wants_claims(self) -> bool:
        return self.record.claims is None and not self.record.fault

    @property
    def has_references(self) -> bool:
        return bool(self.record.references or self.record.fault)


def _extracted(
    incoming: Channel[_Work], extract: Extractor | None, batch_size: int, completions: Channel[Any], most: int
) -> Iterator[_Work]:
    """Each work with its claims."""
    if begin := optional_parts(extract).begin:
        for work, future in completed(
            lambda work: begin([work.record]) if work.wants_claims else done_future([]),
            incoming,
            completions,
            most,
        ):
            extractions = result_of(future, int(work.wants_claims), "extractor", _no_extraction)
            yield _with_claims(work, iter(extractions))
        return
    while batch := incoming.take(batch_size):
        records = [work.record for work in batch if work.wants_claims]
        answers = iter(isolated(extract or _no_extractor, records, "extractor", _no_extraction))
        yield from (_with_claims(work, answers) for work in batch)


def _with_claims(work: _Work, extractions: Iterator[Extraction]) -> _Work:
    """The work with the next extraction, where it wants one, or with the claims it came with."""
    if work.record.fault:
        return work
    extraction = next(extractions) if work.record.claims is None else Extraction(work.record.claims)
    return replace(work, record=replace(work.record, claims=extraction.claims), extraction=extraction)


def _referenced(
    extracted: Channel[_Work],
    retrieve: Retriever | None,
    claimless: bool,
    completions: Channel[Any],
    most: int,
) -> Iterator[_Work]:
    """Each work with references: its own, or those that are found for it.

    For a work without claims they are of use only where nothing is checked: `claimless`.
    """
    if retrieve is None:
        yield from extracted
        return
    begin: Callable[[Record], Future[Sequence[Passage]]] = optional_parts(retrieve).begin or (
        lambda record: done_future(retrieve(record))
    )

    def references(work: _Work) -> Future[Sequence[Passage]]:
        wanted = not work.has_references and (claimless or bool(work.extraction.claims))
        return begin(work.record) if wanted else done_future(work.record.references)

    for work, future in completed(references, extracted, completions, most):
        if error := future.exception():
            failed = replace(work.extraction, note=f"retriever: {error_note(error)}", failed=True)
            yield replace(work, extraction=failed)
        else:
            yield replace(work, record=replace(work.record, references=tuple(future.result())))


_NO_EXTRACTOR = Extraction(
    (), "it has no triplets to check. Add them, or use extract-check, which finds them.", failed=True
)


def _no_extractor(records: Sequence[Record]) -> list[Extraction]:
    return [_NO_EXTRACTOR] * len(records)


def _no_extraction(error: BaseException) -> Extraction:
    return Extraction((), f"extractor: {error_note(error)}", failed=True)


def _no_judgment(error: BaseException) -> Judgment:
    return Judgment(Label.ABSTAIN, note=f"checker: {error_note(error)}")


@dataclass(frozen=True, slots=True)
class _Question:
    """One work and its pairs: for each claim, for each reference, its pieces."""

    work: _Work
    pieces: list[tuple[Passage, ...]]
    pairs: list[Pair]


def _question(work: _Work, split: Splitter) -> _Question:
    pieces = [tuple(split(passage)) for passage in work.record.references]
    pairs = [
        Pair(claim, piece, work.record.question)
        for claim in work.extraction.claims
        for reference in pieces
        for piece in reference
    ]
    return _Question(work, pieces, pairs)


_Judged = tuple[_Work, list[tuple[Judgment, ...]]]


def _judged(
    referenced: Channel[_Work],
    check: Checker | None,
    split: Splitter,
    batch_size: int,
    completions: Channel[Any],
    most: int,
) -> Iterator[_Judged]:
    """Each work with, per claim and reference, the judgments of the reference's pieces."""
    if check is None:
        yield from ((work, []) for work in referenced)
    elif begin := optional_parts(check).begin:
        questions = (_question(work, split) for work in referenced)
        for question, future in completed(
            lambda question: begin(question.pairs) if question.pairs else done_future([]),
            questions,
            completions,
            most,
        ):
            yield _regrouped(question, iter(result_of(future, len(question.pairs), "checker", _no_judgment)))
    else:
        while batch := referenced.take(batch_size, weight=lambda work: work.size):
            together = [_question(work, split) for work in batch]
            pairs = [pair for question in together for pair in question.pairs]
            answers = iter(isolated(check, pairs, "checker", _no_judgment))
            yield from (_regrouped(question, answers) for question in together)


def _regrouped(question: _Question, answers: Iterator[Judgment]) -> _Judged:
    return question.work, [
        tuple(next(answers) for _ in reference)
        for _ in question.work.extraction.claims
        for reference in question.pieces
    ]
