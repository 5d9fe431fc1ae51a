"""Requests answered by the provider's batch API into the cache: cheaper by half, within a day.

`Batching` has a run go once without asking, to note what it would ask, and has that answered in batches; then
the run goes as ever, from the cache. What no batch answered is asked in the usual way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...errors import UsageError
from .. import loop
from ..asking import Ledger, Store, key_of
from ..types import Accept, Client, Price, Provider, Refused, Reply, Request
from .fill import POLL_SECONDS, Filled, Filling
from .log import BatchLog


class Batching:
    """The batches of one run: its clients only note what they are asked while `planning` is true."""

    def __init__(self, folder: str, tell: Callable[[str], None], poll_seconds: float = POLL_SECONDS) -> None:
        self.log = BatchLog(folder)
        self.tell = tell
        self.poll_seconds = poll_seconds
        self.planning = False
        self._plans: list[Plan] = []

    def client(
        self, client: Client, provider: Provider, store: Store, ledger: Ledger, price: Price | None
    ) -> Client:
        """The client, with its batches before it."""
        filling = Filling(
            provider, store, self.log, ledger, price=price, tell=self.tell, poll_seconds=self.poll_seconds
        )
        self._plans.append(Plan(client, store, filling, self))
        return self._plans[-1]

    def __call__(self, trial: Callable[[], None]) -> None:
        """Have what `trial` would ask answered into the cache, in as many rounds as it has clients.

        What one model answers (claims) is what the next is asked about.
        """
        if not self._plans:
            raise UsageError("--provider_batch: this run asks no language model. Leave it out.")
        for _ in self._plans:
            self.planning = True
            trial()
            self.planning = False
            if not any(plan.wanted for plan in self._plans):
                return
            for plan in self._plans:
                filled = loop.run(plan.fill())
                if filled.unanswered:
                    reason = filled.reason or "none came back"
                    self.tell(f"{filled.unanswered} requests have no answer from a batch: {reason}")


class Plan:
    """A client that while the run is planned notes what the cache does not answer, and refuses it."""

    def __init__(self, client: Client, store: Store, filling: Filling, batching: Batching) -> None:
        self.signature = client.signature
        self._client = client
        self._store = store
        self._filling = filling
        self._batching = batching
        self._tried: set[bytes] = set()
        self.wanted: dict[bytes, tuple[Request, Accept | None]] = {}

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply:
        if not self._batching.planning:
            return await self._client.ask(request, accept)
        key = key_of(self.signature, request)
        if kept := self._store.get(key):
            return replace(kept, cached=True)
        if key not in self._tried:
            self.wanted[key] = request, accept
        raise Refused("waits for a batch")

    async def close(self) -> None:
        await self._client.close()

    async def fill(self) -> Filled:
        wanted, self.wanted = self.wanted, {}
        self._tried |= wanted.keys()  # what a batch did not answer is not put into a second one
        return await self._filling.fill(wanted) if wanted else Filled()
