"""extract, check and extract-check: a file of responses in, the same with verdicts out."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from .. import __version__
from ..errors import UsageError
from ..io import Pipeline, Session, Tally, journal_of, to_item
from ..pipeline import run as run_pipeline
from ..protocols import Checker, Extractor, Localizer, Retriever, optional_parts
from ..registry import find, load
from ..types import Record, Report
from . import llm_options, retriever_options
from .options import DEFAULT, checker_options, extractor_options, file_options
from .progress import Progress

ABOUT = {
    "extract": "Extract claim triplets from the responses.",
    "check": "Check triplets that the input already has against its references.",
    "extract-check": "Extract claim triplets and check them against the references.",
}

ROLES = {
    "extract": ["extractor"],
    "check": ["checker", "query"],
    "extract-check": ["extractor", "checker", "query"],
}

EXAMPLES = f"""examples:
  refchecker-cli extract-check --input_path responses.json --output_path verdicts.json
      extract claims from every response and check them, without key or download
  refchecker-cli check --input_path triplets.jsonl --output_path verdicts.jsonl --aggregator_name strict
      check triplets that are already there
  refchecker-cli extract-check --input_path r.json --output_path v.json --fail_on contradiction,conflict
      exit with 1 if anything is contradicted (for CI)
  refchecker-cli check --input_path t.json --output_path v.json --checker_name nli:path/to/model --device cuda
      a Hugging Face NLI model, by name or folder, on a GPU
  refchecker-cli check --input_path t.json --output_path v.json --checker_name cascade:rules,embedded,nli:M
      ask the large model only what the embedded one is unsure of
{retriever_options.EXAMPLES}
  cat r.jsonl | refchecker-cli extract-check --input_path - --output_path - > v.jsonl
      as part of a shell pipe"""

EXIT_CODES = """A run that was stopped goes on where it was when the same command is given again.
Exit codes: 0 all judged, 1 --fail_on hit, 2 usage, 3 some records failed, 130 interrupted."""


def add(commands: Any) -> None:
    """The three sub-commands."""
    for command, text in ABOUT.items():
        sub = commands.add_parser(
            command,
            help=text,
            description=text,
            epilog=f"{EXAMPLES}\n\n{EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        file_options(sub)
        if command != "check":
            extractor_options(sub)
        if command != "extract":
            checker_options(sub)
            retriever_options.add_options(sub)
        llm_options.add_options(sub, ROLES[command])


class _Parts(NamedTuple):
    """The components of one run; None where the command does not do that."""

    extractor: Extractor | None
    checker: Checker | None
    retriever: Retriever | None = None
    localizer: Localizer | None = None


def run(options: argparse.Namespace) -> int:
    """Run one of the three; the exit code."""
    if not sys.stderr.isatty() and not options.quiet:
        print(f"refchecker {__version__} {options.command} {options.input_path}", file=sys.stderr)
    progress = Progress(quiet=options.quiet)
    ledger = llm_options.ledger_of(options, progress.note)
    batching = llm_options.batching_of(options, progress.tell)
    checking = options.command != "extract"
    parts = _Parts(
        _extractor(options, ledger, batching) if options.command != "check" else None,
        _checker(options, ledger, batching) if checking else None,
        retriever_options.retriever_of(options, progress.tell, ledger, batching) if checking else None,
    )
    if checking:
        parts = parts._replace(localizer=_localizer(options, parts.checker))
    guessing = (
        llm_options.Guessing(parts.extractor, options.language)
        if parts.extractor and options.dry_run
        else None
    )
    pipeline = _pipeline(options, parts._replace(extractor=guessing or parts.extractor))
    session = _session(options, parts, progress)
    if options.dry_run:
        print("\n".join(llm_options.dry_run(session, pipeline, ledger, guessing)), file=sys.stderr)
        return 0
    started = time.monotonic()
    try:
        if batching:
            llm_options.ask_in_batches(session, pipeline, batching)
        with progress:
            tally = session(pipeline)
        optional_parts(parts.retriever).finish()
    finally:
        optional_parts(parts.retriever).close()
        for line in llm_options.usage_lines(ledger):
            progress.tell(line)
    if not options.quiet:
        _tell(options, parts, tally, time.monotonic() - started)
    if parts.checker and tally.hits(options.fail_on):
        return 1
    return 3 if tally.statuses["failed"] else 0


def _tell(options: argparse.Namespace, parts: _Parts, tally: Tally, seconds: float) -> None:
    """The summary, and what the components have to say about the run."""
    print(tally.text(checked=parts.checker is not None), file=sys.stderr)
    for component in parts:
        for line in optional_parts(component).remarks():
            print(line, file=sys.stderr)
    place = "" if options.output_path == "-" else f"{options.output_path} written, "
    print(f"{place}{seconds:.1f} s", file=sys.stderr)
    if tally.statuses["failed"] and journal_of(options.output_path).exists():
        print("--retry_failed tries the failed records again.", file=sys.stderr)


def _pipeline(options: argparse.Namespace, parts: _Parts) -> Pipeline:
    rules: dict[str, Any] = {"in_flight": max(DEFAULT["in_flight"], 16 * (options.concurrency or 0))}
    if parts.checker:
        rules |= {
            "merge": find("merge", options.merge),
            "aggregate": find("aggregator", options.aggregator_name),
            "check_batch": options.batch_size_checker,
            "min_confidence": options.min_confidence,
            "locate": parts.localizer,
        }
    if parts.extractor:
        rules["extract_batch"] = options.batch_size_extractor

    def pipeline(records: Iterable[Record]) -> Iterator[Report]:
        return run_pipeline(
            records, extract=parts.extractor, check=parts.checker, retrieve=parts.retriever, **rules
        )

    return pipeline


def _session(options: argparse.Namespace, parts: _Parts, progress: Progress) -> Session:
    settings: dict[str, Any] = {
        "version": __version__,
        "command": options.command,
        "language": options.language,
    }
    if parts.extractor:
        settings["extractor"] = optional_parts(parts.extractor, options.extractor_name).signature
        settings["claim_format"] = options.claim_format
    if parts.checker:
        settings |= {
            "checker": optional_parts(parts.checker, options.checker_name).signature,
            "min_confidence": options.min_confidence,
            "localizer": optional_parts(parts.localizer, "none").signature,
            "merge": options.merge,
            "aggregator": options.aggregator_name,
        }
    if parts.retriever:
        settings["retriever"] = optional_parts(parts.retriever, options.retriever_name).signature
    return Session(
        options.input_path,
        options.output_path,
        settings,
        input_format=options.format,
        output_format=options.output_format,
        write=partial(
            to_item,
            soft=not parts.checker or options.aggregator_name == "soft",
            checked=parts.checker is not None,
        ),
        limit=options.limit,
        retry_failed=options.retry_failed,
        restart=options.restart,
        max_record_mb=options.max_record_mb,
        tell=progress.tell,
        progress=progress,
    )


def _checker(options: argparse.Namespace, ledger: Any, batching: Any) -> Any:
    return load(
        "checker",
        options.checker_name,
        device=options.device,
        language=options.language,
        threads=options.concurrency,
        cascade_confidence=options.cascade_confidence,
        claims_per_prompt=options.claims_per_prompt,
        votes=options.llm_votes,
        reasons=options.reasons,
        quotes=options.quotes,
        **llm_options.client_options(options, "checker", ledger, batching),
    )


def _localizer(options: argparse.Namespace, checker: Checker | None) -> Any:
    return load(
        "localizer",
        options.localize,
        check=checker,
        device=options.device,
        language=options.language,
        threads=options.concurrency,
        cache_dir=options.cache_dir,
    )


def _extractor(options: argparse.Namespace, ledger: Any, batching: Any) -> Any:
    """The embedded extractor reads English trees; other languages have sentence claims."""
    name, claim_format = options.extractor_name, options.claim_format
    embedded = name.partition(":")[0] == "spacy"
    if embedded and options.language != "en":
        if claim_format == "triplet":
            raise UsageError(
                f"the spacy extractor makes triplets of English only, not of {options.language!r}. "
                "Use --claim_format sentence."
            )
        claim_format = "sentence"
    if embedded and claim_format == "subsentence":
        raise UsageError("parts of sentences as claims need a language model: --extractor_name llm:MODEL")
    if embedded and claim_format == "sentence":
        name = "sentence"
    clients = llm_options.client_options(options, "extractor", ledger, batching)
    return load("extractor", name, claim_format=claim_format, language=options.language, **clients)
