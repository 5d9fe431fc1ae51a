"""The stages of the LLM mode: a question about a short text, asked in four ways.

Every attempt at an answer is kept, so that one run gives both set-ups: uncontrolled takes the first reply,
whatever it is; controlled takes the first that is a span of the text or an abstention.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from ...errors import LLMError, UsageError
from ...llms.prompt import Prompt, prompt
from ..ask import ClientAsk, prompt_stage, request_of
from ..types import Answer, Answers, Ask, Item, Stage, Task
from .replies import abstains, acceptable, answer_in

PROMPTS = ("basic", "instructed", "two_step", "chain_of_thought")
SETUPS = ("controlled", "uncontrolled")
VERIFY = "verify"
ATTEMPTS = 15
AGAIN = 1.0  # temperature when asked again: at 0 the same reply would come
TOGETHER = 64  # questions that a model of this process gets at once
AT_ONCE = 128  # questions under way; how many requests that is at most, the client's --concurrency says
MAX_TOKENS = {"basic": 64, "instructed": 64, "chain_of_thought": 256}


def stages(items: Sequence[Item], ask: Ask, prompts: Sequence[str], attempts: int) -> list[Stage]:
    """A stage for each kind of prompt. Two-step takes the answers of instructed and asks about them."""
    if attempts < 1:
        raise UsageError(
            f"--attempts {attempts}: at least one is needed. With 1 there is no controlled set-up."
        )
    kinds = [kind for kind in PROMPTS if kind in prompts and kind != "two_step"]
    if "two_step" in prompts and "instructed" not in kinds:
        kinds.append("instructed")
    made = [_question_stage(items, ask, kind, attempts) for kind in kinds]
    return [*made, _verify_stage(items, ask)] if "two_step" in prompts else made


def _question_stage(items: Sequence[Item], ask: Ask, kind: str, attempts: int) -> Stage:
    form = prompt(f"imaginary_{kind}")

    def tasks(answers: Answers) -> Iterator[Task]:
        for item in items:
            asked = _filled(form, item) | {"max_tokens": MAX_TOKENS[kind], "context": item.fields["context"]}
            yield Task(item.id, asked)

    def answer(asked: Iterable[Task]) -> Iterator[Answer]:
        attempt = partial(_attempted, ask=ask, attempts=attempts, reasoned=reasons(kind))
        return _overlapped(attempt, asked) if isinstance(ask, ClientAsk) else _batched(attempt, asked)

    signature = f"llm:{ask.signature}|prompts:{form.version}|attempts:{attempts}"
    return Stage(kind, signature, tasks, answer)


def reasons(kind: str) -> bool:
    """Whether replies to that kind of prompt think aloud before they answer."""
    return kind == "chain_of_thought"


Attempted = Callable[[Sequence[Task], threading.Event], list[Answer]]


def _batched(attempt: Attempted, asked: Iterable[Task]) -> Iterator[Answer]:
    """For a model of this process: the open questions of a batch go to it together."""
    waiting = iter(asked)
    while batch := list(islice(waiting, TOGETHER)):
        yield from attempt(batch, threading.Event())


def _overlapped(attempt: Attempted, asked: Iterable[Task]) -> Iterator[Answer]:
    """For a client: each question goes through its attempts by itself, so that none waits for another."""
    stopped = threading.Event()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = [pool.submit(attempt, [task], stopped) for task in asked]
        try:
            for future in futures:
                yield from future.result()
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _attempted(
    batch: Sequence[Task], stopped: threading.Event, *, ask: Ask, attempts: int, reasoned: bool
) -> list[Answer]:
    """Each task's replies, up to the first acceptable one; a failed request ends a task with what it has."""
    replies: list[list[str]] = [[] for _ in batch]
    faults = ["" for _ in batch]
    todo = list(range(len(batch)))
    for attempt in range(attempts):
        if not todo or stopped.is_set():
            break
        warmth = AGAIN if attempt else 0.0
        requests = [replace(request_of(batch[at]), sample=attempt, temperature=warmth) for at in todo]
        for at, outcome in zip(todo, ask(requests), strict=True):
            if isinstance(outcome, LLMError):
                faults[at] = str(outcome)
            else:
                replies[at].append(outcome.text)
        todo = [at for at in todo if not faults[at] and not _taken(replies[at][-1], batch[at], reasoned)]
    return [
        Answer({"replies": own, "attempts": attempts}, fault)
        for own, fault in zip(replies, faults, strict=True)
    ]


def _taken(reply: str, task: Task, reasoned: bool) -> bool:
    return acceptable(answer_in(reply, reasoned=reasoned), task.ask["context"])


def final_answer(replies: Sequence[str], setup: str, kind: str, context: str) -> str | None:
    """The answer in a set-up, "" for an abstention; None where the controlled set-up has none (skipped)."""
    if not replies:
        return None
    answer = answer_in(replies[0 if setup == "uncontrolled" else -1], reasoned=reasons(kind))
    if setup == "controlled" and not acceptable(answer, context):
        return None
    return "" if abstains(answer, context) else answer


# -- the second step -----------------------------------------------------------------------------


def _verify_stage(items: Sequence[Item], ask: Ask) -> Stage:
    form = prompt(f"imaginary_{VERIFY}")

    def tasks(answers: Answers) -> Iterator[Task]:
        for item in items:
            given = answers["instructed"].get(item.id)
            replies = given.value.get("replies", []) if given else []
            for answer in answers_to_verify(replies, item.fields["context"]):
                yield Task(verify_key(item, answer), {**_filled(form, item, answer=answer), "max_tokens": 8})

    return prompt_stage(VERIFY, ask, tasks, prompts=[form.version])


def answers_to_verify(replies: Sequence[str], context: str) -> list[str]:
    """The answers, of either set-up, that are more than an abstention; each once."""
    found = (final_answer(replies, setup, "instructed", context) for setup in SETUPS)
    return list(dict.fromkeys(answer for answer in found if answer))


def verify_key(item: Item, answer: str) -> str:
    return f"{item.id}: {answer}"


def _filled(form: Prompt, item: Item, **more: str) -> dict[str, Any]:
    fields = item.fields
    user = form.user.substitute(context=fields["context"], question=fields["question"], **more)
    return {"system": form.system, "user": user}
