"""Answers are kept, shared and replayed; by several processes too."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.llms.asking import Cached, Ledger, Store, key_of
from refchecker.llms.asking.cache import read_reply, write_reply
from refchecker.llms.types import GaveUp, Refused, Reply, Request

ASK = Request("system", "user", max_tokens=9)


class Counting:
    """Answers each request with its text and counts how often it was asked."""

    signature = "fake/model"

    def __init__(self, seconds: float = 0.0, error: Exception | None = None) -> None:
        self.asked: Counter[str] = Counter()
        self._seconds, self._error = seconds, error

    async def ask(self, request, /):
        self.asked[request.user] += 1
        await asyncio.sleep(self._seconds)
        if self._error:
            raise self._error
        return Reply(request.user, "end", 3, 1, (("y", {"y": -0.1}),), model="m-2026")

    async def close(self) -> None: ...


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    yield store
    store.close()


def test_an_answer_is_asked_for_once_and_replayed_as_it_was(store):
    model, ledger = Counting(), Ledger()
    client = Cached(model, ledger, store)
    first = asyncio.run(client.ask(ASK))
    second = asyncio.run(client.ask(ASK))
    assert model.asked == {"user": 1}
    assert second == replace(first, cached=True)
    assert ledger.usage().cached == 1


@pytest.mark.parametrize(
    "other",
    [
        {"system": "x"},
        {"user": "x"},
        {"max_tokens": 8},
        {"schema": {"type": "object"}},
        {"temperature": None},
        {"logprobs": 5},
        {"sample": 1},
        {"prompt": "check_one:2"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_everything_that_decides_an_answer_is_in_its_key(other):
    assert key_of("fake/model", replace(ASK, **other)) != key_of("fake/model", ASK)
    assert key_of("fake/other", ASK) != key_of("fake/model", ASK)


def test_the_order_of_a_schema_is_not_in_the_key():
    one, two = ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})
    assert key_of("m", replace(ASK, schema=one)) == key_of("m", replace(ASK, schema=two))


def test_those_who_ask_at_the_same_time_share_one_request():
    model = Counting(0.01)
    client = Cached(model, Ledger(), None)

    async def many():
        return await asyncio.gather(*(client.ask(ASK) for _ in range(20)))

    assert {reply.text for reply in asyncio.run(many())} == {"user"}
    assert model.asked == {"user": 1}


def test_one_who_leaves_takes_the_answer_from_nobody():
    model = Counting(0.05)
    client = Cached(model, Ledger(), None)

    async def scene():
        leaving, staying = asyncio.ensure_future(client.ask(ASK)), asyncio.ensure_future(client.ask(ASK))
        await asyncio.sleep(0.01)
        leaving.cancel()
        assert (await staying).text == "user"
        assert leaving.cancelled()

    asyncio.run(scene())
    assert model.asked == {"user": 1}


@pytest.mark.parametrize("error", [GaveUp("8 attempts"), Refused("too long")])
def test_an_error_is_not_kept(store, error):
    with pytest.raises(type(error)):
        asyncio.run(Cached(Counting(error=error), Ledger(), store).ask(ASK))
    assert asyncio.run(Cached(Counting(), Ledger(), store).ask(ASK)).text == "user"


def test_a_reply_that_could_not_be_read_is_given_but_not_kept(store):
    model = Counting()
    client = Cached(model, Ledger(), store)
    assert asyncio.run(client.ask(ASK, accept=lambda reply: False)).text == "user"
    assert asyncio.run(client.ask(ASK, accept=lambda reply: reply.text == "user")).cached is False
    assert asyncio.run(client.ask(ASK)).cached is True
    assert model.asked == {"user": 2}


def test_cache_only_asks_nothing(store):
    model = Counting()
    asyncio.run(Cached(model, Ledger(), store).ask(ASK))
    replaying = Cached(model, Ledger(), store, only=True)
    assert asyncio.run(replaying.ask(ASK)).cached
    with pytest.raises(Refused, match="not in the cache"):
        asyncio.run(replaying.ask(replace(ASK, user="other")))
    assert model.asked == {"user": 1}
    with pytest.raises(UsageError, match="--cache_dir"):
        Cached(model, Ledger(), None, only=True)


def test_a_file_that_is_no_cache_says_what_to_do(tmp_path):
    (tmp_path / "llm.sqlite").write_text("my diary, which is long enough to be no database at all" * 50)
    with pytest.raises(UsageError, match=r"llm\.sqlite: cannot keep answers here.*--cache_dir"):
        Store(tmp_path)
    with pytest.raises(UsageError, match="cannot keep answers here"):
        Store(tmp_path / "llm.sqlite" / "folder")


@given(
    st.builds(
        Reply,
        st.text(),
        st.sampled_from(["end", "length", "filter"]),
        st.none() | st.integers(0),
        st.none() | st.integers(0),
        st.lists(
            st.tuples(st.text(), st.dictionaries(st.text(), st.floats(allow_nan=False, allow_infinity=False)))
        ).map(tuple),
        model=st.text(),
    )
)
def test_what_is_written_is_read(reply):
    assert read_reply(write_reply(reply)) == reply


WRITER = """
import sys
from refchecker.llms.asking.cache import Store, key_of
from refchecker.llms.types import Reply, Request
folder, me = sys.argv[1], sys.argv[2]
store = Store(folder)
for number in range(150):
    store.put(key_of(me, Request("", str(number), 1)), Reply(f"{me} {number}"))
    shared = key_of("all", Request("", str(number), 1))
    kept = store.get(shared)
    assert kept is None or kept.text == f"shared {number}"
    store.put(shared, Reply(f"shared {number}"))
store.close()
"""


def test_several_processes_use_one_cache(tmp_path):
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), f"writer {i}"],
            cwd=root,
            stderr=subprocess.PIPE,
            text=True,
        )
        for i in range(4)
    ]
    for writer in writers:
        _, talk = writer.communicate(timeout=240)
        assert writer.returncode == 0, talk
    store = Store(tmp_path)
    for name in ["all", *(f"writer {i}" for i in range(4))]:
        for number in range(150):
            reply = store.get(key_of(name, Request("", str(number), 1)))
            assert reply
            assert reply.text == f"{'shared' if name == 'all' else name} {number}"
    store.close()


def test_values_are_json_and_keys_are_hashes(store, tmp_path):
    asyncio.run(Cached(Counting(), Ledger(), store).ask(ASK))
    with closing(sqlite3.connect(tmp_path / "llm.sqlite")) as base:
        [(key, value)] = base.execute("SELECT key, reply FROM replies")
    assert len(key) == 32
    assert json.loads(value)["text"] == "user"
    assert "system" not in value
