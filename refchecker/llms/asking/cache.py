"""Every answer is paid for once: kept in a SQLite file, asked once by all who want it at the same time."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Protocol

from ...errors import UsageError
from ...io import Database
from ..types import Accept, Refused, Reply, Request
from .ledger import Ledger

VERSION = 1  # of the keys and values: another number makes all that is kept unknown
FILE_NAME = "llm.sqlite"
REQUEST_FIELDS = tuple(field.name for field in fields(Request))
REPLY_FIELDS = ("text", "stop", "input_tokens", "output_tokens", "logprobs", "model")


class Store:
    """Replies in a SQLite file that several processes may use at once. No request, key or header is in it.

    Errors: `UsageError` where the file cannot be used.
    """

    def __init__(self, folder: str | Path) -> None:
        self._base = Database(
            Path(folder, FILE_NAME),
            "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, reply TEXT NOT NULL)",
            "cannot keep answers here: {error}. "
            "Make room, mend or remove the file, or choose another --cache_dir.",
        )

    def get(self, key: bytes) -> Reply | None:
        rows = self._base.execute("SELECT reply FROM replies WHERE key = ?", (key,))
        return read_reply(rows[0][0]) if rows else None

    def put(self, key: bytes, reply: Reply) -> None:
        self._base.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, write_reply(reply)))

    def close(self) -> None:
        self._base.close()


class Uncached(Protocol):
    """What the cache asks: a `Policy`, or the estimate of a dry run."""

    signature: str

    async def ask(self, request: Request, /) -> Reply: ...

    async def close(self) -> None: ...


@dataclass(slots=True)
class _UnderWay:
    task: asyncio.Task[Reply]
    waiting: int = 0


class Cached:
    """A client that asks for each answer once, and replays it from the store ever after.

    Without a store only those who ask at the same time share an answer. With `only`, nothing
    is asked: what the store does not have is `Refused`.
    """

    def __init__(
        self, uncached: Uncached, ledger: Ledger, store: Store | None, *, only: bool = False
    ) -> None:
        if only and store is None:
            raise UsageError("--cache_only replays answers from a cache; give its folder by --cache_dir")
        self.signature = uncached.signature
        self._uncached = uncached
        self._ledger = ledger
        self._store = store
        self._only = only
        self._under_way: dict[bytes, _UnderWay] = {}

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply:
        key = key_of(self.signature, request)
        if self._store and (kept := self._store.get(key)):
            self._ledger.replayed()
            return replace(kept, cached=True)
        if self._only:
            raise Refused(
                "its answer is not in the cache, and --cache_only asks no model. Leave it out to ask."
            )
        under_way = self._under_way.get(key)
        if under_way is None:
            under_way = _UnderWay(asyncio.ensure_future(self._ask(key, request, accept)))
            under_way.task.add_done_callback(lambda task: self._forget(key, task))
            self._under_way[key] = under_way
        return await self._shared(key, under_way)

    async def close(self) -> None:
        await self._uncached.close()
        if self._store:
            self._store.close()

    async def _ask(self, key: bytes, request: Request, accept: Accept | None) -> Reply:
        reply = await self._uncached.ask(request)
        if self._store and (accept is None or accept(reply)):
            self._store.put(key, reply)
        return reply

    async def _shared(self, key: bytes, under_way: _UnderWay) -> Reply:
        """The answer, which one who no longer wants it takes from nobody else."""
        under_way.waiting += 1
        try:
            return await asyncio.shield(under_way.task)
        finally:
            under_way.waiting -= 1
            if not under_way.waiting and not under_way.task.done():
                self._forget(key, under_way.task)
                under_way.task.cancel()

    def _forget(self, key: bytes, task: asyncio.Task[Reply]) -> None:
        if key in self._under_way and self._under_way[key].task is task:
            del self._under_way[key]
        if task.done() and not task.cancelled():
            task.exception()  # seen, also where nobody waits any more


def key_of(signature: str, request: Request) -> bytes:
    """What the answer to this request is kept under: everything that decides it, and nothing else."""
    what = [VERSION, signature, {name: getattr(request, name) for name in REQUEST_FIELDS}]
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=dict).encode()).digest()


def write_reply(reply: Reply) -> str:
    return json.dumps({name: getattr(reply, name) for name in REPLY_FIELDS}, default=dict)


def read_reply(text: str) -> Reply:
    """The reply that was written.

    >>> reply = Reply("yes", logprobs=(("yes", {"yes": -0.1, "no": -2.3}),))
    >>> read_reply(write_reply(reply)) == reply
    True
    """
    values: dict[str, Any] = json.loads(text)
    values["logprobs"] = tuple((token, others) for token, others in values["logprobs"])
    return Reply(**values)
