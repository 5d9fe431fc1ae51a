"""Record -> claims -> judgments -> verdicts -> report, as a stream.

Reading, extraction and checking each have their own thread and pass records on through
bounded channels. A stage takes whatever is waiting, up to its batch size, so it neither
idles while work is there nor waits for a batch to fill.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from .aggregate import any_support, conflicts, deciding, soft
from .channel import Channel, guarded
from .errors import ComponentError, RefCheckerError
from .protocols import Aggregator, Checker, Extractor, Localizer, Retriever
from .types import Claim, Extraction, Judgment, Label, Pair, Passage, Record, Report, Status, Verdict

A = TypeVar("A")
B = TypeVar("B")
Splitter = Callable[[Passage], Sequence[Passage]]
Merge = Callable[[Sequence[Label]], Label]


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
) -> Iterator[Report]:
    """Yield one report per record, in order, while later records are still being worked on.

    At most `in_flight` records are in memory at once. `extract_batch` counts records,
    `check_batch` counts pairs. Without `check`, reports carry the claims and no verdicts.
    An exception in a component fails only the records it cannot do without; a
    `RefCheckerError` ends the run.
    """
    incoming: Channel[_Work] = Channel()
    extracted: Channel[_Work] = Channel()
    finished: Channel[Report] = Channel()
    slots = threading.Semaphore(in_flight)
    stopping = threading.Event()

    def read() -> None:
        for record in records:
            slots.acquire()
            if stopping.is_set():
                return
            incoming.put(_Work(record))

    def find_claims() -> None:
        while batch := incoming.take(extract_batch):
            for work in _with_claims(batch, extract, retrieve):
                extracted.put(work)

    def judge() -> None:
        while batch := extracted.take(check_batch, weight=lambda work: work.size):
            for work, judgments in _judged(batch, check, split):
                finished.put(_report(work, judgments, check is not None, merge, aggregate, locate))

    channels = (incoming, extracted, finished)
    for stage, output in ((read, incoming), (find_claims, extracted), (judge, finished)):
        threading.Thread(target=guarded, args=(stage, output, channels), daemon=True).start()
    try:
        while batch := finished.take(1):
            yield from batch
            slots.release()
    finally:
        stopping.set()
        for channel in channels:
            channel.cancel()
        slots.release()


@dataclass(frozen=True, slots=True)
class _Work:
    record: Record
    extraction: Extraction = field(default_factory=lambda: Extraction(()))

    @property
    def size(self) -> int:
        return len(self.extraction.claims) * len(self.record.references)


def _with_claims(
    batch: Sequence[_Work], extract: Extractor | None, retrieve: Retriever | None
) -> Iterator[_Work]:
    asked = [w.record for w in batch if w.record.claims is None and not w.record.fault]
    found = iter(_extract(extract, asked) if extract else [_NO_EXTRACTOR] * len(asked))
    for record in [work.record for work in batch]:
        if record.fault:
            yield _Work(record)
            continue
        extraction = next(found) if record.claims is None else Extraction(record.claims)
        record = replace(record, claims=extraction.claims)
        if retrieve and not record.references:
            try:
                record = replace(record, references=tuple(retrieve(record)))
            except RefCheckerError:
                raise
            except Exception as error:
                extraction = replace(extraction, note=f"retriever: {_said(error)}", failed=True)
        yield _Work(record, extraction)


_NO_EXTRACTOR = Extraction(
    (), "it has no triplets to check. Add them, or use extract-check, which finds them.", failed=True
)


def _extract(extract: Extractor, records: Sequence[Record]) -> list[Extraction]:
    return _isolated(
        extract, records, "extractor", lambda error: Extraction((), f"extractor: {_said(error)}", failed=True)
    )


def _isolated(
    component: Callable[[Sequence[A]], list[B]],
    asked: Sequence[A],
    who: str,
    failure: Callable[[Exception], B],
) -> list[B]:
    """One answer per input; where the component raises, halves are tried until the culprit is alone."""
    if not asked:
        return []
    try:
        answers = component(asked)
    except RefCheckerError:
        raise
    except Exception as error:
        if len(asked) == 1:
            return [failure(error)]
        middle = len(asked) // 2
        halves = (asked[:middle], asked[middle:])
        return [answer for half in halves for answer in _isolated(component, half, who, failure)]
    if len(answers) != len(asked):
        raise ComponentError(f"the {who} returned {len(answers)} answers for {len(asked)} inputs")
    return answers


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]


Judged = tuple[_Work, list[tuple[Judgment, ...]]]


def _judged(batch: Sequence[_Work], check: Checker | None, split: Splitter) -> Iterator[Judged]:
    """Each work with, per claim and reference, the judgments of the reference's pieces."""
    if check is None:
        yield from ((work, []) for work in batch)
        return
    pieces = [[tuple(split(passage)) for passage in work.record.references] for work in batch]
    pairs = [
        Pair(claim, piece, work.record.question)
        for work, references in zip(batch, pieces, strict=True)
        for claim in work.extraction.claims
        for reference in references
        for piece in reference
    ]
    answers = iter(
        _isolated(check, pairs, "checker", lambda e: Judgment(Label.ABSTAIN, note=f"checker: {_said(e)}"))
    )
    for work, references in zip(batch, pieces, strict=True):
        yield (
            work,
            [
                tuple(next(answers) for _ in reference)
                for _ in work.extraction.claims
                for reference in references
            ],
        )


