"""Small help for work that waits for the network in many threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Pool:
    """Threads that do what is submitted, started when they are needed; an exit does not wait for them.

    Those of `concurrent.futures` are waited for at the exit, which is long where a server is silent.
    """

    def __init__(self, threads: int) -> None:
        self._free = threads
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()  # None: no more comes
        self._lock = threading.Lock()

    def submit(self, call: Callable[..., T], *arguments: Any) -> Future[T]:
        future: Future[T] = Future()
        self._jobs.put(partial(_do, future, partial(call, *arguments)))
        with self._lock:
            if self._free:
                self._free -= 1
                threading.Thread(target=self._work, daemon=True).start()
        return future

    def close(self) -> None:
        """No more is taken; the threads end when they have done what is there."""
        self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            job()
        self._jobs.put(None)  # for the other threads


def _do(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:  # carried to whoever waits, and raised there
        future.set_exception(error)


class Once(Generic[T]):
    """Makes the value of a key once, also where several threads want it, and keeps the last few values."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._made: dict[Hashable, Future[T]] = {}

    def __call__(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            future = self._made.get(key)
            mine = future is None
            if future is None:
                future = self._made[key] = Future()
        if mine:
            _do(future, make)
            with self._lock:
                if future.exception():
                    del self._made[key]  # whoever comes later tries again
                while len(self._made) > self._most and (old := self._oldest_made()) is not None:
                    del self._made[old]
        return future.result()

    def _oldest_made(self) -> Hashable | None:
        return next((key for key, future in self._made.items() if future.done()), None)
