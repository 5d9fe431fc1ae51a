"""The objects, qualities and prepositions of one verb, as predicates with their objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .lexicon import BE, LIGHT_VERBS, TELLS
from .phrases import Part, PhraseReader
from .predicates import is_infinitive, is_plain_adverb
from .prepositions import dates_of, is_cut, prepositional
from .tree import SUBJECT, children, is_relative, is_verb

_SHORT_OBJECT_TOKENS = 9  # a longer object is not repeated in front of "in 1903"


def statements(reader: PhraseReader, verb: Any, action: Part) -> Iterator[tuple[Part, Part]]:
    """(predicate, object) pairs of a verb, whose words are `action`: its objects, then its prepositions."""
    if (
        verb.lower_ in BE
        and not children(verb, "acomp")
        and any(child.lower_ == "it" and child.i not in reader.antecedents for child in verb.children)
        and any(child.i > verb.i for child in children(verb, "ccomp"))
    ):  # it was not until 1990 that he won
        after = [t for t in verb.subtree if t.i > verb.i and t.dep_ != "neg"]
        yield action, reader.part(t for t in after if t.head != verb or t.dep_ not in {"punct", "advmod"})
        return
    indirect = [child for child in children(verb, "dative") if child.pos_ != "ADP"]
    objects = children(verb, "dobj", "attr", "oprd", "obj") or shared_objects(verb)
    results = [child for child in objects if child.dep_ == "oprd"]  # named him | king
    if results and len(objects) > 1:
        direct = [child for child in objects if child.dep_ == "dobj"]
        action = action + reader.phrase(direct[0], whole=True) if direct else action
        objects = results
    hoisted = [date for thing in objects for date in dates_of(thing)]
    reader.detached.update(date.i for date in hoisted)
    with_indirect = action + reader.phrase(indirect[0], whole=True) if indirect else action
    for thing in objects:
        if not _is_part_of_predicate(reader, thing, verb):
            yield from spread(reader, thing, with_indirect if thing.dep_ == "dobj" else action)
    reported = [
        clause
        for child in verb.children
        for clause in (child, *(child.children if child.dep_ == "acomp" else ()))
        if clause.dep_ == "ccomp"
    ]
    qualities = children(verb, "acomp")
    if reported and qualities:
        action = action + reader.part([*qualities[0].lefts, qualities[0]])
        yield action, reader.part(reported[0].subtree)
        return
    for child in children(verb, "acomp", "xcomp"):
        named = child.pos_ in {"ADJ", "NOUN", "PROPN"} and not is_infinitive(child)
        if child.dep_ == "acomp" or named:
            yield from quality(reader, child, action)
    base = base_of(reader, verb, action)
    for child in [*verb.children, *hoisted, *_shared_prepositions(verb)]:
        if child.dep_ in {"prep", "agent", "dative"} and child.pos_ in {"ADP", "SCONJ", "VERB", "ADV"}:
            yield from prepositional(reader, child, base)
        elif child.dep_ == "advmod" and children(child, "prep", "npadvmod"):
            prepositions = children(child, "prep")
            lead = [t for t in child.subtree if not prepositions or t.i < prepositions[0].i]
            for preposition in prepositions:
                yield from prepositional(reader, preposition, base + reader.part(lead))
            if not prepositions:
                yield base, reader.part(child.subtree)
        elif child.dep_ in {"npadvmod", "tmod"}:
            yield base, reader.phrase(child, whole=True)
        elif child.dep_ == "ccomp" and (child.i > verb.i or verb.lower_ in TELLS):
            yield action, reader.part(child.subtree)
    late = [child for child in children(verb, "advmod") if child.i > verb.i and is_plain_adverb(child)]
    for adverb in late if objects else []:
        if any(thing.i < adverb.i for thing in objects):
            yield base, reader.part(adverb.subtree)  # hits the mainland | first
    if late and not objects and not children(verb, "prep", "agent", "acomp", "xcomp", "ccomp", "npadvmod"):
        adverb = late[0]
        auxiliaries = [t for t in children(verb, "aux", "auxpass", "neg", "prt") if t.i < adverb.i]
        without = _without(action, reader.part([adverb])) or reader.part([*auxiliaries, verb])
        yield without, reader.part(adverb.subtree)


def _is_part_of_predicate(reader: PhraseReader, thing: Any, verb: Any) -> bool:
    """Whether what the parser calls an object is none: "took place in" is one predicate."""
    if is_relative(thing) and thing.i not in reader.antecedents:
        return True
    if is_verb(thing) and thing.dep_ == "dobj":
        return True
    light = verb.lower_ in LIGHT_VERBS and thing.lower_ in {"place", "part", "effect"}
    return light and bool(children(verb, "prep"))


def continues(child: Any, verb: Any) -> bool:
    """Whether the predicate goes on in a clause: "wants to buy", "by reducing"."""
    if child.dep_ in {"ccomp", "xcomp"}:
        return True
    if child.dep_ == "acomp":
        return bool(children(child, "xcomp"))
    if child.dep_ == "advcl":
        return child.i > verb.i and is_infinitive(child)
    return child.dep_ == "prep" and bool(children(child, "pcomp"))


def _without(action: Part, tail: Part) -> Part | None:
    if tail.text and action.text.endswith(" " + tail.text):
        return action._replace(text=action.text[: -len(tail.text) - 1])
    return None


def spread(reader: PhraseReader, thing: Any, action: Part) -> Iterator[tuple[Part, Part]]:
    """An object and those joined to it; "a source of A and B" is a source of A, and of B."""
    parts = reader.group(thing)
    tail = [child for child in children(thing, "prep") if child.i > thing.i]
    if len(parts) == 1 and len(tail) == 1 and tail[0].lower_ in {"of", "for", "in", "by"}:
        target = children(tail[0], "pobj")
        items = reader.group(target[0]) if target else []
        if len(items) > 1 and not children(thing, "relcl"):
            lead = action + reader.part(t for t in thing.subtree if thing.left_edge.i <= t.i <= tail[0].i)
            for item in items:
                yield lead, item
            return
    for part in parts:
        yield action, part


def quality(reader: PhraseReader, token: Any, action: Part) -> Iterator[tuple[Part, Part]]:
    """What an adjective says: "is nutritious", "is high in | Vitamin A"."""
    prepositions = [child for child in children(token, "prep") if children(child, "pobj")]
    goes_on = bool(prepositions or children(token, "xcomp"))
    skipped = {"conj", "cc", "punct"} | ({"prep", "xcomp", "ccomp", "advcl"} if goes_on else set())
    alone = reader.part([token, *(t for c in token.children if c.dep_ not in skipped for t in c.subtree)])
    for preposition in prepositions:
        yield from prepositional(reader, preposition, action + alone)
    if not goes_on:
        yield action, alone
    for joined in children(token, "conj"):
        if joined.pos_ in {"ADJ", "VERB", "NOUN", "ADV"}:
            yield from quality(reader, joined, action)


def base_of(reader: PhraseReader, verb: Any, action: Part) -> Part:
    """What a preposition after the object is read with: "won the first Tour" + "in"."""
    things = children(verb, "dobj", "attr", "oprd", "acomp") or shared_objects(verb)
    if not things:
        return action
    thing = things[-1]
    if thing.dep_ == "acomp":
        return action + reader.part([*thing.lefts, thing])
    dates = {t.i for date in dates_of(thing) for t in date.subtree}
    whole = reader.phrase(thing, whole=True)
    if dates:
        whole = reader.part(t for t in thing.subtree if t.i not in dates and not is_cut(reader, t, thing))
    return action + whole if len(whole.text.split()) <= _SHORT_OBJECT_TOKENS else action


def shared_objects(verb: Any) -> list[Any]:
    """ "wrote and directed the film": the film is what was written too."""
    if children(verb, "prep", "agent", "acomp", "attr", "xcomp", "ccomp", "dobj"):
        return []
    for child in children(verb, "conj"):
        between = [
            t
            for t in verb.subtree
            if verb.i < t.i < child.i
            and t.dep_ not in {"cc", "aux", "auxpass"}
            and (t.dep_ != "advmod" or t.head == verb)
        ]
        if child.pos_ == "VERB" and not between and not children(child, *SUBJECT) and verb.tag_ == child.tag_:
            return children(child, "dobj")
    return []


def _shared_prepositions(verb: Any) -> list[Any]:
    """ "was written and recorded by X": X wrote it too."""
    if children(verb, "prep", "agent", "dobj", "attr", "acomp") or not children(verb, "auxpass"):
        return []
    for child in children(verb, "conj"):
        if child.tag_ in {"VBN", "VBD"} and not children(child, *SUBJECT, "auxpass"):
            return [c for c in children(child, "agent", "prep") if c.i > child.i]
    return []