def _report(
    work: _Work,
    judgments: list[tuple[Judgment, ...]],
    checked: bool,
    merge: Merge,
    aggregate: Aggregator,
    locate: Localizer | None,
) -> Report:
    record, extraction = work.record, work.extraction
    width = len(record.references)
    verdicts = tuple(
        _verdict(
            claim,
            record.references,
            tuple(_merged(pieces, merge) for pieces in judgments[i * width : (i + 1) * width]),
            merge,
            locate,
        )
        for i, claim in enumerate(extraction.claims)
        if checked
    )
    status, note = _status(work, verdicts, checked)
    return Report(record, verdicts, aggregate([v.label for v in verdicts]), status, note)


def _status(work: _Work, verdicts: Sequence[Verdict], checked: bool) -> tuple[Status, str]:
    if work.record.fault:
        return "failed", work.record.fault
    if work.extraction.failed:
        return "failed", work.extraction.note
    if not work.extraction.claims:
        return "no_claims", work.extraction.note
    if not checked:
        return "ok", work.extraction.note
    if not work.record.references:
        return "no_reference", "there is no reference to check against"
    undetermined = [v for v in verdicts if v.note]
    if undetermined:
        return "failed", f"{len(undetermined)} of {len(verdicts)} claims undetermined: {undetermined[0].note}"
    return "ok", work.extraction.note


def _merged(pieces: tuple[Judgment, ...], merge: Merge) -> Judgment:
    """What the pieces of one reference say together, with the scores of the piece that decides."""
    if len(pieces) == 1:
        return pieces[0]
    label = merge([piece.label for piece in pieces])
    chosen = deciding(label, pieces) or Judgment(label)
    return replace(chosen, note="; ".join(dict.fromkeys(piece.note for piece in pieces if piece.note)))


def _verdict(
    claim: Claim,
    references: tuple[Passage, ...],
    judgments: tuple[Judgment, ...],
    merge: Merge,
    locate: Localizer | None,
) -> Verdict:
    labels = [judgment.label for judgment in judgments]
    label = merge(labels)
    chosen = deciding(label, judgments)
    carriers = [
        (passage, judgment)
        for passage, judgment in zip(references, judgments, strict=True)
        if judgment.label is label and label in (Label.ENTAILMENT, Label.CONTRADICTION)
    ]
    evidence = tuple(
        span
        for passage, judgment in carriers
        for span in (locate(claim, passage) if locate else judgment.spans)
    )
    undetermined = [j.note or "no answer" for j in judgments if j.note or j.label is Label.ABSTAIN]
    return Verdict(
        claim,
        label,
        scores=chosen.scores if chosen else {},
        passages=references,
        judgments=judgments,
        evidence=evidence,
        conflict=conflicts(labels),
        note="; ".join(dict.fromkeys(undetermined)),
    )
