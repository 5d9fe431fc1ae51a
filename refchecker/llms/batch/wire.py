"""The batch APIs of OpenAI (files and batches) and Anthropic (message batches), as one seam."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from ...errors import LLMError, UsageError
from ..providers import Chat, anthropic, failure_of, openai, sort
from ..types import Provider, Refused, Reply, RetryLater, RunEnds

Outcome = Reply | LLMError | RunEnds
CLOCK_SECONDS = 300  # by how much a provider's clock may differ from ours

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, slots=True)
class State:
    """How far a batch is."""

    status: str
    done: int
    total: int
    ended: bool


class Batches(Protocol):
    """One provider's batches. `lines` are pairs of an id of our own and the body of a request."""

    async def create(self, tag: str, lines: Sequence[tuple[str, Mapping[str, Any]]]) -> str: ...

    async def find(self, tag: str, count: int, since: float, known: frozenset[str]) -> str | None: ...

    async def state(self, batch_id: str) -> State:
        """How far it is. Raises `Refused` where nothing will come of it."""
        ...

    def outcomes(self, batch_id: str) -> AsyncIterator[tuple[str, Outcome]]: ...


def batches_of(provider: Provider) -> tuple[Chat, Batches]:
    """The batches of a provider that has them."""
    if isinstance(provider, Chat):
        if provider.wire.path == openai.PATH:
            return provider, OpenAIBatches(provider)
        if provider.wire.path == anthropic.PATH:
            return provider, AnthropicBatches(provider)
    raise UsageError(
        f"--provider_batch: {provider.signature} has no batch API that is known here; "
        "models of OpenAI and Anthropic have one. Leave it out."
    )


class OpenAIBatches:
    """A file of requests, a batch over it, a file of answers and one of errors."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def create(self, tag: str, lines: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        url = f"/v1{openai.PATH}"
        text = "".join(
            json.dumps({"custom_id": key, "method": "POST", "url": url, "body": body}) + "\n"
            for key, body in lines
        )
        client = self._chat.client
        with self._chat.sorted_errors():
            file = await client.files.create(file=(f"{tag}.jsonl", text.encode()), purpose="batch")
            batch = await client.batches.create(
                input_file_id=file.id,
                endpoint=url,
                completion_window="24h",
                metadata={"refchecker": tag},
            )
        return str(batch.id)

    async def find(self, tag: str, count: int, since: float, known: frozenset[str]) -> str | None:
        with self._chat.sorted_errors():
            async for batch in self._chat.client.batches.list(limit=100):
                if batch.created_at < since - CLOCK_SECONDS:
                    break
                if (batch.metadata or {}).get("refchecker") == tag:
                    return str(batch.id)
        return None

    async def state(self, batch_id: str) -> State:
        with self._chat.sorted_errors(), _known(self._chat):
            batch = await self._chat.client.batches.retrieve(batch_id)
        if batch.status == "failed":
            errors = batch.errors.data if batch.errors and batch.errors.data else []
            raise Refused(
                "; ".join(error.message or "" for error in errors[:3]) or "it failed, for no given reason"
            )
        counts = batch.request_counts
        done, total = (counts.completed + counts.failed, counts.total) if counts else (0, 0)
        return State(batch.status, done, total, batch.status in ("completed", "expired", "cancelled"))

    async def outcomes(self, batch_id: str) -> AsyncIterator[tuple[str, Outcome]]:
        client = self._chat.client
        with self._chat.sorted_errors():
            batch = await client.batches.retrieve(batch_id)
            files = [name for name in (batch.output_file_id, batch.error_file_id) if name]
            texts = [(await client.files.content(name)).text for name in files]
            answers = [json.loads(line) for text in texts for line in text.splitlines() if line]
        for answer in answers:
            response = answer.get("response") or {}
            body, status = response.get("body"), response.get("status_code")
            if status == 200:
                yield answer["custom_id"], _reply(self._chat, body)
            else:
                failure = failure_of(status or 500, {}, body or {"error": answer.get("error")}, "no answer")
                yield answer["custom_id"], sort(failure, self._chat.endpoint)


class AnthropicBatches:
    """A batch made and read in one request each."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._api = chat.client.messages.batches

    async def create(self, tag: str, lines: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        with self._chat.sorted_errors():
            batch = await self._api.create(
                requests=[{"custom_id": key, "params": body} for key, body in lines]
            )
        return str(batch.id)

    async def find(self, tag: str, count: int, since: float, known: frozenset[str]) -> str | None:
        """It has no name of ours: the one batch since then that is as large, and none of those known."""
        found = []
        with self._chat.sorted_errors():
            async for batch in self._api.list(limit=100):
                if batch.created_at.timestamp() < since - CLOCK_SECONDS:
                    break
                if batch.id not in known and _total(batch.request_counts) == count:
                    found.append(str(batch.id))
        return found[0] if len(found) == 1 else None

    async def state(self, batch_id: str) -> State:
        with self._chat.sorted_errors(), _known(self._chat):
            batch = await self._api.retrieve(batch_id)
        total = _total(batch.request_counts)
        done = total - batch.request_counts.processing
        return State(batch.processing_status, done, total, batch.processing_status == "ended")

    async def outcomes(self, batch_id: str) -> AsyncIterator[tuple[str, Outcome]]:
        with self._chat.sorted_errors():
            entries = [entry async for entry in await self._api.results(batch_id)]
        for entry in entries:
            if entry.result.type == "succeeded":
                yield entry.custom_id, _reply(self._chat, entry.result.message.model_dump(mode="json"))
            elif entry.result.type == "errored":
                error = entry.result.error.error
                failure = failure_of(_STATUS.get(error.type, 500), {}, error.model_dump(), error.message)
                yield entry.custom_id, sort(failure, self._chat.endpoint)


@contextmanager
def _known(chat: Chat) -> Iterator[None]:
    try:
        yield
    except chat.module.NotFoundError:
        raise Refused("the provider does not know it any more, or this key may not see it") from None


def _reply(chat: Chat, body: object) -> Outcome:
    try:
        return chat.reply(body)
    except (RetryLater, Refused) as error:
        return error


def _total(counts: Any) -> int:
    return sum((counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired))
