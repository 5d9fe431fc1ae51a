"""A provider's error, sorted by what the run can do: ask again later, give this request up, or stop.

`sort` is pure, from a `Failure` to the exception to raise; the providers turn what their SDK raises into a
`Failure`. Every message is one line: who, what they said (shortened, without secrets), what to do.
"""

from __future__ import annotations

import json
import re
from asyncio import CancelledError
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...net import shortened
from ..types import Attempt, Refused, RetryLater, RunEnds, Stop

Kind = type[RetryLater] | type[Refused] | type[RunEnds]


@dataclass(frozen=True, slots=True)
class Failure:
    """What a provider answered instead of a reply. No status: it did not answer over HTTP."""

    message: str
    status: int | None = None
    code: str = ""  # the provider's own names for it, in one string
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Whom the requests go to, as a person needs to be told."""

    provider: str
    model: str
    address: str
    key_from: str  # where its key is read from
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def refusal(self, why: str) -> Refused:
        """The error of an answer that is none, and would be none another time."""
        return Refused(f"{self.provider}, model {self.model!r}: {why}")

    def silence(self, stop: Stop) -> Refused | RetryLater:
        """The error of an empty answer; only one that spent its tokens on thinking stays so."""
        if stop == "length":
            return self.refusal(
                "all tokens of the answer went into thinking; "
                "allow more (--extractor_max_new_tokens) or take a model that thinks less"
            )
        return later("unreadable", "an empty answer")

    def answer(self, texts: Iterable[str], tool_inputs: Sequence[Any], reason: Any) -> tuple[str, Stop]:
        """The text of an answer in parts, or the input of the tool it called, and why it ended there."""
        stop: Stop = "length" if reason in ("max_tokens", "model_context_window_exceeded") else "end"
        text = json.dumps(tool_inputs[0], ensure_ascii=False) if tool_inputs else "".join(texts)
        if not text.strip():
            raise self.silence(stop)
        return text, stop


@dataclass(frozen=True, slots=True)
class Rule:
    """Failures whose `status code message` matches the pattern, and what becomes of them."""

    pattern: re.Pattern[str]
    kind: Kind
    cause: str  # of RetryLater: the cause; else: what to do


def _rule(pattern: str, kind: Kind, cause: str) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE | re.DOTALL), kind, cause)


# The first that matches decides. A line starts with the status, then the provider's codes, then its message.
RULES = (
    _rule(
        r"insufficient_quota|billing_(error|hard_limit)|credit balance is too low|^402 ",
        RunEnds,
        "the account has no credit left: add some, or use another key",
    ),
    _rule(r"^408 |ModelTimeout", RetryLater, "timeout"),
    _rule(r"^429 |Throttl|TooManyRequests|ModelNotReady", RetryLater, "rate_limit"),
    _rule(r"^(503|529) |overloaded|ServiceUnavailable", RetryLater, "overloaded"),
    _rule(
        r"context.?(length|window|size|limit)|maximum context|prompt is too long|input is too long"
        r"|exceed_context|reduce the length|^413 ",
        Refused,
        "the text is too long for this model: use one with a larger context",
    ),
    _rule(r"^(5\d\d|409|425|424) |InternalServer|ModelError", RetryLater, "server"),
    _rule(
        r"model_not_found|model.{0,40}(does not exist|not found|not supported|is invalid|not available)"
        r"|(unknown|invalid|no such) model|throughput isn.t supported",
        RunEnds,
        "check the name of the model, and that this key may use it",
    ),
    _rule(
        r"^401 |invalid_api_key|authentication|UnrecognizedClient|InvalidSignature|ExpiredToken",
        RunEnds,
        "the key was refused: check {key_from}",
    ),
    _rule(
        r"^403 |permission|AccessDenied", RunEnds, "this key may not do that: check {key_from} and its rights"
    ),
    _rule(
        r"content.?(filter|policy|management)|safety|moderation|guardrail|blocked by",
        Refused,
        "stopped by the provider's content filter",
    ),
    _rule(
        r"^404 ", RunEnds, "nothing answers there: check the model's name and the api base (most end in /v1)"
    ),
    _rule(r"ServiceQuotaExceeded", RunEnds, "the account's quota is used up: have it raised"),
    _rule(r"^[34]\d\d ", Refused, "the request was not accepted"),
)
UNSORTED = _rule("", RetryLater, "unreadable")


def sort(failure: Failure, endpoint: Endpoint) -> RetryLater | Refused | RunEnds:
    """The exception for a failed attempt, its message ready for a person."""
    line = f"{failure.status or ''} {failure.code} {failure.message}"
    rule = next((rule for rule in RULES if rule.pattern.search(line)), UNSORTED)
    message = shortened(failure.message, endpoint.secrets)
    if rule.kind is RetryLater:
        return later(rule.cause, message, status=failure.status, after=failure.retry_after_seconds)
    status = f" (HTTP {failure.status})" if failure.status else ""
    remedy = rule.cause.format(key_from=endpoint.key_from)
    text = f"{endpoint.provider}, model {endpoint.model!r}{status}: {remedy}. It said: {message or 'nothing'}"
    return Refused(text) if rule.kind is Refused else RunEnds(text)


def later(cause: str, message: str, *, status: int | None = None, after: float | None = None) -> RetryLater:
    """An attempt that may go better another time."""
    return RetryLater(Attempt(cause, message, after, status))


def unreachable(error: BaseException, endpoint: Endpoint, *, answered: bool) -> RetryLater | RunEnds:
    """No connection, or one that broke. Before any answer, an address that nobody answers at ends the run.

    A server that has answered before is away for a moment: that is worth another attempt.
    """
    chain = _believed(error)
    lines = [f"{type(link).__name__} {link}" for link in chain]
    last = next((line for line, link in zip(lines[::-1], chain[::-1], strict=True) if str(link)), lines[-1])
    message = shortened(last, endpoint.secrets)
    no_connection = any(re.search("Connect(ion)?Timeout", line) for line in lines)
    if not answered and (no_connection or any(_NOBODY.search(line) for line in lines)):
        return RunEnds(
            f"{endpoint.provider}: cannot connect to {shortened(endpoint.address)}: {message}. "
            "Check the network, any proxy, and the api base."
        )
    if any(re.search("timeout|timed out", line, re.IGNORECASE) for line in lines):
        return later("timeout", f"{endpoint.provider} did not answer in time")
    return later("connection", message)


_NOBODY = re.compile(
    r"gaierror|ConnectionRefused|connection refused|Name or service not known|name resolution|getaddrinfo|"
    r"unreachable|All connection attempts failed|EndpointConnectionError|CERTIFICATE_VERIFY",
    re.IGNORECASE,
)


def _believed(error: BaseException) -> list[BaseException]:
    """The error and what caused it, down to the first cause.

    Of an error of aiohttp only what aiohttp says: OpenAI's SDK takes every one for a connect timeout.
    """
    chain = list(_chain(error))
    first = next((at for at, link in enumerate(chain) if type(link).__module__.startswith("aiohttp")), 0)
    return chain[first:]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None and not isinstance(error, CancelledError):  # how asyncio makes a timeout
        yield error
        error = error.__cause__ or error.__context__
