"""Provider batches on loopback, by both protocols: answered, failed in part, killed and taken up again."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer

from refchecker.cli import main
from refchecker.errors import UsageError
from refchecker.llms import client_of, loop
from refchecker.llms.asking import Ledger, Store, key_of
from refchecker.llms.batch import Batching
from refchecker.llms.batch.fill import MOST_REQUESTS, Filled, Filling, portions
from refchecker.llms.batch.log import BatchLog
from refchecker.llms.providers import Function, provider_of
from refchecker.llms.types import Price, Refused, Request, RunEnds

pytest.importorskip("openai")
pytest.importorskip("anthropic")

KEY = "sk-planted-0123456789abcdef"
PROVIDERS = ("openai/m", "anthropic/m")
REQUESTS = [Request("Judge.", f"number {number}", 5) for number in range(6)]


def answer(body: dict[str, Any]) -> str | tuple[int, str]:
    asked = str(body["messages"][-1]["content"])
    return (400, "invalid_request_error") if "refuse" in asked else f"about {asked}"


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer(answer) as running:
        yield running


class Bench:
    """A model on the server, with a cache and a log in a folder; what it told."""

    def __init__(self, name: str, server: BatchServer, folder: Path, **options: Any) -> None:
        base = server.address + ("/v1" if name.startswith("openai") else "")
        self.provider = provider_of(name, api_base=base, key=KEY)
        self.store, self.log = Store(folder), BatchLog(folder)
        self.ledger = Ledger(**options)
        self.told: list[str] = []

    def fill(self, requests: list[Request], accept: Callable[[Any], bool] | None = None) -> Filled:
        async def filled() -> Filled:
            filling = Filling(
                self.provider,
                self.store,
                self.log,
                self.ledger,
                price=Price(100_000.0, 0.0),
                tell=self.told.append,
                poll_seconds=0.05,
            )
            try:
                return await filling.fill({self.key(request): (request, accept) for request in requests})
            finally:
                await self.provider.close()

        return asyncio.run(filled())

    def key(self, request: Request) -> bytes:
        return key_of(self.provider.signature, request)

    def has(self, requests: list[Request]) -> list[bool]:
        return [self.store.get(self.key(request)) is not None for request in requests]


@pytest.mark.parametrize("name", PROVIDERS)
def test_answers_come_into_the_cache_at_half_the_price(
    name: str, server: BatchServer, tmp_path: Path
) -> None:
    server.release.set()
    bench = Bench(name, server, tmp_path)
    assert bench.fill(REQUESTS) == Filled(6)
    reply = bench.store.get(bench.key(REQUESTS[5]))
    assert reply is not None
    assert (reply.text, reply.input_tokens) == ("about number 5", 10)
    assert len(server.asked) == 1  # the probe
    assert [len(batch["bodies"]) for batch in server.created] == [5]
    assert bench.ledger.usage().cost == pytest.approx(1.0 + 5 * 0.5)
    assert bench.told[0].startswith("batch batch_0: submitted, 5 requests.")
    assert bench.told[1:] == [
        f"batch batch_0: {'completed' if name == 'openai/m' else 'ended'}, 5 of 5 done."
    ]
    assert bench.log.open(bench.provider.signature) == []
    assert KEY.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_a_batch_did_not_answer_is_told(name: str, server: BatchServer, tmp_path: Path) -> None:
    server.release.set()
    bench = Bench(name, server, tmp_path)
    requests = [*REQUESTS, Request("", "refuse this", 5)]
    filled = bench.fill(requests, lambda reply: "number 3" not in reply.text)
    assert (filled.answered, filled.unanswered) == (5, 2)
    assert "not accepted" in filled.reason
    assert bench.has(requests) == [True, True, True, False, True, True, False]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("moment", ["polling", "submitting"])
def test_killed_and_taken_up_again(name: str, moment: str, server: BatchServer, tmp_path: Path) -> None:
    if moment == "submitting":
        server.hold_create.set()
    child = os.fork()
    if child == 0:
        try:
            Bench(name, server, tmp_path).fill(REQUESTS)
        finally:
            os._exit(1)
    while not (server.polls if moment == "polling" else server.created):
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    server.hold_create.clear()
    server.release.set()
    bench = Bench(name, server, tmp_path)
    assert bench.fill(REQUESTS).answered == 5
    assert bench.has(REQUESTS) == [True] * 6
    assert len(server.created) == 1
    assert len(server.asked) == 1
    assert bench.told[0].startswith("going on with 1 submitted batches")


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_batch_made_though_the_answer_was_lost_is_not_made_again(
    name: str, server: BatchServer, tmp_path: Path
) -> None:
    server.release.set()
    server.fail_create = 1
    assert Bench(name, server, tmp_path).fill(REQUESTS).answered == 6
    assert len(server.created) == 1


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_batch_that_is_gone_is_said_once_and_forgotten(
    name: str, server: BatchServer, tmp_path: Path
) -> None:
    server.release.set()
    bench = Bench(name, server, tmp_path)
    bench.log.intend("tag", bench.provider.signature, [bench.key(REQUESTS[0])])
    bench.log.submitted("tag", "batch_99")
    with pytest.raises(RunEnds, match="batch batch_99 came to nothing: the provider does not know it"):
        bench.fill(REQUESTS[:1])
    assert Bench(name, server, tmp_path).fill(REQUESTS).answered == 6


def test_a_batch_beyond_the_budget_is_not_submitted(server: BatchServer, tmp_path: Path) -> None:
    with pytest.raises(RunEnds, match=r"--max_cost of \$0.01: the batches may cost"):
        Bench("openai/m", server, tmp_path, max_cost=0.01).fill(REQUESTS)
    assert not server.asked
    assert not server.created


def test_a_run_in_rounds(server: BatchServer, tmp_path: Path) -> None:
    server.release.set()
    provider = provider_of("openai/m", api_base=f"{server.address}/v1", key=KEY)
    batching = Batching(str(tmp_path), lambda line: None, poll_seconds=0.05)
    clients = [client_of(provider, cache_dir=str(tmp_path), batching=batching) for _ in range(2)]

    def chain() -> list[str]:
        """Each answer leads to another question, as claims do; a third question is for the run itself."""
        texts = []
        for number in range(3):
            asked = "first"
            try:
                for client in (*clients, clients[1]):
                    asked = loop.run(client.ask(Request("", f"{asked} {number}", 5))).text
            except Refused:
                continue
            texts.append(asked)
        return texts

    batching(lambda: None if not chain() else pytest.fail("a question was asked"))
    assert [len(batch["bodies"]) for batch in server.created] == [2, 2]
    assert len(server.asked) == 2
    assert len(chain()) == 3
    assert len(server.asked) == 5


def test_who_has_no_batches(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no batch API"):
        client_of(
            Function(lambda prompts: prompts),
            cache_dir=str(tmp_path),
            batching=Batching(str(tmp_path), print),
        )
    with pytest.raises(UsageError, match="asks no language model"):
        Batching(str(tmp_path), print)(lambda: None)


def test_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ((bytes([number % 256, number // 256]), {"n": number}) for number in range(MOST_REQUESTS + 1))
    assert [len(portion) for portion in portions(lines)] == [MOST_REQUESTS, 1]
    monkeypatch.setattr("refchecker.llms.batch.fill.MOST_BYTES", 25)
    assert [len(portion) for portion in portions((b"", {"n": "x" * 10}) for _ in range(3))] == [1, 1, 1]


def claims_and_labels(body: dict[str, Any]) -> str:
    """A model that extracts "Town N is in France" and finds it entailed."""
    if body["response_format"]["json_schema"]["name"] == "verdict":
        return '{"label": "Entailment"}'
    [town] = set(re.findall(r"Town\d+", body["messages"][-1]["content"]))
    quote = f"{town} is in France"
    claim = {"sentence": 1, "quote": quote, "subject": town, "predicate": "is in", "object": "France"}
    return json.dumps({"claims": [claim]})


def test_the_command_line_asks_in_batches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        {"response": f"Town{n} is in France.", "reference": f"Town{n} is in France."} for n in range(4)
    ]
    (tmp_path / "in.json").write_text(json.dumps(records))
    (tmp_path / "key").write_text(f"{KEY}\n")
    with BatchServer(claims_and_labels) as server:
        server.release.set()
        options = ["extract-check", "--input_path", str(tmp_path / "in.json")]
        options += ["--output_path", str(tmp_path / "out.json"), "--cache_dir", str(tmp_path / "cache")]
        options += ["--openai_key", str(tmp_path / "key"), "--provider_batch"]
        for role in ("extractor", "checker"):
            options += [f"--{role}_name", "openai/m", f"--{role}_api_base", f"{server.address}/v1"]
        assert main(options) == 0
        assert [len(batch["bodies"]) for batch in server.created] == [3, 3]
        assert len(server.asked) == 2  # the first of each round
        assert main([*options, "--restart"]) == 0
        assert (len(server.created), len(server.asked)) == (2, 2)
    written = json.loads((tmp_path / "out.json").read_text())
    assert [item["ys"] for item in written] == [["Entailment"]] * 4
    assert "batch batch_1: completed, 3 of 3 done." in capsys.readouterr().err
    for file in tmp_path.rglob("*"):
        assert file.name == "key" or file.is_dir() or KEY.encode() not in file.read_bytes()


def test_the_command_line_refuses_what_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.json").write_text("[]")
    common = ["extract", "--extractor_name", "openai/m", "--provider_batch", "--output_path", "-"]
    assert main([*common, "--input_path", "-"]) == 2
    assert main([*common, "--input_path", str(tmp_path / "in.json"), "--cache_only"]) == 2
    told = capsys.readouterr().err
    assert "give a file, not standard input" in told
    assert "leave out one of them" in told
