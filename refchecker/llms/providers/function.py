"""A Python function as a provider: prompts in, texts out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ...net import shortened
from ...protocols import optional_parts
from ..types import Refused, Reply, Request, RunEnds
from .errors import later

_PASSING = re.compile(r"RateLimit|Throttl|TooMany|Timeout|Connection|Overload|Unavailable|InternalServer")


class Function:
    """Prompts that wait are given to the function together, at most `batch_size`, one call at a time.

    A prompt is the system part and the user part with an empty line between. What the function raises ends
    the run, except for what by its name may pass (a rate limit, a timeout). Its thread lives as long as a
    call is under way.

    >>> from refchecker.llms import loop
    >>> echo = Function(lambda prompts: [prompt.upper() for prompt in prompts])
    >>> loop.run(echo.send(Request("", "yes", max_tokens=1))).text
    'YES'
    """

    def __init__(
        self, function: Callable[[list[str]], Sequence[str]], *, batch_size: int = 16, name: str = ""
    ) -> None:
        self._function = function
        self._batch_size = batch_size
        self._name = name or getattr(function, "__qualname__", type(function).__qualname__)
        self.signature = f"function/{optional_parts(function, self._name).signature}"
        self._waiting: list[tuple[str, asyncio.Future[str]]] = []
        self._calling: asyncio.Task[None] | None = None

    async def send(self, request: Request, /) -> Reply:
        """The function's answer to this prompt."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((f"{request.system}\n\n{request.user}".strip(), answer))
        if self._calling is None or self._calling.done():
            self._calling = asyncio.create_task(self._call_all())
        return Reply(await answer, model=self._name)

    async def close(self) -> None:
        if self._calling is not None:
            await asyncio.wait({self._calling})

    async def _call_all(self) -> None:
        await asyncio.sleep(0)  # all that are ready to ask ask first
        thread = ThreadPoolExecutor(1, "function")
        try:
            while self._waiting:
                batch = [(prompt, answer) for prompt, answer in self._waiting if not answer.done()]
                batch, self._waiting = batch[: self._batch_size], batch[self._batch_size :]
                if batch:
                    await self._call(thread, batch)
        finally:
            thread.shutdown(wait=False)

    async def _call(self, thread: ThreadPoolExecutor, batch: list[tuple[str, asyncio.Future[str]]]) -> None:
        prompts = [prompt for prompt, _ in batch]
        outcomes: Sequence[object]
        try:
            called = asyncio.get_running_loop().run_in_executor(thread, self._function, prompts)
            outcomes = self._checked(await called, len(batch))
        except Exception as error:
            outcomes = [self._failure(error) for _ in batch]
        for (_, answer), outcome in zip(batch, outcomes, strict=True):
            if answer.done():
                continue
            if isinstance(outcome, str):
                answer.set_result(outcome)
            elif isinstance(outcome, BaseException):
                answer.set_exception(outcome)
            else:
                kind = type(outcome).__name__
                answer.set_exception(
                    Refused(f"{self._name} returned {kind} where the text of an answer belongs")
                )

    def _checked(self, answers: Sequence[str], count: int) -> Sequence[str]:
        if isinstance(answers, str) or not isinstance(answers, Sequence):
            raise RunEnds(f"{self._name} returned {type(answers).__name__}, not a list of {count} answers")
        if len(answers) != count:
            raise RunEnds(f"{self._name} was given {count} prompts and returned {len(answers)} answers")
        return answers

    def _failure(self, error: Exception) -> Exception:
        if isinstance(error, RunEnds):
            return RunEnds(str(error))  # one for each: they are raised in different places
        said = shortened(f"{type(error).__name__}: {error}")
        if _PASSING.search(type(error).__name__):
            return later("server", f"{self._name} raised {said}")
        ends = RunEnds(f"{self._name} raised {said}")
        ends.__cause__ = error
        return ends
