"""Documents in pieces short enough to rank and to check, which know where they were cut from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text import windows
from ..types import Passage

MAX_WORDS = 150
OVERLAP_WORDS = 40

# Scripts that put no space between words: Thai and Lao, Tibetan, Burmese, Khmer, Japanese, Chinese.
UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_STRETCH_CHARS = 200_000  # read at a time: the offsets of every word of a book would not fit the memory
_SEAMS = (re.compile(r"\n\s*\n|\r\s*\r"), re.compile(r"[\r\n]"), re.compile(r"\s"))


def split(
    document: Passage,
    *,
    max_words: int = MAX_WORDS,
    overlap_words: int = OVERLAP_WORDS,
    language: str = "en",
) -> list[Passage]:
    """The document in order as pieces of at most `max_words` words, cut between sentences.

    A piece goes back over whole sentences of the one before worth at most `overlap_words`. A
    sentence that is too long is cut between words. In scripts without spaces each character
    counts as a word. A document without text has no pieces.
    """
    return [
        piece
        for stretch in _stretches(document)
        for piece in windows(
            stretch,
            [match.span() for match in _WORD.finditer(stretch.text)],
            max_tokens=max_words,
            overlap_tokens=overlap_words,
            language=language,
        )
    ]


def _stretches(document: Passage) -> Iterator[Passage]:
    """The text without white space around it; a long one in parts, cut between paragraphs if it can be."""
    text, at = document.text, 0
    while at < len(text):
        end = _seam(text, at) if len(text) - at > _STRETCH_CHARS else len(text)
        stretch = text[at:end].strip()
        if stretch:
            start = text.index(stretch[0], at)
            yield document.cut(start, start + len(stretch))
        at = end


def _seam(text: str, at: int) -> int:
    """Where to end a stretch that begins at `at`: behind a paragraph, else a line, else a word."""
    least, most = at + _STRETCH_CHARS // 2, at + _STRETCH_CHARS
    for seam in _SEAMS:
        if match := seam.search(text, least, most):
            return match.end()
    return most
