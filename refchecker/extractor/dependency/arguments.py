"""The objects, qualities and prepositions of one verb, as predicates with their objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .lexicon import BE, LIGHT_VERBS, TELLS
from .phrases import Part, Reader
from .predicates import is_infinitive, is_plain_adverb
from .prepositions import dates_of, is_cut, prepositional

_SHORT_OBJECT_TOKENS = 9  # a longer object is not repeated in front of "in 1903"


def statements(reader: Reader, verb: Any, said: Part) -> Iterator[tuple[Part, Part]]:
    """(predicate, object) pairs of a verb: its objects, then its prepositions, each for itself."""
    children = list(verb.children)
    adjective = any(c.dep_ == "acomp" for c in children)
    if (
        verb.lower_ in BE
        and not adjective
        and any(c.lower_ == "it" and c.i not in reader.said for c in children)
    ):
        reported = [c for c in children if c.dep_ == "ccomp" and c.i > verb.i]
        if reported:  # it was not until 1990 that he won
            read = [t for t in verb.subtree if t.i > verb.i and t.dep_ != "neg"]
            yield said, reader.words(t for t in read if t.head != verb or t.dep_ not in {"punct", "advmod"})
            return
    indirect = [c for c in children if c.dep_ == "dative" and c.pos_ != "ADP"]
    objects = [c for c in children if c.dep_ in {"dobj", "attr", "oprd", "obj"}] or shared_objects(verb)
    if any(c.dep_ == "oprd" for c in objects) and len(objects) > 1:
        named = [c for c in objects if c.dep_ == "dobj"]
        said = said + reader.phrase(named[0], whole=True) if named else said
        objects = [c for c in objects if c.dep_ == "oprd"]
    hoisted = [date for thing in objects for date in dates_of(thing)]
    reader.detached.update(date.i for date in hoisted)
    with_indirect = said + reader.phrase(indirect[0], whole=True) if indirect else said
    for thing in objects:
        if thing.tag_ in {"WDT", "WP"} and thing.i not in reader.said:
            continue
        if thing.pos_ in {"VERB", "AUX"} and thing.dep_ == "dobj":
            continue
        if (
            thing.lower_ in {"place", "part", "effect"}
            and verb.lower_ in LIGHT_VERBS
            and any(c.dep_ == "prep" for c in children)
        ):
            continue  # "took place in" is one predicate
        yield from spread(reader, thing, with_indirect if thing.dep_ == "dobj" else said)
    reported = [
        c
        for c in children
        for c in (c, *c.children)
        if c.dep_ == "ccomp" and (c.head == verb or c.head.dep_ == "acomp")
    ]
    qualities = [c for c in children if c.dep_ == "acomp"]
    if reported and qualities:
        said = said + reader.words([*qualities[0].lefts, qualities[0]])
        yield said, reader.words(reported[0].subtree)
        return
    for child in children:
        if child.dep_ == "acomp" or (
            child.dep_ == "xcomp" and child.pos_ in {"ADJ", "NOUN", "PROPN"} and not is_infinitive(child)
        ):
            yield from quality(reader, child, said)
    base = base_of(reader, verb, said)
    for child in [*children, *hoisted, *_shared_prepositions(verb)]:
        if child.dep_ in {"prep", "agent", "dative"} and child.pos_ in {"ADP", "SCONJ", "VERB", "ADV"}:
            yield from prepositional(reader, child, base)
        elif child.dep_ == "advmod" and any(c.dep_ in {"prep", "npadvmod"} for c in child.children):
            prepositions = [c for c in child.children if c.dep_ == "prep"]
            lead = [t for t in child.subtree if not prepositions or t.i < prepositions[0].i]
            for preposition in prepositions:
                yield from prepositional(reader, preposition, base + reader.words(lead))
            if not prepositions:
                yield base, reader.words(child.subtree)
        elif child.dep_ in {"npadvmod", "tmod"}:
            yield base, reader.phrase(child, whole=True)
        elif child.dep_ == "ccomp" and (child.i > verb.i or verb.lower_ in TELLS):
            yield said, reader.words(child.subtree)
    late = [c for c in children if c.dep_ == "advmod" and c.i > verb.i and is_plain_adverb(c)]
    for adverb in late if objects else []:
        if any(thing.i < adverb.i for thing in objects):
            yield base, reader.words(adverb.subtree)  # hits the mainland | first
    if (
        late
        and not objects
        and not any(c.dep_ in {"prep", "agent", "acomp", "xcomp", "ccomp", "npadvmod"} for c in children)
    ):
        verb_only = [
            t
            for t in verb.subtree
            if t.i < late[0].i and t.dep_ in {"aux", "auxpass", "neg", "prt"} and t.head == verb
        ]
        if verb.i < late[0].i:
            yield (
                _without(said, reader.words([late[0]])) or reader.words([*verb_only, verb]),
                reader.words(late[0].subtree),
            )


def continues(child: Any, verb: Any) -> bool:
    """Whether the predicate goes on in a clause: "wants to buy", "by reducing"."""
    if child.dep_ in {"ccomp", "xcomp"}:
        return True
    if child.dep_ == "acomp":
        return any(c.dep_ == "xcomp" for c in child.children)
    if child.dep_ == "advcl":
        return child.i > verb.i and is_infinitive(child)
    return child.dep_ == "prep" and any(c.dep_ == "pcomp" for c in child.children)


def _without(said: Part, tail: Part) -> Part | None:
    if tail.text and said.text.endswith(" " + tail.text):
        return said._replace(text=said.text[: -len(tail.text) - 1])
    return None


def spread(reader: Reader, thing: Any, said: Part) -> Iterator[tuple[Part, Part]]:
    """An object and those joined to it; "a source of A and B" is a source of A, and of B."""
    parts = reader.group(thing)
    tail = [c for c in thing.children if c.dep_ == "prep" and c.i > thing.i]
    if len(parts) == 1 and len(tail) == 1 and tail[0].lower_ in {"of", "for", "in", "by"}:
        pobj = [c for c in tail[0].children if c.dep_ == "pobj"]
        items = reader.group(pobj[0]) if pobj else []
        if len(items) > 1 and not any(c.dep_ == "relcl" for c in thing.children):
            lead = said + reader.words(
                t for t in thing.subtree if t.i <= tail[0].i and t.i >= thing.left_edge.i
            )
            for item in items:
                yield lead, item
            return
    for part in parts:
        yield said, part


def quality(reader: Reader, token: Any, said: Part) -> Iterator[tuple[Part, Part]]:
    """What an adjective says: "is nutritious", "is high in | Vitamin A"."""
    prepositions = [
        c for c in token.children if c.dep_ == "prep" and any(g.dep_ == "pobj" for g in c.children)
    ]
    infinitive = [c for c in token.children if c.dep_ == "xcomp"]
    joined = [c for c in token.children if c.dep_ == "conj"]
    skipped = (
        {"prep", "conj", "cc", "xcomp", "punct", "ccomp", "advcl"}
        if prepositions or infinitive
        else {"conj", "cc", "punct"}
    )
    alone = reader.words([token, *(t for c in token.children if c.dep_ not in skipped for t in c.subtree)])
    for preposition in prepositions:
        yield from prepositional(reader, preposition, said + alone)
    if not prepositions and not infinitive:
        yield said, alone
    for other in joined:
        if other.pos_ in {"ADJ", "VERB", "NOUN", "ADV"}:
            yield from quality(reader, other, said)


def base_of(reader: Reader, verb: Any, said: Part) -> Part:
    """What a preposition after the object is read with: "won the first Tour" + "in"."""
    things = [c for c in verb.children if c.dep_ in {"dobj", "attr", "oprd", "acomp"}] or shared_objects(verb)
    if not things:
        return said
    thing = things[-1]
    if thing.dep_ == "acomp":
        return said + reader.words([*thing.lefts, thing])
    dates = {t.i for date in dates_of(thing) for t in date.subtree}
    whole = reader.phrase(thing, whole=True)
    if dates:
        whole = reader.words(t for t in thing.subtree if t.i not in dates and not is_cut(reader, t, thing))
    return said + whole if len(whole.text.split()) <= _SHORT_OBJECT_TOKENS else said


def shared_objects(verb: Any) -> list[Any]:
    """ "wrote and directed the film": the film is what was written too."""
    for child in verb.children:
        if (
            child.dep_ == "conj"
            and child.pos_ == "VERB"
            and not any(
                t.dep_ in {"prep", "agent", "acomp", "attr", "xcomp", "ccomp", "dobj"} for t in verb.children
            )
        ):
            between = [
                t
                for t in verb.subtree
                if verb.i < t.i < child.i
                and (t.dep_ not in {"cc", "aux", "auxpass", "advmod"} or _is_adverb_of(t, verb))
            ]
            has_subject = any(c.dep_ in {"nsubj", "nsubjpass"} for c in child.children)
            if not between and not has_subject and verb.tag_ == child.tag_:
                return [c for c in child.children if c.dep_ == "dobj"]
    return []


def _shared_prepositions(verb: Any) -> list[Any]:
    """ "was written and recorded by X": X wrote it too."""
    if any(c.dep_ in {"prep", "agent", "dobj", "attr", "acomp"} for c in verb.children):
        return []
    passive = any(c.dep_ == "auxpass" for c in verb.children)
    for child in verb.children:
        if child.dep_ != "conj" or child.tag_ not in {"VBN", "VBD"} or not passive:
            continue
        if not any(c.dep_ in {"nsubj", "nsubjpass", "auxpass"} for c in child.children):
            return [c for c in child.children if c.dep_ in {"agent", "prep"} and c.i > child.i]
    return []


def _is_adverb_of(token: Any, verb: Any) -> bool:
    return bool(token.head == verb and token.dep_ == "advmod")
