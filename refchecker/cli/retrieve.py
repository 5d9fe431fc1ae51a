"""retrieve: a file of records in, the same with the references that were found for them out."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..io import Tally, to_referenced_item
from ..pipeline import run as run_pipeline
from ..protocols import optional_parts
from ..types import Extraction, Record
from . import components, options, runs

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
    about = "Find references for the records that have none."
    groups = options.FILES | options.RETRIEVER | options.LLM
    options.add_command(commands, "retrieve", about, EXAMPLES, groups, without=["use_retriever"])


def run(parsed: argparse.Namespace) -> int:
    """Retrieve; the exit code."""
    file_run = runs.begun(parsed, batches=False)  # a search waits for what was found before it
    retrieval = replace(options.read(options.RetrieverOptions, parsed), use_retriever=True)
    web = options.read(options.WebOptions, parsed)
    retriever = components.retriever_of(
        retrieval, web, file_run.clients, file_run.progress.tell, file_run.running.language
    )
    signature = optional_parts(retriever, retrieval.retriever_name or "").signature
    session = file_run.session({"retriever": signature}, to_referenced_item)
    pipeline = partial(run_pipeline, extract=_no_claims, retrieve=retriever, in_flight=file_run.in_flight)
    tally = runs.carry_out(file_run, session, pipeline, [retriever], _summary)
    return 3 if tally.statuses["failed"] else 0


def _no_claims(records: Sequence[Record]) -> list[Extraction]:
    return [Extraction(())] * len(records)


def _summary(tally: Tally) -> str:
    lines = [f"records  {tally.records}, {tally.statuses['ok']} of them with references"]
    return "\n".join([*lines, *(f"  failed: {failure}" for failure in tally.failures)])
