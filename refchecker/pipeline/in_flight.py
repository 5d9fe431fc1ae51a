"""Many items in flight at once, for components that begin work and do not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from ..errors import LLMError, RefCheckerError, RetrievalError
from .channel import Cancelled, Channel

A = TypeVar("A")
B = TypeVar("B")

Completions = Channel[tuple[A, Future[B]] | None]  # None: no more is begun


def completed(
    begin: Callable[[A], Future[B]], items: Iterable[A], completions: Completions[A, B], most: int
) -> Iterator[tuple[A, Future[B]]]:
    """Each item with its finished future, in the order they finish, while further items are begun.

    At most `most` are in flight: more than a server answers at once would only wait in memory, where
    each full run of the garbage collector, which holds up all others, has to look at them.

    Futures carry what went wrong with their own item. A `RefCheckerError` other than `LLMError` and
    `RetrievalError` concerns them all: nothing more is begun, what is in flight is waited for and
    yielded, then it is raised; so is an error in `items`. Whoever cancels `completions` cancels what
    is in flight.
    """
    feed = _Feed(begin, items, completions, most)
    threading.Thread(target=feed.run, daemon=True).start()
    try:
        while feed.going or feed.futures:
            [completion] = completions.take(1)
            if completion is None:
                continue
            feed.futures.discard(completion[1])
            if error := _fatal(completion[1]):
                feed.stop(error)
            else:
                yield completion
    finally:
        feed.stop()
        for future in tuple(feed.futures):
            future.cancel()
    if feed.error:
        raise feed.error


class _Feed(Generic[A, B]):
    """Begins items in a thread of its own, until they end or it is stopped."""

    def __init__(
        self, begin: Callable[[A], Future[B]], items: Iterable[A], completions: Completions[A, B], most: int
    ) -> None:
        self._begin = begin
        self._items = items
        self._completions = completions
        self._lock = threading.Lock()
        self._slots = threading.Semaphore(most)
        self.going = True
        self.futures: set[Future[B]] = set()
        self.error: BaseException | None = None

    def run(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                self._slots.acquire()
                with self._lock:
                    if not self.going:
                        return
                    try:
                        future = self._begin(item)
                    except Exception as failure:
                        future = Future()
                        future.set_exception(failure)
                    self.futures.add(future)
                future.add_done_callback(partial(self._complete, item))
        except Cancelled:
            pass
        except BaseException as raised:  # carried to the thread that iterates, and raised there
            error = raised
        self.stop(error)
        with suppress(Cancelled):
            self._completions.put(None)

    def stop(self, error: BaseException | None = None) -> None:
        with self._lock:
            self.going = False
            self.error = self.error or error

    def _complete(self, item: A, future: Future[B]) -> None:
        self._slots.release()
        with suppress(Cancelled):
            self._completions.put((item, future))


def _fatal(future: Future[B]) -> BaseException | None:
    """The error that ends the run, if this future ended with one."""
    error = None if future.cancelled() else future.exception()
    concerns_one = isinstance(error, LLMError | RetrievalError)
    return error if isinstance(error, RefCheckerError) and not concerns_one else None
