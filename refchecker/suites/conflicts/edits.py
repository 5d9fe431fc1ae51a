"""An edit: named entities of a passage, one of them replaced, and whether that made a clear disagreement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .entities import Entity

KINDS = {
    "ORDINAL": "ordinal",
    "CARDINAL": "cardinal",
    "DATE": "date",
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "place",
}
SUBSTITUTION, SHUFFLING = "substitution", "shuffling"
METHODS = (SUBSTITUTION, SHUFFLING)
PLAIN = "Everyone has heard of {}."


class Mention(NamedTuple):
    """A named entity of a passage. `label` is the pipeline's."""

    text: str
    label: str
    start: int
    end: int


Recognise = Callable[[str], Sequence[Mention]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A passage and its edited twin. Offsets of all places are half open."""

    entity: Entity
    method: str
    kind: str  # of KINDS; "subject" where it was shuffled
    original: str
    substitute: str
    conflicting: str
    originals: tuple[tuple[int, int], ...]  # in the entity's passage
    edits: tuple[tuple[int, int], ...]  # in `conflicting`
    about: str = ""  # a question whose only answer is what was edited
    other: str = ""  # a question that the edit does not touch


def mentions_of(entity: Entity, recognise: Recognise) -> list[Mention]:
    """The named entities of its passage that may be substituted: of KINDS, and no part of its own name.

    Nor one that follows an article which is not its own, nor one that the pipeline takes for something else
    where it stands alone: small pipelines mistake towns for companies.
    """
    named = places_of(entity.name, entity.passage)
    return [
        mention
        for mention in map(trimmed, recognise(entity.passage))
        if mention.label in KINDS
        and not any(start < mention.end and mention.start < end for start, end in named)
        and not re.search(r"\b(the|a|an)\s+$", entity.passage[: mention.start], re.IGNORECASE)
        and _alone(mention, recognise)
    ]


def _alone(mention: Mention, recognise: Recognise) -> bool:
    """Whether a name has its label in a plain sentence too; numbers and dates are not asked about."""
    if mention.label in ("ORDINAL", "CARDINAL", "DATE"):
        return True
    start = len(PLAIN) - len("{}.")
    whole = Mention(mention.text, mention.label, start, start + len(mention.text))
    return whole in map(trimmed, recognise(PLAIN.format(mention.text)))


def trimmed(mention: Mention) -> Mention:
    """Without a genitive, which stays where it is when the name is replaced.

    >>> trimmed(Mention("the Soviet Union's", "GPE", 10, 28))
    Mention(text='the Soviet Union', label='GPE', start=10, end=26)
    """
    text = re.sub(r"['’]s?$", "", mention.text)
    return Mention(text, mention.label, mention.start, mention.start + len(text))


def edited(entity: Entity, method: str, kind: str, original: str, substitute: str) -> Pair:
    """Every occurrence replaced."""
    passage, places = entity.passage, places_of(original, entity.passage)
    pieces, edits, at = [], [], 0
    for start, end in places:
        pieces.append(passage[at:start])
        new = _cased(substitute, passage, start)
        begin = sum(map(len, pieces))
        edits.append((begin, begin + len(new)))
        pieces.append(new)
        at = end
    conflicting = "".join([*pieces, passage[at:]])
    return Pair(entity, method, kind, original, substitute, conflicting, tuple(places), tuple(edits))


def _cased(text: str, passage: str, start: int) -> str:
    """With a capital where a sentence begins."""
    begins = not passage[:start].strip() or passage[:start].rstrip()[-1] in ".!?"
    return text[:1].upper() + text[1:] if begins else text


def places_of(name: str, text: str) -> list[tuple[int, int]]:
    """Where the name stands as whole words, whatever the case of its first letter."""
    first, rest = re.escape(name[:1]), re.escape(name[1:])
    pattern = rf"(?<![\w-])(?i:{first}){rest}(?![\w-])"
    return [match.span() for match in re.finditer(pattern, text)] if name else []


def fault(pair: Pair) -> str:
    """Why the edit did not make a clear disagreement, or nothing.

    Neither may the passage say the substitute already, nor may it still say a part of the original.
    """
    entity = pair.entity
    if not pair.edits:
        return "the passage does not name it"
    if shape(pair.original) != shape(pair.substitute):
        return "written in another way: a year for a year, a number for a number"
    if _core(pair.original) & _core(pair.substitute):
        return "the substitute shares a word with the original"
    if _core(pair.substitute) & _core(f"{entity.passage} {entity.restated}"):
        return "the passage says a part of the substitute already"
    if _core(pair.original) & _core(_outside(pair.conflicting, pair.edits)):
        return "the passage still says a part of the original"
    return ""


def subject_fault(pair: Pair) -> str:
    if not pair.edits:
        return "the passage does not name its subject"
    if places_of(pair.substitute, pair.entity.passage):
        return "the passage says the substitute already"
    if _core(pair.original) & _core(_outside(pair.conflicting, pair.edits)):
        return "the passage still says a part of the original"
    return ""


def shape(text: str) -> str:
    """How numbers and dates are written; names all have one shape.

    >>> shape("1905"), shape("4 October 1957"), shape("the 19th century"), shape("two"), shape("Oslo")
    ('9999', '9 A 9999', 'a 9a a', '', '')
    """
    if not any(character.isdigit() for character in text):
        return ""
    letters = re.sub(r"[^\W\d_]+", lambda word: "A" if word[0][0].isupper() else "a", text)
    written = re.sub(r"\d+", lambda digits: "9999" if len(digits[0]) == 4 else "9", letters)
    return " ".join(written.removeprefix("a ").split()) if written.startswith("the") else written


def _core(text: str) -> set[str]:
    """The words that tell names and numbers apart."""
    words = re.findall(r"\w+", text)
    return {
        word.casefold() for word in words if word[0].isupper() or word[0].isdigit() or word in _NUMBERS
    } - {"the"}


_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty hundred thousand "
    "first second third fourth fifth sixth seventh eighth ninth tenth"
)
_NUMBERS = frozenset(_NUMBER_WORDS.split())


def _outside(text: str, places: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        text = f"{text[:start]} {text[end:]}"
    return text


def unseen(pair: Pair, label: str, recognise: Recognise) -> str:
    """Whether the pipeline takes the substitute, where it now stands, for something else."""
    seen = {(m.start, m.end) for m in map(trimmed, recognise(pair.conflicting)) if m.label == label}
    return "" if seen.issuperset(pair.edits) else "the pipeline takes it for no entity of that kind there"
