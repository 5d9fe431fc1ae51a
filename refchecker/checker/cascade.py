"""Several checkers in a row, cheap ones first: each is asked only what those before it were unsure of."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..errors import ComponentError, UsageError
from ..protocols import Checker, done_future, optional_parts
from ..registry import load
from ..types import Judgment, Label, Pair

CONFIDENCE = 0.9


def cascade(stages: str = "", *, cascade_confidence: float = CONFIDENCE, **options: Any) -> Cascade:
    """The cascade of the checkers in `stages`, specs with commas between: "rules,embedded,nli:MODEL".

    Every stage gets the `options` it knows. Errors: `UsageError`.
    """
    specs = [spec.strip() for spec in stages.split(",")]
    if len(specs) < 2 or not all(specs):
        raise UsageError(
            f"a cascade needs two checkers or more with commas between, found {stages!r}. "
            "Write cascade:rules,embedded,nli:MODEL, the cheapest first."
        )
    if twice := [spec for spec, count in Counter(specs).items() if count > 1]:
        raise UsageError(f"the cascade {stages!r} has {twice[0]!r} twice. Leave out one of them.")
    return Cascade(
        [(spec, load("checker", spec, **options)) for spec in specs], confidence=cascade_confidence
    )


class Cascade:
    """Each pair's judgment by the first of the named stages that is sure of it; by the last where none is.

    A stage is sure of a label that it calls at least as probable as `confidence`. What the
    last stage answers stands, unsure or not. `answered` counts the pairs by stage; each
    judgment has its stage in `by`. A stage that raises fails the call: a broken cheap stage
    must not turn unseen into a bill.

    >>> from refchecker.types import Claim, Passage
    >>> guess = Judgment(Label.NEUTRAL, {Label.NEUTRAL: 0.6})
    >>> known = Judgment(Label.CONTRADICTION, {Label.CONTRADICTION: 0.7})
    >>> check = Cascade([("cheap", lambda pairs: [guess]), ("costly", lambda pairs: [known])])
    >>> [judgment] = check([Pair(Claim("it rains"), Passage("Sun.", "doc"))])
    >>> judgment.label, judgment.by
    (<Label.CONTRADICTION: 'Contradiction'>, 'costly')
    """

    def __init__(self, stages: Sequence[tuple[str, Checker]], *, confidence: float = CONFIDENCE) -> None:
        if not 0 <= confidence <= 1:
            raise UsageError(f"cascade_confidence is a probability, from 0 to 1, and not {confidence}")
        self._stages = tuple(stages)
        self._confidence = confidence
        self._counting = threading.Lock()
        self.answered = Counter({name: 0 for name, _ in stages})
        signatures = [optional_parts(check, name).signature for name, check in stages]
        self.signature = f"cascade({'>'.join(signatures)},{confidence})"
        self._begin_last = optional_parts(stages[-1][1]).begin
        if self._begin_last:
            self.begin = self._begin

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        answers = self._before_last(pairs)
        return self._counted(answers | _judged_by(self._stages[-1], pairs, answers))

    def _begin(self, pairs: Sequence[Pair], /) -> Future[list[Judgment]]:
        """The same where the last stage begins work without waiting for it: the others answer at once."""
        answers = self._before_last(pairs)
        positions = _open(pairs, answers)
        if not positions:
            return done_future(self._counted(answers))
        assert self._begin_last
        name, _ = self._stages[-1]
        last: Future[list[Judgment]] = self._begin_last([pairs[position] for position in positions])
        whole: Future[list[Judgment]] = Future()

        def finish(done: Future[list[Judgment]]) -> None:
            with suppress(InvalidStateError):  # the whole was cancelled meanwhile
                try:
                    whole.set_result(self._counted(answers | _by_position(name, positions, done.result())))
                except BaseException as error:  # carried to whoever waits
                    whole.set_exception(error)

        last.add_done_callback(finish)
        whole.add_done_callback(lambda future: future.cancelled() and last.cancel())
        return whole

    def _before_last(self, pairs: Sequence[Pair]) -> dict[int, Judgment]:
        """What the stages before the last are sure of, by the position of the pair."""
        answers: dict[int, Judgment] = {}
        for stage in self._stages[:-1]:
            judged = _judged_by(stage, pairs, answers)
            answers |= {position: answer for position, answer in judged.items() if self._sure(answer)}
        return answers

    def _counted(self, answers: dict[int, Judgment]) -> list[Judgment]:
        with self._counting:
            self.answered.update(judgment.by for judgment in answers.values())
        return [answers[position] for position in range(len(answers))]

    def remarks(self) -> list[str]:
        """What the stages have to say of the run so far, a line each."""
        return [f"{name}: {line}" for name, check in self._stages for line in optional_parts(check).remarks()]

    def _sure(self, judgment: Judgment) -> bool:
        return judgment.label is not Label.ABSTAIN and judgment.confidence >= self._confidence


def _open(pairs: Sequence[Pair], answers: dict[int, Judgment]) -> list[int]:
    """The positions that have no answer yet."""
    return [position for position in range(len(pairs)) if position not in answers]


def _judged_by(
    stage: tuple[str, Checker], pairs: Sequence[Pair], answers: dict[int, Judgment]
) -> dict[int, Judgment]:
    """What a stage says of the pairs that have no answer yet."""
    (name, check), positions = stage, _open(pairs, answers)
    return _by_position(name, positions, check([pairs[i] for i in positions])) if positions else {}


def _by_position(name: str, positions: Sequence[int], judgments: Sequence[Judgment]) -> dict[int, Judgment]:
    if len(judgments) != len(positions):
        raise ComponentError(f"{name} returned {len(judgments)} answers for {len(positions)} inputs")
    return {i: replace(judgment, by=name) for i, judgment in zip(positions, judgments, strict=True)}
