"""How near the pipeline comes to a model server's own pace, and what it costs in CPU.

A server on loopback, in a process of its own, answers after log-normal latencies with a long
tail. The ideal is the sum of its latencies over the concurrency: every place busy all the time.
Beside it the plain loop: a batch as large as the concurrency, then the next.

    python -m benchmark.llm_throughput --output benchmark/results/llm_throughput.json

Load: only 127.0.0.1, about 92,000 requests in all, a quarter of an hour.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from refchecker import __version__, llms
from refchecker.checker.llm import LLMChecker
from refchecker.llms.asking import Ledger
from refchecker.llms.loop import run as in_loop
from refchecker.llms.providers import provider_of
from refchecker.llms.types import Request
from refchecker.pipeline import run
from refchecker.types import Claim, Passage, Record

SIGMA = 0.5  # of the logarithm; 1 in 1,000 takes 4.7 times the median
ROUNDS = 192  # requests for each place: the end, when places fall idle, is then a small part
PLAIN_ROUNDS = 12
WIRES = {"openai": "local/model", "anthropic": "anthropic/model"}


@dataclass(frozen=True, slots=True)
class Setting:
    """So many requests at once, at a server of that median and protocol.

    `refused` is the share of first attempts that get a 429.
    """

    concurrency: int
    median_seconds: float
    refused: float = 0.0
    wire: str = "openai"

    @property
    def model(self) -> str:
        return WIRES[self.wire]


# the median is scaled down where that leaves the rate within what a core can send
SETTINGS = (
    Setting(8, 0.25),
    Setting(64, 0.5),
    Setting(64, 0.5, refused=0.05),
    Setting(64, 0.5, wire="anthropic"),
    Setting(256, 1.0),
)


class Server(asyncio.Protocol):
    """One connection of the server: chat completions or messages, always the same answer."""

    chance = random.Random()
    setting = Setting(1, 0.1)
    seconds = 0.0
    seen: ClassVar[set[int]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, found, rest = self.received.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        if len(rest) < length:
            return
        self.received = rest[length:]
        if head.startswith(b"GET"):
            self.answer(200, {"seconds": Server.seconds, "cpu_seconds": time.process_time()})
        elif self.refuses(rest[:length]):
            self.answer(429, {"error": {"message": "slow down"}}, b"Retry-After: 0.2\r\n")
        else:
            seconds = Server.setting.median_seconds * Server.chance.lognormvariate(0.0, SIGMA)
            Server.seconds += seconds
            content = ANSWERS["anthropic" if b"/messages " in head else "openai"]
            asyncio.get_running_loop().call_later(seconds, self.answer, 200, content)

    def refuses(self, body: bytes) -> bool:
        if not Server.setting.refused or hash(body) in Server.seen:
            return False
        Server.seen.add(hash(body))
        return Server.chance.random() < Server.setting.refused

    def answer(self, status: int, content: dict[str, Any], extra: bytes = b"") -> None:
        body = json.dumps(content).encode()
        self.transport.write(
            b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n%b"
            % (status, extra, len(body), body)
        )


SAID = '{"label": "Neutral"}'
ANSWERS: dict[str, dict[str, Any]] = {
    "openai": {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "model",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": SAID}}],
        "usage": {"prompt_tokens": 300, "completion_tokens": 6, "total_tokens": 306},
    },
    "anthropic": {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "model",
        "content": [{"type": "text", "text": SAID}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 300, "output_tokens": 6},
    },
}


async def serve(setting: Setting) -> None:
    """Serve until standard input ends, which it does with the program that started this."""
    Server.setting, Server.chance = setting, random.Random(1)
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def served(setting: Setting) -> Iterator[str]:
    """The address of a fresh server with that setting."""
    command = [sys.executable, "-m", "benchmark.llm_throughput", "--serve", json.dumps(asdict(setting))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdin
        try:
            version = "/v1" if setting.wire == "openai" else ""
            yield f"http://127.0.0.1:{int(process.stdout.readline())}{version}"
        finally:
            process.stdin.close()


def records(count: int) -> Iterator[Record]:
    reference = "The museum was opened in 1871 by the city and holds paintings of five centuries. " * 10
    for number in range(count):
        claims = (Claim(f"Painting {number} was bought in {1800 + number % 200}"),)
        yield Record(str(number), "", references=(Passage(reference, "doc"),), claims=claims)


def pipeline(address: str, setting: Setting, count: int) -> dict[str, float]:
    """Through `run`, the checker, the policy and a fresh cache."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger()
        client = llms.load(
            setting.model, api_base=address, cache_dir=folder, concurrency=setting.concurrency, ledger=ledger
        )
        checker = LLMChecker(client)
        in_loop(client.ask(Request("", "the first, which opens the connection", 10)))
        with measured(address, setting.concurrency) as result:
            reports = run(records(count), check=checker, in_flight=16 * setting.concurrency)
            statuses = {report.status for report in reports}
        assert statuses == {"ok"}, statuses
        usage = ledger.usage()
    return result | {"retries": usage.retries} | per_request(result, count)


