"""A model's reply to claims. Pure; never an error, never a claim that the reply does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...llms.lenient_json import values, without_thoughts

_PARTS = (
    ("subject", "subj", "head", "s", "entity1"),
    ("predicate", "relation", "verb", "pred", "p", "relationship"),
    ("object", "obj", "tail", "o", "value", "entity2"),
)
_CLAIM_KEYS = ("claim", "text", "fact", "statement", "content", "subsentence")
_TRIPLET_KEYS = ("triplet", "triple", "spo", "claim", "content")
_SENTENCE_KEYS = ("sentence", "sentences", "sentence_id", "sentence_ids", "source", "from")
_QUOTE_KEYS = ("quote", "raw", "words", "span", "evidence")
_LIST_KEYS = ("claims", "triplets", "triples", "facts", "statements", "answer", "results", "output")
_NONE = re.compile(r"^\W*(?:none|no\s+(?:checkable\s+)?(?:claims|triplets|facts)(?:\s+found)?|n/a)\W*$", re.I)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,3}[.)])\s+(?P<text>\S.*)$")
_MARK = re.compile(r"\s*\[(?P<numbers>\d+(?:\s*,\s*\d+)*)\]\s*")
_COMMAS = re.compile(r"^\W*\((?P<parts>[^()]+)\)\W*$")
_RULE = re.compile(r"^[\s|:+=-]+$")


class ParsedClaim(NamedTuple):
    """One claim as the model gives it: three parts of a triplet, or one text."""

    parts: tuple[str, ...]
    sentences: tuple[int, ...] = ()  # by the numbers the model was shown
    quote: str = ""


class ParsedReply(NamedTuple):
    """The claims of a reply. Not `whole`: the reply ended inside them."""

    claims: tuple[ParsedClaim, ...]
    whole: bool = True


def read_claims(reply: str, *, triplets: bool) -> ParsedReply | None:
    """What a reply says the claims are; None where it cannot be read. An empty list is an answer.

    >>> read_claims('[("Paris", "is in", "France")]', triplets=True)
    ParsedReply(claims=(ParsedClaim(parts=('Paris', 'is in', 'France'), sentences=(), quote=''),), whole=True)
    >>> read_claims("I cannot help with that.", triplets=True) is None
    True
    """
    text = without_thoughts(reply)
    parsed = values(text)
    if claims := [claim for value, _ in parsed for claim in _in_value(value, triplets)]:
        return ParsedReply(_distinct(claims), all(whole for _, whole in parsed))
    if any(whole and _says_none(value) for value, whole in parsed) or _NONE.match(text):
        return ParsedReply(())
    if any(not whole and _is_list(value) for value, whole in parsed):
        return ParsedReply((), whole=False)
    claims = list(_in_table(text) if triplets else _in_bullets(text))
    return ParsedReply(_distinct(claims)) if claims else None


def _in_value(value: Any, triplets: bool) -> Iterator[ParsedClaim]:
    if isinstance(value, list):
        if triplets and (parts := _three(value)):
            yield ParsedClaim(parts)
            return
        for element in value:
            if isinstance(element, str) and not triplets:
                yield from _sentence_claim(element)
            else:
                yield from _in_value(element, triplets)
    elif isinstance(value, dict):
        fields = {key.strip().lower(): member for key, member in value.items()}
        if parts := _triplet(fields) if triplets else _claim(fields):
            yield ParsedClaim(
                parts, _numbers(_first(fields, _SENTENCE_KEYS)), _string(_first(fields, _QUOTE_KEYS))
            )
            return
        for member in value.values():
            if isinstance(member, dict | list):
                yield from _in_value(member, triplets)


def _triplet(fields: dict[str, Any]) -> tuple[str, ...]:
    parts = tuple(_string(_first(fields, keys)) for keys in _PARTS)
    if parts[0] and any(parts[1:]):
        return parts
    whole: list[Any] = next((fields[key] for key in _TRIPLET_KEYS if isinstance(fields.get(key), list)), [])
    return _three(whole)


def _claim(fields: dict[str, Any]) -> tuple[str, ...]:
    text = next((_string(fields[key]) for key in _CLAIM_KEYS if isinstance(fields.get(key), str)), "")
    return (text,) if re.search(r"\w", text) else ()


def _three(value: Sequence[Any]) -> tuple[str, ...]:
    """The list as a triplet: three scalars, the first and one more of them not empty."""
    if len(value) != 3 or any(isinstance(part, dict | list) for part in value):
        return ()
    parts = tuple(map(_string, value))
    return parts if parts[0] and any(parts[1:]) and not all(isinstance(v, int) for v in value) else ()


def _sentence_claim(text: str) -> Iterator[ParsedClaim]:
    """A claim in plain words, with the numbers of its sentences in brackets before or after it."""
    numbers = tuple(n for mark in _MARK.finditer(text) for n in _numbers(mark["numbers"].split(",")))
    bare = _MARK.sub(" ", text).strip().strip('"“”').strip()
    if re.search(r"\w", bare):
        yield ParsedClaim((bare,), numbers)


def _in_bullets(text: str) -> Iterator[ParsedClaim]:
    for line in text.splitlines():
        if bullet := _BULLET.match(line):
            yield from _sentence_claim(bullet["text"])


def _in_table(text: str) -> Iterator[ParsedClaim]:
    """Lines "a | b | c" and "(a, b, c)"; a heading that names the columns says which are which."""
    columns = (0, 1, 2)
    for line in text.splitlines():
        if "|" in line and not _RULE.match(line):
            bare = _BULLET.match(line)
            cells = [
                cell.strip(" \t`*\"'")
                for cell in (bare["text"] if bare else line).strip().strip("|").split("|")
            ]
            names = [cell.lower() for cell in cells]
            places = [next((names.index(key) for key in keys if key in names), None) for keys in _PARTS]
            if None not in places:
                columns = (places[0] or 0, places[1] or 0, places[2] or 0)
            elif (len(cells) == 3 or columns != (0, 1, 2)) and max(columns) < len(cells):
                yield from _row([cells[column] for column in columns])
        elif match := _COMMAS.match(_BULLET.sub(r"\g<text>", line)):
            yield from _row([part.strip(" \"'") for part in match["parts"].split(",")])


def _row(cells: Sequence[str]) -> Iterator[ParsedClaim]:
    if parts := _three(cells):
        yield ParsedClaim(parts)


def _says_none(value: Any) -> bool:
    """Whether this is an empty list of claims: [], {"claims": []}."""
    return value == [] or (
        isinstance(value, dict) and any(value.get(key, 0) in ([], None) for key in _LIST_KEYS if key in value)
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list) or any(key in value for key in _LIST_KEYS)


def _first(fields: dict[str, Any], keys: Sequence[str]) -> Any:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _numbers(value: Any) -> tuple[int, ...]:
    """Sentence numbers, however they are written: 2, "2", "[2]", [1, 2]."""
    if isinstance(value, list):
        return tuple(number for element in value for number in _numbers(element))
    return tuple(int(digits) for digits in re.findall(r"\d{1,6}", str(value))) if value is not None else ()


def _distinct(claims: Sequence[ParsedClaim]) -> tuple[ParsedClaim, ...]:
    first: dict[tuple[str, ...], ParsedClaim] = {}
    for claim in claims:
        first.setdefault(tuple(part.casefold() for part in claim.parts), claim)
    return tuple(first.values())
