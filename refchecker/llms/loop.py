"""The one background thread in which everything that talks to language models runs.

It starts with the first coroutine and ends with the process. Coroutines of all components
share it, so a connection pool and a limit hold for the whole run.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

GRACE_SECONDS = 2.0  # at the end, for answers that are under way and paid for


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closers: list[Callable[[], Awaitable[None]]] = []
        self._running: set[Future[Any]] = set()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """The future of that coroutine, which begins at once. Cancelling the future cancels it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of that coroutine. An interrupt while waiting for it cancels it."""
        future = self.submit(coroutine)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def at_end(self, close: Callable[[], Awaitable[None]]) -> None:
        """Await `close()` when the loop ends, after everything that ran in it."""
        with self._lock:
            self._closers.append(close)

    def close_early(self, close: Callable[[], Awaitable[None]]) -> None:
        """Await `close()` now instead of at the end."""
        with self._lock:
            if close in self._closers:
                self._closers.remove(close)
        self.run(_awaited(close))

    def forget(self) -> None:
        """Be as new, in a forked child: the loop's thread has stayed with the parent."""
        vars(self).update(vars(Loop()))

    def close(self, *, grace_seconds: float = GRACE_SECONDS) -> None:
        """End everything that runs in the loop, then the loop and its thread. It may start again."""
        with self._lock:
            loop, thread, closers = self._loop, self._thread, self._closers
            self._loop, self._thread, self._closers = None, None, []
        if loop is None or thread is None:
            return
        for future in tuple(self._running):
            future.cancel()
        asyncio.run_coroutine_threadsafe(_end(closers, grace_seconds), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="llm", daemon=True)
                self._thread.start()
            return self._loop


async def _awaited(close: Callable[[], Awaitable[None]]) -> None:
    await close()


async def _end(closers: list[Callable[[], Awaitable[None]]], grace_seconds: float) -> None:
    """Wait for what is still under way, cancel what is not done then, close what was opened."""
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=grace_seconds)
    if late := {task for task in others if not task.done()}:
        for task in late:
            task.cancel()
        await asyncio.wait(late, timeout=grace_seconds)
    await asyncio.gather(*(close() for close in closers), return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
    await asyncio.get_running_loop().shutdown_default_executor()


_shared = Loop()
submit, run, at_end, close = _shared.submit, _shared.run, _shared.at_end, _shared.close
close_early = _shared.close_early
atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared.forget)
