"""Stages that ask: a language model, or the checking pipeline."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..aggregate import Merge, any_support
from ..errors import LLMError, RefCheckerError, UsageError
from ..llms import loop
from ..llms.prompt import prompt
from ..llms.types import Client, Reply, Request
from ..pipeline import run
from ..pipeline.faults import error_note
from ..protocols import LLM, Checker, Extractor, optional_parts
from ..types import Claim, Passage, Record, Report
from .types import Answer, Answers, Ask, Stage, Task

MAX_TOKENS = 256
AHEAD = 128  # requests that are begun before the first of them is answered
TOGETHER = 32  # requests that a model of this process gets at once

Tasks = Callable[[Answers], Iterable[Task]]


@dataclass(frozen=True)
class ClientAsk:
    """An `Ask` on a client of `refchecker.llms`: behind its policy, its cache and its budget."""

    client: Client

    @property
    def signature(self) -> str:
        return self.client.signature

    def __call__(self, requests: Sequence[Request], /) -> list[Reply | LLMError]:
        return [reply_of(future) for future in [self.begin(request) for request in requests]]

    def begin(self, request: Request) -> Future[Reply]:
        """The reply, without waiting for it."""
        return loop.submit(self.client.ask(request))


@dataclass(frozen=True)
class FunctionAsk:
    """An `Ask` on a function from prompts to replies, such as a decoder of your own.

    The system part and the user part are joined.
    """

    function: LLM
    signature: str

    def __call__(self, requests: Sequence[Request], /) -> list[Reply | LLMError]:
        prompts = [f"{request.system}\n\n{request.user}".strip() for request in requests]
        try:
            replies = self.function(prompts)
        except RefCheckerError:
            raise
        except Exception as error:
            return [LLMError(error_note(error)) for _ in prompts]
        if len(replies) != len(prompts):
            return [LLMError(f"{len(replies)} replies to {len(prompts)} prompts") for _ in prompts]
        return [Reply(reply) for reply in replies]


def replies_to(ask: Ask, name: str, fills: Sequence[Mapping[str, Any]], max_tokens: int) -> list[str | None]:
    """The reply to a prompt, filled in each of these ways; None where there is none."""
    form = prompt(name)
    requests = [Request(form.system, form.user.substitute(fill), max_tokens) for fill in fills]
    return [None if isinstance(reply, LLMError) else reply.text for reply in ask(requests)]


def reply_of(future: Future[Reply]) -> Reply | LLMError:
    """The reply, or the error of this request alone. What ends the run is raised."""
    try:
        return future.result()
    except LLMError as error:
        return error


def prompt_stage(name: str, ask: Ask, tasks: Tasks, *, prompts: Sequence[str] = ()) -> Stage:
    """Prompts to a model.

    A task asks {"user", "system", "max_tokens", "temperature", "sample"}, of which only "user" must be there.
    The answer is {"reply", "stop"}. `prompts` are the versions of the prompt files the tasks are made of.
    """
    versions = ",".join(sorted(prompts))
    signature = f"llm:{ask.signature}" + (f"|prompts:{versions}" if versions else "")

    def answer(tasks: Iterable[Task]) -> Iterator[Answer]:
        for outcome in _replies(ask, map(request_of, tasks)):
            if isinstance(outcome, LLMError):
                yield Answer(fault=str(outcome))
            else:
                yield Answer({"reply": outcome.text, "stop": outcome.stop})

    return Stage(name, signature, tasks, answer)


def _replies(ask: Ask, requests: Iterator[Request]) -> Iterator[Reply | LLMError]:
    """One outcome per request, in order. A client is kept AHEAD requests busy, a function gets batches."""
    if not isinstance(ask, ClientAsk):
        while batch := list(islice(requests, TOGETHER)):
            yield from ask(batch)
        return
    waiting: deque[Future[Reply]] = deque()
    try:
        for request in requests:
            waiting.append(ask.begin(request))
            if len(waiting) > AHEAD:
                yield reply_of(waiting.popleft())
        while waiting:
            yield reply_of(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def request_of(task: Task) -> Request:
    ask = task.ask
    if not isinstance(ask.get("user"), str):
        raise UsageError(f"task {task.key!r} has no prompt: its ask needs a text under 'user'")
    return Request(
        ask.get("system", ""),
        ask["user"],
        ask.get("max_tokens", MAX_TOKENS),
        temperature=ask.get("temperature", 0.0),
        sample=ask.get("sample", 0),
    )


def check_stage(
    name: str,
    check: Checker,
    tasks: Tasks,
    *,
    extract: Extractor | None = None,
    merge: Merge = any_support,
) -> Stage:
    """Claims against references, through the pipeline.

    A task asks {"response", "question", "references": [text], "claims"}, where each claim is [subject,
    predicate, object] or a sentence; without claims, `extract` finds them in the response. The answer is
    {"claims", "labels", "by_reference", "scores", "notes"}, a line per claim, and "note".
    """
    extractor = f"extract:{optional_parts(extract).signature}|" if extract else ""
    signature = f"{extractor}check:{optional_parts(check).signature}|merge:{merge.__name__}"

    def answer(tasks: Iterable[Task]) -> Iterator[Answer]:
        return map(answer_of, run(map(record_of, tasks), extract=extract, check=check, merge=merge))

    return Stage(name, signature, tasks, answer)


def record_of(task: Task) -> Record:
    ask = task.ask
    claims = ask.get("claims")
    return Record(
        task.key,
        ask.get("response", ""),
        ask.get("question", ""),
        tuple(Passage(text, f"reference{i}") for i, text in enumerate(ask.get("references", ()))),
        None
        if claims is None
        else tuple(Claim(claim) if isinstance(claim, str) else Claim.of_triplet(*claim) for claim in claims),
    )


def answer_of(report: Report) -> Answer:
    """What a sheet needs of a report; where something of it could not be judged, also why."""
    verdicts = report.verdicts
    value = {
        "claims": [list(v.claim.triplet) if v.claim.triplet else v.claim.text for v in verdicts],
        "labels": [v.label.value for v in verdicts],
        "by_reference": [[judgment.label.value for judgment in v.judgments] for v in verdicts],
        "scores": [{label.value: round(p, 4) for label, p in v.scores.items()} for v in verdicts],
        "notes": [v.note or v.unsure for v in verdicts],
        "note": report.note,
    }
    return Answer(value, report.note if report.status in ("failed", "no_reference") else "")
