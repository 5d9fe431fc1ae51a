"""The finder `embedding`: the words whose contextual embeddings are nearest to those of a claim's parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..models import Array, Encoder, Settings, Tokens
from ..text import ReadText, read, whole_characters
from ..types import Claim, Part
from .finding import Finding, stretches_of, words_within
from .matching import Mention
from .spans import BestStretches, nearest, units

MOST_MENTIONS = 5
FLOOR = 0.7  # of the least cosine: below it a stretch is not even a guess
_MOST_WORDS = 60


class Embedded(NamedTuple):
    """A text's words with the sums of their tokens' vectors; words without a token are left out."""

    page: ReadText
    places: Array  # of `vectors` in page.words
    vectors: Array  # [words, width]


class EmbeddingFinder:
    """Mentions of a claim's parts by the cosine of mean token embeddings.

    Every stretch of whole words within a sentence is looked at, up to about twice as long as the part. The
    part is embedded within its claim, so the same word in another sense is further off.
    Scores are scaled so that 0.5 is the least cosine that counts (`Settings`).
    """

    def __init__(
        self, encode: Encoder, settings: Settings, *, name: str = "own", language: str = "en"
    ) -> None:
        self._encode, self.settings, self._language = encode, settings, language
        self.signature = f"embedding({name},{settings.layer})"
        self._kept: dict[str, Embedded] = {}

    def __call__(self, claims: Sequence[Claim], texts: Sequence[str], /) -> list[list[Finding]]:
        embedded = self.embedded([*(claim.text for claim in claims), *texts])
        of_claims = [embedded[claim.text] for claim in claims]
        by_text = [self._findings(claims, of_claims, embedded[text]) for text in texts]
        return [[findings[i] for findings in by_text] for i in range(len(claims))]

    def embedded(self, texts: Sequence[str]) -> dict[str, Embedded]:
        """Each different text, embedded once, or not at all where it was in the call before."""
        kept = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        for text, tokens in zip(new, self._encode(new) if new else [], strict=True):
            kept[text] = self._by_word(read(text, self._language), tokens)
        if new:
            self._kept = kept
        return kept

    def _by_word(self, page: ReadText, tokens: Tokens) -> Embedded:
        """Tokens go to the word they begin in; those between words are left out."""
        vectors = tokens.vectors
        if self.settings.unit:
            vectors = units(vectors)
        starts = np.array([word.start for word in page.words], dtype=np.int64)
        ends = np.array([word.end for word in page.words], dtype=np.int64)
        owner = np.searchsorted(starts, tokens.offsets[:, 0], side="right") - 1
        kept = owner >= 0
        kept[kept] = tokens.offsets[kept, 0] < ends[owner[kept]]
        places, firsts = np.unique(owner[kept], return_index=True)
        if not len(places):
            return Embedded(page, places, np.zeros((0, vectors.shape[1])))
        if self.settings.context:
            vectors = vectors + self.settings.context * _sentence_means(page, vectors, owner, kept)
        return Embedded(page, places, np.add.reduceat(vectors[kept], firsts, axis=0))

    def alike(
        self, claim: Claim, start: int, end: int, text: str, places: Sequence[tuple[int, int]]
    ) -> list[float]:
        """The cosine of `claim.text[start:end]` with each of those places; 0 where a side is empty."""
        embedded = self.embedded([claim.text, text])
        wanted = _sum(embedded[claim.text], start, end)
        vectors = np.array([_sum(embedded[text], *place) for place in places])
        cosines: list[float] = (units(vectors) @ units(wanted[None])[0]).tolist()
        return cosines

    def _findings(
        self, claims: Sequence[Claim], embedded: Sequence[Embedded], text: Embedded
    ) -> list[Finding]:
        queries: list[tuple[int, Part, Array, int]] = []
        mentions: list[dict[Part, list[Mention]]] = []
        for i, (claim, words) in enumerate(zip(claims, embedded, strict=True)):
            mentions.append({part: [] for part in stretches_of(claim)})
            for part, (start, end) in stretches_of(claim).items():
                wanted = np.isin(words.places, words_within(words.page, start, end))
                if wanted.any():
                    queries.append((i, part, words.vectors[wanted].sum(axis=0), int(wanted.sum())))
        if queries and len(text.places):
            best = nearest(
                text.vectors,
                np.array([vector for _, _, vector, _ in queries]),
                [most_words(count) for *_, count in queries],
                [text.page.sentence_of[place] for place in text.places],
            )
            for query, (i, part, _, _) in enumerate(queries):
                mentions[i][part] = self._mentions(best, query, text)
        supports = [self._support(words, text) for words in embedded]
        return [
            Finding(of_claim, _ranks(words, support), support.tolist())
            for of_claim, words, support in zip(mentions, embedded, supports, strict=True)
        ]

    def _mentions(self, best: BestStretches, query: int, text: Embedded) -> list[Mention]:
        words = [text.page.words[place] for place in text.places]
        least = self.settings.least_part
        mentions = []
        for first, last, cosine in best.stretches(query, least=FLOOR * least, most=MOST_MENTIONS):
            if any(not word.light for word in words[first:last]):
                start, end = whole_characters(text.page.text, words[first].start, words[last - 1].end)
                mentions.append(Mention(start, end, float(scaled(np.array(cosine), least)), frozenset()))
        return mentions

    def _support(self, claim: Embedded, text: Embedded) -> Array:
        """For each sentence, the cosine of each word of the claim with the nearest. # [sentences, words]"""
        best = np.zeros((len(text.page.sentences), len(claim.page.words)))
        if not len(text.places) or not len(claim.places):
            return best
        cosines = units(text.vectors) @ units(claim.vectors).T
        sentences = np.array([text.page.sentence_of[place] for place in text.places])
        present, firsts = np.unique(sentences, return_index=True)
        best[np.ix_(present, claim.places)] = np.maximum.reduceat(cosines, firsts, axis=0)
        return scaled(best, self.settings.least_word)


def _sentence_means(page: ReadText, vectors: Array, owner: Array, kept: Array) -> Array:
    """For each token that belongs to a word, the mean vector of its sentence; nothing for the others."""
    means = np.zeros_like(vectors)
    sentences = np.array(page.sentence_of)[owner[kept]]
    _, firsts, counts = np.unique(sentences, return_index=True, return_counts=True)
    of_sentences = np.add.reduceat(vectors[kept], firsts, axis=0) / counts[:, None]
    means[kept] = np.repeat(of_sentences, counts, axis=0)
    return means


def _sum(text: Embedded, start: int, end: int) -> Array:
    inside = np.isin(text.places, words_within(text.page, start, end))
    total: Array = text.vectors[inside].sum(axis=0)
    return total


def most_words(count: int) -> int:
    """The longest stretch that is compared with one of so many words."""
    return min(2 * count + 2, _MOST_WORDS)


def scaled(cosines: Array, least: float) -> Array:
    """Cosines from 0 to 1 with the least that counts at 0.5.

    >>> scaled(np.array([0.3, 0.6, 0.8, 1.0]), 0.6).round(3).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    scores: Array = np.interp(cosines, [0.0, least, 1.0], [0.0, 0.5, 1.0])
    return scores


def _ranks(claim: Embedded, support: Array) -> list[float]:
    """How near each sentence is to the claim: the mean over the words that carry meaning."""
    weighty = [i for i, word in enumerate(claim.page.words) if not word.light]
    if not weighty:
        return [0.0] * len(support)
    means: list[float] = support[:, weighty].mean(axis=1).tolist()
    return means
