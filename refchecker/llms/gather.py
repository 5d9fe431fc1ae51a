"""Coroutines side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


async def gather(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Their results in order. The first error cancels the others and is raised as it is."""
    waiting = list(coroutines)
    if len(waiting) == 1:  # as is most often the case; a task of its own has its price
        return [await waiting[0]]
    tasks = [asyncio.ensure_future(coroutine) for coroutine in waiting]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
