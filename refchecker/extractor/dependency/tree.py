"""Questions about the words of a parsed sentence and what depends on them."""

from __future__ import annotations

from typing import Any

SUBJECT = ("nsubj", "nsubjpass")


def children(token: Any, *relations: str) -> list[Any]:
    """The words that depend on a token in one of these relations, in order."""
    return [child for child in token.children if child.dep_ in relations]


def has_subject(verb: Any) -> bool:
    """Whether a clause has a subject of its own."""
    return bool(children(verb, *SUBJECT))


def is_verb(token: Any) -> bool:
    return token.pos_ in {"VERB", "AUX"}


def is_plural(token: Any) -> bool:
    return token.tag_ in {"NNS", "NNPS"}


def is_relative(token: Any) -> bool:
    """Whether it is a "who", "which", "that" or "what"."""
    return token.tag_ in {"WDT", "WP"}


def has_before(noun: Any, *words: str) -> bool:
    """Whether one of these words stands before a noun, in its phrase."""
    return any(child.lower_ in words for child in noun.lefts)
