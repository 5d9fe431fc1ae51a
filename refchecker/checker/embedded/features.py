"""What of a claim's words a passage holds, element by element: what a word-blind model misses.

Pure Python on English text; a passage is read once (`ReadPassage.of`) and compared with any number of claims.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...text import NAN, NEGATIONS, STOP, content, share, stem, trigrams, word_set, words_of
from ...types import Claim

VERSION = 2  # of everything here: a model of these numbers holds for one version only

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“(\[0-9])|\n+")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DOUBTS = word_set(
    "may might could would should possibly perhaps maybe likely unlikely probably if unless allegedly "
    "reportedly rumored supposedly doubtful improbable whether"
)
_ASKING = re.compile(r"\b(who|whom|whose|when|where|which|what|how (?:many|much|old|long))\b", re.IGNORECASE)
_KINDS = {"who": 1.0, "whom": 1.0, "whose": 1.0, "when": 2.0, "where": 3.0, "which": 4.0, "what": 4.0}

NAMES = (
    *("cover", "cover_prefix", "trigrams", "trigrams_sentence"),
    *("best_sentence", "second_sentence", "two_sentences", "full_sentences", "mean_sentence", "together"),
    *(
        f"{name}_{part}"
        for part in "spo"
        for name in ("cover", "prefix", "words", "run", "sentence", "trigrams")
    ),
    *("numbers", "numbers_cover", "numbers_missing", "numbers_sentence", "numbers_passage", "years_missing"),
    *("names", "names_cover", "names_missing", "names_sentence", "names_missing_s", "names_missing_o"),
    *("negation_claim", "negation_sentence", "doubt_claim", "doubt_sentence"),
    *("question_cover", "question_s", "question_p", "question_o", "question_passage"),
    *("new_cover", "missing", "missing_asked"),
    *("other_names", "other_numbers", "other_names_asked", "other_numbers_asked"),
    *("question_kind", "rest_asked", "answer", "answer_cover", "answer_sentence", "answer_trigrams"),
    *("answer_names", "answer_names_missing", "answer_numbers"),
)

NETWORK_NAMES = (
    *("support", "contradiction", "neutral", "lean"),
    *("focus_support", "focus_contradiction", "focus_neutral", "focus_lean"),
)


class Sentence(NamedTuple):
    """One sentence of a passage: its place, its words in lower case, their stems, its letter trigrams; the
    stems of its names (of a first word only where another name follows) and of its numbers."""

    start: int
    end: int
    lower: frozenset[str]
    stems: frozenset[str]
    trigrams: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]


class ReadPassage(NamedTuple):
    """A passage, read once."""

    stems: list[str]  # as they come
    positions: dict[str, list[int]]  # of each stem, in `stems`
    prefixes: frozenset[str]  # the first four letters of each
    trigrams: frozenset[str]
    sentences: list[Sentence]

    @classmethod
    def of(cls, text: str) -> ReadPassage:
        borders = [0, *(edge for match in _SENTENCE.finditer(text) for edge in match.span()), len(text)]
        spans = [span for span in zip(borders[::2], borders[1::2], strict=True) if text[slice(*span)].strip()]
        words = [words_of(text[start:end]) for start, end in spans]
        stems = [[stem(word) for word in in_sentence] for in_sentence in words]
        in_order = [word_stem for in_sentence in stems for word_stem in in_sentence]
        positions: dict[str, list[int]] = {}
        for position, word_stem in enumerate(in_order):
            positions.setdefault(word_stem, []).append(position)
        sentences = [
            Sentence(
                start,
                end,
                frozenset(word.lower() for word in words[i]),
                frozenset(stems[i]),
                trigrams(text[start:end]),
                frozenset(_names_in(words[i])),
                frozenset(_numbers_in(stems[i])),
            )
            for i, (start, end) in enumerate(spans)
        ]
        return cls(in_order, positions, frozenset(_prefixes(positions)), trigrams(text), sentences)


_NO_SENTENCE = Sentence(0, 0, *[frozenset()] * 5)


def _prefixes(stems: Iterable[str]) -> list[str]:
    return [word[:4] for word in stems]


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in STOP


def _names_in(words: Sequence[str]) -> list[str]:
    """The stems of a sentence's names."""
    named = [_is_name(word) for word in words]
    if len(named) > 1 and not words[1][0].isupper():
        named[0] = False
    return [stem(word) for word, is_name in zip(words, named, strict=True) if is_name]


def _numbers_in(stems: Collection[str]) -> list[str]:
    return [word for word in stems if word[0].isdigit()]


