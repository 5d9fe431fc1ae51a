"""BM25 over passages whose terms have been counted, built in one pass each for frequencies and weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import imported

K1, B = 1.5, 0.75  # Robertson and Zaragoza (2009), section 3.2


class Block(NamedTuple):
    """The term counts of some passages, end to end."""

    sizes: NDArray[np.int32]  # [passages], how many different terms each has
    terms: NDArray[np.int32]  # [postings], their numbers
    counts: NDArray[np.int32]  # [postings], how often each stands in its passage


def counted(passages: Iterable[Sequence[str]], number: Callable[[str], int]) -> Block:
    """The block of passages given as their terms; `number` names each term by a number from 0 on."""
    sizes: list[int] = []
    terms: list[int] = []
    counts: list[int] = []
    for words in passages:
        counter = Counter(words)
        sizes.append(len(counter))
        terms.extend(map(number, counter))
        counts.extend(counter.values())
    return Block(*(np.array(column, dtype=np.int32) for column in (sizes, terms, counts)))


class Scores:
    """BM25 of every passage for a query, by bm25s.

    `blocks` gives all passages in order, each time it is called; `terms` is how many different
    terms there are. Memory: 8 bytes for each term of each passage.
    """

    def __init__(
        self, blocks: Callable[[], Iterator[Block]], terms: int, *, k1: float = K1, b: float = B
    ) -> None:
        frequencies = np.zeros(terms, dtype=np.int64)  # passages that have the term
        passages = words = 0
        for block in blocks():
            frequencies += np.bincount(block.terms, minlength=terms)
            passages += len(block.sizes)
            words += int(block.counts.sum())
        self._model = imported("bm25s", "retrieval").BM25(k1=k1, b=b, method="lucene")
        lengths = (k1, b, words / max(passages, 1))
        self._model.scores = _weights(blocks(), frequencies, passages, lengths)
        self._model.vocab_dict = {}  # terms come as numbers
        self._model.nonoccurrence_array = None  # this BM25 gives nothing for what is not there

    @classmethod
    def load(cls, folder: Path) -> Scores:
        """What `save` wrote, read from the disk where it is needed."""
        scores = cls.__new__(cls)
        scores._model = imported("bm25s", "retrieval").BM25.load(folder, mmap=True, load_vocab=False)
        return scores

    def save(self, folder: Path) -> None:
        self._model.save(folder, show_progress=False)

    def best(self, terms: Sequence[int], most: int) -> list[int]:
        """The passages with the highest scores above 0, best first; ties go to the earlier passage.

        A term that is given twice counts twice.
        """
        if not terms:
            return []
        scores: NDArray[np.float32] = self._model.get_scores_from_ids(list(terms))  # [passages]
        found = np.flatnonzero(scores > 0)
        if len(found) > most:
            least = np.partition(scores[found], -most)[-most]
            found = found[scores[found] >= least]
        order = np.lexsort((found, -scores[found]))[:most]
        return [int(at) for at in found[order]]


def _weights(
    blocks: Iterator[Block],
    frequencies: NDArray[np.int64],
    passages: int,
    lengths: tuple[float, float, float],  # k1, b, mean number of words
) -> dict[str, Any]:
    """What BM25 adds up, as bm25s holds it: the columns of a sparse matrix [passages, terms]."""
    k1, b, mean_words = lengths
    starts = np.concatenate(([0], np.cumsum(frequencies)))  # where each term's column begins
    rarity = np.log(1 + (passages - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)
    data = np.empty(starts[-1], dtype=np.float32)
    indices = np.empty(starts[-1], dtype=np.int32)
    free = starts[:-1].copy()  # the next free place of each column
    first = 0
    for block in blocks:
        owners = np.repeat(np.arange(len(block.sizes), dtype=np.int32), block.sizes)  # [postings]
        words = np.bincount(owners, block.counts, len(block.sizes))  # [passages], their lengths
        damping = (k1 * (1 - b + b * words / mean_words)).astype(np.float32)
        weights = rarity[block.terms] * block.counts / (block.counts + damping[owners])
        order = np.argsort(block.terms, kind="stable")
        ordered = block.terms[order]
        heads = np.flatnonzero(np.diff(ordered, prepend=-1))  # where each term's run begins
        runs = np.diff(heads, append=len(ordered))
        places = free[ordered] + np.arange(len(ordered)) - np.repeat(heads, runs)
        data[places] = weights[order]
        indices[places] = first + owners[order]
        free[ordered[heads]] += runs
        first += len(block.sizes)
    return {"data": data, "indices": indices, "indptr": starts, "num_docs": passages}
