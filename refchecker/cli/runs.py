"""A run over a file of records: begun, carried out, told of; or only tried."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..io import Pipeline, Session, Tally, journal_of
from ..protocols import Extractor, optional_parts
from ..registry import load
from ..types import Extraction, Record, Report
from .components import Clients, clients_of
from .options import DEFAULT, FileOptions, LLMOptions, RunOptions, read
from .progress import Progress


@dataclass(frozen=True, slots=True)
class FileRun:
    """What a run is told, how its models are asked, and how it speaks to a person."""

    command: str
    files: FileOptions
    running: RunOptions
    clients: Clients
    progress: Progress

    @property
    def in_flight(self) -> int:
        """Records under way at once: enough to keep that many requests busy."""
        return max(int(DEFAULT["in_flight"]), 16 * (self.running.concurrency or 0))

    def session(self, settings: Mapping[str, Any], write: Callable[[Report], dict[str, Any]]) -> Session:
        """Reading and writing of this run; `settings` is what decides its answers beside its command."""
        files, running = self.files, self.running
        return Session(
            files.input_path,
            files.output_path,
            {"version": __version__, "command": self.command, "language": running.language, **settings},
            input_format=files.format,
            output_format=files.output_format,
            write=write,
            limit=files.limit,
            retry_failed=running.retry_failed,
            restart=running.restart,
            max_record_mb=files.max_record_mb,
            tell=self.progress.tell,
            progress=self.progress,
        )


def begun(parsed: argparse.Namespace, *, batches: bool = True) -> FileRun:
    """Say what runs, and make what all of its components share."""
    files, running = read(FileOptions, parsed), read(RunOptions, parsed)
    llm = read(LLMOptions, parsed)
    progress = Progress(quiet=running.quiet)
    progress.begin(f"{parsed.command} {files.input_path}")
    clients = clients_of(llm, files.cache_dir, running.concurrency, progress.note)
    if batches and llm.provider_batch and not llm.dry_run:
        if llm.cache_only:
            raise UsageError("--cache_only asks nothing, and --provider_batch asks: leave out one of them.")
        if files.input_path == "-":
            raise UsageError(
                "--provider_batch reads the input more than once: give a file, not standard input."
            )
        from ..llms.batch import Batching

        clients = replace(clients, batching=Batching(files.cache_dir, progress.tell))
    return FileRun(parsed.command, files, running, clients, progress)


def carry_out(
    run: FileRun,
    session: Session,
    pipeline: Pipeline,
    components: Sequence[object],
    summary: Callable[[Tally], str],
) -> Tally:
    """Run to the end and close the components; then tell what became of it, and what these have to say."""
    parts = [optional_parts(component) for component in components]
    started = time.monotonic()
    try:
        if batching := run.clients.batching:  # its answers go into the cache, where the run finds them
            unseen = replace(session, tell=lambda line: None, progress=lambda done, total: None)
            batching(lambda: _trial(unseen, pipeline))
        with run.progress:
            tally = session(pipeline)
        for part in parts:
            part.finish()
    finally:
        for part in parts:
            part.close()
        for line in run.clients.usage():
            run.progress.tell(line)
    output = run.files.output_path
    lines = [summary(tally), *(line for part in parts for line in part.remarks())]
    written = "" if output == "-" else f"{output} written, "
    lines.append(f"{written}{time.monotonic() - started:.1f} s")
    if tally.statuses["failed"] and journal_of(output).exists():
        lines.append("--retry_failed tries the failed records again.")
    for line in lines:
        run.progress.tell(line)
    return tally


def _trial(session: Session, pipeline: Pipeline) -> None:
    """Run over every record, and keep nothing of it on the disk."""
    with tempfile.TemporaryDirectory(prefix="refchecker-") as folder:
        output = str(Path(folder, "trial.jsonl"))
        replace(session, output_path=output, restart=False, retry_failed=False)(pipeline)


def dry_run(session: Session, pipeline: Pipeline, ledger: Any, guessing: Guessing | None) -> list[str]:
    """What the run would ask, a few lines. Nothing is asked, and nothing stays of it on the disk."""
    _trial(session, pipeline)
    usage = ledger.usage()
    cost = "the cost is not known: --prices FILE gives the price of a model"
    if usage.cost is not None:
        cost = f"at most ${usage.cost:.4f}"
    lines = [
        "dry run: nothing was asked. The run would ask",
        f"requests {usage.requests:,}, beside {usage.cached:,} that the cache answers",
        f"tokens   about {usage.input_tokens:,} in, at most {usage.output_tokens:,} out; {cost}",
    ]
    if guessing and guessing.guessed:
        lines.append(
            f"claims   of {guessing.guessed:,} responses not known yet: the checker's part is a guess, "
            "with a claim per sentence"
        )
    return lines


class Guessing:
    """The extractor where it answers, and sentences as claims where it does not.

    A model that cannot be asked finds no claims, and what a checker is asked depends on them.
    """

    def __init__(self, extract: Extractor, language: str) -> None:
        self._extract = extract
        self._guess: Extractor = load("extractor", "sentence", language=language)
        self.guessed = 0

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]:
        extractions = self._extract(records)
        failed = sum(extraction.failed for extraction in extractions)
        self.guessed += failed
        guesses = self._guess(records) if failed else extractions
        return [
            guess if extraction.failed else extraction
            for extraction, guess in zip(extractions, guesses, strict=True)
        ]