def longest_run(wanted: Sequence[str], passage: ReadPassage) -> float:
    """The longest piece of `wanted` that stands in the passage as it is, as a share of its length."""
    best = 0
    for first, start in enumerate(wanted):
        for position in passage.positions.get(start, ()):
            length = 1
            while (
                first + length < len(wanted)
                and position + length < len(passage.stems)
                and passage.stems[position + length] == wanted[first + length]
            ):
                length += 1
            best = max(best, length)
    return best / len(wanted) if wanted else NAN


_claim_trigrams = lru_cache(maxsize=1024)(trigrams)


def nearness(claim: str, stems: Collection[str], letters: Collection[str]) -> float:
    """How near a piece of text, given by its stems and letter trigrams, is to the claim: 0 to 1.5."""
    wanted = content(claim)
    return (share(wanted, stems) if wanted else 0.0) + 0.5 * share(_claim_trigrams(claim), letters)


def focus(claim: str, passage: ReadPassage, *, around: int = 1) -> tuple[int, int]:
    """Where the sentence nearest to the claim stands in the passage, with `around` more on each side."""
    sentences = passage.sentences
    nearest = max(
        range(len(sentences)), key=lambda i: nearness(claim, sentences[i].stems, sentences[i].trigrams)
    )
    chosen = sentences[max(0, nearest - around) : nearest + around + 1]
    return chosen[0].start, chosen[-1].end


class _ClaimWords(NamedTuple):
    """What is compared with a passage: the stems that carry meaning, of a claim and of its elements."""

    stems: tuple[str, ...]
    texts: tuple[str, str, str]  # subject, predicate and object; "" where there is no triplet
    elements: list[tuple[str, ...]]  # their stems
    covers: list[float]  # by each sentence, the share of the claim's stems that it has


def features(claim: Claim, passage: ReadPassage, question: str = "") -> list[float]:
    """The evidence in numbers, in the order of NAMES; NaN where there is no triplet, or no question."""
    stems, texts = content(claim.text), claim.triplet or ("", "", "")
    covers = [share(stems, sentence.stems) if stems else 0.0 for sentence in passage.sentences] or [0.0]
    words = _ClaimWords(stems, texts, [content(text) for text in texts], covers)
    nearest = max(range(len(covers)), key=covers.__getitem__)
    sentence = passage.sentences[nearest] if passage.sentences else _NO_SENTENCE
    elements = zip(texts, words.elements, strict=True)
    return [
        *_whole(claim.text, stems, passage),
        *_by_sentence(words, passage),
        *(number for text, part in elements for number in _element(text, part, passage, sentence)),
        *_numbers(stems, passage, sentence),
        *_names(claim.text, texts, passage, sentence),
        *_moods(claim.text, sentence),
        *_question(words, content(question), passage),
        *_others(claim.text, sentence),
        *_answer(claim, words, question, passage),
    ]


def _whole(claim: str, stems: tuple[str, ...], passage: ReadPassage) -> list[float]:
    letters = _claim_trigrams(claim)
    nearest = max((share(letters, sentence.trigrams) for sentence in passage.sentences), default=0.0)
    return [
        share(stems, passage.positions),
        share(_prefixes(stems), passage.prefixes),
        share(letters, passage.trigrams),
        nearest,
    ]


def _by_sentence(words: _ClaimWords, passage: ReadPassage) -> list[float]:
    """Cover by the best sentence, the second, two that follow each other; subject and object together."""
    ranked = sorted(words.covers, reverse=True)
    stems = [sentence.stems for sentence in passage.sentences]
    pairs = [share(words.stems, one | next_one) for one, next_one in pairwise(stems)] if words.stems else []
    subject, _, obj = words.elements
    together = NAN
    if subject and obj:
        together = max((min(share(subject, held), share(obj, held)) for held in stems), default=0.0)
    return [
        ranked[0],
        ranked[1] if len(ranked) > 1 else 0.0,
        max(pairs, default=ranked[0]),
        float(sum(cover >= 0.8 for cover in ranked)),
        sum(words.covers) / len(words.covers),
        together,
    ]


def _element(text: str, stems: tuple[str, ...], passage: ReadPassage, sentence: Sentence) -> list[float]:
    return [
        share(stems, passage.positions),
        share(_prefixes(stems), passage.prefixes),
        float(len(stems)),
        longest_run(stems, passage),
        share(stems, sentence.stems),
        share(_claim_trigrams(text), passage.trigrams) if text else NAN,
    ]


def _numbers(stems: tuple[str, ...], passage: ReadPassage, sentence: Sentence) -> list[float]:
    claimed, in_passage = _numbers_in(stems), _numbers_in(passage.positions)
    missing = [number for number in claimed if number not in passage.positions]
    years = [number for number in missing if _YEAR.fullmatch(number)]
    other_years = any(map(_YEAR.fullmatch, in_passage))
    return [
        float(len(claimed)),
        share(claimed, passage.positions),
        float(len(missing)),
        share(claimed, sentence.stems),
        float(len(in_passage)),
        len(years) * (1.0 if other_years else 0.5),
    ]


