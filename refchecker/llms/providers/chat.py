"""One chat endpoint, asked through its SDK: what the OpenAI and the Anthropic provider share.

Their SDKs come from one generator and fail in the same shapes; what differs is the wire, a `Wire` of pure
functions. What an endpoint refuses (a parameter, a schema) is learned from its first refusal.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from ...errors import imported
from ...net import retry_after, shortened
from ..types import Reply, Request
from .errors import Endpoint, Failure, later, sort, unreachable

CONNECT_SECONDS = 4.0  # a network that drops packets shows within it
CONNECTIONS = 10_000  # more than the policy has requests under way
HAS_AIOHTTP = find_spec("aiohttp") is not None
THINKING_ROOM = 4096  # tokens given on top of the answer's to a model that thinks and cannot be told not to

log = logging.getLogger("refchecker")


@dataclass(frozen=True, slots=True)
class ModelQuirks:
    """What models of one kind take: the word for the least thought, and which parameters they refuse."""

    models: re.Pattern[str]
    least_thought: str | None = None
    thinks: bool = False  # whatever it is told
    refuses: frozenset[str] = frozenset()

    def thinking_room(self, told: str | None) -> int:
        """The tokens to give on top of the answer's, to a model told that word or not."""
        return THINKING_ROOM if self.thinks or (self.least_thought and not told) else 0


@dataclass(frozen=True, slots=True)
class Wire:
    """How one provider's protocol says a request and a reply.

    `features` names what a request may do without, in the order of giving it up, each with what a refusal
    of it mentions; `uses` tells which of them a body has.
    """

    path: str
    body: Callable[[Request, frozenset[str]], dict[str, Any]]
    reply: Callable[[Mapping[str, Any], Endpoint], Reply]
    uses: Callable[[Mapping[str, Any]], frozenset[str]]
    features: Mapping[str, re.Pattern[str]]


class Chat:
    """A provider: one attempt per `send`, with the SDK's own retries switched off."""

    def __init__(
        self,
        module: Any,
        client: Any,
        wire: Wire,
        endpoint: Endpoint,
        *,
        signature: str,
        without: frozenset[str],
    ) -> None:
        self.signature = signature
        self.client = client
        self.wire = wire
        self.endpoint = endpoint
        self.without = without
        self.module = module
        # OpenAI's SDK lets some errors of aiohttp through as they are
        self._lost = (
            module.APIConnectionError,
            *([imported("aiohttp", "llm").ClientError] if HAS_AIOHTTP else []),
        )
        self._answered = False
        self._patience = {"timeout": module.Timeout(client.timeout.read)}

    async def send(self, request: Request, /) -> Reply:
        """The model's reply. Sent again at once only where the endpoint refuses what we can do without."""
        while True:
            body = self.wire.body(request, self.without)
            with self.sorted_errors():
                try:
                    # once it has answered, it is there: on a busy machine connecting may take its time
                    patience = self._patience if self._answered else {}
                    answer = await self.client.post(
                        self.wire.path, body=body, cast_to=object, options=patience
                    )
                except self.module.APIStatusError as error:
                    if not self._learned(_failure(error), body):
                        raise
                    continue
            self._answered = True
            return self.reply(answer)

    @contextmanager
    def sorted_errors(self) -> Iterator[None]:
        """What the SDK raises in here becomes `RetryLater`, `Refused` or `RunEnds`."""
        try:
            yield
        except self.module.APIStatusError as error:
            self._answered = True
            raise sort(_failure(error), self.endpoint) from None
        except self._lost as error:
            raise unreachable(error, self.endpoint, answered=self._answered) from None
        except (self.module.APIError, ValueError) as error:
            raise later("unreadable", shortened(str(error), self.endpoint.secrets)) from None

    def reply(self, answer: object) -> Reply:
        """The reply in a decoded answer; one that is not what the protocol says is unreadable."""
        try:
            if isinstance(answer, Mapping):
                return self.wire.reply(answer, self.endpoint)
        except (LookupError, TypeError, AttributeError):
            pass
        raise later("unreadable", f"not an answer: {shortened(str(answer), self.endpoint.secrets)}")

    def _learned(self, failure: Failure, body: Mapping[str, Any]) -> bool:
        """Whether the failure says that a feature of this body is not to be had: it is left out hereafter."""
        feature = blamed(failure, self.wire, self.wire.uses(body))
        if feature is None:
            return False
        if feature not in self.without:
            log.info("%s refuses %s; it is asked without from now on", self.signature, feature)
            self.without |= {feature}
        return True

    def most_tokens(self, request: Request) -> int:
        """How many tokens the answer may have, the room for thinking included."""
        body = self.wire.body(request, self.without)
        limits = [body[name] for name in ("max_tokens", "max_completion_tokens") if name in body]
        return max(limits, default=request.max_tokens)

    async def close(self) -> None:
        await self.client.close()


_REFUSED = re.compile(
    r"not (be )?(support|permit|allow|implement|recogni|available)|unsupport|unknown|unrecogni"
    r"|unexpected|invalid|extra|deprecated|only the default|cannot be|may not|must be"
    r"|does not support|failed to|no longer",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(r"context|too (long|large)|exceed", re.IGNORECASE)


def blamed(failure: Failure, wire: Wire, used: frozenset[str]) -> str | None:
    """The feature in use that a refusal is about, if it is about one."""
    if failure.status not in (400, 422, 500, 501) or _TOO_LONG.search(failure.message):
        return None
    line = f"{failure.code} {failure.message}"
    if not _REFUSED.search(line):
        return None
    return next((name for name, words in wire.features.items() if name in used and words.search(line)), None)


def _failure(error: Any) -> Failure:
    return failure_of(error.status_code, error.response.headers, error.body, str(error))


def failure_of(status: int, headers: Mapping[str, str], body: object, text: str) -> Failure:
    """What a refusal over HTTP says, whichever of the usual shapes its body has."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return Failure(str(inner or text), status, "", retry_after(headers))
    code = " ".join(str(inner[name]) for name in ("code", "type", "param") if inner.get(name))
    message = inner.get("message") or inner.get("detail") or text
    return Failure(str(message), status, code, retry_after(headers))


def http_client(module: Any, address: str, timeout_seconds: float, *, fast: bool = HAS_AIOHTTP) -> Any:
    """The SDK's own HTTP client; it reads HTTPS_PROXY and NO_PROXY, but asks this machine directly.

    `fast` is the one on aiohttp, which takes less than half the CPU with 256 requests under way. It
    does not take a name and password in the address, for a proxy in front of a server, beside a key.
    """
    fast = fast and not urlsplit(address).username
    client = module.DefaultAioHttpClient if fast else module.DefaultAsyncHttpxClient
    reach = min(CONNECT_SECONDS, timeout_seconds)
    return client(
        # `pool` is the time for a connection of the pool and all of connecting; there is always one
        timeout=module.Timeout(timeout_seconds, connect=reach, pool=reach),
        limits=imported("httpx2", "llm").Limits(
            max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS
        ),
        trust_env=not on_this_machine(address),
    )


def on_this_machine(address: str) -> bool:
    """Whether an address is the loopback interface."""
    return urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")
