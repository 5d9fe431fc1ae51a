"""A client that answers from a script: for tests, and for trying a pipeline without a model."""

from __future__ import annotations

from collections.abc import Callable

from ..types import Accept, Reply, Request


class Scripted:
    """What `answer` makes of each request: the text of a reply, a `Reply`, or an error it raises.

    `asked` has the requests in the order they came; `turned_down` those whose reply was not accepted.

    >>> from refchecker.llms import loop
    >>> client = Scripted(lambda request: '{"label": "Neutral"}')
    >>> loop.run(client.ask(Request("", "Is it?", max_tokens=9))).text
    '{"label": "Neutral"}'
    """

    signature = "scripted"

    def __init__(self, answer: Callable[[Request], str | Reply]) -> None:
        self._answer = answer
        self.asked: list[Request] = []
        self.turned_down: list[Request] = []

    async def ask(self, request: Request, /, accept: Accept | None = None) -> Reply:
        self.asked.append(request)
        answer = self._answer(request)
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        if accept and not accept(reply):
            self.turned_down.append(request)
        return reply

    async def close(self) -> None:
        """Nothing was opened."""
