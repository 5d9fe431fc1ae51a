"""A model's requests on their way through its batch API into the cache: submit, poll, collect."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..asking import Ledger, Store, batched, cost_of, most_cost
from ..types import Accept, Price, Provider, Refused, Reply, Request, RetryLater, RunEnds
from .log import BatchLog, Submitted
from .wire import batches_of

MOST_REQUESTS = 50_000  # in one batch; both providers take as many
MOST_BYTES = 100_000_000
CREATE_ATTEMPTS = 5
POLL_SECONDS = 30.0

Wanted = Mapping[bytes, tuple[Request, Accept | None]]
Lines = list[tuple[bytes, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Filled:
    """What batches have brought: answers kept, and requests they have no good answer to, with one reason."""

    answered: int = 0
    unanswered: int = 0
    reason: str = ""


class Filling:
    """A model's requests on their way through its batch API into the store.

    Errors of `fill`: `RunEnds` as the provider raises it, or where the budget does not allow the batches.
    """

    def __init__(
        self,
        provider: Provider,
        store: Store,
        log: BatchLog,
        ledger: Ledger,
        *,
        price: Price | None = None,
        tell: Callable[[str], None] = lambda line: None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._chat, self._batches = batches_of(provider)
        self._store = store
        self._log = log
        self._ledger = ledger
        self._price = price
        self._tell = tell
        self._poll_seconds = poll_seconds
        self._last: dict[str, str] = {}  # what was told of each batch

    async def fill(self, wanted: Wanted) -> Filled:
        """Have them answered; batches of an earlier run are waited for, not submitted again.

        The first new request is asked alone and at once: a wrong key, an unknown model or a parameter that
        the model refuses shows before anything is submitted.
        """
        under_way = await self._taken_up(wanted)
        pending = {key for key in wanted if any(self._log.has(batch.tag, key) for batch in under_way)}
        new = {key: asked for key, asked in wanted.items() if key not in pending and not self._store.get(key)}
        self._require_money(new)
        brought = [await self._probe(new)] if new else []
        for portion in portions(
            (key, self._chat.wire.body(request, self._chat.without)) for key, (request, _) in new.items()
        ):
            under_way += await self._submitted(portion)
        while under_way:
            for batch in tuple(under_way):
                if (filled := await self._polled(batch, wanted)) is not None:
                    under_way.remove(batch)
                    brought.append(filled)
            if under_way:
                self._ledger.require_open()  # the deadline of the run is one for waiting too
                await asyncio.sleep(self._poll_seconds)
        reasons = [filled.reason for filled in brought if filled.reason]
        return Filled(
            sum(filled.answered for filled in brought),
            sum(filled.unanswered for filled in brought),
            reasons[0] if reasons else "",
        )

    async def _taken_up(self, wanted: Wanted) -> list[Submitted]:
        """The batches that an earlier run has submitted for these; one it was killed over is looked for."""
        for batch in self._open():
            if batch.batch_id is None and not await self._found(batch):
                self._log.finish(batch.tag)
        batches = [batch for batch in self._open() if any(self._log.has(batch.tag, key) for key in wanted)]
        if batches:
            self._tell(f"going on with {len(batches)} submitted batches of {self._chat.signature}.")
        return batches

    def _open(self) -> list[Submitted]:
        return self._log.open(self._chat.signature)

    async def _found(self, batch: Submitted) -> str | None:
        """The provider's id of a batch that may have been made, noted where there is one."""
        known = frozenset(each.batch_id for each in self._open() if each.batch_id)
        found = await self._batches.find(batch.tag, batch.count, batch.since, known)
        if found:
            self._log.submitted(batch.tag, found)
        return found

    async def _probe(self, new: dict[bytes, tuple[Request, Accept | None]]) -> Filled:
        """Ask the first; it leaves `new` where it was answered, or cannot be."""
        key = next(iter(new))
        request, accept = new[key]
        try:
            reply = await self._chat.send(request)
        except RetryLater:
            return Filled()  # the endpoint is there, and busy: nothing against a batch
        except Refused as error:
            del new[key]
            return Filled(0, 1, str(error))
        del new[key]
        return self._kept(key, reply, accept, self._price)

    async def _submitted(self, portion: Lines) -> list[Submitted]:
        """The batch of those requests that no other process has just taken."""
        tag = uuid.uuid4().hex
        taken = set(self._log.intend(tag, self._chat.signature, [key for key, _ in portion]))
        lines = [(key.hex(), body) for key, body in portion if key in taken]
        if lines:
            batch_id = await self._created(tag, lines)
            self._told(
                batch_id,
                f"submitted, {len(lines)} requests. It goes on if this program is stopped; the same "
                "command collects it.",
            )
        return [batch for batch in self._open() if batch.tag == tag]

    async def _created(self, tag: str, lines: list[tuple[str, dict[str, Any]]]) -> str:
        """The provider's id of the batch, made now; one that may have been made is looked for first."""
        for attempt in range(1, CREATE_ATTEMPTS + 1):
            try:
                batch_id = await self._batches.create(tag, lines)
            except RetryLater as failure:
                self._tell(f"a batch was not accepted (attempt {attempt}): {failure}")
                await asyncio.sleep(failure.attempt.retry_after_seconds or self._poll_seconds)
                [batch] = [batch for batch in self._open() if batch.tag == tag]
                if found := await self._found(batch):
                    return found
            except (Refused, RunEnds):
                self._log.finish(tag)  # it was turned down: there is nothing to go on with
                raise
            else:
                self._log.submitted(tag, batch_id)
                return batch_id
        raise RunEnds("the provider accepts no batch now; the same command tries again.")

    async def _polled(self, batch: Submitted, wanted: Wanted) -> Filled | None:
        """What a batch has brought if it has ended, kept and forgotten."""
        assert batch.batch_id is not None, "a batch under way has its id"
        try:
            state = await self._batches.state(batch.batch_id)
            self._told(batch.batch_id, f"{state.status}, {state.done} of {state.total} done.")
            if not state.ended:
                return None
            filled = await self._collected(batch, wanted)
        except RetryLater as failure:
            self._told(batch.batch_id, str(failure))
            return None
        except Refused as error:
            self._log.finish(batch.tag)
            raise RunEnds(
                f"batch {batch.batch_id} came to nothing: {error}. The same command submits its requests "
                "again; without --provider_batch they are asked one by one."
            ) from None
        self._log.finish(batch.tag)
        return filled

    def _told(self, batch_id: str, line: str) -> None:
        """Tell what is new about a batch."""
        if self._last.get(batch_id) != line:
            self._last[batch_id] = line
            self._tell(f"batch {batch_id}: {line}")

    async def _collected(self, batch: Submitted, wanted: Wanted) -> Filled:
        answered, reason = 0, ""
        assert batch.batch_id is not None, "a batch under way has its id"
        async for name, outcome in self._batches.outcomes(batch.batch_id):
            key = bytes.fromhex(name)
            if not self._log.has(batch.tag, key):
                continue
            if isinstance(outcome, Reply):
                _, accept = wanted.get(key, (None, None))
                answered += self._kept(key, outcome, accept, batched(self._price)).answered
            else:
                reason = reason or str(outcome)
        return Filled(answered, batch.count - answered, reason)

    def _kept(self, key: bytes, reply: Reply, accept: Accept | None, price: Price | None) -> Filled:
        self._ledger.answered(reply, cost_of(price, reply.input_tokens, reply.output_tokens))
        if accept is not None and not accept(reply):
            return Filled(0, 1, "an answer could not be read")
        self._store.put(key, reply)
        return Filled(1)

    def _require_money(self, new: Wanted) -> None:
        most = self._ledger.max_cost
        if most is None:
            return
        price, spent = batched(self._price), self._ledger.usage().cost or 0.0
        cost = sum(most_cost(request, price, self._chat) for request, _ in new.values())
        if spent + cost > most:
            raise RunEnds(
                f"--max_cost of ${most:g}: the batches may cost ${cost:.2f}. Nothing was submitted. "
                "Give a higher --max_cost, or take fewer records with --limit."
            )


def portions(lines: Iterable[tuple[bytes, dict[str, Any]]]) -> Iterator[Lines]:
    """The lines in pieces that a provider takes as one batch."""
    portion: Lines = []
    size = 0
    for key, body in lines:
        length = len(json.dumps(body))
        if portion and (len(portion) == MOST_REQUESTS or size + length > MOST_BYTES):
            yield portion
            portion, size = [], 0
        portion.append((key, body))
        size += length
    if portion:
        yield portion
