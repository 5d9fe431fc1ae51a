"""Many items under way at once, for components that begin work and do not wait for it."""

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


Landings = Channel[tuple[A, Future[B]] | None]  # None: no more is begun


def overlapped(
    begin: Callable[[A], Future[B]], items: Iterable[A], landings: Landings[A, B], most: int
) -> Iterator[tuple[A, Future[B]]]:
    """Each item with its finished future, in the order they finish, while further items are begun.

    At most `most` are under way: more than a server answers at once would only wait in memory, where
    each full run of the garbage collector, which holds up all others, has to look at them.

    Futures carry what went wrong with their own item. A `RefCheckerError` other than `LLMError` and
    `RetrievalError` concerns them all: nothing more is begun, what is under way is waited for and
    yielded, then it is raised; so is an error in `items`. Whoever cancels `landings` cancels what
    is under way.
    """
    feed = _Feed(begin, items, landings, most)
    threading.Thread(target=feed.run, daemon=True).start()
    try:
        while feed.going or feed.under_way:
            [landing] = landings.take(1)
            if landing is None:
                continue
            feed.under_way.discard(landing[1])
            if error := _fatal(landing[1]):
                feed.stop(error)
            else:
                yield landing
    finally:
        feed.stop()
        for future in tuple(feed.under_way):
            future.cancel()
    if feed.error:
        raise feed.error


class _Feed(Generic[A, B]):
    """Begins items in a thread of its own, until they end or it is stopped."""

    def __init__(
        self, begin: Callable[[A], Future[B]], items: Iterable[A], landings: Landings[A, B], most: int
    ) -> None:
        self._begin = begin
        self._items = items
        self._landings = landings
        self._lock = threading.Lock()
        self._places = threading.Semaphore(most)
        self.going = True
        self.under_way: set[Future[B]] = set()
        self.error: BaseException | None = None

    def run(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                self._places.acquire()
                with self._lock:
                    if not self.going:
                        return
                    future = _begun(self._begin, item)
                    self.under_way.add(future)
                future.add_done_callback(partial(self._land, item))
        except Cancelled:
            pass
        except BaseException as raised:  # carried to the thread that iterates, and raised there
            error = raised
        self.stop(error)
        with suppress(Cancelled):
            self._landings.put(None)

    def stop(self, error: BaseException | None = None) -> None:
        with self._lock:
            self.going = False
            self.error = self.error or error

    def _land(self, item: A, future: Future[B]) -> None:
        self._places.release()
        with suppress(Cancelled):
            self._landings.put((item, future))


def settled(answer: B) -> Future[B]:
    """A future that has its answer already."""
    future: Future[B] = Future()
    future.set_result(answer)
    return future


def _begun(begin: Callable[[A], Future[B]], item: A) -> Future[B]:
    try:
        return begin(item)
    except Exception as error:
        future: Future[B] = Future()
        future.set_exception(error)
        return future


def _fatal(future: Future[B]) -> BaseException | None:
    """The error that ends the run, if this future ended with one."""
    error = None if future.cancelled() else future.exception()
    own = (LLMError, RetrievalError)
    return error if isinstance(error, RefCheckerError) and not isinstance(error, own) else None
