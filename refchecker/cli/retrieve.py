"""retrieve: a file of records in, the same with the references that were found for them out."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import __version__
from ..io import Session, Tally, journal_of, to_referenced_item
from ..pipeline import run as run_pipeline
from ..protocols import optional_parts
from ..types import Extraction, Record, Report
from . import llm_options, retriever_options
from .options import DEFAULT, file_options
from .progress import Progress

EXAMPLES = """examples:
  refchecker-cli retrieve --input_path responses.json --output_path referenced.json --corpus documents/
      references from the files of a folder, for the records that have none
  refchecker-cli retrieve --input_path r.jsonl --output_path out.jsonl --corpus rows.jsonl --corpus_field body
      the documents are the rows of a file, their text in the field "body"
  refchecker-cli retrieve --input_path r.jsonl --output_path out.jsonl --serper_api_key serper.txt
      references from the web, by Serper's Google search

Records that have references pass through. The output is an input of check and extract-check.
A run that was stopped goes on where it was when the same command is given again.
Exit codes: 0 done, also where nothing was found, 2 usage, 3 some records failed, 130 interrupted."""


def add(commands: Any) -> None:
    """The sub-command."""
    text = "Find references for the records that have none."
    sub = commands.add_parser(
        "retrieve",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    file_options(sub)
    retriever_options.add_options(sub, always=True)
    llm_options.add_options(sub, ["query"])


def run(options: argparse.Namespace) -> int:
    """Retrieve; the exit code."""
    if not sys.stderr.isatty() and not options.quiet:
        print(f"refchecker {__version__} retrieve {options.input_path}", file=sys.stderr)
    progress = Progress(quiet=options.quiet)
    ledger = llm_options.ledger_of(options, progress.note)
    retriever = retriever_options.retriever_of(options, progress.tell, ledger)
    settings = {
        "version": __version__,
        "command": "retrieve",
        "language": options.language,
        "retriever": optional_parts(retriever, options.retriever_name).signature,
    }
    session = Session(
        options.input_path,
        options.output_path,
        settings,
        input_format=options.format,
        output_format=options.output_format,
        write=to_referenced_item,
        limit=options.limit,
        retry_failed=options.retry_failed,
        restart=options.restart,
        max_record_mb=options.max_record_mb,
        tell=progress.tell,
        progress=progress,
    )
    in_flight = max(DEFAULT["in_flight"], 16 * (options.concurrency or 0))

    def pipeline(records: Iterable[Record]) -> Iterator[Report]:
        return run_pipeline(records, extract=_no_claims, retrieve=retriever, in_flight=in_flight)

    started = time.monotonic()
    try:
        with progress:
            tally = session(pipeline)
        optional_parts(retriever).finish()
    finally:
        optional_parts(retriever).close()
        for line in llm_options.usage_lines(ledger):
            progress.tell(line)
    if not options.quiet:
        _tell(options, retriever, tally, time.monotonic() - started)
    return 3 if tally.statuses["failed"] else 0


def _no_claims(records: Sequence[Record]) -> list[Extraction]:
    return [Extraction(())] * len(records)


def _tell(options: argparse.Namespace, retriever: Any, tally: Tally, seconds: float) -> None:
    print(f"records  {tally.records}, {tally.statuses['ok']} of them with references", file=sys.stderr)
    for failure in tally.failures:
        print(f"  failed: {failure}", file=sys.stderr)
    for line in optional_parts(retriever).remarks():
        print(line, file=sys.stderr)
    place = "" if options.output_path == "-" else f"{options.output_path} written, "
    print(f"{place}{seconds:.1f} s", file=sys.stderr)
    if tally.statuses["failed"] and journal_of(options.output_path).exists():
        print("--retry_failed tries the failed records again.", file=sys.stderr)