@lru_cache(maxsize=2048)
def _capitals(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words_of(text) if _is_name(word))


def _names(claim: str, texts: Sequence[str], passage: ReadPassage, sentence: Sentence) -> list[float]:
    claimed = _capitals(claim)
    subject, _, obj = texts

    def missing(text: str) -> float:
        return float(sum(name not in passage.positions for name in _capitals(text)))

    return [
        float(len(claimed)),
        share(claimed, passage.positions),
        missing(claim),
        share(claimed, sentence.stems),
        missing(subject) if subject else NAN,
        missing(obj) if obj else NAN,
    ]


def _moods(claim: str, sentence: Sentence) -> list[float]:
    """Whether the claim, and the sentence nearest to it, deny or doubt."""
    in_claim = frozenset(word.lower() for word in words_of(claim))
    return [
        float(not words.isdisjoint(signs))
        for signs in (NEGATIONS, _DOUBTS)
        for words in (in_claim, sentence.lower)
    ]


def _question(words: _ClaimWords, question: tuple[str, ...], passage: ReadPassage) -> list[float]:
    """What of the claim the question has already, and whether the passage holds what is new in it."""
    missing = [word for word in words.stems if word not in passage.positions]
    if not question:
        return [NAN] * 6 + [float(len(missing)), NAN]
    known = frozenset(question)
    return [
        *(share(stems, known) for stems in (words.stems, *words.elements)),
        share(question, passage.positions),
        share([word for word in words.stems if word not in known], passage.positions),
        float(len(missing)),
        share(missing, known),
    ]


@lru_cache(maxsize=2048)
def _all_stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(text)))


def _others(text: str, sentence: Sentence) -> list[float]:
    """How many names and numbers of the sentence the text has not: what may stand in the claim's place."""
    known = _all_stems(text)
    return [float(len(sentence.names - known)), float(len(sentence.numbers - known))]


def _answer(claim: Claim, words: _ClaimWords, question: str, passage: ReadPassage) -> list[float]:
    """What the claim answers, and whether the passage says that, or something else, where it speaks of it.

    The answer is the subject or the object, whichever the question says less of; without a triplet all
    that the question does not say.
    """
    known = frozenset(content(question))
    if not known:
        return [NAN] * 11
    sentences = zip(passage.sentences, words.covers, strict=False)  # without a sentence there is one cover, 0
    about = [share(known, sentence.stems) + 0.3 * cover for sentence, cover in sentences]
    sentence = passage.sentences[about.index(max(about))] if about else _NO_SENTENCE
    text, answer = claim.text, words.stems
    rest = [word for word in answer if word in known]
    if claim.triplet:
        subject, _, obj = (share(stems, known) if stems else 1.0 for stems in words.elements)
        place = 0 if subject < obj else 2
        text, answer = claim.triplet[place], words.elements[place]
        rest = [word for i, stems in enumerate(words.elements) if i != place for word in stems]
    new = [word for word in answer if word not in known]
    names = [name for name in _capitals(text) if name not in known]
    kind = _ASKING.search(question)
    return [
        *_others(f"{claim.text} {question}", sentence),
        _KINDS.get(kind[1].lower(), 5.0) if kind else 0.0,
        share(rest, known),
        float(len(new)),
        share(new, passage.positions),
        share(new, sentence.stems),
        share(_claim_trigrams(text), passage.trigrams),
        float(len(names)),
        float(sum(name not in passage.positions for name in names)),
        float(len(_numbers_in(new))),
    ]


def network_features(windows: Sequence[Sequence[float]], focus: Sequence[float] | None) -> list[float]:
    """What the network's logits say, in the order of NETWORK_NAMES, in log odds.

    The most support and the most contradiction that any window shows, the least neutrality, and how the
    window of most support leans between the two; then the same of the focus, or of that window without one.
    """
    odds = [_log_odds(logits) for logits in windows]
    best = max(range(len(odds)), key=lambda i: odds[i][0])
    alone = focus if focus is not None else windows[best]
    return [
        odds[best][0],
        max(of_window[2] for of_window in odds),
        min(of_window[1] for of_window in odds),
        windows[best][0] - windows[best][2],
        *(_log_odds(alone)[i] for i in (0, 2, 1)),
        alone[0] - alone[2],
    ]


def _log_odds(logits: Sequence[float]) -> list[float]:
    """Of each label against the others."""
    rest = [[other for j, other in enumerate(logits) if j != i] for i in range(len(logits))]
    return [
        logit - max(others) - math.log(sum(math.exp(other - max(others)) for other in others))
        for logit, others in zip(logits, rest, strict=True)
    ]
