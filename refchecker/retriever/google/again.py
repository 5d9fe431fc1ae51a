"""What fails on the net, tried again where that can help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_WAIT_SECONDS = 30.0


class Failed(Exception):
    """An attempt that came to nothing; `after` that many seconds another may help, None: never."""

    def __init__(self, message: str, *, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def tried_again(
    attempt: Callable[[], T], *, attempts: int, sleep: Callable[[float], None], wait_seconds: float = 0.0
) -> T:
    """What the first good attempt gives; `Failed` of the last, or of one that another would not mend.

    The wait begins with `wait_seconds`, or what the failure asks for if that is longer, and doubles each
    time.
    """
    for _ in range(attempts - 1):
        try:
            return attempt()
        except Failed as failure:
            if failure.after is None:
                raise
            wait_seconds = max(wait_seconds, failure.after)
        sleep(min(wait_seconds, MAX_WAIT_SECONDS))
        wait_seconds *= 2
    return attempt()
