"""Pairs of passages that disagree: a named entity replaced by another of its kind, or the subject itself.

After Wang et al. (2024), section 2.2. What takes the place of an entity comes from passages of the same
domain. An edit that did not make a clear disagreement is dropped, and counted with the reason.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
_TRIES = 20  # substitutes for one entity that are tried


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


@dataclass
class Made:
    """Pairs; entities that gave none, by method and reason; edits that were tried and dropped, by reason."""

    pairs: list[Pair] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)


def make(
    entities: Sequence[Entity], recognise: Recognise, *, method: str, substitutions: int, seed: int
) -> Made:
    """Pairs of the entities, in their order. `method` is one of METHODS, "both", or "paper".

    "paper": a subject is shuffled only where no substitution could be made.
    """
    made = Made()
    found = {entity.id: mentions_of(entity, recognise) for entity in entities}
    pools = _pools(entities, found)
    for entity in entities:
        rng = random.Random(f"{seed}/{entity.id}")
        pairs: list[Pair] = []
        if method != SHUFFLING:
            pairs = _substituted(entity, found[entity.id], pools[entity.domain], recognise, rng, made)
            pairs = pairs[:substitutions]
        if method in (SHUFFLING, "both") or (method == "paper" and not pairs):
            pairs += _shuffled(entity, entities, rng, made)[:1]
        made.pairs += pairs
    return made


def mentions_of(entity: Entity, recognise: Recognise) -> list[Mention]:
    """The named entities of its passage that may be substituted: of KINDS, and no part of its own name.

    Nor one that follows an article which is not its own, nor one that the pipeline takes for something else
    where it stands alone: small pipelines mistake towns for companies.
    """
    own = _places(entity.name, entity.passage)
    return [
        mention
        for mention in map(trimmed, recognise(entity.passage))
        if mention.label in KINDS
        and not any(start < mention.end and mention.start < end for start, end in own)
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


@dataclass
class Pool:
    """What may take a place in a domain: texts by label, and what questions call those they ask for."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    asked_as: dict[str, set[str]] = field(default_factory=dict)


def _pools(entities: Sequence[Entity], found: Mapping[str, Sequence[Mention]]) -> dict[str, Pool]:
    """By domain, the named entities of its passages, each once."""
    pools: dict[str, Pool] = {}
    for entity in entities:
        pool = pools.setdefault(entity.domain, Pool())
        for mention in found[entity.id]:
            texts = pool.texts.setdefault(mention.label, [])
            if mention.text not in texts:
                texts.append(mention.text)
        for question, answer in entity.questions:
            pool.asked_as.setdefault(answer, set()).update(_noun(question))
    return pools


def _noun(question: str) -> list[str]:
    """What a question calls its answer: "city" in "In which city ...?"."""
    return re.findall(r"^whom?\b|\bwhich \w+", question.casefold())[:1]


def _other_sort(pair: Pair, asked_as: Mapping[str, set[str]]) -> str:
    """Why a name is not asked for as the original is. Of numbers and dates the shape says enough."""
    wanted, found = (asked_as.get(text, set()) for text in (pair.original, pair.substitute))
    if not wanted or wanted & found or (shape(pair.substitute) and not found):
        return ""
    return "not known to be of the same sort: a city for a city"


# -- substitution --------------------------------------------------------------------------------


