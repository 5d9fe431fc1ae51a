"""The nouns of talking to a language model: a `Request`, its `Reply`, and what can go wrong.

A provider is anything with `async def send(request) -> Reply` that makes one attempt; policy and cache are
wrapped around it by `llms.load` and give the same seam, `Client.ask`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ..errors import LLMError, UsageError

Stop = Literal["end", "length", "filter"]


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model. Everything here, the model and its parameters are the key of the cache."""

    system: str
    user: str
    max_tokens: int
    schema: Mapping[str, Any] | None = None  # the JSON schema of the answer, where one is wanted
    schema_name: str = "answer"
    temperature: float | None = 0.0  # None: the model's own
    logprobs: int = 0  # alternatives per token wanted, where the provider tells them
    sample: int = 0  # which repeat of the same question this is; each repeat is an answer of its own
    prompt: str = ""  # name and version of the prompt file that it was filled from


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. Token counts are the provider's own, None where it does not tell."""

    text: str
    stop: Stop = "end"
    input_tokens: int | None = None
    output_tokens: int | None = None
    logprobs: tuple[
        tuple[str, Mapping[str, float]], ...
    ] = ()  # per token: itself, alternatives with log-probability
    cached: bool = False
    model: str = ""  # the model that answered, as the provider names it


class Provider(Protocol):
    """One attempt at one request. Raises `RetryLater` or one of the final errors below."""

    signature: str

    async def send(self, request: Request, /) -> Reply: ...

    async def close(self) -> None: ...


Accept = Callable[[Reply], bool]


class Client(Protocol):
    """A provider behind policy and cache: what extractors and checkers ask, made by `llms.load`.

    A reply that `accept` turns down (it could not be read) is returned all the same but is not
    kept, so that it is not replayed for ever; asking the same request again asks the model.
    `GaveUp` and `Refused` concern this request alone: catch them, and say why in the note.
    `RunEnds` is not yours to catch. Run coroutines with `loop.run` (waits for the result) and
    `loop.submit` (gives a `concurrent.futures.Future`, which is what `begin` returns).
    """

    signature: str

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens. `prices.price_of(name) -> Price | None` knows the current ones."""

    input: float
    output: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is known of a failed attempt: for the log, the report and the wait."""

    cause: str  # rate_limit, overloaded, timeout, connection, server, unreadable
    message: str
    retry_after_seconds: float | None = None
    status: int | None = None


class RetryLater(LLMError):
    """This attempt failed in a way that another may not."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(f"{attempt.cause}: {attempt.message}")
        self.attempt = attempt


class GaveUp(LLMError):
    """Every attempt that was allowed has failed; the request alone is lost, the run goes on."""


class Refused(LLMError):
    """This one request can never be answered: too long for the model, filtered, malformed."""


class RunEnds(UsageError):
    """No request of this run can be answered: wrong key, unknown model, no network, budget spent."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run has asked for, in total."""

    requests: int = 0
    cached: int = 0
    retries: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0  # None: a price is not known
    causes: Mapping[str, int] = field(default_factory=dict)  # of failed attempts
