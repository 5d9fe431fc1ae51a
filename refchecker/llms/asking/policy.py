"""How a provider is asked: how many requests at once, how often again, how long, for how much.

A failed attempt concerns its own request only. What can never be answered fails at once, what
ends the run ends it for every client that shares the ledger.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ..types import Accept, Attempt, GaveUp, Price, Provider, Refused, Reply, Request, RetryLater, RunEnds
from .ledger import MAYBE_BILLED, Ledger, most_cost
from .prices import cost_of

REACH_ATTEMPTS = 3  # a server that never answered is not there


@dataclass(frozen=True, slots=True)
class Limits:
    """How much patience there is. Seconds of a request count from its first attempt."""

    concurrency: int = 64
    attempts: int = 8
    request_seconds: float = 300.0
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 60.0


class Policy:
    """A provider that is asked until it answers, within the limits.

    Errors: `GaveUp` after the last attempt, `Refused` and `RunEnds` as the provider raises
    them, `RunEnds` also where the server was never reached and where the ledger is closed.
    """

    def __init__(
        self,
        provider: Provider,
        limits: Limits,
        ledger: Ledger,
        *,
        price: Price | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.signature = provider.signature
        self._provider = provider
        self._limits = limits
        self._ledger = ledger
        self._price = price
        self._sleep = sleep
        self._chance = chance
        self._slots = ledger.slots(provider.signature, limits.concurrency)
        self._reached = False

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply:
        started = 0.0
        for attempts in range(1, self._limits.attempts + 1):
            await self._slots.enter(first=attempts > 1)
            try:
                self._ledger.require_open()
                if attempts == 1:
                    started = self._ledger.clock()
                left = max(started + self._limits.request_seconds - self._ledger.clock(), 1.0)
                return await self._paid(request, left)
            except RetryLater as failure:
                attempt = failure.attempt
            except Refused:
                self._ledger.lost()
                raise
            except RunEnds as error:
                self._ledger.end(error)
                raise
            finally:
                self._slots.leave()
            self._require_reached(attempt, attempts)
            seconds = wait_seconds(attempt, attempts, self._limits, self._chance())
            passed = self._ledger.clock() - started
            if attempts == self._limits.attempts or passed + seconds >= self._limits.request_seconds:
                self._ledger.lost()
                asked = attempt.retry_after_seconds
                raise GaveUp(
                    f"gave up after {attempts} attempts in {passed:.0f} s; the last one: "
                    f"{attempt.cause}, {attempt.message}"
                    + (f"; the server asks to wait {asked:.0f} s" if asked else "")
                )
            with self._ledger.retrying(attempt):
                await self._wait(min(seconds, self._ledger.seconds_left()))
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        await self._provider.close()

    async def _paid(self, request: Request, seconds: float) -> Reply:
        """One attempt, with what it can cost set aside before and what it did cost written down after."""
        most = most_cost(request, self._price, self._provider)
        await self._ledger.reserve(most)
        try:
            reply = await self._attempt(request, max(min(seconds, self._ledger.seconds_left()), 0.0))
        except RetryLater as failure:
            billed = self._reached and failure.attempt.cause in MAYBE_BILLED
            self._ledger.failed(failure.attempt, most if billed else 0.0)
            self._reached = self._reached or failure.attempt.status is not None
            if failure.attempt.cause in ("rate_limit", "overloaded"):
                self._slots.refused()
            raise
        finally:
            self._ledger.settle(most)
        told = cost_of(self._price, reply.input_tokens, reply.output_tokens)
        self._ledger.answered(reply, most if told is None and self._price else told)
        self._reached = True
        self._slots.answered()
        return reply

    async def _attempt(self, request: Request, seconds: float) -> Reply:
        """One attempt. Who cancels it once lets it end, because it is paid for; twice, and it is dropped."""
        task = asyncio.ensure_future(self._provider.send(request))
        cancelled = False
        with self._ledger.watched(task):
            try:
                try:
                    await asyncio.wait({task}, timeout=seconds)
                except asyncio.CancelledError:
                    cancelled = True
                    await asyncio.wait({task}, timeout=seconds)
            finally:
                if not task.done():
                    task.cancel()
        if task.done() and not task.cancelled() and not task.exception():
            return task.result()
        if cancelled:
            raise asyncio.CancelledError
        self._ledger.require_open()
        if not task.done():
            raise RetryLater(Attempt("timeout", f"no answer within {seconds:.3g} s"))
        return task.result()

    def _require_reached(self, attempt: Attempt, attempts: int) -> None:
        if attempt.cause == "connection" and not self._reached and attempts >= REACH_ATTEMPTS:
            error = RunEnds(
                f"cannot reach the server of {self.signature}: {attempt.message}. "
                "Check the network, the *_api_base, and whether the server runs."
            )
            self._ledger.end(error)
            raise error

    async def _wait(self, seconds: float) -> None:
        """Sleep, but not beyond the end of the run."""
        waits = {asyncio.ensure_future(self._sleep(seconds)), asyncio.ensure_future(self._ledger.over.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        self._ledger.require_open()


def wait_seconds(attempt: Attempt, attempts: int, limits: Limits, chance: float) -> float:
    """How long to wait after that many attempts: twice as long each time, or as the server says.

    `chance` in [0, 1) spreads requests that failed together: over the upper half of the wait,
    or over the first wait's length after what the server asked for.
    """
    if attempt.retry_after_seconds is not None:
        return attempt.retry_after_seconds + chance * limits.first_wait_seconds
    longest: float = min(limits.first_wait_seconds * 2 ** (attempts - 1), limits.longest_wait_seconds)
    return longest * (0.5 + chance / 2)
