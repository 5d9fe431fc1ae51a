"""What BM25 counts: words, lower-cased, without accents, stopwords and endings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..errors import imported
from .passages import UNSPACED

VERSION = 1  # of the terms: an index made with another is made anew

_WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_])+(?:'(?:(?![{UNSPACED}])[^\W_])+)*")
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")  # what _WORD finds in ASCII, found faster
_FIRST_UNSPACED = "\u0e00"
_PAIRED = re.compile(f"[{UNSPACED}]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")

# Snowball's stemmers by language code.
_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def terms(text: str, language: str = "en") -> list[str]:
    """The terms of a text in order, repeated ones included.

    Stopwords are left out and endings cut where the language is known to Snowball and spaCy.
    Characters of scripts without spaces (Chinese, Japanese, Thai, ...) come in overlapping pairs.

    >>> terms("The painters' studio in Köln burned down.")
    ['painter', 'studio', 'koln', 'burn']
    """
    if text.isascii():
        return [term for word in _PLAIN_WORD.findall(text.lower()) if (term := _term(word, language))]
    found: list[str] = []
    for word in _WORD.findall(_folded(text)):
        if word[0] >= _FIRST_UNSPACED and _PAIRED.match(word):
            found.extend(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif term := _term(word, language):
            found.append(term)
    return found


def _folded(text: str) -> str:
    """Lower case, compatibility forms resolved, accents and apostrophes made plain."""
    if text.isascii():
        return text.lower()
    return _NOT_ASCII.sub(_plain, text).casefold()


def _plain(match: re.Match[str]) -> str:
    text = unicodedata.normalize("NFKD", match.group().replace("’", "'"))
    text = "".join(char for char in text if not unicodedata.category(char).startswith("M"))
    return unicodedata.normalize("NFC", text)  # Korean syllables again


@lru_cache(maxsize=1 << 18)
def _term(word: str, language: str) -> str:
    """The word without its ending; empty for a stopword."""
    if word in _stopwords(language):
        return ""
    stemmer = _stemmer(language)
    stemmed: str = stemmer.stemWord(word) if stemmer else word
    return stemmed


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Any:
    name = _STEMMERS.get(language)
    return imported("snowballstemmer", "retrieval").stemmer(name) if name else None


@lru_cache(maxsize=8)
def _stopwords(language: str) -> frozenset[str]:
    try:
        words = import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS
    except ImportError:  # a language that spaCy has no list for
        return frozenset()
    return frozenset(_folded(word) for word in words)
