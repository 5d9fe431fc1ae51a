"""Many items in flight at once, for components that begin work and do not wait for it; batches as such."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

from ..errors import LLMError, RefCheckerError, RetrievalError
from ..protocols import optional_parts
from .channel import Cancelled, Channel
from .faults import isolated

A = TypeVar("A")
B = TypeVar("B")

Completions = Channel[tuple[A, Future[B]] | None]  # None: no more is begun


class RunEnds(Exception):
    """What a batch component raised that concerns the whole run, on its way to the thread that iterates."""


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
    if isinstance(error, RunEnds):
        return error.__cause__
    concerns_one = isinstance(error, LLMError | RetrievalError)
    return error if isinstance(error, RefCheckerError) and not concerns_one else None


def begin_of(
    component: Callable[[Sequence[A]], list[B]],
    waiting: Batches[A, B],
    most: int,
    who: str,
    failure: Callable[[BaseException], B],
) -> Callable[[Sequence[A]], Future[list[B]]]:
    """The component's `begin`; of one without, a thread that takes what waits, up to `most` items at once."""
    if begin := optional_parts(component).begin:
        return begin

    def work() -> None:
        while batch := waiting.take(most, weight=lambda request: len(request[0])):
            items = [item for request, _ in batch for item in request]
            try:
                answers = isolated(component, items, who, failure)
            except BaseException as error:  # carried to the thread that iterates, and raised there
                ended = RunEnds()
                ended.__cause__ = error
                for _, future in batch:
                    future.set_exception(ended)
                continue
            start = 0
            for request, future in batch:
                future.set_result(answers[start : start + len(request)])
                start += len(request)

    def begin_in_batch(items: Sequence[A]) -> Future[list[B]]:
        future: Future[list[B]] = Future()
        waiting.put((items, future))
        return future

    def guarded() -> None:
        with suppress(Cancelled):
            work()

    threading.Thread(target=guarded, daemon=True).start()
    return begin_in_batch


Batches = Channel[tuple[Sequence[A], Future[list[B]]]]  # what waits for the next batch
