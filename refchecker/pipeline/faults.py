"""One answer per input from components that may raise: what fails, fails alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

from ..errors import ComponentError, RefCheckerError

A = TypeVar("A")
B = TypeVar("B")


def isolated(
    component: Callable[[Sequence[A]], list[B]],
    items: Sequence[A],
    who: str,
    failure: Callable[[BaseException], B],
) -> list[B]:
    """One answer per input; where the component raises, halves are tried until the culprit is alone."""
    if not items:
        return []
    try:
        answers = component(items)
    except RefCheckerError:
        raise
    except Exception as error:
        if len(items) == 1:
            return [failure(error)]
        middle = len(items) // 2
        halves = (items[:middle], items[middle:])
        return [answer for half in halves for answer in isolated(component, half, who, failure)]
    return _counted(answers, len(items), who)


def result_of(
    future: Future[list[B]], count: int, who: str, failure: Callable[[BaseException], B]
) -> list[B]:
    """The answers of a finished future, or that many failures where it has an error."""
    error = future.exception()
    return [failure(error)] * count if error else _counted(future.result(), count, who)


def _counted(answers: list[B], count: int, who: str) -> list[B]:
    if len(answers) != count:
        raise ComponentError(f"the {who} returned {len(answers)} answers for {count} inputs")
    return answers


def error_note(error: BaseException) -> str:
    """The error as a note: its kind and the start of what it says."""
    return f"{type(error).__name__}: {error}"[:200]