def plain(address: str, setting: Setting, count: int) -> dict[str, float]:
    """Batch after batch through the same SDK, without policy, cache or pipeline."""
    provider = provider_of(setting.model, api_base=address)

    async def loop() -> None:
        for start in range(0, count, setting.concurrency):
            asked = (Request("", f"question {i}", 100) for i in range(start, start + setting.concurrency))
            await asyncio.gather(*(provider.send(request) for request in asked))
        await provider.close()

    with measured(address, setting.concurrency) as result:
        asyncio.run(loop())
    return result | per_request(result, count)


@contextmanager
def measured(address: str, concurrency: int) -> Iterator[dict[str, float]]:
    """Filled in at the end: wall and CPU seconds of this process, the CPU and the ideal of the server."""
    result: dict[str, float] = {}
    before, wall, cpu = server_seconds(address), time.perf_counter(), time.process_time()
    yield result
    result["wall_seconds"] = time.perf_counter() - wall
    result["cpu_seconds"] = time.process_time() - cpu
    after = server_seconds(address)
    result["server_cpu_seconds"] = after["cpu_seconds"] - before["cpu_seconds"]
    result["ideal_seconds"] = (after["seconds"] - before["seconds"]) / concurrency
    result["ratio"] = result["wall_seconds"] / result["ideal_seconds"]


def per_request(result: dict[str, float], count: int) -> dict[str, float]:
    return {
        f"{name}_ms_per_request": 1000 * result[f"{name}_seconds"] / count for name in ("cpu", "server_cpu")
    }


def server_seconds(address: str) -> dict[str, float]:
    """The sum of the latencies that the server has given so far, and its CPU time."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(address, timeout=10) as answer:
        return dict(json.load(answer))


def measure(setting: Setting, scale: float) -> dict[str, Any]:
    count = max(1, round(ROUNDS * scale)) * setting.concurrency
    with served(setting) as address:
        ours = pipeline(address, setting, count)
    row = asdict(setting) | {"requests": count, "pipeline": rounded(ours)}
    if not setting.refused:
        count = max(1, round(PLAIN_ROUNDS * scale)) * setting.concurrency
        with served(setting) as address:
            row |= {"plain_requests": count, "plain_loop": rounded(plain(address, setting, count))}
    return row


def rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in values.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of requests, up to 1")
    parser.add_argument("--concurrency", type=int, help="only the settings with this one")
    parser.add_argument("--wire", choices=WIRES, help="only the settings with this protocol")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(Setting(**json.loads(options.serve))))
        return
    rows = []
    for setting in SETTINGS:
        if options.concurrency in (None, setting.concurrency) and options.wire in (None, setting.wire):
            rows.append(measure(setting, min(options.scale, 1.0)))
            print(json.dumps(rows[-1]), file=sys.stderr)
    result = {
        "command": " ".join(["python -m benchmark.llm_throughput", *sys.argv[1:]]),
        "signature": f"v:{__version__}|python:{platform.python_version()}|cores:{os.cpu_count()}"
        f"|sigma:{SIGMA}|rounds:{ROUNDS}",
        "load_average_before": os.getloadavg()[1],
        "settings": rows,
    }
    if options.output:
        options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
