"""How near a written definition is to the true one: BLEU, METEOR and ROUGE-L, by kept libraries.

BLEU is sacrebleu's corpus BLEU (13a tokens, exponential smoothing), put together from counts per text, so
that a bootstrap can draw texts. METEOR is nltk's with exact and stem matches; without WordNet, so synonyms do
not match (its other parameters are nltk's: alpha 0.9, beta 3, gamma 0.5). ROUGE-L is rouge-score's F1, with
stemming.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...errors import imported
from ..types import Array

ORDER = 4
COUNTS = [f"{kind}{n}" for kind in ("match", "total") for n in range(1, ORDER + 1)] + ["length", "wanted"]


@cache
def _libraries() -> tuple[Any, Any, Any, Any]:
    stemmer = imported("nltk.stem.porter", "definitions").PorterStemmer()
    meteor = imported("nltk.translate.meteor_score", "definitions")
    rouge = imported("rouge_score.rouge_scorer", "definitions").RougeScorer(["rougeL"], use_stemmer=True)
    return imported("sacrebleu.metrics.bleu", "definitions").BLEU(), meteor, stemmer, rouge


def bleu_counts(text: str, wanted: str) -> dict[str, float]:
    """What a corpus BLEU needs of one text: n-gram matches and totals, and both lengths."""
    found = _libraries()[0].corpus_score([text], [[wanted]])
    matches = {f"match{n}": float(count) for n, count in enumerate(found.counts, start=1)}
    totals = {f"total{n}": float(count) for n, count in enumerate(found.totals, start=1)}
    return {**matches, **totals, "length": float(found.sys_len), "wanted": float(found.ref_len)}


def bleu(columns: Mapping[str, Array], suffix: str = "") -> float:
    """Corpus BLEU (0 to 100) of the rows that have counts; nan without any."""
    known = {name: column[~np.isnan(column)] for name in COUNTS for column in [columns[name + suffix]]}
    if not len(known["length"]):
        return math.nan
    sums = {name: int(column.sum()) for name, column in known.items()}
    found = _libraries()[0].compute_bleu(
        [sums[f"match{n}"] for n in range(1, ORDER + 1)],
        [sums[f"total{n}"] for n in range(1, ORDER + 1)],
        sums["length"],
        sums["wanted"],
        smooth_method="exp",
    )
    return float(found.score)


class NoSynonyms:
    """Stands for WordNet where METEOR looks for synonyms: there are none."""

    def synsets(self, word: str) -> Sequence[Any]:
        return ()


def words(text: str) -> list[str]:
    """METEOR's tokens: words and numbers, in lower case.

    >>> words("A well-known law: F=ma.")
    ['a', 'well-known', 'law', 'f', 'ma']
    """
    return re.findall(r"\w+(?:[-']\w+)*", text.lower())


def meteor(text: str, wanted: str) -> float:
    """METEOR with exact and stem matches, 0 to 1; 0 for an empty text."""
    said, target = words(text), words(wanted)
    if not said or not target:
        return 0.0
    _, scores, stemmer, _ = _libraries()
    return float(scores.single_meteor_score(target, said, stemmer=stemmer, wordnet=NoSynonyms()))


def rouge_l(text: str, wanted: str) -> float:
    """ROUGE-L F1, 0 to 1."""
    return float(_libraries()[3].score(wanted, text)["rougeL"].fmeasure)
