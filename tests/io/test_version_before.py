"""Caches and a journal written by the version before (0.3.0 at commit 6e643d9) are read by this one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import slow_checker

from refchecker import __version__
from refchecker.cli import main
from refchecker.llms import client_of, loop
from refchecker.llms.batch.log import BatchLog
from refchecker.llms.types import Reply, Request
from refchecker.retriever.google.memory import Memory, Outcomes, Snapshot

WRITTEN = Path(__file__).parent / "version_before"
MODEL_VERSION = "gpt-4o-mini-2024-07-18"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(WRITTEN, tmp_path, dirs_exist_ok=True)
    return tmp_path


class Unasked:
    """A model that is not to be asked again."""

    signature = "openai/gpt-4o-mini"

    async def send(self, request: Request, /) -> Reply:
        raise AssertionError(f"asked: {request.user}")

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("request_", "logprobs"),
    [
        pytest.param(Request("", "Köln", max_tokens=9), (), id="bare"),
        pytest.param(
            Request(
                "Be brief.",
                "Bern",
                max_tokens=64,
                schema={"type": "object", "properties": {"label": {"type": "string"}}},
                schema_name="verdict",
                prompt="check_one@3fa1",
            ),
            (),
            id="schema",
        ),
        pytest.param(
            Request("Be brief.", "Rome", max_tokens=1, temperature=None, logprobs=5, sample=2),
            (("yes", {"yes": -0.1, "no": -2.3}),),
            id="logprobs",
        ),
    ],
)
def test_a_model_is_not_asked_again(
    folder: Path, request_: Request, logprobs: tuple[tuple[str, dict[str, float]], ...]
) -> None:
    client = client_of(Unasked(), cache_dir=str(folder))
    reply = loop.run(client.ask(request_))
    loop.close_early(client.close)
    text = f"{request_.user} is answered."
    assert reply == Reply(text, "end", 12, 7, logprobs, cached=True, model=MODEL_VERSION)


def test_submitted_batches_are_known(folder: Path) -> None:
    log = BatchLog(folder)
    [batch] = log.open("openai/gpt-4o-mini")
    assert (batch.tag, batch.batch_id, batch.count) == ("tag-with-id", "batch_1", 2)
    assert log.has(batch.tag, b"1" * 32)
    assert not log.has(batch.tag, b"3" * 32)
    log.close()


@pytest.mark.parametrize("kept_in", ["cache", "snapshot"])
def test_the_web_is_not_asked_again(folder: Path, kept_in: str) -> None:
    cache = Outcomes(folder / "web.sqlite") if kept_in == "cache" else None
    snapshot = Snapshot(folder / "recorded.snapshot") if kept_in == "snapshot" else None
    memory = Memory(cache, snapshot)
    assert memory.frozen == (kept_in == "snapshot")
    answer = memory("search", '{"q": "Bern"}', lambda: pytest.fail("searched again"))
    assert answer == {"time": "2026-11-01T00:00:00+00:00", "answer": {"organic": []}}
    if snapshot:  # failures are in no cache
        assert memory("page", "https://bern.example/", lambda: {}) == {"cause": "timeout"}
    memory.close()


def test_a_run_goes_on_from_the_journal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed after four of five records; only the fifth is judged now, and the output has what was kept."""
    header, *lines = (folder / "journal.jsonl").read_text("utf-8").splitlines(keepends=True)
    header = header.replace('"version": "0.3.0"', f'"version": "{__version__}"')  # another is refused
    (folder / "out.json.journal").write_text(header + "".join(lines), "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SLOW_CHECKER_LOG", "judged")
    checker = f"python:{slow_checker.__name__}:check"
    command = ["check", "--input_path", "in.json", "--output_path", "out.json", "--checker_name", checker]
    assert main([*command, "--quiet"]) == 3, "one was written as failed"
    assert Path("judged").read_text().split("\n") == ["claim 4", ""]
    items = json.loads(Path("out.json").read_text("utf-8"))
    assert items[:4] == [json.loads(line)["item"] for line in lines]
    assert (items[4]["id"], items[4]["ys"], items[4]["status"]) == ("q4", ["Entailment"], "ok")
