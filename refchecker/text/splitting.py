"""Sentences and windows: text cut into pieces that know where they were cut from."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import UsageError
from ..types import Passage
from .stems import word_set

_CLOSERS = "\"'”’»›)]}」』）】》〉］*_"
_OPENERS = "\"'“‘«‹([{「『（【《〈［*_"

# A full stop after one of these does not end a sentence, whatever follows.
_NEVER_FINAL = word_set(
    "dr mr mrs ms mx prof rev fr hon gen col maj capt cpt lt sgt cmdr adm gov sen rep pres supt st "
    "ste mt ft messrs mme mlle vs v e.g eg i.e ie cf viz approx ca c est al"
)
# After one of these it does not when a number follows.
_BEFORE_NUMBER = word_set("no nos nr fig figs eq eqs sec ch vol vols p pp art op para tab ver pt")
# After one of these it does only when the next word is one that starts sentences.
_MAYBE_FINAL = word_set(
    "inc ltd co corp bros llc plc jr sr esq etc ave blvd rd dept univ assn a.m p.m am pm ph.d m.d b.a "
    "m.a b.sc m.sc u.s u.k u.n e.u d.c b.c a.d b.c.e c.e jan feb mar apr jun jul aug sep sept oct nov "
    "dec mon tue wed thu fri sat sun ed eds trans ibid"
)
_STARTERS = word_set(
    "the a an this that these those he she it they we i you his her its their our my your there here "
    "in on at by for from with as if when while after before during since although though because "
    "however but and or so yet also then thus therefore meanwhile moreover furthermore some many most "
    "all both each no not what who where why how one another other others such it's he's she's "
    "they're i'm we're"
)

_LIST_LINE = re.compile(
    r"[^\S\r\n]*(?:[-*+•‣◦▪●·–][^\S\r\n]|\d{1,3}[.)][^\S\r\n]|\(?[A-Za-z][)]\s|#{1,6}\s|\|)"
)
_HEADING = re.compile(r"[^\S\r\n]*#{1,6}\s")
_LINE = re.compile(r"[^\r\n\u2028\u2029]+")
_BLANK_LINE = re.compile(r"(?:\r\n|[\r\n\u2028])[^\S\r\n\u2028]*(?:\r\n|[\r\n\u2028])|\u2029")
_ORDINAL_STOP = word_set("de da nb nn no is fi et lv lt cs sk sl hr sr hu pl tr lb")  # "3. Oktober"
_JOINED = re.compile(r"[A-Z][a-z]*[,;:]?(?:\s|$)")  # "first.Second one": the stop ends a sentence
_WRAP_WIDTH_CHARS = 40  # no one wraps prose narrower


def sentences(passage: Passage, *, language: str = "en") -> list[Passage]:
    """The sentences of a passage in order, each cut out of it without the whitespace around it.

    Together they hold every character that is not whitespace. Blank lines, list lines and
    headings end a sentence; the line breaks of hard-wrapped prose do not. What counts as an
    abbreviation comes from spaCy's data for `language`, a code such as "en", "zh" or "xx".

    >>> [piece.text for piece in sentences(Passage("Dr. Who left. It was 3.14 p.m.", "doc"))]
    ['Dr. Who left.', 'It was 3.14 p.m.']
    """
    text = passage.text
    knowledge = _knowledge(language)
    cuts = sorted({0, len(text), *_line_ends(text), *_sentence_ends(text, knowledge)})
    pieces = (_strip(text, start, end) for start, end in pairwise(cuts))
    return [passage.cut(start, end) for start, end in pieces if start < end]


def windows(
    passage: Passage,
    tokens: Sequence[tuple[int, int]],
    *,
    max_tokens: int,
    overlap_tokens: int = 0,
    language: str = "en",
) -> list[Passage]:
    """The passage in pieces of at most `max_tokens` tokens, cut between sentences.

    `tokens` are the (start, end) character offsets in `passage.text` that a model's tokenizer
    gives. Whole sentences are packed while they fit; the next window goes back over whole
    sentences worth at most `overlap_tokens`. A sentence too long for a window is cut between
    tokens. Tokens that share a character (the bytes of an emoji) stay together even when they
    alone exceed the budget. A passage that fits comes back as it is.
    """
    if max_tokens < 1:
        raise ValueError(f"max_tokens must be at least 1, got {max_tokens}")
    counter = _Tokens.of(tokens)
    if counter.within(0, len(passage.text)) <= max_tokens:
        return [passage]
    units = list(_units(passage, counter, max_tokens, language))
    pieces, first = [], 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and counter.within(units[first][0], units[last + 1][1]) <= max_tokens:
            last += 1
        pieces.append(passage.cut(units[first][0], units[last][1]))
        if last + 1 == len(units):
            break
        end, next_end = units[last][1], units[last + 1][1]
        first += 1
        while first <= last and (
            counter.within(units[first][0], end) > overlap_tokens
            or counter.within(units[first][0], next_end) > max_tokens
        ):
            first += 1
    return pieces


class _Tokens(NamedTuple):
    """Token offsets in order, for counting."""

    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, tokens: Sequence[tuple[int, int]]) -> _Tokens:
        """Tokens without characters (a model's special tokens) are not in the text and not counted."""
        real = sorted((start, end) for start, end in tokens if start < end)
        ends, furthest = [], 0
        for _, end in real:
            furthest = max(furthest, end)
            ends.append(furthest)
        return cls([start for start, _ in real], ends)

    def within(self, start: int, end: int) -> int:
        """How many tokens have a character in `start:end`."""
        return max(0, bisect_left(self.starts, end) - bisect_right(self.ends, start))

    def seams(self, start: int, end: int) -> Iterator[int]:
        """Where `start:end` can be cut without cutting a token."""
        for index in range(bisect_right(self.ends, start) + 1, bisect_left(self.starts, end)):
            if self.starts[index] >= self.ends[index - 1] and self.starts[index] > start:
                yield self.starts[index]


def _units(passage: Passage, counter: _Tokens, max_tokens: int, language: str) -> Iterator[tuple[int, int]]:
    """Sentences that fit a window, and the tokens of those that do not."""
    for piece in sentences(passage, language=language):
        start = piece.start - passage.start
        end = start + len(piece.text)
        if counter.within(start, end) <= max_tokens:
            yield start, end
            continue
        cuts = [start, *counter.seams(start, end), end]
        for left, right in pairwise(cuts):
            left, right = _strip(passage.text, left, right)
            if left < right:
                yield left, right


class _Knowledge(NamedTuple):
    """What a language says about full stops."""

    terminator: re.Pattern[str]
    abbreviations: frozenset[str]  # with the stop, as spaCy spells them
    english: bool
    ordinal_stop: bool  # a number with a stop is an ordinal


@lru_cache(maxsize=32)
def _knowledge(language: str) -> _Knowledge:
    import spacy
    from spacy.pipeline import Sentencizer

    try:
        tokenizer: Any = spacy.blank(language).tokenizer
        rules = tokenizer.rules or {}
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        if "E048" in str(error) or not re.fullmatch(r"[a-z]{2,3}", language):
            raise UsageError(
                f"no language called {language!r}. Use a code such as 'en', 'de', 'zh' or 'ar', "
                "or 'xx' for any other language."
            ) from error
        rules = {}  # the tokenizer wants a package that is not there
    marks = "".join(map(re.escape, {*Sentencizer.default_punct_chars, *".!?…。！？｡؟۔।॥"}))
    spaced = r"|[ \u00a0\u202f]»" if language == "fr" else ""
    pattern = re.compile(rf"[{marks}]+(?:[{re.escape(_CLOSERS)}]|\[\d+\]{spaced})*")
    stops = frozenset(rule for rule in rules if len(rule) > 1 and rule.endswith(".") and rule[0].isalpha())
    return _Knowledge(pattern, stops, language == "en", language in _ORDINAL_STOP)


def _sentence_ends(text: str, knowledge: _Knowledge) -> Iterator[int]:
    for match in knowledge.terminator.finditer(text):
        if match.end() < len(text) and _ends_sentence(text, match, knowledge):
            yield match.end()


def _ends_sentence(text: str, match: re.Match[str], knowledge: _Knowledge) -> bool:
    end, following = match.end(), text[match.end()]
    mark = match.group().rstrip(_CLOSERS + "0123456789[ \u00a0\u202f")
    closed = len(mark) < len(match.group())
    if not following.isspace():
        if not mark[-1].isascii() and mark[-1] != "…":  # scripts that write no space after the stop
            return not (closed and "\u3041" <= following <= "\u309f")  # 「はい。」と言った
        before = text[max(0, match.start() - 40) : match.start()].split()
        plain = bool(before) and not re.search(r"[./@:()=\d]", before[-1]) and before[-1][-1].islower()
        return mark in ".!?" and plain and _JOINED.match(text, end) is not None
    next_word = _next_word(text, end)
    if next_word[:1].islower() and (closed or mark != "."):
        return False  # "Why?" he asked; Yahoo! is; well... maybe
    if mark != "." or closed:
        return True
    return not _is_abbreviation(text, match.start(), next_word, knowledge)


def _is_abbreviation(text: str, stop: int, next_word: str, knowledge: _Knowledge) -> bool:
    """Whether the full stop at `stop` belongs to the word before it."""
    chunk = re.split(rf"[\s{re.escape(_OPENERS)}/,–—]", text[max(0, stop - 24) : stop])[-1]
    word = chunk.lower()
    line_start = max(text.rfind("\n", 0, stop), text.rfind("\r", 0, stop)) + 1
    if (
        chunk.isdigit()
        and len(chunk) <= 3
        and not text[line_start : stop - len(chunk)].strip(" \t" + _OPENERS)
    ):
        return True  # "1. First item"
    if not word or chunk.isdigit():
        return knowledge.ordinal_stop and 0 < len(chunk) <= 2
    if word in _NEVER_FINAL or (word in _BEFORE_NUMBER and next_word[:1].isdigit()):
        return True
    starts_sentence = next_word.lower() in _STARTERS and not next_word[:1].islower()
    if (len(chunk) == 1 and chunk.isupper()) or re.fullmatch(r"(?:[^\W\d]\.)+[^\W\d]", chunk):
        return not starts_sentence  # an initial, or letters with stops
    if word in _MAYBE_FINAL or chunk + "." in knowledge.abbreviations:
        return not (knowledge.english and starts_sentence)
    return False


def _next_word(text: str, start: int) -> str:
    match = re.compile(rf"[\s{re.escape(_OPENERS)}]*([^\W_]+(?:['’][^\W_]+)?)?").match(text, start)
    return (match.group(1) or "") if match else ""


def _line_ends(text: str) -> Iterator[int]:
    """Where a line break ends a sentence."""
    block_start = 0
    for blank in _BLANK_LINE.finditer(text):
        yield blank.end()
        yield from _block_line_ends(text, block_start, blank.start())
        block_start = blank.end()
    yield from _block_line_ends(text, block_start, len(text))


def _block_line_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Line breaks between blank lines: a wrapped line was full, so the next word did not fit it."""
    lines = [match.span() for match in _LINE.finditer(text, start, end)]
    if len(lines) < 2:
        return
    width = max(right - left for left, right in lines)
    pairs = list(pairwise(lines))
    listed = [_LIST_LINE.match(text, below[0], end) is not None for _, below in pairs]
    full = [
        right - left + 1 + len(_first_chunk(text, below[0])) > width - 3 for (left, right), below in pairs
    ]
    prose = [fits for fits, is_list in zip(full, listed, strict=True) if not is_list]
    wrapped = width >= _WRAP_WIDTH_CHARS and 4 * sum(prose) >= 3 * len(prose)
    for (above, below), is_list in zip(pairs, listed, strict=True):
        goes_on = wrapped or text[below[0] : below[1]].lstrip()[:1].islower()
        if is_list or _HEADING.match(text, above[0], above[1]) or not goes_on:
            yield below[0]


def _first_chunk(text: str, start: int) -> str:
    match = re.compile(r"[^\S\r\n]*(\S{0,20})").match(text, start)
    word = match.group(1) if match else ""
    return word if word.isascii() else word[:1]


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    """`start:end` without the whitespace at either end."""
    piece = text[start:end]
    start = end - len(piece.lstrip())
    return start, start + len(piece.strip())
