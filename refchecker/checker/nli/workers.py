"""One engine per device, each in a process of its own; the inputs come back in their order."""

from __future__ import annotations

import multiprocessing
import os
import weakref
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, cast

from ...errors import ComponentError, UsageError
from .engine import Engine, Recipe, Row, by_length
from .families import Tokens

_BATCHES_PER_TURN = 4  # enough work that handing over costs nothing, little enough that all end together


class Workers:
    """What `Engine` is, over several devices: inputs to rows of probabilities.

    Work is handed out by tokens, the longest inputs first, a turn to whoever is free. Errors:
    `ComponentError` where a process ends or fails, and with it all of them; `UsageError` as an
    engine says it.
    """

    def __init__(self, recipe: Recipe, devices: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
        threads = max(1, (os.cpu_count() or 1) // len(devices))
        self._turn_tokens = _BATCHES_PER_TURN * recipe.batch_tokens
        self._processes: dict[Connection, BaseProcess] = {}
        for device in devices:
            ours, theirs = context.Pipe()
            process = context.Process(
                target=_serve, args=(theirs, recipe, device, threads), name=device, daemon=True
            )
            process.start()
            theirs.close()  # so that its end is heard here when the process dies
            self._processes[ours] = process
        self._close = weakref.finalize(self, _end, self._processes)
        try:
            for connection in self._processes:
                self._received(connection)  # an engine that could not be made says so here
        except BaseException:
            self._close()
            raise

    def __call__(self, inputs: Sequence[Tokens], /) -> list[Row]:
        try:
            return self._answers(inputs)
        except BaseException:
            self._close()  # what the others still answer would be taken for answers to the next call
            raise

    def _answers(self, inputs: Sequence[Tokens]) -> list[Row]:
        rows: list[Row] = [[]] * len(inputs)
        tokens = sum(len(one.ids) for one in inputs)
        share = tokens // (2 * len(self._processes))  # of a small call, for all
        turns = turns_of(inputs, min(self._turn_tokens, share))
        busy: dict[Connection, list[int]] = {}
        free = list(self._processes)
        while free or busy:
            for connection in free:
                if turn := next(turns, None):
                    self._send(connection, [inputs[index] for index in turn])
                    busy[connection] = turn
            free = cast("list[Connection]", wait(list(busy)) if busy else [])
            for connection in free:
                answer = self._received(connection)
                for index, row in zip(busy.pop(connection), answer, strict=True):
                    rows[index] = row
        return rows

    def _send(self, connection: Connection, inputs: list[Tokens]) -> None:
        try:
            connection.send(inputs)
        except OSError:
            self._ended(connection)

    def _received(self, connection: Connection) -> Any:
        """What a worker answers; an ended process closes its pipe, so this never waits for one."""
        try:
            answer = connection.recv()
        except (EOFError, OSError):
            self._ended(connection)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _ended(self, connection: Connection) -> NoReturn:
        process = self._processes[connection]
        process.join(timeout=5)
        raise ComponentError(
            f"the process of the nli checker on {process.name} has ended (exit code {process.exitcode}; "
            "-9 is often too little memory). Make the checker again, with fewer devices or smaller batches."
        )


def turns_of(inputs: Sequence[Tokens], turn_tokens: int) -> Iterator[list[int]]:
    """Positions in groups of at most so many tokens (one input at least), the longest inputs first."""
    turn: list[int] = []
    tokens = 0
    for index in by_length(inputs):
        size = len(inputs[index].ids)
        if turn and tokens + size > turn_tokens:
            yield turn
            turn, tokens = [], 0
        turn.append(index)
        tokens += size
    if turn:
        yield turn


def _serve(connection: Connection, recipe: Recipe, device: str, threads: int) -> None:
    """A worker's life: make the engine, answer until the other end is closed."""
    try:
        if device == "cpu":
            import torch

            torch.set_num_threads(threads)
        engine = Engine(recipe, device)
        connection.send(None)
        while True:
            inputs = connection.recv()
            connection.send(engine(inputs))
    except (EOFError, KeyboardInterrupt):
        return
    except UsageError as error:
        connection.send(error)
    except Exception as error:  # whatever torch or the driver raises is told to the caller
        connection.send(
            ComponentError(f"the nli checker on {device} failed: {type(error).__name__}: {error}")
        )


def _end(processes: dict[Connection, BaseProcess]) -> None:
    for connection, process in processes.items():
        connection.close()
        process.terminate()
    for process in processes.values():
        process.join(timeout=5)
