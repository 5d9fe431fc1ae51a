"""Providers over the real SDKs: what they send, what they make of every kind of answer."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import struct
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from refchecker.errors import UsageError, imported
from refchecker.llms.asking import KNOWN, batched, cost_of, price_of, read_prices
from refchecker.llms.asking.prices import Price, estimated_tokens
from refchecker.llms.providers import Function, anthropic, key_for, openai, provider_of, sort
from refchecker.llms.providers.bedrock import Bedrock
from refchecker.llms.providers.chat import CONNECT_SECONDS, http_client
from refchecker.llms.providers.errors import Endpoint, Failure
from refchecker.llms.providers.names import CLAUDE, GPT, NO_KEY, parted
from refchecker.llms.providers.schema import closed, is_strict
from refchecker.llms.types import Provider, Refused, Reply, Request, RetryLater, RunEnds
from refchecker.net import key_of, retry_after, shortened

httpx2 = pytest.importorskip("httpx2")
KEY = "sk-planted-0123456789abcdef"
SCHEMA = {"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]}
ASK = Request("Judge.", "Is it so?", max_tokens=20)

Handler = Callable[[Any], Any]


def ask(provider: Provider, *requests: Request) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        try:
            return [await provider.send(request) for request in requests]
        finally:
            await provider.close()

    return asyncio.run(all_of_them())


def gpt(handler: Handler, model: str = "gpt-6.1-terra", address: str = openai.ADDRESS) -> Provider:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
    return openai.provider(
        model, key=KEY, key_from="--openai_key FILE", signature="test", address=address, client=client
    )


def claude(handler: Handler, model: str = "claude-sonnet-5-5") -> Provider:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
    return anthropic.provider(
        model, key=KEY, key_from="--anthropic_key FILE", signature="test", client=client
    )


def completion(text: str | None = "yes", *, finish: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    return {"choices": [choice], "usage": usage, "model": "gpt-6.1-terra-2026-10-26"}


def message(*blocks: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 2}
    return {"content": list(blocks), "stop_reason": stop, "usage": usage, "model": "claude-sonnet-5-5"}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def answers(status: int, body: Any, headers: dict[str, str] | None = None) -> Handler:
    if isinstance(body, str):
        return lambda request: httpx2.Response(status, text=body, headers=headers)
    return lambda request: httpx2.Response(status, json=body, headers=headers)


def raises(error: str, words: str) -> Handler:
    def handler(request: Any) -> Any:
        raise getattr(httpx2, error)(words)

    return handler


def openai_error(
    message: str, code: str | None = None, kind: str = "invalid_request_error"
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic_error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


# what came over the wire, what becomes of it, and words of its message
SORTED = {
    "openai key": (
        gpt,
        answers(401, openai_error(f"Incorrect API key provided: {KEY}.", "invalid_api_key")),
        RunEnds,
        "the key was refused: check --openai_key FILE",
    ),
    "openai model": (
        gpt,
        answers(404, openai_error("The model `gpt-9` does not exist or you do not have access to it.")),
        RunEnds,
        "check the name of the model",
    ),
    "openai wrong base": (
        gpt,
        answers(404, "404 page not found"),
        RunEnds,
        "check the model's name and the api base",
    ),
    "openai region": (
        gpt,
        answers(403, openai_error("Country not supported", "unsupported_country_region_territory")),
        RunEnds,
        "may not do that",
    ),
    "openai quota": (
        gpt,
        answers(429, openai_error("You exceeded your current quota.", "insufficient_quota")),
        RunEnds,
        "no credit left",
    ),
    "openai rate": (
        gpt,
        answers(429, openai_error("Rate limit reached", "rate_limit_exceeded"), {"retry-after": "7"}),
        RetryLater,
        "rate_limit",
    ),
    "openai context": (
        gpt,
        answers(400, openai_error("maximum context length is 8192 tokens", "context_length_exceeded")),
        Refused,
        "too long for this model",
    ),
    "vllm context": (
        gpt,
        answers(400, {"message": "'max_tokens' is too large: 9. This model's maximum context length is 8"}),
        Refused,
        "too long for this model",
    ),
    "llama.cpp context": (
        gpt,
        answers(
            400,
            openai_error("the request exceeds the available context size", kind="exceed_context_size_error"),
        ),
        Refused,
        "too long for this model",
    ),
    "azure filter": (
        gpt,
        answers(400, openai_error("The response was filtered", "content_filter")),
        Refused,
        "content filter",
    ),
    "openai filter": (gpt, answers(200, completion("", finish="content_filter")), Refused, "content filter"),
    "openai declined": (
        gpt,
        answers(200, completion(None, refusal="I cannot.")),
        Refused,
        "declined: I cannot.",
    ),
    "openai malformed": (gpt, answers(400, openai_error("messages: required")), Refused, "not accepted"),
    "openai 500": (gpt, answers(500, openai_error("The server had an error")), RetryLater, "server"),
    "gateway page": (gpt, answers(502, "<html>Bad Gateway</html>"), RetryLater, "server"),
    "openai 503": (gpt, answers(503, {"detail": "Model is loading"}), RetryLater, "overloaded"),
    "cut json": (
        gpt,
        answers(200, '{"choices": [{"mess', {"content-type": "application/json"}),
        RetryLater,
        "unreadable",
    ),
    "a page": (gpt, answers(200, "<html>hello</html>"), RetryLater, "unreadable"),
    "no choices": (gpt, answers(200, {"choices": []}), RetryLater, "unreadable"),
    "empty": (gpt, answers(200, completion("  ")), RetryLater, "unreadable: an empty answer"),
    "thought it all": (gpt, answers(200, completion("", finish="length")), Refused, "went into thinking"),
    "openai slow": (gpt, raises("ReadTimeout", ""), RetryLater, "timeout"),
    "reset": (gpt, raises("ReadError", "Connection reset by peer"), RetryLater, "connection"),
    "no dns": (
        gpt,
        raises("ConnectError", "[Errno -3] Temporary failure in name resolution"),
        RunEnds,
        "cannot connect",
    ),
    "anthropic key": (
        claude,
        answers(401, anthropic_error("authentication_error", "invalid x-api-key")),
        RunEnds,
        "check --anthropic_key FILE",
    ),
    "anthropic model": (
        claude,
        answers(404, anthropic_error("not_found_error", "model: claude-9")),
        RunEnds,
        "check the model's name",
    ),
    "anthropic credit": (
        claude,
        answers(
            400, anthropic_error("invalid_request_error", "Your credit balance is too low to access the API")
        ),
        RunEnds,
        "no credit left",
    ),
    "anthropic right": (
        claude,
        answers(403, anthropic_error("permission_error", "no access")),
        RunEnds,
        "may not do that",
    ),
    "anthropic context": (
        claude,
        answers(
            400,
            anthropic_error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        ),
        Refused,
        "too long for this model",
    ),
    "anthropic size": (
        claude,
        answers(413, anthropic_error("request_too_large", "Request exceeds the maximum size")),
        Refused,
        "too long for this model",
    ),
    "anthropic rate": (
        claude,
        answers(429, anthropic_error("rate_limit_error", "slow down"), {"retry-after": "7"}),
        RetryLater,
        "rate_limit",
    ),
    "anthropic 529": (
        claude,
        answers(529, anthropic_error("overloaded_error", "Overloaded")),
        RetryLater,
        "overloaded",
    ),
    "anthropic 500": (claude, answers(500, anthropic_error("api_error", "oops")), RetryLater, "server"),
    "anthropic declined": (claude, answers(200, message(stop="refusal")), Refused, "declined"),
    "anthropic empty": (claude, answers(200, message()), RetryLater, "unreadable"),
    "anthropic odd": (claude, answers(200, {"content": None}), RetryLater, "unreadable"),
}


@pytest.mark.parametrize(("make", "handler", "kind", "words"), SORTED.values(), ids=SORTED.keys())
def test_every_answer_is_sorted(
    make: Callable[[Handler], Provider], handler: Handler, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as caught:
        ask(make(handler), ASK)
    assert type(caught.value) is kind
    line = str(caught.value)
    assert words in line
    assert "\n" not in line
    assert len(line) < 500
    assert KEY not in line
    assert KEY not in "".join(traceback.format_exception(caught.value))
    if "retry-after" in str(getattr(handler, "__closure__", "")):
        assert isinstance(caught.value, RetryLater)
        assert caught.value.attempt.retry_after_seconds == 7


def test_a_server_that_answered_before_is_only_away() -> None:
    turns = iter([answers(200, completion()), raises("ConnectError", "Connection refused")])
    with pytest.raises(RetryLater, match="connection"):
        ask(gpt(lambda request: next(turns)(request)), ASK, ASK)


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started = time.monotonic()
    with pytest.raises(RunEnds, match=f"cannot connect to http://127.0.0.1:{port}/v1"):
        ask(provider_of("vllm/tiny", api_base=f"http://127.0.0.1:{port}/v1"), ASK)
    assert time.monotonic() - started < 60  # not an SDK that tries again and again


SSL_ERRORS = "SSL|ConnectorError|ConnectionReset"
BROKEN = {  # what a server does with a request, and what becomes of it
    "resets": (RetryLater, "connection: .*[Rr]eset"),
    "hangs": (RetryLater, "timeout: .* did not answer in time"),
    "hangs up": (RetryLater, "connection: .*([Dd]isconnected|[Rr]eset|[Pp]ipe)"),
    "cuts its answer": (RetryLater, "connection: .*received 4"),
    "speaks no HTTP": (RetryLater, "connection: .*status line"),
    "speaks no TLS": (RetryLater, f"connection: .*({SSL_ERRORS})"),
    "is not there": (RunEnds, "cannot connect to http://127.0.0.1:.*ConnectionRefused"),
    "has no address": (RunEnds, "cannot connect to http://no-such-host.invalid/v1: gaierror"),
}


def unknown_name(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@contextmanager
def broken_server(how: str) -> Iterator[str]:
    """The address of a server that does that with each request."""

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(1 << 16)
                    if how == "resets":
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    elif how == "hangs":
                        over.wait(60)
                    elif how == "cuts its answer":
                        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"a"')
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(1 << 16):  # what is unread at the close would reset it
                            pass
                    elif how == "speaks no HTTP":
                        connection.sendall(b"hello\r\n\r\n")

    over = threading.Event()
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        if how != "is not there":
            listening.listen(8)
        host = (
            "no-such-host.invalid" if how == "has no address" else f"127.0.0.1:{listening.getsockname()[1]}"
        )
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http{'s' if how == 'speaks no TLS' else ''}://{host}/v1"
        finally:
            over.set()
            with suppress(OSError):  # wakes the thread, where there is a queue to wait at
                listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
@pytest.mark.parametrize("wire", [openai, anthropic], ids=["openai", "anthropic"])
@pytest.mark.parametrize(("how", "kind", "words"), [(how, *row) for how, row in BROKEN.items()], ids=BROKEN)
def test_every_broken_connection_is_sorted(
    fast: bool, wire: Any, how: str, kind: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "has no address":
        monkeypatch.setattr(socket, "getaddrinfo", unknown_name)
    module = imported(wire.__name__.rpartition(".")[2], "llm")
    with broken_server(how) as address:
        client = http_client(module, address, 60.0, fast=fast)
        client.timeout = httpx2.Timeout(60.0, read=1.0)  # the machine that tests may be busy
        provider = wire.provider(
            "m", key=KEY, key_from="FILE", signature="test", address=address, client=client
        )
        with pytest.raises(kind, match=words):
            ask(provider, ASK)


@pytest.mark.parametrize(
    ("wire", "answer"),
    [(openai, completion()), (anthropic, message(text("yes")))],
    ids=["openai", "anthropic"],
)
def test_connecting_has_little_time_until_the_server_has_answered(wire: Any, answer: Any) -> None:
    times = []

    def handler(request: Any) -> Any:
        times.append((request.extensions["timeout"]["connect"], request.extensions["timeout"]["read"]))
        return httpx2.Response(200, json=answer)

    client = http_client(imported(wire.__name__.rpartition(".")[2], "llm"), wire.ADDRESS, 60.0)
    client._transport = httpx2.MockTransport(handler)
    ask(wire.provider("m", key=KEY, key_from="FILE", signature="test", client=client), ASK, ASK)
    assert times == [(CONNECT_SECONDS, 60.0), (60.0, 60.0)]


@pytest.mark.parametrize("name", ["vllm/tiny", "anthropic/m"])
def test_what_logs_in_at_the_address_is_sent_and_not_shown(name: str) -> None:
    heads = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heads.append(self.headers["Authorization"])
            self.send_error(500)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://gate:hunter22@127.0.0.1:{server.server_port}"
        with pytest.raises(RetryLater, match="server"):
            ask(provider_of(name, api_base=address), ASK)
        server.shutdown()
    assert heads == ["Basic " + base64.b64encode(b"gate:hunter22").decode()]
    with pytest.raises(RunEnds, match="cannot connect") as caught:
        ask(provider_of(name, api_base=address), ASK)
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
@pytest.mark.parametrize("wire", [openai, anthropic], ids=["openai", "anthropic"])
def test_a_proxy_is_asked_where_there_is_one(wire: Any, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.send_error(503)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        address = "http://model.invalid/v1"
        client = http_client(imported(wire.__name__.rpartition(".")[2], "llm"), address, 60.0, fast=fast)
        options = {"key": KEY, "key_from": "FILE", "signature": "test", "address": address, "client": client}
        with pytest.raises(RetryLater, match="overloaded"):
            ask(wire.provider("m", **options), ASK)
        server.shutdown()
    assert [path.startswith("http://model.invalid/v1/") for path in seen] == [True]


def test_a_server_that_was_given_no_key_has_its_words_left_alone() -> None:
    said = answers(404, "none of the models is called so")
    provider = gpt(said, "m", "http://127.0.0.1:9/v1")
    provider.endpoint = replace(provider.endpoint, secrets=(NO_KEY,))  # type: ignore[attr-defined]
    with pytest.raises(RunEnds, match="none of the models"):
        ask(provider, ASK)


def test_bedrock_connects_within_the_same_time() -> None:
    config = Bedrock("m", region="us-east-1", timeout_seconds=60.0)._client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (CONNECT_SECONDS, 60.0)


def test_a_network_that_drops_packets_ends_the_run() -> None:
    with socket.socket() as full, socket.socket() as one, socket.socket() as two:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (one, two):  # fill its queue: whoever comes now gets no answer at all
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        address = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        with pytest.raises(RunEnds, match="cannot connect"):
            ask(provider_of("vllm/tiny", api_base=address, timeout_seconds=0.5), ASK)


def sent_by(
    make: Callable[..., Provider], answer: dict[str, Any], request: Request, **options: Any
) -> dict[str, Any]:
    bodies = []

    def handler(wire: Any) -> Any:
        bodies.append(json.loads(wire.content))
        return httpx2.Response(200, json=answer)

    ask(make(handler, **options), request)
    return dict(bodies[0])


def test_what_openai_is_sent() -> None:
    request = Request("Judge.", "So?", 20, schema=SCHEMA, logprobs=3)
    body = sent_by(gpt, completion(), request)
    assert body == {
        "model": "gpt-6.1-terra",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "So?"}],
        "max_completion_tokens": 20,
        "reasoning_effort": "none",
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 3,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "strict": True,
                "schema": SCHEMA | {"additionalProperties": False},
            },
        },
    }


def test_models_that_think_get_room_and_no_temperature() -> None:
    body = sent_by(gpt, completion(), ASK, model="o4-mini")
    assert body["max_completion_tokens"] > ASK.max_tokens
    assert "temperature" not in body


def test_a_server_of_ones_own_is_sent_the_old_names() -> None:
    body = sent_by(gpt, completion(), ASK, model="qwen", address="http://127.0.0.1:8000/v1")
    assert body["max_tokens"] == 20
    assert not body.keys() & {"reasoning_effort", "max_completion_tokens", "response_format"}


def test_what_anthropic_is_sent() -> None:
    request = Request("Judge.", "So?", 20, schema=SCHEMA)
    assert sent_by(claude, message(text("{}")), request) == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 20,
        "system": "Judge.",
        "messages": [{"role": "user", "content": "So?"}],
        "thinking": {"type": "between_tools"},
        "output_config": {
            "format": {"type": "json_schema", "schema": SCHEMA | {"additionalProperties": False}}
        },
    }
    older = sent_by(claude, message(text("{}")), request, model="claude-haiku-4-5-20251001")
    assert older["temperature"] == 0.0
    assert "thinking" not in older


def test_replies() -> None:
    tokens = [{"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2.5}]}]
    answer = completion()
    answer["choices"][0]["logprobs"] = {"content": tokens}
    [reply] = ask(gpt(answers(200, answer)), ASK)
    assert reply == Reply(
        "yes", "end", 7, 2, (("yes", {"yes": -0.1, "no": -2.5}),), model="gpt-6.1-terra-2026-10-26"
    )
    [cut] = ask(gpt(answers(200, completion("ye", finish="length"))), ASK)
    assert cut.stop == "length"
    [plain] = ask(claude(answers(200, message({"type": "thinking", "thinking": "hm"}, text("yes")))), ASK)
    assert plain == Reply("yes", "end", 7, 2, model="claude-sonnet-5-5")
    called = {"type": "tool_use", "id": "1", "name": "answer", "input": {"label": "Neutral"}}
    [by_tool] = ask(claude(answers(200, message(called, stop="tool_use"))), ASK)
    assert json.loads(by_tool.text) == {"label": "Neutral"}


def picky(
    refusals: Sequence[tuple[str, int, str]], answer: dict[str, Any]
) -> tuple[Handler, list[dict[str, Any]]]:
    """A server that refuses bodies with certain words in them; and the bodies it was sent."""
    bodies: list[dict[str, Any]] = []

    def handler(wire: Any) -> Any:
        bodies.append(json.loads(wire.content))
        for word, status, words in refusals:
            if word in wire.content.decode():
                return httpx2.Response(status, json=openai_error(words))
        return httpx2.Response(200, json=answer)

    return handler, bodies


# what a server refuses, with its words; and what is left in the body that it takes
LEARNED = {
    "temperature": (
        gpt,
        [("temperature", 400, "Unsupported value: 'temperature' does not support 0 with this model.")],
        {"logprobs", "response_format"},
    ),
    "max_tokens": (
        lambda handler: gpt(handler, "m", "http://127.0.0.1:8000/v1"),
        [('"max_tokens"', 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")],
        {"max_completion_tokens"},
    ),
    "schema, then json": (
        gpt,
        [
            ("json_schema", 400, "response_format.type json_schema is not supported"),
            ("json_object", 422, "unknown response_format: json_object"),
        ],
        {"temperature", "logprobs"},
    ),
    "grammar": (gpt, [("json_schema", 500, "failed to parse grammar")], {"response_format"}),
    "logprobs": (gpt, [("logprobs", 400, "logprobs are not supported with this model")], {"temperature"}),
    "effort": (
        gpt,
        [("reasoning_effort", 400, "Unsupported value: 'reasoning_effort' none")],
        {"temperature"},
    ),
    "system": (gpt, [('"system"', 400, "System role not supported")], {"temperature"}),
}


@pytest.mark.parametrize(("make", "refusals", "kept"), LEARNED.values(), ids=LEARNED.keys())
def test_what_a_server_refuses_is_learned_once(
    make: Callable[[Handler], Provider], refusals: list[tuple[str, int, str]], kept: set[str]
) -> None:
    request = Request("Judge.", "So?", 20, schema=SCHEMA, logprobs=2)
    handler, bodies = picky(refusals, completion())
    ask(make(handler), request, request)
    assert len(bodies) == len(refusals) + 2
    assert kept <= bodies[-1].keys()
    assert not any(word in json.dumps(bodies[-1]) for word, _, _ in refusals)


def test_anthropic_falls_back_from_schema_to_tool_to_text() -> None:
    request = Request("Judge.", "So?", 20, schema=SCHEMA)
    refusals = [
        ("output_config", 400, "output_config: Extra inputs are not permitted"),
        ("tool_choice", 400, "tool_choice: forced tool use is not supported by this model"),
        ("thinking", 400, "thinking.type: between_tools is not supported"),
    ]
    handler, bodies = picky(refusals, message(text("yes")))
    ask(claude(handler), request)
    assert [len(body.keys() & {"output_config", "tools"}) for body in bodies] == [1, 1, 0, 0]
    assert bodies[-1]["max_tokens"] > 20  # it thinks now, and needs room


def test_the_key_is_in_no_repr() -> None:
    provider = gpt(answers(200, completion()))
    assert KEY not in repr(vars(provider))
    assert KEY not in repr(provider.client)  # type: ignore[attr-defined]
    asyncio.run(provider.close())


@pytest.mark.parametrize(
    "line",
    [
        f"Incorrect key {KEY}",
        "Incorrect API key provided: sk-proj-abcd************wxyz.",
        "header Authorization: Bearer abcdef0123456789",
        "access key AKIAABCDEFGHIJKLMNOP is not known",
        "http://user:abcdef0123456789@127.0.0.1/v1",
    ],
)
def test_secrets_are_taken_out(line: str) -> None:
    shown = shortened(line)
    assert "[key]" in shown
    assert not any(part in shown for part in ("abcd", "planted", "AKIA"))
    assert "abc" not in shortened("with the own key abcxyz9", ("abcxyz9",))


def test_retry_after() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


BEDROCK = {
    "throttled": ("ThrottlingException", 429, "Too many tokens, please wait", RetryLater, "rate_limit"),
    "not ready": ("ModelNotReadyException", 429, "wait", RetryLater, "rate_limit"),
    "model slow": ("ModelTimeoutException", 408, "slow", RetryLater, "timeout"),
    "model fault": ("ModelErrorException", 424, "fault", RetryLater, "server"),
    "away": ("ServiceUnavailableException", 503, "away", RetryLater, "overloaded"),
    "fault": ("InternalServerException", 500, "fault", RetryLater, "server"),
    "denied": ("AccessDeniedException", 403, "You don't have access", RunEnds, "AWS"),
    "token": ("ExpiredTokenException", 403, "expired", RunEnds, "the key was refused"),
    "unknown": (
        "ValidationException",
        400,
        "The provided model identifier is invalid.",
        RunEnds,
        "name of the model",
    ),
    "throughput": (
        "ValidationException",
        400,
        "Invocation of model ID x with on-demand throughput isn’t supported.",
        RunEnds,
        "name of the model",
    ),
    "long": ("ValidationException", 400, "Input is too long for requested model.", Refused, "too long"),
    "malformed": ("ValidationException", 400, "malformed", Refused, "not accepted"),
}


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAPLANTEDPLANTED00")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return Bedrock("anthropic.claude-sonnet-5-5", region="us-east-1")


@pytest.mark.parametrize(("code", "status", "said", "kind", "words"), BEDROCK.values(), ids=BEDROCK.keys())
def test_bedrock_errors(code: str, status: int, said: str, kind: type[Exception], words: str) -> None:
    endpoint = Endpoint("Amazon Bedrock", "m", "https://x", "the AWS credentials")
    error = sort(Failure(said, status, code), endpoint)
    assert type(error) is kind
    assert words in str(error)


def test_bedrock(bedrock: Any) -> None:
    from botocore.stub import Stubber

    request = Request("Judge.", "So?", 20, schema=SCHEMA)
    tool = {"name": "answer", "description": "Give the answer.", "inputSchema": {"json": closed(SCHEMA)}}
    wanted: dict[str, Any] = {
        "modelId": "anthropic.claude-sonnet-5-5",
        "system": [{"text": "Judge."}],
        "messages": [{"role": "user", "content": [{"text": "So?"}]}],
        "inferenceConfig": {"maxTokens": 20, "temperature": 0.0},
        "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": "answer"}}},
    }
    calm = wanted | {"inferenceConfig": {"maxTokens": 20}}
    answer = {
        "output": {
            "message": {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "1", "name": "answer", "input": {"label": "Neutral"}}}],
            }
        },
        "stopReason": "tool_use",
        "usage": {"inputTokens": 9, "outputTokens": 3, "totalTokens": 12},
        "metrics": {"latencyMs": 5},
    }
    with Stubber(bedrock._client) as stub:
        stub.add_client_error(
            "converse", "ValidationException", "temperature is not supported", 400, expected_params=wanted
        )
        stub.add_response("converse", answer, calm)
        stub.add_response("converse", answer, calm)
        stub.add_client_error("converse", "ThrottlingException", "Too many requests", 429)
        with pytest.raises(RetryLater, match="rate_limit"):
            ask(bedrock, request, request, request)
        stub.assert_no_pending_responses()
    assert bedrock.signature == "bedrock/anthropic.claude-sonnet-5-5"


def test_bedrock_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(UsageError, match="--aws_bedrock_region"):
        provider_of("bedrock/m")


def together(function: Function, *prompts: str) -> list[Any]:
    async def all_of_them() -> list[Any]:
        requests = [Request("", prompt, 5) for prompt in prompts]
        replies = await asyncio.gather(*map(function.send, requests), return_exceptions=True)
        await function.close()
        return list(replies)

    return asyncio.run(all_of_them())


def test_a_function_is_given_what_waits_together() -> None:
    batches: list[list[str]] = []

    def upper(prompts: list[str]) -> list[str]:
        batches.append(prompts)
        return [prompt.upper() for prompt in prompts]

    replies = together(Function(upper, batch_size=2), "a", "b", "c")
    assert [reply.text for reply in replies] == ["A", "B", "C"]
    assert batches == [["a", "b"], ["c"]]
    assert not any(thread.name.startswith("function") and not thread.daemon for thread in _live())


def _live() -> list[threading.Thread]:
    time.sleep(0.05)
    return threading.enumerate()


class RateLimitError(Exception):
    pass


def _raise(error: Exception) -> Any:
    raise error


FUNCTIONS = {
    "too few": (lambda prompts: prompts[:1], RunEnds, "was given 2 prompts and returned 1 answers"),
    "no list": (lambda prompts: "yes", RunEnds, "returned str, not a list of 2 answers"),
    "a bug": (lambda prompts: _raise(KeyError("x")), RunEnds, "raised KeyError: 'x'"),
    "may pass": (lambda prompts: _raise(RateLimitError("slow")), RetryLater, "raised RateLimitError: slow"),
    "no text": (lambda prompts: [None] * len(prompts), Refused, "returned NoneType where the text"),
}


@pytest.mark.parametrize(("function", "kind", "words"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_functions_that_fail(function: Any, kind: type[Exception], words: str) -> None:
    errors = together(Function(function, name="mine"), "a", "b")
    assert [type(error) for error in errors] == [kind, kind]
    assert f"mine {words}" in str(errors[0])


def test_names() -> None:
    assert parted("gpt4") == tuple(GPT.split("/"))
    assert parted("claude2") == tuple(CLAUDE.split("/"))
    assert parted("openrouter/meta/llama") == ("openrouter", "meta/llama")
    with pytest.raises(UsageError, match="Did you mean 'gpt4'"):
        provider_of("gpt-4")
    with pytest.raises(UsageError, match="Did you mean 'openai/o3'"):
        provider_of("o3")
    with pytest.raises(UsageError, match="--extractor_api_base, --checker_api_base"):
        provider_of("mistral/large")
    with pytest.raises(UsageError, match="no api base"):
        provider_of("vllm/m", api_base="localhost:8000")


def test_signatures_tell_servers_apart_and_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert provider_of("openai/m").signature == "openai/m"
    assert (
        provider_of("vllm/m", api_base="http://me:secret@127.0.0.1:8000/v1/").signature
        == "vllm/m@127.0.0.1:8000/v1"
    )


def test_a_key_of_the_environment_goes_to_its_own_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    other: Any = provider_of("together/m", api_base="https://api.example.org/v1")
    assert other.client.api_key == NO_KEY
    monkeypatch.setenv("TOGETHER_API_KEY", " t-key\n")
    other = provider_of("together/m", api_base="https://api.example.org/v1")
    assert other.client.api_key == "t-key"


def test_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "key"
    file.write_text(f"\ufeff{KEY}\r\n\n", encoding="utf-8")
    assert key_of(str(file), "--openai_key") == KEY
    assert key_for("gpt4", openai_key=str(file), anthropic_key="nowhere") == KEY
    assert key_for("claude2", openai_key=str(file)) is None
    for content in ("", " \n", "two keys"):
        file.write_text(content)
        with pytest.raises(UsageError, match="--openai_key takes a file with one key"):
            key_of(str(file), "--openai_key")
    with pytest.raises(UsageError, match="cannot read the key: No such file"):
        key_of(str(tmp_path / "none"), "--openai_key")
    with pytest.raises(UsageError) as caught:
        key_of(KEY, "--openai_key")
    assert KEY not in str(caught.value)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="a key is needed: --anthropic_key FILE or ANTHROPIC_API_KEY"):
        provider_of("claude2")


def test_prices(tmp_path: Path) -> None:
    assert price_of(GPT) == Price(1.0, 5.0)
    assert price_of("openai/gpt-4.1-2025-04-14") == price_of("openai/gpt-4.1")
    assert price_of("anthropic/claude-haiku-4-5-20251001") == Price(1.0, 5.0)
    assert price_of("openai/gpt-9") is None
    assert price_of("openai/gpt-4.1@127.0.0.1:8000/v1") is None
    assert cost_of(None, 1, 1) is None
    assert cost_of(Price(1.0, 5.0), None, 1) is None
    assert batched(Price(1.0, 5.0)) == Price(0.5, 2.5)
    assert batched(None) is None
    assert estimated_tokens(Request("", "12345", 9)) == (2, 9)
    file = tmp_path / "prices.json"
    file.write_text('{"vllm/m": {"input": 0, "output": 0}, "openai/gpt-9": {"input": 1, "output": 2}}')
    prices = read_prices(str(file))
    assert price_of("vllm/m@127.0.0.1:8000/v1", prices) == Price(0.0, 0.0)
    assert price_of("openai/gpt-9", prices) == Price(1.0, 2.0)
    assert price_of("openai/gpt-4.1@127.0.0.1:8000/v1", prices) is None
    assert price_of(GPT, prices) == KNOWN[GPT]
    for content in ("[]", '{"m": 3}', "{", '{"m": {"input": -1, "output": 0}}'):
        file.write_text(content)
        with pytest.raises(UsageError, match=r"prices\.json: (not a price list|the price of m is below)"):
            read_prices(str(file))


def test_schemas() -> None:
    assert is_strict(closed(SCHEMA))
    assert not is_strict(closed(SCHEMA | {"required": []}))
    nested = closed({"type": "array", "items": {"type": "object", "additionalProperties": SCHEMA}})
    assert nested["items"]["additionalProperties"]["additionalProperties"] is False
    assert not is_strict(nested)
