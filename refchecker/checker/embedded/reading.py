"""What the network and the words of a passage say about a claim, before it is weighed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

from ...types import Claim, Judgment, Label, Pair, Passage
from ..windows import cut, too_long
from .features import Page, features, focus, nearness, network_features
from .model import Config, Network
from .mood import unsettled

Input = tuple[tuple[int, ...], tuple[int, ...]]  # token ids of a piece and of a claim


class Asked(NamedTuple):
    """What a judgment depends on."""

    claim: Claim
    passage: Passage
    question: str


class Piece(NamedTuple):
    """A part of a passage that was read beside the claim, and what the network said. # [3]"""

    passage: Passage
    logits: list[float]


class Reading(NamedTuple):
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


class Reader:
    """Readings of pairs, in order; a `Judgment` where there is nothing to read.

    Each different (claim, passage, question) is read once a call, each (piece, claim) run alone through
    the network, so a reading does not depend on what else is asked: int8 scales are taken per input.
    """

    def __init__(self, network: Network, config: Config, *, threads: int | None, language: str) -> None:
        self._network, self._config, self._language = network, config, language
        self._threads = threads or _cores()

    def __call__(self, pairs: Sequence[Pair]) -> list[Reading | Judgment]:
        call = _Call(self._network, self._config, self._language)
        asked = [Asked(pair.claim, pair.passage, pair.question) for pair in pairs]
        plans = {each: call.plan(each) for each in dict.fromkeys(asked)}
        inputs = dict.fromkeys(
            ids for plan in plans.values() if isinstance(plan, _Plan) for ids in plan.inputs
        )
        with ThreadPoolExecutor(self._threads) as pool:
            answers = pool.map(lambda ids: self._network.logits(*ids), inputs)
            logits = dict(zip(inputs, answers, strict=True))
        readings = {
            each: plan if isinstance(plan, Judgment) else call.reading(each, plan, logits)
            for each, plan in plans.items()
        }
        return [readings[each] for each in asked]


class _Call:
    """One call's texts, each read once, and its passages, each cut once."""

    def __init__(self, network: Network, config: Config, language: str) -> None:
        self._config, self._language = config, language
        self._encoded = cache(network.encoded)
        self._pieces = cache(self._cut)
        self._page = cache(Page.of)

    def plan(self, asked: Asked) -> _Plan | Judgment:
        """What to read, or why nothing can be asked."""
        claim, passage = asked.claim.text, asked.passage
        claim_ids = tuple(self._encoded(claim).ids)
        if not claim_ids:
            return Judgment(Label.ABSTAIN, note="the claim is empty")
        if len(claim_ids) > self._config.max_claim_tokens:
            return too_long(len(claim_ids), self._config.max_claim_tokens)
        length = len(self._encoded(passage.text).ids)
        if not length:
            return Judgment(Label.ABSTAIN, note="the reference is empty")
        pieces = self._pieces(passage)
        if not pieces:
            return Judgment(Label.ABSTAIN, note="the reference cannot be cut into pieces that fit the model")

        def planned(piece: Passage) -> tuple[Input, Passage]:
            ids = tuple(self._encoded(piece.text).ids[: self._config.window_tokens])
            return (ids, claim_ids), piece

        page = self._page(passage.text)
        windows = [planned(piece) for piece in self._nearest(claim, pieces)]
        if length <= self._config.focus_from_tokens or not page.sentences:
            return _Plan(windows, None)
        return _Plan(windows, planned(passage.cut(*focus(claim, page))))

    def reading(self, asked: Asked, plan: _Plan, logits: dict[Input, list[float]]) -> Reading:
        windows = [Piece(piece, logits[ids]) for ids, piece in plan.windows]
        focused = Piece(plan.focus[1], logits[plan.focus[0]]) if plan.focus else None
        page = self._page(asked.passage.text)
        row = [
            *features(asked.claim, page, asked.question),
            *network_features([each.logits for each in windows], focused.logits if focused else None),
        ]
        return Reading(row, windows, focused, unsettled(asked.claim.text, page, asked.passage.text))

    def _nearest(self, claim: str, pieces: Sequence[Passage]) -> Sequence[Passage]:
        """The few pieces whose words are nearest to the claim's; all, where they are few."""
        if len(pieces) <= self._config.candidates:
            return pieces

        def distance(piece: Passage) -> float:
            page = self._page(piece.text)
            return -nearness(claim, page.places, page.trigrams)

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
