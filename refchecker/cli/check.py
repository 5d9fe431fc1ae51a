"""extract, check and extract-check: a file of responses in, the same with verdicts out."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from ..io import Tally, to_item
from ..pipeline import run as run_pipeline
from ..protocols import optional_parts
from ..registry import find
from . import components, options, runs
from .options import CHECKER, EXTRACTOR, FILES, LLM, RETRIEVER

ABOUT = {
    "extract": "Extract claim triplets from the responses.",
    "check": "Check triplets that the input already has against its references.",
    "extract-check": "Extract claim triplets and check them against the references.",
}

GROUPS: dict[str, options.Groups] = {
    "extract": FILES | EXTRACTOR | LLM,
    "check": FILES | CHECKER | RETRIEVER | LLM,
    "extract-check": FILES | EXTRACTOR | CHECKER | RETRIEVER | LLM,
}

EXAMPLES = """examples:
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
  refchecker-cli extract-check --input_path r.json --output_path v.json --corpus texts/
      references from your own files for the records that have none, without key or network
  refchecker-cli extract-check --input_path r.json --output_path v.json --use_retriever \\
      --retriever_name google --serper_api_key serper.txt
      references from the web, by Serper's Google search
  cat r.jsonl | refchecker-cli extract-check --input_path - --output_path - > v.jsonl
      as part of a shell pipe"""

EXIT_CODES = """A run that was stopped goes on where it was when the same command is given again.
Exit codes: 0 all judged, 1 --fail_on hit, 2 usage, 3 some records failed, 130 interrupted."""


def add(commands: Any) -> None:
    """The three sub-commands."""
    for command, text in ABOUT.items():
        options.add_command(commands, command, text, f"{EXAMPLES}\n\n{EXIT_CODES}", GROUPS[command])


def run(parsed: argparse.Namespace) -> int:
    """Run one of the three; the exit code."""
    file_run = runs.begun(parsed)
    clients, language = file_run.clients, file_run.running.language
    extracting, checking = parsed.command != "check", parsed.command != "extract"
    extraction = options.read(options.ExtractorOptions, parsed)
    check = options.read(options.CheckerOptions, parsed)
    verdict = options.read(options.VerdictOptions, parsed)
    retrieval = options.read(options.RetrieverOptions, parsed)
    extractor = components.extractor_of(extraction, clients, language) if extracting else None
    checker = retriever = localizer = None
    if checking:
        web, tell = options.read(options.WebOptions, parsed), file_run.progress.tell
        checker = components.checker_of(check, clients, language)
        retriever = components.retriever_of(retrieval, web, clients, tell, language, check.device)
        localizer = components.localizer_of(verdict.localize, checker, clients, language, check.device)
    guessing = runs.Guessing(extractor, language) if extractor and clients.llm.dry_run else None
    settings: dict[str, Any] = {}
    if extracting:
        settings["extractor"] = optional_parts(extractor, extraction.extractor_name).signature
        settings["claim_format"] = extraction.claim_format
    if checking:
        settings |= {
            "checker": optional_parts(checker, check.checker_name).signature,
            "min_confidence": check.min_confidence,
            "localizer": optional_parts(localizer, "none").signature,
            "merge": verdict.merge,
            "aggregator": verdict.aggregator_name,
        }
    if retriever:
        settings["retriever"] = optional_parts(retriever, retrieval.retriever_name or "").signature
    soft = not checking or verdict.aggregator_name == "soft"
    session = file_run.session(settings, partial(to_item, soft=soft, checked=checking))
    pipeline = partial(
        run_pipeline,
        extract=guessing or extractor,
        check=checker,
        retrieve=retriever,
        locate=localizer,
        merge=find("merge", verdict.merge),
        aggregate=find("aggregator", verdict.aggregator_name),
        extract_batch=extraction.batch_size_extractor,
        check_batch=check.batch_size_checker,
        min_confidence=check.min_confidence,
        in_flight=file_run.in_flight,
    )
    if clients.llm.dry_run:
        print("\n".join(runs.dry_run(session, pipeline, clients.ledger, guessing)), file=sys.stderr)
        return 0
    parts = extractor, checker, retriever, localizer
    tally = runs.carry_out(file_run, session, pipeline, parts, partial(Tally.text, checked=checking))
    if checking and tally.hits(verdict.fail_on):
        return 1
    return 3 if tally.statuses["failed"] else 0
