"""What of a claim's words a passage holds, element by element: the evidence that a word-blind model misses.

Pure Python on English text; a passage is read once (`Page.of`) and compared with as many claims as there are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ...text import NAN, NEGATIONS, STOP, content, share, stem, trigrams
from ...text.stems import words
from ...types import Claim

VERSION = 2  # of everything here: a model of these numbers holds for one version only

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“(\[0-9])|\n+")
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DOUBTS_WORDS = (
    "may might could would should possibly perhaps maybe likely unlikely probably if unless allegedly "
    "reportedly rumored supposedly doubtful improbable whether"
)
_DOUBTS = frozenset(_DOUBTS_WORDS.split())
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


class Page(NamedTuple):
    """A passage, read once."""

    order: list[str]  # stems as they come
    places: dict[str, list[int]]
    prefixes: frozenset[str]  # the first four letters of each
    trigrams: frozenset[str]
    sentences: list[Sentence]

    @classmethod
    def of(cls, text: str) -> Page:
        borders = [0, *(edge for match in _SENTENCE.finditer(text) for edge in match.span()), len(text)]
        spans = [span for span in zip(borders[::2], borders[1::2], strict=True) if text[slice(*span)].strip()]
        parts = [text[start:end] for start, end in spans]
        found = [words(part) for part in parts]
        stems = [[stem(word) for word in each] for each in found]
        order = [each for own in stems for each in own]
        places: dict[str, list[int]] = {}
        for place, each in enumerate(order):
            places.setdefault(each, []).append(place)
        sentences = [
            Sentence(
                *span,
                frozenset(word.lower() for word in each),
                frozenset(own),
                trigrams(part),
                frozenset(_named(each)),
                frozenset(_numbered(own)),
            )
            for span, each, own, part in zip(spans, found, stems, parts, strict=True)
        ]
        return cls(order, places, frozenset(each[:4] for each in places), trigrams(text), sentences)


_NOTHING = Sentence(0, 0, *[frozenset()] * 5)


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in STOP


def _named(found: Sequence[str]) -> list[str]:
    """The stems of a sentence's names."""
    names = [_is_name(word) for word in found]
    if len(names) > 1 and not found[1][0].isupper():
        names[0] = False
    return [stem(word) for word, name in zip(found, names, strict=True) if name]


def _numbered(stems: Sequence[str]) -> list[str]:
    return [each for each in stems if each[0].isdigit()]


def longest_run(wanted: Sequence[str], page: Page) -> float:
    """The longest piece of `wanted` that stands in the passage as it is, as a share of its length."""
    best = 0
    for first, start in enumerate(wanted):
        for place in page.places.get(start, ()):
            length = 1
            while (
                first + length < len(wanted)
                and place + length < len(page.order)
                and page.order[place + length] == wanted[first + length]
            ):
                length += 1
            best = max(best, length)
    return best / len(wanted) if wanted else NAN


_claim_trigrams = lru_cache(maxsize=1024)(trigrams)


def nearness(claim: str, stems: Collection[str], letters: Collection[str]) -> float:
    """How near a piece of text, given by its stems and letter trigrams, is to the claim: 0 to 1.5."""
    wanted = content(claim)
    return (share(wanted, stems) if wanted else 0.0) + 0.5 * share(_claim_trigrams(claim), letters)


def focus(claim: str, page: Page, *, around: int = 1) -> tuple[int, int]:
    """Where the sentence nearest to the claim stands in the passage, with `around` more on each side."""
    nearest = max(
        range(len(page.sentences)),
        key=lambda i: nearness(claim, page.sentences[i].stems, page.sentences[i].trigrams),
    )
    chosen = page.sentences[max(0, nearest - around) : nearest + around + 1]
    return chosen[0].start, chosen[-1].end


def features(claim: Claim, page: Page, question: str = "") -> list[float]:
    """The evidence in numbers, in the order of NAMES; NaN where there is no triplet, or no question."""
    parts = claim.triplet or ("", "", "")
    text = content(claim.text)
    elements = [content(part) for part in parts]
    covers = [share(text, sentence.stems) if text else 0.0 for sentence in page.sentences] or [0.0]
    best = max(range(len(covers)), key=covers.__getitem__)
    sentence = page.sentences[best] if page.sentences else _NOTHING
    return [
        *_whole(claim.text, text, page),
        *_by_sentence(text, elements, covers, page),
        *(
            number
            for part, own in zip(parts, elements, strict=True)
            for number in _element(part, own, page, sentence)
        ),
        *_numbers(text, page, sentence),
        *_names(claim.text, parts, page, sentence),
        *_moods(claim.text, sentence),
        *_question(text, elements, content(question), page),
        *_others(claim.text, sentence),
        *_answer(claim, text, elements, covers, question, page),
    ]


def _whole(claim: str, text: tuple[str, ...], page: Page) -> list[float]:
    letters = _claim_trigrams(claim)
    nearest = max((share(letters, sentence.trigrams) for sentence in page.sentences), default=0.0)
    return [
        share(text, page.places),
        share([each[:4] for each in text], page.prefixes),
        share(letters, page.trigrams),
        nearest,
    ]