def _substituted(
    entity: Entity,
    mentions: Sequence[Mention],
    pool: Pool,
    recognise: Recognise,
    rng: random.Random,
    made: Made,
) -> list[Pair]:
    """A pair for each named entity that has a substitute: first those that a question asks for."""
    each = list({mention.text: mention for mention in mentions}.values())
    rng.shuffle(each)
    each.sort(key=lambda mention: not _asked(entity, mention.text))
    pairs, why = [], "no named entity of the six kinds" if not each else ""
    for mention in each:
        wanted = pool.asked_as.get(mention.text, set())
        candidates = [text for text in pool.texts[mention.label] if text != mention.text]
        rng.shuffle(candidates)
        candidates.sort(key=lambda text: not wanted & pool.asked_as.get(text, set()))
        why = "no other entity of its kind in the domain" if not candidates else why
        for substitute in candidates[:_TRIES]:
            pair = _edited(entity, SUBSTITUTION, KINDS[mention.label], mention.text, substitute)
            why = fault(pair) or _other_sort(pair, pool.asked_as) or _unseen(pair, mention.label, recognise)
            if not why:
                pairs.append(_with_questions(pair))
                break
            made.dropped[why] += 1
    if not pairs:
        made.without[f"{SUBSTITUTION}: {why}"] += 1
    return pairs


def _edited(entity: Entity, method: str, kind: str, original: str, substitute: str) -> Pair:
    """Every occurrence replaced."""
    passage, places = entity.passage, _places(original, entity.passage)
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


def _places(name: str, text: str) -> list[tuple[int, int]]:
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


_NUMBERS = frozenset(
    word
    for line in (
        "one two three four five six seven eight nine ten eleven twelve",
        "fifteen twenty thirty hundred thousand",
        "first second third fourth fifth sixth seventh eighth ninth tenth",
    )
    for word in line.split()
)


def _outside(text: str, places: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        text = f"{text[:start]} {text[end:]}"
    return text


def _unseen(pair: Pair, label: str, recognise: Recognise) -> str:
    """Whether the pipeline takes the substitute, where it now stands, for something else."""
    seen = {(m.start, m.end) for m in map(trimmed, recognise(pair.conflicting)) if m.label == label}
    return "" if seen.issuperset(pair.edits) else "the pipeline takes it for no entity of that kind there"


# -- shuffling -----------------------------------------------------------------------------------


def _shuffled(entity: Entity, entities: Sequence[Entity], rng: random.Random, made: Made) -> list[Pair]:
    """The passage with another subject: of the same field where there is one, else of the domain."""
    others = [each for each in entities if each.domain == entity.domain and each.name != entity.name]
    rng.shuffle(others)
    others.sort(key=lambda each: each.field != entity.field)
    why = "no other subject in the domain"
    for other in others:
        pair = _edited(entity, SHUFFLING, "subject", entity.name, other.name)
        why = _subject_fault(pair)
        if not why:
            return [_with_questions(pair)]
        made.dropped[why] += 1
    made.without[f"{SHUFFLING}: {why}"] += 1
    return []


def _subject_fault(pair: Pair) -> str:
    if not pair.edits:
        return "the passage does not name its subject"
    outside = _outside(pair.conflicting, pair.edits)
    if _places(pair.substitute, pair.entity.passage):
        return "the passage says the substitute already"
    if _core(pair.original) & _core(outside):
        return "the passage still says a part of the original"
    return ""


# -- questions -----------------------------------------------------------------------------------


def _asked(entity: Entity, text: str) -> str:
    """The question whose answer it is."""
    wanted = _bare(text)
    return next((question for question, answer in entity.questions if _bare(answer) == wanted), "")


def _bare(text: str) -> str:
    return re.sub(r"^the\s+", "", text.strip().casefold())


def _with_questions(pair: Pair) -> Pair:
    """With the question about the edit, and one that it leaves alone."""
    about = _asked(pair.entity, pair.original)
    edited = {pair.original, pair.substitute}
    untouched = [
        question
        for question, answer in pair.entity.questions
        if question != about and not any(_places(text, f"{question} {answer}") for text in edited)
    ]
    rng = random.Random(f"{pair.entity.id}/{pair.original}")
    return replace(pair, about=about, other=rng.choice(untouched) if about and untouched else "")


def unique(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Each edited passage once."""
    seen = set()
    for pair in pairs:
        if pair.conflicting not in seen:
            seen.add(pair.conflicting)
            yield pair
