"""Where a response says what a model says it says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ...text import find_quote
from ...types import Passage, Span
from .parse import ParsedClaim

SHARE_IN_RESPONSE = 0.5  # of a claim's words; with fewer it is not the response's claim
SHARE_IN_NAMED_SENTENCE = 0.25  # names stand in it as pronouns
SHARE_IN_ANY_SENTENCE = 0.5
_STEM_CHARS = 5  # of a word that count, so that its ending does not
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
_EMPTY = re.compile(
    r"a|an|the|of|in|on|at|to|by|for|from|with|as|and|or|is|are|was|were|be|been|being|has|have|had|do|does|did"
    r"|it|its|he|she|they|his|her|their|this|that|these|those|not|no"
)


def locate(parsed: ParsedClaim, sentences: Sequence[Passage], question: str = "") -> tuple[Span, ...]:
    """The spans of the response that state the claim; none where the response does not state it.

    First the words the model quotes, in the sentences it names and then in any; else the stretch
    of a sentence it names, or of the most similar one, that has words of the claim.
    """
    claim = stems_of(" ".join(parsed.parts))
    if _share(claim, stems_of(" ".join([question, *(s.text for s in sentences)]))) < SHARE_IN_RESPONSE:
        return ()
    named = [
        sentences[number - 1] for number in dict.fromkeys(parsed.sentences) if 1 <= number <= len(sentences)
    ]
    for sentence in (*named, *sentences):
        if places := find_quote(parsed.quote, sentence.text):
            return tuple(sentence.span(start, end) for start, end in places)
    shares = {sentence.start: _share(claim, stems_of(sentence.text)) for sentence in sentences}
    chosen = [s for s in named if shares[s.start] >= SHARE_IN_NAMED_SENTENCE]
    if not chosen and sentences:
        best = max(sentences, key=lambda s: shares[s.start])
        chosen = [best] if shares[best.start] >= SHARE_IN_ANY_SENTENCE else []
    return tuple(_stretch(claim, sentence) for sentence in chosen)


@lru_cache(4096)  # every claim of a response is compared with its sentences
def stems_of(text: str) -> frozenset[str]:
    """The words of a text without their endings; those that carry no meaning only if there are no others.

    >>> sorted(stems_of("The painters painted in 1905"))
    ['1905', 'paint']
    """
    every = [match.group() for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold())]
    heavy = [word for word in every if not _EMPTY.fullmatch(word)]
    return frozenset(_stem(word) for word in heavy or every)


def _stem(word: str) -> str:
    return word if word.isdigit() else word[:_STEM_CHARS]


def _share(claim: frozenset[str], where: frozenset[str]) -> float:
    return len(claim & where) / len(claim) if claim else 0.0


def _stretch(claim: frozenset[str], sentence: Passage) -> Span:
    """From the first to the last word that the claim has too."""
    shared = [match for match in _WORD.finditer(sentence.text) if stems_of(match.group()) <= claim]
    return (
        sentence.span(shared[0].start(), shared[-1].end()) if shared else sentence.span(0, len(sentence.text))
    )
