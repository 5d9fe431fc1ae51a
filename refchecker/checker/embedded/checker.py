"""The checker that ships: a compact cross-encoder and a few trees, without torch and without a download.

The network reads the claim beside the pieces of the passage that are nearest to it (`reading`); the trees
weigh what it says together with which of the claim's words the passage holds (`features`). What a passage
denies, doubts or supposes, it does not support (`mood`). What a claim says of the passages themselves, and a
triplet with "yes" or "no" for an object, is put in another form first (`restate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...models import SHIPPED
from ...types import Judgment, Label, Pair
from ..windows import best_label, rounded
from . import mood, restate
from .model import ORDER, Network, Trees, digest_of, read_config
from .reading import PairReader, PairReading, Piece


class EmbeddedChecker:
    """What each pair's passage says about its claim, by the model in `directory` (None: the one that ships).

    A judgment does not depend on what else is in the call. The question is used where it is given:
    what of the claim was asked already is no evidence. Spans are the piece that shows the label most.

    >>> from refchecker.types import Claim, Pair, Passage
    >>> check = EmbeddedChecker(threads=1)
    >>> reference = Passage("Paris is the capital of France.", "doc")
    >>> check([Pair(Claim("Paris is capital of France"), reference)])[0].label
    <Label.ENTAILMENT: 'Entailment'>
    """

    def __init__(
        self, directory: str | None = None, *, threads: int | None = None, language: str = "en"
    ) -> None:
        folder = Path(directory) if directory else SHIPPED
        config = read_config(folder)
        self._read = PairReader(Network(folder), config, threads=threads, language=language)
        self._weigh = Trees(folder)
        self.signature = (
            f"embedded({config.version},{digest_of(folder)[:6]},m{mood.VERSION},p{restate.VERSION})"
        )

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        restated = cache(restate.of)  # a claim comes once for each of its passages
        claims = [restated(pair.claim) for pair in pairs]
        readings = self._read(
            [pair._replace(claim=claim) for pair, (claim, _) in zip(pairs, claims, strict=True)]
        )
        weighed = iter(self._weigh([reading.row for reading in readings if isinstance(reading, PairReading)]))
        judgments = [
            _judgment(reading, next(weighed)) if isinstance(reading, PairReading) else reading
            for reading in readings
        ]
        return [
            restate.turned(judgment) if denied else judgment
            for judgment, (_, denied) in zip(judgments, claims, strict=True)
        ]


def _judgment(reading: PairReading, probabilities: Sequence[float]) -> Judgment:
    """The label, and the piece that says it: the focus, unless only a window does."""
    if reading.unsettled:
        probabilities = mood.without_support(probabilities, ORDER, reading.unsettled)
    scores = dict(zip(ORDER, probabilities, strict=True))
    label = best_label(scores)
    if label is Label.NEUTRAL:
        return Judgment(label, rounded(scores))
    output = ORDER.index(label)

    def lead(piece: Piece) -> float:
        return piece.logits[output] - max(score for i, score in enumerate(piece.logits) if i != output)

    deciding = max(reading.windows, key=lead)
    if reading.focus and (lead(reading.focus) > 0 or lead(reading.focus) >= lead(deciding)):
        deciding = reading.focus
    return Judgment(label, rounded(scores), spans=(deciding.passage.span(0, len(deciding.passage.text)),))
