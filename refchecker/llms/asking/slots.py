"""How many requests are under way at once: as many as the server bears."""

from __future__ import annotations

import asyncio
from collections import deque

ANSWERS_PER_SLOT = 8


class Slots:
    """Up to `most` slots; each refusal takes one away, each 8 good answers give one back.

    So a server that bears fewer is found out within one round, the share of refused requests
    settles near 1 in 9, and refusals rarer than that cost no slot for long.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> int:
        return int(self._allowed)

    async def enter(self, *, first: bool = False) -> None:
        """Wait for a slot; `first` goes before all who wait, for requests that have waited already."""
        if self._taken < self.allowed and (first or not self._waiting):
            self._taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        if first:
            self._waiting.appendleft(turn)
        else:
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had got a slot in the same moment
                self.leave()
            raise

    def leave(self) -> None:
        self._taken -= 1
        self._admit()

    def answered(self) -> None:
        self._allowed = min(self._allowed + 1 / ANSWERS_PER_SLOT, self._most)

    def refused(self) -> None:
        self._allowed = max(self._allowed - 1, 1.0)

    def _admit(self) -> None:
        while self._waiting and self._taken < self.allowed:
            turn = self._waiting.popleft()
            if not turn.done():  # done: cancelled while it waited
                self._taken += 1
                turn.set_result(None)
