"""A language model on loopback that speaks OpenAI's and Anthropic's wire formats, and fails on purpose.

Some first attempts, chosen by a seed, get a fault; every further attempt at the same request
gets its answer. `log` has every attempt in order.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Answer = Callable[[str, str], str | tuple[int, str]]  # (system, user) -> content, or a status and its message

TRANSPORT_FAULTS = ("429", "500", "529", "reset", "hang", "truncated body", "empty content")
CONTENT_FAULTS = ("cut content", "wrong ids", "prose around JSON")
FAULTS = TRANSPORT_FAULTS + CONTENT_FAULTS
USABLE = (None, "prose around JSON")  # an answer that nobody needs to ask for again
STATUS = {"429": (429, "rate_limit_error"), "500": (500, "api_error"), "529": (529, "overloaded_error")}
RETRY_AFTER_SECONDS = 1
HANG_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request as it came: what was asked, by a digest, and what became of it."""

    digest: str
    fault: str | None
    at: float
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def good(self) -> bool:
        return self.fault in USABLE


class FaultServer:
    """Serves in a thread of its own, between `with FaultServer(answer) as server:` and its end.

    `share` of the first attempts fail, by `faults` in turn of the seed. `latency()` gives the
    seconds before an answer. `hold_after` answers in all the server falls silent: every
    request then waits until `release`. `refuse` is a status and message for every request.
    """

    def __init__(
        self,
        answer: Answer,
        *,
        share: float = 0.0,
        seed: int = 0,
        faults: tuple[str, ...] = FAULTS,
        latency: Callable[[], float] = lambda: 0.0,
        hold_after: int | None = None,
        refuse: tuple[int, str] | None = None,
    ) -> None:
        self._answer, self._share, self._seed, self._faults = answer, share, seed, faults
        self._latency, self._hold_after, self._refuse = latency, hold_after, refuse
        self.log: list[Attempt] = []
        self.under_way = self.most_under_way = 0
        self.latencies: list[float] = []
        self._seen: Counter[str] = Counter()
        self.good = 0
        self._writers: set[asyncio.StreamWriter] = set()

    def __enter__(self) -> FaultServer:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def openai_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def held(self) -> bool:
        return self._hold_after is not None and self.good >= self._hold_after

    @property
    def connections(self) -> int:
        return len(self._writers)

    def release(self) -> None:
        self._hold_after = None

    def good_answers(self) -> Counter[str]:
        """How often each request got an answer that needed no other."""
        return Counter(attempt.digest for attempt in self.log if attempt.good)

    def asked_after_a_good_answer(self) -> list[str]:
        """The requests that came again although they had got one."""
        good: set[str] = set()
        again = []
        for attempt in self.log:
            if attempt.digest in good:
                again.append(attempt.digest)
            if attempt.good:
                good.add(attempt.digest)
        return again

    async def _start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        self._server.close()
        await asyncio.sleep(0)  # a connection just accepted gets its task
        writers = tuple(self._writers)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0.01)  # the sockets close in the next rounds of the loop

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = tuple(
                    (name.strip().lower(), value.strip())
                    for name, _, value in (line.partition(":") for line in head[1:] if line)
                )
                body = await reader.readexactly(int(dict(headers).get("content-length", 0)))
                self.under_way += 1
                self.most_under_way = max(self.under_way, self.most_under_way)
                try:
                    if not await self._respond(head[0].split()[1], headers, body, writer):
                        return
                finally:
                    self.under_way -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _respond(
        self, path: str, headers: tuple[tuple[str, str], ...], body: bytes, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; whether the connection stays open."""
        if self.held:
            while self.held:
                await asyncio.sleep(0.02)
            return False  # whoever waited may be dead: nothing that is sent now counts as an answer
        digest = hashlib.sha256(path.encode() + body).hexdigest()
        fault = None if self._seen[digest] or self._refuse else self._fault(digest)
        self._seen[digest] += 1
        if self._refuse:
            fault = str(self._refuse[0])
        at = asyncio.get_running_loop().time()
        self.log.append(Attempt(digest, fault, at, headers))
        if fault in USABLE:
            self.good += 1
        seconds = self._latency()
        if seconds:
            await asyncio.sleep(max(0.0, at + seconds - asyncio.get_running_loop().time()))
            self.latencies.append(seconds)
        if fault == "hang":
            await asyncio.sleep(HANG_SECONDS)
            return False
        if fault == "reset":
            _reset(writer)
            return False
        if self._refuse:
            status, text = self._refuse
            await _send(writer, status, {"error": {"message": text, "type": "error"}})
        elif fault in STATUS:
            status, kind = STATUS[fault]
            extra = {"Retry_After": str(RETRY_AFTER_SECONDS)} if status == 429 else {}
            await _send(writer, status, {"error": {"message": f"{kind} on purpose", "type": kind}}, **extra)
        else:
            status, reply = self._reply(path, json.loads(body), fault)
            await _send(writer, status, reply, truncated=fault == "truncated body")
        return True

    def _fault(self, digest: str) -> str | None:
        chance = random.Random(f"{self._seed}{digest}")
        return chance.choice(self._faults) if chance.random() < self._share else None

    def _reply(self, path: str, asked: dict[str, Any], fault: str | None) -> tuple[int, dict[str, Any]]:
        messages = asked["messages"]
        system = asked.get("system") or "".join(m["content"] for m in messages if m["role"] == "system")
        user = next(m["content"] for m in messages if m["role"] == "user")
        answer = self._answer(system, user)
        if not isinstance(answer, str):
            return answer[0], {"error": {"message": answer[1], "type": "invalid_request_error"}}
        content = _spoilt(answer, fault)
        read, written = len(system + user) // 4, len(content) // 4 + 1
        if path.endswith("/messages"):
            return 200, {
                "id": "m1",
                "type": "message",
                "role": "assistant",
                "model": asked["model"],
                "content": [{"type": "text", "text": content}] if content else [],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": read, "output_tokens": written},
            }
        return 200, {
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": asked["model"],
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": content},
                    "finish_reason": "stop",
                }
            ],
            "usage": {
                "prompt_tokens": read,
                "completion_tokens": written,
                "total_tokens": read + written,
            },
        }


def _spoilt(content: str, fault: str | None) -> str:
    if fault == "empty content":
        return ""
    if fault == "cut content":
        return content[: len(content) // 3]
    if fault == "wrong ids":
        return content.replace('"id": "', '"id": "no-such-')
    if fault == "prose around JSON":
        return f"Certainly! Here is my answer:\n```json\n{content}\n```\nI hope this helps."
    return content


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    answer: dict[str, Any],
    *,
    truncated: bool = False,
    **extra: str,
) -> None:
    body = json.dumps(answer).encode()
    if truncated:
        body = body[: len(body) // 2]
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in extra.items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close so that the other side sees a reset, not an end."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
