"""JSON as language models write it: in prose, in code fences, with single quotes, cut off in the middle."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

MAX_DEPTH = 40  # of brackets in brackets; answers have four
_OPENING = re.compile(r"[{\[(]")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "`": "`"}
_AFTER_STRING = re.compile(r"[ \t]*(?:[,:;\]})\r\n]|$)")
_BETWEEN = re.compile(r"(?:\s|,|;|//[^\n]*|\.\.\.|…)*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_WORD = re.compile(r"[^\W\d][\w \t/-]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
_CUT = object()  # a value that the text ends in


class Value(NamedTuple):
    """An object (as dict) or array (as list). Not `whole`: the text ended inside it."""

    value: Any
    whole: bool


def values(text: str) -> list[Value]:
    """Every outermost object and array in the text, in order; never an error.

    Of one that is cut off, what was whole stays: its finished members, not the one it was cut in.

    >>> values('Sure! ```json\\n{"label": \\'Neutral\\',}\\n```')
    [Value(value={'label': 'Neutral'}, whole=True)]
    >>> values('[{"id": 1}, {"id":')
    [Value(value=[{'id': 1}], whole=False)]
    """
    found, position = [], 0
    while opening := _OPENING.search(text, position):
        if strict := _strict(text, opening.start()):
            value, position = strict
            found.append(Value(value, True))
            continue
        reader = _JsonReader(text, opening.start())
        try:
            value = reader.container(0)
        except _TooDeep:
            position = reader.position  # what is inside is no answer either, and there may be much of it
            continue
        except _NotJson:
            position = opening.start() + 1
            continue
        found.append(Value(value, not reader.cut))
        position = reader.position
    return found


def without_thoughts(reply: str) -> str:
    """The reply without what a reasoning model wrote before it answered.

    >>> without_thoughts("<think>It says Neutral?</think>Entailment")
    'Entailment'
    """
    _, closing, after = reply.rpartition("</think>")
    return "" if not closing and reply.lstrip().startswith("<think>") else after.strip()


def _strict(text: str, position: int) -> tuple[Any, int] | None:
    """The real JSON that begins here and where it ends; half characters are left to the lenient reader."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    return None if "\\ud" in text[position:end].lower() else (value, end)


class _NotJson(Exception):
    """What stands here is no object or array."""


class _TooDeep(Exception):
    """Brackets in brackets, more than any answer has."""


class _JsonReader:
    """Reads one value from `position` on; `cut` tells that the text ended inside it."""

    def __init__(self, text: str, position: int) -> None:
        self.text, self.position, self.cut = text, position, False

    def container(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _TooDeep
        opener = self.text[self.position]
        self.position += 1
        return self._object(depth) if opener == "{" else self._array(_CLOSERS[opener], depth)

    def _array(self, closer: str, depth: int) -> list[Any]:
        elements: list[Any] = []
        while not self._closed(closer):
            element = self._value(depth, bare=False)
            if element is not _CUT and not (self.cut and isinstance(element, dict)):
                elements.append(element)
        return elements

    def _object(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not self._closed("}"):
            key = self._value(depth, bare=True, key=True)
            self._skip(re.compile(r"\s*"))
            if key is _CUT or self._at_end():
                self.cut = True
                break
            if self.text[self.position] not in ":=" or not isinstance(key, str | int | float):
                raise _NotJson
            self._skip(re.compile(r"[:=>]+\s*"))
            value = _CUT if self._at_end() else self._value(depth, bare=True)
            if value is not _CUT:
                members[str(key)] = value
        return members

    def _closed(self, closer: str) -> bool:
        """Whether the container ends here, by its bracket or because the text does."""
        self._skip(_BETWEEN)
        if self.cut or self._at_end():
            self.cut = True
            return True
        if self.text[self.position] == closer:
            self.position += 1
            return True
        return False

    def _value(self, depth: int, *, bare: bool, key: bool = False) -> Any:
        char = self.text[self.position]
        if char in _CLOSERS and not key:
            return self.container(depth + 1)
        if char in _QUOTES:
            return self._string(_QUOTES[char])
        if number := _NUMBER.match(self.text, self.position):
            return self._number(number)
        word = (re.compile(r"\w+") if key else _WORD).match(self.text, self.position)
        if word is None or not (bare or word.group().strip().lower() in _LITERALS):
            raise _NotJson
        self.position = word.end()
        if self._at_end() and not key:
            self.cut = True
            return _CUT
        said = word.group().strip()
        return said if key else _LITERALS.get(said.lower(), said)

    def _number(self, match: re.Match[str]) -> Any:
        self.position = match.end()
        if self._at_end():  # there may have been more digits
            self.cut = True
            return _CUT
        return float(match.group()) if re.search(r"[.eE]", match.group()) else int(match.group()[:300])

    def _string(self, closer: str) -> Any:
        """A quote ends the string only where a comma, colon, bracket or line end follows."""
        said: list[str] = []
        self.position += 1
        while not self._at_end():
            char = self.text[self.position]
            self.position += 1
            if char == "\\":
                said.append(self._escaped())
            elif char == closer and _AFTER_STRING.match(self.text, self.position):
                return "".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            else:
                said.append(char)
        self.cut = True
        return _CUT

    def _escaped(self) -> str:
        letter = self.text[self.position : self.position + 1]
        self.position += 1
        digits = self.text[self.position : self.position + 4]
        if letter == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.position += 4
            return chr(int(digits, 16))
        return _ESCAPES.get(letter, letter)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def _at_end(self) -> bool:
        return self.position >= len(self.text)
