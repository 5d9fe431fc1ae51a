"""Responses of any language model to questions: a file of questions in, an input of `extract-check` out."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import UsageError
from ..io import dump, format_of, read_items, to_record
from ..llms.prompt import prompt
from ..protocols import REQUIRED, option
from ..types import Record
from .ask import prompt_stage
from .folder import read_answers, write_whole
from .runner import Resuming, Told, run_stage
from .types import Answers, Ask, Task

CLOSED_BOOK, OPEN_BOOK = "respond_question", "respond_references"
RESPONSE_TOKENS = 512


@dataclass(frozen=True, kw_only=True)
class CollectOptions:
    """Which questions, and where the responses go."""

    input_path: str = option(REQUIRED, "JSON, JSON Lines or CSV with a question per record", "FILE")
    output_path: str = option(REQUIRED, "JSON Lines, input of extract-check", "FILE")
    closed_book: bool = option(False, "do not show the model the references")
    max_new_tokens: int = option(RESPONSE_TOKENS, "of a response (%(default)s)", least=1)


def versions() -> list[str]:
    """The versions of the prompts that questions are asked with."""
    return [prompt(name).version for name in (CLOSED_BOOK, OPEN_BOOK)]


def question_task(
    key: str, question: str, references: Sequence[str], max_tokens: int = RESPONSE_TOKENS
) -> Task:
    """The question as a prompt, with the passages to answer from where there are any."""
    form = prompt(OPEN_BOOK if references else CLOSED_BOOK)
    passages = "\n\n".join(f"Passage {number}: {text}" for number, text in enumerate(references, start=1))
    user = form.user.substitute(question=question, references=passages)
    return Task(key, {"system": form.system, "user": user, "max_tokens": max_tokens})


def collect(
    options: CollectOptions, resuming: Resuming, ask: Ask, progress: Told, *, dry_run: bool = False
) -> int:
    """Write a response to each question; how many could not be had.

    What is answered is kept beside the output in OUTPUT.journal, so the same call goes on. It is removed
    when every question has a response.
    """
    records = _questions(options.input_path, resuming.limit)
    stage = prompt_stage("collect", ask, partial(_tasks, options, records), prompts=versions())
    settings = {"stage": stage.name, "signature": stage.signature, "version": __version__}
    output = Path(options.output_path)
    journal = output.with_name(output.name + ".journal")
    if dry_run:
        with tempfile.TemporaryDirectory(prefix="refchecker-") as folder:
            trial = Path(folder, journal.name)
            if journal.exists():
                shutil.copy(journal, trial)
            run_stage(stage, trial, settings, {}, resuming, progress)
        return 0
    ran = run_stage(stage, journal, settings, {}, resuming, progress)
    answers = read_answers(journal)
    lines = []
    for position, record in enumerate(records):
        answer = answers[str(position)]
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


def _tasks(options: CollectOptions, records: Sequence[Record], answers: Answers) -> Iterator[Task]:
    for position, record in enumerate(records):
        references = [] if options.closed_book else [passage.text for passage in record.references]
        yield question_task(str(position), record.question, references, options.max_new_tokens)


def _questions(path: str, limit: int | None) -> list[Record]:
    fmt = format_of(path, None)
    if fmt == "csv":
        raise UsageError(f"{path}: questions are read from JSON or JSON Lines.")
    records = []
    try:
        with open(path, "rb") as stream:
            for position, item in enumerate(read_items(stream, path, fmt)):
                if limit is not None and position >= limit:
                    break
                value = {**item.value, "response": ""} if isinstance(item.value, dict) else item.value
                record = to_record(item._replace(value=value), path, position)
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