def _by_sentence(
    text: tuple[str, ...], elements: list[tuple[str, ...]], covers: list[float], page: Page
) -> list[float]:
    """Cover by the best sentence, the second, two that follow each other; subject and object together."""
    ranked = sorted(covers, reverse=True)
    stems = [sentence.stems for sentence in page.sentences]
    pairs = [share(text, one | other) for one, other in pairwise(stems)] if text else []
    subject, _, obj = elements
    together = NAN
    if subject and obj:
        together = max((min(share(subject, own), share(obj, own)) for own in stems), default=0.0)
    return [
        ranked[0],
        ranked[1] if len(ranked) > 1 else 0.0,
        max(pairs, default=ranked[0]),
        float(sum(cover >= 0.8 for cover in covers)),
        sum(covers) / len(covers),
        together,
    ]


def _element(part: str, own: tuple[str, ...], page: Page, sentence: Sentence) -> list[float]:
    return [
        share(own, page.places),
        share([each[:4] for each in own], page.prefixes),
        float(len(own)),
        longest_run(own, page),
        share(own, sentence.stems),
        share(_claim_trigrams(part), page.trigrams) if part else NAN,
    ]


def _numbers(text: tuple[str, ...], page: Page, sentence: Sentence) -> list[float]:
    claimed, given = _numbered(text), _numbered(list(page.places))
    years = [each for each in claimed if _YEAR.fullmatch(each) and each not in page.places]
    other_years = any(_YEAR.fullmatch(each) for each in given)
    return [
        float(len(claimed)),
        share(claimed, page.places),
        float(sum(each not in page.places for each in claimed)),
        share(claimed, sentence.stems),
        float(len(given)),
        len(years) * (1.0 if other_years else 0.5),
    ]


@lru_cache(maxsize=2048)
def _capitals(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text) if _is_name(word))


def _names(claim: str, parts: Sequence[str], page: Page, sentence: Sentence) -> list[float]:
    claimed = _capitals(claim)

    def missing(text: str) -> float:
        return float(sum(each not in page.places for each in _capitals(text)))

    return [
        float(len(claimed)),
        share(claimed, page.places),
        missing(claim),
        share(claimed, sentence.stems),
        missing(parts[0]) if parts[0] else NAN,
        missing(parts[2]) if parts[2] else NAN,
    ]


def _moods(claim: str, sentence: Sentence) -> list[float]:
    """Whether the claim, and the sentence nearest to it, deny or doubt."""
    said = frozenset(word.lower() for word in words(claim))
    return [
        float(not said.isdisjoint(NEGATIONS)),
        float(not sentence.lower.isdisjoint(NEGATIONS)),
        float(not said.isdisjoint(_DOUBTS)),
        float(not sentence.lower.isdisjoint(_DOUBTS)),
    ]


def _question(
    text: tuple[str, ...], elements: list[tuple[str, ...]], question: tuple[str, ...], page: Page
) -> list[float]:
    """What of the claim was asked already, and whether the passage holds what is new in it."""
    missing = [each for each in text if each not in page.places]
    if not question:
        return [NAN, NAN, NAN, NAN, NAN, NAN, float(len(missing)), NAN]
    asked = frozenset(question)
    return [
        share(text, asked),
        *(share(own, asked) for own in elements),
        share(question, page.places),
        share([each for each in text if each not in asked], page.places),
        float(len(missing)),
        share(missing, asked),
    ]


@lru_cache(maxsize=2048)
def _all_stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words(text)))


def _others(said: str, sentence: Sentence) -> list[float]:
    """How many names and numbers the sentence has that are not said: what may stand in the claim's place."""
    known = _all_stems(said)
    return [float(len(sentence.names - known)), float(len(sentence.numbers - known))]


def _answer(
    claim: Claim,
    text: tuple[str, ...],
    elements: list[tuple[str, ...]],
    covers: list[float],
    question: str,
    page: Page,
) -> list[float]:
    """What the claim answers, and whether the passage says that, or something else, where it speaks of it.

    The answer is the subject or the object, whichever the question says less of; without a triplet all
    that was not asked.
    """
    asked = frozenset(content(question))
    if not asked:
        return [NAN] * 11
    about = [share(asked, sentence.stems) for sentence in page.sentences]
    place = max(range(len(about)), key=lambda i: about[i] + 0.3 * covers[i], default=-1)
    sentence = page.sentences[place] if about else _NOTHING
    said, answer = claim.text, text
    rest = [each for each in text if each in asked]
    if claim.triplet:
        known = [share(own, asked) if own else 1.0 for own in elements]
        own = 0 if known[0] < known[2] else 2
        said, answer = claim.triplet[own], elements[own]
        rest = [each for i, element in enumerate(elements) if i != own for each in element]
    new = [each for each in answer if each not in asked]
    names = [each for each in _capitals(said) if each not in asked]
    kind = _ASKING.search(question)
    return [
        *_others(f"{claim.text} {question}", sentence),
        _KINDS.get(kind[1].lower(), 5.0) if kind else 0.0,
        share(rest, asked),
        float(len(new)),
        share(new, page.places),
        share(new, sentence.stems),
        share(_claim_trigrams(said), page.trigrams),
        float(len(names)),
        float(sum(each not in page.places for each in names)),
        float(len(_numbered(new))),
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
        max(each[2] for each in odds),
        min(each[1] for each in odds),
        windows[best][0] - windows[best][2],
        *(_log_odds(alone)[i] for i in (0, 2, 1)),
        alone[0] - alone[2],
    ]


def _log_odds(logits: Sequence[float]) -> list[float]:
    """Of each label against the others."""
    rest = [[other for j, other in enumerate(logits) if j != i] for i in range(len(logits))]
    return [
        own - max(others) - math.log(sum(math.exp(other - max(others)) for other in others))
        for own, others in zip(logits, rest, strict=True)
    ]
