"""Which of some passages answer a query best: BM25, several rankings fused, and embeddings on request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Passage
from .scores import Scores, counted
from .terms import terms

Embed = Callable[[Sequence[str]], NDArray[Any]]  # [texts, dimensions], compared by cosine

POOL = 50  # how many of a ranking are fused with others, or ranked again
RANK_OFFSET = 60  # k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)


def rank(
    queries: Sequence[str],
    passages: Sequence[Passage],
    *,
    most: int,
    language: str = "en",
    embed: Embed | None = None,
) -> list[Passage]:
    """At most `most` of the passages, those that fit the queries best first.

    Each query ranks them by BM25, the rankings are fused, and `embed` fuses its own in. Passages
    with the same words come once; those that share no word with any query are left out. Ties go
    to the earlier passage.
    """
    candidates = distinct(passages)
    vocabulary: dict[str, int] = {}
    block = counted(
        (terms(passage.text, language) for passage in candidates),
        lambda term: vocabulary.setdefault(term, len(vocabulary)),
    )
    if not vocabulary:
        return []
    scores = Scores(lambda: iter([block]), len(vocabulary))
    asked = [[vocabulary[t] for t in terms(query, language) if t in vocabulary] for query in queries]
    order = fuse([scores.best(query, max(most, POOL)) for query in asked])
    found = [candidates[position] for position in order]
    return reranked(queries, found, embed)[:most] if embed else found[:most]


def fuse(rankings: Sequence[Sequence[int]]) -> list[int]:
    """What stands in any ranking, by the sum of 1 / (60 + rank) over the rankings it stands in.

    >>> fuse([[7, 3, 5], [3, 9]])
    [3, 7, 9, 5]
    """
    credit: dict[int, float] = {}
    for ranking in rankings:
        for place, item in enumerate(ranking, start=1):
            credit[item] = credit.get(item, 0.0) + 1 / (RANK_OFFSET + place)
    return sorted(credit, key=lambda item: (-credit[item], item))


def reranked(queries: Sequence[str], found: Sequence[Passage], embed: Embed) -> list[Passage]:
    """Passages that are in order, in a new order that counts their likeness to the queries too."""
    pool = list(found[:POOL])
    if not pool:
        return []
    vectors = np.asarray(embed([*queries, *(passage.text for passage in pool)]), dtype=np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    likeness = vectors[: len(queries)] @ vectors[len(queries) :].T  # [queries, passages]
    by_meaning = [[int(at) for at in np.argsort(-row, kind="stable")] for row in likeness]
    by_words = [list(range(len(pool)))] * len(by_meaning)  # so that both count alike
    return [pool[at] for at in fuse([*by_words, *by_meaning])] + list(found[POOL:])


def distinct(passages: Sequence[Passage]) -> list[Passage]:
    """Of passages that differ in nothing but case and white space, the first."""
    first: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(" ".join(passage.text.casefold().split()), passage)
    return list(first.values())
