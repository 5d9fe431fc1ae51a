"""What the network and the words of a passage say about a claim, before it is weighed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

from ...types import Judgment, Label, Pair, Passage
from ..windows import CANNOT_CUT, cut, too_long, unaskable
from .features import ReadPassage, features, focus, nearness, network_features
from .model import Config, Network
from .mood import unsettled

Input = tuple[tuple[int, ...], tuple[int, ...]]  # token ids of a piece and of a claim


class Piece(NamedTuple):
    """A part of a passage that was read beside the claim, and what the network said. # [3]"""

    passage: Passage
    logits: list[float]


class PairReading(NamedTuple):
    """Everything known of one claim and passage: `row` is what the trees weigh, `unsettled` what the claim is
    where the passage denies, doubts or supposes it."""

    row: list[float]
    windows: list[Piece]
    focus: Piece | None
    unsettled: Label | None


class _Plan(NamedTuple):
    """What to read; `focus` where the passage is long enough for one."""

    windows: list[tuple[Input, Passage]]
    focus: tuple[Input, Passage] | None

    @property
    def inputs(self) -> list[Input]:
        return [ids for ids, _ in (*self.windows, *((self.focus,) if self.focus else ()))]


class PairReader:
    """Readings of pairs, in order; a `Judgment` where there is nothing to read.

    Each different pair is read once a call, each (piece, claim) run alone through
    the network, so a reading does not depend on what else is asked: int8 scales are taken per input.
    """

    def __init__(self, network: Network, config: Config, *, threads: int | None, language: str) -> None:
        self._network, self._config, self._language = network, config, language
        self._threads = threads or _cores()

    def __call__(self, pairs: Sequence[Pair]) -> list[PairReading | Judgment]:
        call = _Call(self._network, self._config, self._language)
        plans = {pair: call.plan(pair) for pair in dict.fromkeys(pairs)}
        inputs = dict.fromkeys(
            ids for plan in plans.values() if isinstance(plan, _Plan) for ids in plan.inputs
        )
        with ThreadPoolExecutor(self._threads) as pool:
            answers = pool.map(lambda ids: self._network.logits(*ids), inputs)
            logits = dict(zip(inputs, answers, strict=True))
        readings = {
            pair: plan if isinstance(plan, Judgment) else call.reading(pair, plan, logits)
            for pair, plan in plans.items()
        }
        return [readings[pair] for pair in pairs]


class _Call:
    """One call's texts, each read once, and its passages, each cut once."""

    def __init__(self, network: Network, config: Config, language: str) -> None:
        self._config, self._language = config, language
        self._encoded = cache(network.encoded)
        self._pieces = cache(self._cut)
        self._read = cache(ReadPassage.of)

    def plan(self, pair: Pair) -> _Plan | Judgment:
        """What to read, or why nothing can be asked."""
        claim, passage = pair.claim.text, pair.passage
        claim_ids = tuple(self._encoded(claim).ids)
        length = len(self._encoded(passage.text).ids)
        if len(claim_ids) > self._config.max_claim_tokens:
            return too_long(len(claim_ids), self._config.max_claim_tokens)
        if empty := unaskable(bool(claim_ids), bool(length)):
            return empty
        pieces = self._pieces(passage)
        if not pieces:
            return CANNOT_CUT

        def planned(piece: Passage) -> tuple[Input, Passage]:
            ids = tuple(self._encoded(piece.text).ids[: self._config.window_tokens])
            return (ids, claim_ids), piece

        read = self._read(passage.text)
        windows = [planned(piece) for piece in self._nearest(claim, pieces)]
        if length <= self._config.focus_from_tokens or not read.sentences:
            return _Plan(windows, None)
        return _Plan(windows, planned(passage.cut(*focus(claim, read))))

    def reading(self, pair: Pair, plan: _Plan, logits: dict[Input, list[float]]) -> PairReading:
        windows = [Piece(piece, logits[ids]) for ids, piece in plan.windows]
        focused = Piece(plan.focus[1], logits[plan.focus[0]]) if plan.focus else None
        claim, passage, read = pair.claim, pair.passage, self._read(pair.passage.text)
        row = [
            *features(claim, read, pair.question),
            *network_features([window.logits for window in windows], focused.logits if focused else None),
        ]
        return PairReading(row, windows, focused, unsettled(claim.text, read, passage.text))

    def _nearest(self, claim: str, pieces: Sequence[Passage]) -> Sequence[Passage]:
        """The few pieces whose words are nearest to the claim's; all, where they are few."""
        if len(pieces) <= self._config.candidates:
            return pieces

        def distance(piece: Passage) -> float:
            read = self._read(piece.text)
            return -nearness(claim, read.positions, read.trigrams)

        return sorted(pieces, key=distance)[: self._config.candidates]

    def _cut(self, passage: Passage) -> list[Passage]:
        return cut(
            passage,
            lambda text: self._encoded(text).offsets,
            max_tokens=self._config.window_tokens,
            overlap_tokens=self._config.overlap_tokens,
            language=self._language,
        )


def _cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
