"""What a run would ask, without asking."""

from __future__ import annotations

from ..types import Accept, GaveUp, Price, Provider, Reply, Request
from .ledger import Ledger, most_written
from .prices import cost_of, estimated_tokens


class DryRun:
    """Stands where a `Policy` stands, enters each request in the ledger, and gives it up.

    Input tokens are a guess, output tokens and with them the cost are the most it can be.
    """

    def __init__(self, provider: Provider, ledger: Ledger, price: Price | None) -> None:
        self.signature = provider.signature
        self._provider = provider
        self._ledger = ledger
        self._price = price

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply:
        read, _ = estimated_tokens(request)
        reply = Reply("", "end", read, most_written(request, self._provider))
        self._ledger.answered(reply, cost_of(self._price, reply.input_tokens, reply.output_tokens))
        raise GaveUp("a dry run asks nothing")

    async def close(self) -> None:
        await self._provider.close()
