"""What runs between two stages of the pipeline: a queue that ends, fails and stops as one."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class Cancelled(Exception):
    """The consumer has gone; the stage has nothing more to do."""


class Channel(Generic[T]):
    """A queue between two stages that hands over whatever is waiting, and carries errors on."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._cancelled = False
        self._error: BaseException | None = None

    def put(self, item: T) -> None:
        with self._changed:
            if self._cancelled:
                raise Cancelled
            self._items.append(item)
            self._changed.notify()

    def take(self, most: int, weight: Callable[[T], int] = lambda _: 1) -> list[T]:
        """At least one item; more while their weights stay within `most`; empty at the end."""
        with self._changed:
            while not (self._items or self._closed or self._cancelled):
                self._changed.wait()
            if self._cancelled:
                raise Cancelled
            if not self._items and self._error:
                raise self._error
            taken: list[T] = []
            room = most
            while self._items and (not taken or weight(self._items[0]) <= room):
                taken.append(self._items.popleft())
                room -= weight(taken[-1])
            return taken

    def __iter__(self) -> Iterator[T]:
        """The items one by one, until the channel is closed."""
        while items := self.take(1):
            yield from items

    def close(self, error: BaseException | None = None) -> None:
        with self._changed:
            self._closed, self._error = True, error
            self._changed.notify_all()

    def cancel(self) -> None:
        with self._changed:
            self._cancelled = True
            self._items.clear()
            self._changed.notify_all()


def guarded(stage: Callable[[], None], output: Channel[T], channels: Sequence[Channel[T]]) -> None:
    """Run one stage; its end, good or bad, ends its output channel."""
    try:
        stage()
    except Cancelled:
        output.close()
    except BaseException as error:  # carried to the consumer's thread and raised there
        output.close(error)
    else:
        output.close()
