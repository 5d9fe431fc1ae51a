"""Responses of any language model to questions: a file of questions in, an input of `extract-check` out."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..io import dump, format_of, read_items, to_record
from ..llms.prompt import prompt
from ..types import Record
from .ask import prompt_stage
from .folder import read_answers, write_whole
from .runner import Ran, Told, run_stage
from .types import Answers, Ask, Task

CLOSED_BOOK, OPEN_BOOK = "respond_question", "respond_references"
RESPONSE_TOKENS = 512


def versions() -> list[str]:
    """The versions of the prompts that questions are asked with."""
    return [prompt(name).version for name in (CLOSED_BOOK, OPEN_BOOK)]


def question_task(
    key: str, question: str, references: Sequence[str], max_tokens: int = RESPONSE_TOKENS
) -> Task:
    """The question as a prompt, with the passages to answer from where there are any."""
    form = prompt(OPEN_BOOK if references else CLOSED_BOOK)
    passages = "\n\n".join(f"Passage {place}: {text}" for place, text in enumerate(references, start=1))
    user = form.user.substitute(question=question, references=passages)
    return Task(key, {"system": form.system, "user": user, "max_tokens": max_tokens})


def collect(options: argparse.Namespace, ask: Ask, progress: Told) -> int:
    """Write a response to each question of `--input_path`; how many could not be had.

    What is answered is kept beside the output in OUTPUT.journal, so the same command goes on. It is removed
    when every question has a response.
    """
    records = _questions(options.input_path, options.limit)
    output = Path(options.output_path)
    journal = output.with_name(output.name + ".journal")
    if options.dry_run:
        with tempfile.TemporaryDirectory(prefix="refchecker-") as folder:
            trial = Path(folder, journal.name)
            if journal.exists():
                shutil.copy(journal, trial)
            _asked(options, records, ask, trial, progress)
        return 0
    ran = _asked(options, records, ask, journal, progress)
    answers = read_answers(journal)
    lines = []
    for place, record in enumerate(records):
        answer = answers[str(place)]
        line: dict[str, Any] = {
            **record.extra,
            "model": ask.signature,
            "response": answer.value.get("reply", ""),
        }
        lines.append(dump(line | ({"response_note": answer.fault} if answer.fault else {})) + b"\n")
    write_whole(output, b"".join(lines))
    if not ran.failed:
        journal.unlink()
    return ran.failed


def _asked(
    options: argparse.Namespace, records: Sequence[Record], ask: Ask, journal: Path, progress: Told
) -> Ran:
    """Ask what the journal has no answer to."""

    def tasks(answers: Answers) -> Iterator[Task]:
        for place, record in enumerate(records):
            references = [] if options.closed_book else [passage.text for passage in record.references]
            yield question_task(str(place), record.question, references, options.max_new_tokens)

    stage = prompt_stage("collect", ask, tasks, prompts=versions())
    settings = {"stage": stage.name, "signature": stage.signature, "version": __version__}
    return run_stage(stage, journal, settings, {}, options.retry_failed, options.restart, progress)


def _questions(path: str, limit: int | None) -> list[Record]:
    fmt = format_of(path, None)
    if fmt == "csv":
        raise UsageError(f"{path}: questions are read from JSON or JSON Lines.")
    records = []
    try:
        with open(path, "rb") as stream:
            for place, item in enumerate(read_items(stream, path, fmt)):
                if limit is not None and place >= limit:
                    break
                asked = {**item.value, "response": ""} if isinstance(item.value, dict) else item.value
                record = to_record(item._replace(value=asked), path, place)
                if record.fault or not record.question.strip():
                    raise UsageError(
                        record.fault
                        or f"{path} line {item.line}: no question. Each record needs a "
                        f'"question"; found {json.dumps(item.value)[:80]}'
                    )
                records.append(record)
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}. Check --input_path.") from error
    return records
