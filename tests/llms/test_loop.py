"""The background loop starts when it is needed and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from refchecker.llms.loop import Loop


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


@pytest.fixture
def loop():
    loop = Loop()
    yield loop
    loop.close(grace_seconds=0.1)


def test_it_starts_with_the_first_coroutine_ends_and_starts_again(loop):
    before = threading.active_count()
    for _ in range(2):
        assert loop.run(double(4)) == 8
        assert [future.result() for future in [loop.submit(double(i)) for i in range(3)]] == [0, 2, 4]
        assert threading.active_count() == before + 1
        loop.close()
        assert threading.active_count() == before
    loop.close()


FORKED = """
import os, signal
from refchecker.llms import loop

async def number():
    return 7

loop.run(number())
if child := os.fork():
    raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
signal.alarm(60)  # a child that waits for its parent's thread waits for ever
os._exit(loop.run(number()))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_child_has_a_loop_of_its_own():
    assert subprocess.run([sys.executable, "-c", FORKED]).returncode == 7


def test_what_is_closed_early_is_not_closed_again(loop):
    closed = []

    async def close():
        closed.append(1)

    loop.at_end(close)
    loop.close_early(close)
    assert closed == [1]
    loop.close()
    assert closed == [1]


def test_an_error_comes_to_whoever_waits(loop):
    async def breaks():
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        loop.run(breaks())


def test_the_end_cancels_what_runs_then_closes_what_was_opened(loop):
    seen: list[str] = []

    async def forever(name: str):
        try:
            await asyncio.sleep(3600)
        finally:
            seen.append(name)

    async def close():
        seen.append("closed")

    futures = [loop.submit(forever(name)) for name in ("one", "two")]
    loop.at_end(close)
    loop.run(double(1))
    loop.close(grace_seconds=5)
    assert sorted(seen[:2]) == ["one", "two"]
    assert seen[2:] == ["closed"]
    for future in futures:
        with pytest.raises(CancelledError):
            future.result()


def test_the_end_waits_for_what_is_paid_for(loop):
    ended: list[bool] = []

    async def stubborn():
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)
            ended.append(True)

    loop.submit(stubborn())
    loop.run(double(1))
    loop.close(grace_seconds=5)
    assert ended == [True]


def test_a_program_that_ends_in_the_middle_says_nothing():
    program = (
        "import asyncio\n"
        "from refchecker.llms import loop\n"
        "async def forever(): await asyncio.sleep(3600)\n"
        "for _ in range(5): loop.submit(forever())\n"
        "raise SystemExit(7)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")
