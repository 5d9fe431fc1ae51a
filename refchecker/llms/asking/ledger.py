"""What all clients of one run share: the counts, the money, the time, and whether it is over."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import UsageError
from ...protocols import optional_parts
from ..types import Attempt, Price, Reply, Request, RunEnds, Usage
from .prices import cost_of
from .slots import Slots

GO_ON = "Every answer so far is kept; the same command goes on from there"
MAYBE_BILLED = ("timeout", "connection", "unreadable")  # causes that do not tell whether the model answered


class Ledger:
    """Open until `end`. Touched only in the event loop; `usage` may be read from anywhere.

    `max_cost` is in dollars, `deadline_seconds` counts from the first request. `notice` gets
    one line about requests that wait for another attempt, "" when there are none.
    """

    def __init__(
        self,
        *,
        max_cost: float | None = None,
        deadline_seconds: float | None = None,
        notice: Callable[[str], None] = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if max_cost is not None and not max_cost > 0:
            raise UsageError(f"--max_cost is an amount of dollars above 0, found {max_cost}")
        self.max_cost = max_cost
        self.over = asyncio.Event()
        self.clock = clock
        self._ended: RunEnds | None = None
        self._deadline_seconds = deadline_seconds
        self._started: float | None = None
        self._notice = notice
        self._counts: Counter[str] = Counter()
        self._causes: Counter[str] = Counter()
        self._retrying = 0
        self._spent = self._reserved = 0.0
        self._payers = 0
        self._priced = True
        self._settled = asyncio.Event()
        self._slots: dict[str, Slots] = {}
        self._under_way: set[asyncio.Task[Any]] = set()

    def usage(self) -> Usage:
        """The totals so far."""
        return Usage(**self._counts, cost=self._spent if self._priced else None, causes=dict(self._causes))

    def require_open(self) -> None:
        """Raise the `RunEnds` that ended this run, if one did."""
        if self.seconds_left() <= 0:
            self.end(RunEnds(f"--deadline of {self._deadline_seconds:g} s has passed. {GO_ON}."))
        if self._ended:
            raise RunEnds(str(self._ended))  # a new one: many raise it, each with a traceback of its own

    def seconds_left(self) -> float:
        if self._deadline_seconds is None:
            return float("inf")
        if self._started is None:
            self._started = self.clock()
        return self._started + self._deadline_seconds - self.clock()

    def end(self, error: RunEnds) -> None:
        """No further request. What is under way may end, unless nothing was ever answered."""
        if self._ended is None:
            self._ended = error
            self.over.set()
            if not self._counts["requests"]:
                for task in self._under_way:
                    task.cancel()

    @contextmanager
    def watched(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """While that task is under way, `end` may cancel it."""
        self._under_way.add(task)
        try:
            yield
        finally:
            self._under_way.discard(task)

    async def reserve(self, most: float) -> None:
        """Set that many dollars aside, waiting for others to settle where only that makes room.

        Errors: `RunEnds` where the budget does not allow it.
        """
        if self.max_cost is None:
            return
        while self._spent + self._reserved + most > self.max_cost:
            if not self._payers:
                self.end(
                    RunEnds(
                        f"--max_cost of ${self.max_cost:g} would be passed: ${self._spent:.4f} is spent and "
                        f"the next request may cost ${most:.4f}. {GO_ON} with a higher --max_cost."
                    )
                )
            self.require_open()
            await self._settled.wait()
        self._reserved += most
        self._payers += 1

    def settle(self, most: float) -> None:
        """What was set aside as `most` is free again; what it did cost is entered on its own."""
        if self.max_cost is not None:
            self._payers -= 1
            self._reserved = self._reserved - most if self._payers else 0.0
            self._settled.set()
            self._settled = asyncio.Event()

    def answered(self, reply: Reply, cost: float | None) -> None:
        self._counts["requests"] += 1
        self._counts["input_tokens"] += reply.input_tokens or 0
        self._counts["output_tokens"] += reply.output_tokens or 0
        self._priced = self._priced and cost is not None
        self._spent += cost or 0.0

    def replayed(self) -> None:
        self._counts["cached"] += 1

    def lost(self) -> None:
        self._counts["failed"] += 1

    def failed(self, attempt: Attempt, cost: float) -> None:
        self._causes[attempt.cause] += 1
        self._spent += cost

    def slots(self, signature: str, most: int) -> Slots:
        """The slots at that model, shared by all its clients."""
        return self._slots.setdefault(signature, Slots(most))

    @contextmanager
    def retrying(self, attempt: Attempt) -> Iterator[None]:
        """While one more request waits for another attempt."""
        self._counts["retries"] += 1
        self._retrying += 1
        self._notice(f"{self._retrying} retrying, last for {attempt.cause}")
        try:
            yield
        finally:
            self._retrying -= 1
            self._notice(f"{self._retrying} retrying" if self._retrying else "")


def most_cost(request: Request, price: Price | None, provider: Any = None) -> float:
    """The dollars that one attempt can cost at most; 0 where the price is unknown."""
    if price is None:
        return 0.0
    return cost_of(price, at_most_tokens(request), most_written(request, provider)) or 0.0


def most_written(request: Request, provider: Any) -> int:
    """The tokens that an answer may have; a provider with `most_tokens` may give room for thinking on top."""
    most_tokens = optional_parts(provider).most_tokens
    return most_tokens(request) if most_tokens else request.max_tokens


def at_most_tokens(request: Request) -> int:
    """More tokens than the prompt will have in nearly any language and tokenizer: one for two bytes."""
    schema = str(request.schema) if request.schema else ""
    return len((request.system + request.user + schema).encode(errors="replace")) // 2 + 64
