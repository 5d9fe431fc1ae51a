"""A provider's error, sorted by what the run can do: ask again later, give this request up, or stop.

`sort` is pure, from a `Failure` to the exception to raise; the providers turn what their SDK raises into a
`Failure`. Every message is one line: who, what they said (shortened, without secrets), what to do.
"""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Iterator
from dataclasses import dataclass

from ...net import shortened
from ..types import Attempt, Refused, RetryLater, RunEnds


@dataclass(frozen=True, slots=True)
class Failure:
    """What a provider answered instead of a reply. No status: it did not answer over HTTP."""

    message: str
    status: int | None = None
    code: str = ""  # the provider's own names for it, in one string
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Whom the requests go to, as a person needs to be told."""

    provider: str
    model: str
    address: str
    key_from: str  # where its key is read from
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Place({self.provider!r}, {self.model!r}, {self.address!r})"


@dataclass(frozen=True, slots=True)
class Rule:
    """Failures whose `status code message` matches the pattern, and what becomes of them."""

    pattern: re.Pattern[str]
    kind: type[RetryLater] | type[Refused] | type[RunEnds]
    cause: str  # of RetryLater: the cause; else: what to do


def _rule(pattern: str, kind: type[RetryLater] | type[Refused] | type[RunEnds], cause: str) -> Rule:
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


def sort(failure: Failure, place: Place) -> RetryLater | Refused | RunEnds:
    """The exception for a failed attempt, its message ready for a person."""
    line = f"{failure.status or ''} {failure.code} {failure.message}"
    rule = next((rule for rule in RULES if rule.pattern.search(line)), UNSORTED)
    said = shortened(failure.message, place.secrets)
    if rule.kind is RetryLater:
        return later(rule.cause, said, status=failure.status, after=failure.retry_after_seconds)
    status = f" (HTTP {failure.status})" if failure.status else ""
    remedy = rule.cause.format(key_from=place.key_from)
    text = f"{place.provider}, model {place.model!r}{status}: {remedy}. It said: {said or 'nothing'}"
    return Refused(text) if rule.kind is Refused else RunEnds(text)


def later(cause: str, message: str, *, status: int | None = None, after: float | None = None) -> RetryLater:
    """An attempt that may go better another time."""
    return RetryLater(Attempt(cause, message, after, status))


def unreachable(error: BaseException, place: Place, *, answered: bool) -> RetryLater | RunEnds:
    """No connection, or one that broke. Before any answer, an address that nobody answers at ends the run.

    A server that has answered before is away for a moment: that is worth another attempt.
    """
    chain = _told(error)
    words = [f"{type(link).__name__} {link}" for link in chain]
    said = next((word for word, link in zip(words[::-1], chain[::-1], strict=True) if str(link)), words[-1])
    said = shortened(said, place.secrets)
    no_connection = any(re.search("Connect(ion)?Timeout", word) for word in words)
    if not answered and (no_connection or any(_NOBODY.search(word) for word in words)):
        return RunEnds(
            f"{place.provider}: cannot connect to {shortened(place.address)}: {said}. "
            "Check the network, any proxy, and the api base."
        )
    if any(re.search("timeout|timed out", word, re.IGNORECASE) for word in words):
        return later("timeout", f"{place.provider} did not answer in time")
    return later("connection", said)


_NOBODY = re.compile(
    r"gaierror|ConnectionRefused|connection refused|Name or service not known|name resolution|getaddrinfo|"
    r"unreachable|All connection attempts failed|EndpointConnectionError|CERTIFICATE_VERIFY",
    re.IGNORECASE,
)


def _told(error: BaseException) -> list[BaseException]:
    """The error and what caused it, down to the first cause.

    Of an error of aiohttp only what aiohttp says: OpenAI's SDK takes every one for a connect timeout.
    """
    chain = list(_chain(error))
    own = [place for place, link in enumerate(chain) if type(link).__module__.startswith("aiohttp")]
    return chain[own[0] :] if own else chain


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None and not isinstance(error, CancelledError):  # how asyncio makes a timeout
        yield error
        error = error.__cause__ or error.__context__
