"""The stretches of a text whose mean vectors are nearest to others, all of them looked at in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..models import Array

_BLOCK_WORDS = 512
_DIGITS = 9  # cosines that agree in so many are a tie: the shorter stretch, then the earlier
_NOTHING = -2.0  # less than any cosine


class Stretch(NamedTuple):
    """Words `first:last` of a text, half open, and their cosine."""

    first: int
    last: int
    score: float


class BestStretches(NamedTuple):
    """For each query and each word, the best stretch that begins there. # both [queries, words]"""

    scores: Array
    lengths: Array

    def stretches(self, query: int, *, least: float, most: int) -> list[Stretch]:
        """The best stretches for a query that do not overlap, none below `least`; at most `most`."""
        scores, lengths = self.scores[query].copy(), self.lengths[query]
        ends = np.arange(len(scores)) + lengths
        chosen: list[Stretch] = []
        while len(chosen) < most and len(scores):
            first = int(scores.argmax())
            if scores[first] < least:
                break
            last = int(ends[first])
            chosen.append(Stretch(first, last, float(scores[first])))
            scores[:last][ends[:last] > first] = _NOTHING
        return chosen


def nearest(
    words: Array, queries: Array, most_words: Sequence[int], sentence_of: Sequence[int] | None = None
) -> BestStretches:
    """The cosine of each query with the mean of every stretch of words, as the best for each beginning.

    `words` are [words, width], each the sum of its tokens' vectors; `queries` are [queries, width];
    `most_words[q]` is the longest stretch for a query. A stretch stays in one sentence, where they are
    given. The mean and the sum of vectors have the same cosine, and the sum of a stretch times a query
    is a difference of prefix sums; its square comes from that of shorter ones and a band of the Gram matrix.
    """
    count, longest = len(words), min(max(most_words, default=0), len(words))
    order = np.argsort(most_words, kind="stable")
    plain = np.asarray(words, dtype=np.float64)
    unit_queries = units(np.asarray(queries, dtype=np.float64))[order]
    sums = np.zeros((len(queries), count + 1))
    np.cumsum(unit_queries @ plain.T, axis=1, out=sums[:, 1:])
    ordered = np.asarray(most_words)[order]
    groups = np.zeros(count, dtype=np.int64) if sentence_of is None else np.asarray(sentence_of)
    scores = np.full((len(queries), count), _NOTHING)
    lengths = np.ones((len(queries), count), dtype=np.int64)
    for length, squares in enumerate(_squares(plain, longest), 1):
        some = int(np.searchsorted(ordered, length))  # queries from here on may be so long
        places = count - length + 1
        cosines = (sums[some:, length:] - sums[some:, :places]) / np.sqrt(np.maximum(squares, 1e-24))
        cosines = np.round(cosines, _DIGITS)
        cosines[:, groups[:places] != groups[length - 1 :]] = _NOTHING
        better = cosines > scores[some:, :places]
        np.copyto(scores[some:, :places], cosines, where=better)
        np.copyto(lengths[some:, :places], length, where=better)
    back = np.argsort(order, kind="stable")
    return BestStretches(scores[back], lengths[back])


def _squares(words: Array, longest: int) -> Iterator[Array]:
    """For each length from 1, the squared norm of the sum of every stretch so long."""
    band = _band(words, longest)
    shorter, short = np.zeros(len(words) + 1), band[0]
    for length in range(1, longest + 1):
        if length > 1:
            places = len(words) - length + 1
            longer = short[:-1] + short[1:] - shorter[1 : places + 1] + 2 * band[length - 1][:places]
            shorter, short = short, longer
        yield short


def _band(words: Array, longest: int) -> Array:
    """The product of each word with itself and those after it. # [longest, words]"""
    padded = np.concatenate([words, np.zeros((longest, words.shape[1]))])
    band = np.empty((longest, len(words)))
    for start in range(0, len(words), _BLOCK_WORDS):
        block = words[start : start + _BLOCK_WORDS]
        products = block @ padded[start : start + len(block) + longest].T
        rows = np.arange(len(block))[:, None]
        band[:, start : start + len(block)] = products[rows, rows + np.arange(longest)].T
    return band


def units(vectors: Array) -> Array:
    scaled: Array = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return scaled
