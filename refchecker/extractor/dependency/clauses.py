"""What a clause, and the clauses inside it, say of their subjects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .arguments import base_of, continues, statements
from .lexicon import BE
from .phrases import NOTHING_SAID, Part, Reader
from .predicates import (
    inherited_auxiliaries,
    is_conditional,
    is_infinitive,
    is_parallel,
    marker,
    predicate,
    reports_the_reference,
)
from .prepositions import is_cut, prepositional

_CARRIED = frozenset(
    {"conj", "xcomp", "acomp", "pcomp", "prep", "agent"}
)  # what is said before them holds for them
_DEPTH = 12  # clauses within clauses; beyond it text is not language


class Edge(NamedTuple):
    """A triplet in the making. `object` is empty when the sentence gives none."""

    subject: Part
    predicate: Part
    object: Part


def clause(
    reader: Reader, verb: Any, subjects: Sequence[Part], prefix: Part, inherited: tuple[Any, ...], depth: int
) -> Iterator[Edge]:
    """What one verb says of its subjects. `prefix` is what stands before it: "wants to"."""
    if depth > _DEPTH:
        return
    children = list(verb.children)
    reported = [child for child in children if child.dep_ == "ccomp"]
    if reported and reports_the_reference(verb):
        for inner in reported:
            yield from clause(reader, inner, [], NOTHING_SAID, (), depth + 1)
        return
    subjects = _own_subjects(reader, children) or subjects
    said = predicate(reader, verb, inherited)
    said = prefix + said.lowered() if prefix.text else said
    if any(child.dep_ == "expl" and child.lower_ == "there" for child in children):
        yield from _existence(reader, verb, said)
    else:
        condition = conditions(reader, verb)
        for words, thing in list(statements(reader, verb, said)) or _bare(reader, verb, said):
            for subject in subjects:
                yield Edge(subject, words, thing + condition)
    base = base_of(reader, verb, said)
    for inner, before, keep in _inner_clauses(reader, verb, said, base):
        yield from clause(reader, inner, subjects if keep else [], before, (), depth + 1)
    for child in children:
        if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"}:
            before = NOTHING_SAID if prefix.text in BE and child.tag_ != "VBN" else prefix
            yield from clause(reader, child, subjects, before, inherited_auxiliaries(child, verb), depth + 1)
        elif is_parallel(child) and depth == 0:
            yield from clause(reader, child, [], NOTHING_SAID, (), depth + 1)


def _own_subjects(reader: Reader, children: Sequence[Any]) -> list[Part]:
    own = [child for child in children if child.dep_ in {"nsubj", "nsubjpass", "csubj", "csubjpass"}]
    if not own or (own[0].tag_ in {"WDT", "WP"} and own[0].i not in reader.said):
        return []
    if not own[0].dep_.startswith("csubj"):
        return reader.group(own[0])
    named = (
        own[0].tag_ == "VBG" or is_infinitive(own[0]) or own[0].left_edge.tag_ in {"WP", "WRB", "IN", "WDT"}
    )
    return (
        [reader.words(own[0].subtree)]
        if named and own[0].left_edge.lower_ not in {"while", "although"}
        else []
    )


def _bare(reader: Reader, verb: Any, said: Part) -> list[tuple[Part, Part]]:
    """A verb without anything after it, or with the reason: "was cancelled | because it rained"."""
    children = list(verb.children)
    if verb.lower_ in BE or any(continues(child, verb) for child in children):
        return []
    for child in children:
        if child.dep_ == "advcl" and child.i > verb.i and marker(child) and not is_conditional(child):
            return [(said, reader.words(child.subtree))]
    whole = reader.words([verb]).text
    if any(child.dep_ == "auxpass" for child in children) and said.text.endswith(f" {whole}"):
        return [(said._replace(text=said.text[: -len(whole) - 1]), Part(whole, verb.i, verb.i))]
    return [(said, NOTHING_SAID)]


def _inner_clauses(reader: Reader, verb: Any, said: Part, base: Part) -> Iterator[tuple[Any, Part, bool]]:
    """(clause, what is said before it, whether the subject goes on) for the clauses below a verb."""
    for child in verb.children:
        if child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"}:
            mine = any(c.dep_ in {"nsubj", "nsubjpass"} for c in child.children)
            between = reader.words(
                t for c in child.children if c.dep_ in {"nsubj", "nsubjpass"} for t in c.subtree
            )
            yield child, (base if not mine else said + between), True
        elif child.dep_ == "acomp":
            for inner in child.children:
                if inner.dep_ == "xcomp":
                    yield (
                        inner,
                        said
                        + reader.words(
                            [*child.lefts, child, *(c for c in child.rights if c.dep_ == "advmod")]
                        ),
                        True,
                    )
        elif child.dep_ == "advcl" and child.pos_ in {"VERB", "AUX"}:
            own = any(c.dep_ in {"nsubj", "nsubjpass", "expl"} for c in child.children)
            empty = any(
                c.dep_ == "nsubj" and c.lower_ == "it" and c.i not in reader.said for c in verb.children
            )
            if empty and not own:
                continue
            if is_conditional(child):
                continue
            if is_infinitive(child):
                if not own:
                    yield child, base if child.i > verb.i else NOTHING_SAID, child.i > verb.i
            else:
                participle = (
                    child.tag_ == "VBN"
                    and not own
                    and not any(c.dep_ in {"aux", "auxpass"} for c in child.children)
                )
                yield child, Part("is", child.i, child.i) if participle else NOTHING_SAID, not own
        elif child.dep_ in {"prep", "agent"}:
            for inner in child.children:
                if inner.dep_ != "pcomp" or inner.pos_ not in {"VERB", "AUX"}:
                    continue
                if any(c.dep_ in {"nsubj", "nsubjpass"} for c in inner.children):
                    yield inner, NOTHING_SAID, False
                elif child.i > verb.i:
                    yield inner, base + reader.words([child]), True
        elif child.dep_ in {"dobj", "attr"} and child.pos_ == "VERB":
            yield child, said, True


def conditions(reader: Reader, verb: Any) -> Part:
    """The if-clauses that what the verb says hangs on."""
    condition = NOTHING_SAID
    node = verb
    while True:
        for child in node.children:
            if child.dep_ == "advcl" and is_conditional(child):
                words = reader.words(child.subtree)
                condition = condition + words.lowered()
        infinitive = node.dep_ == "advcl" and is_infinitive(node)
        if node.head.i == node.i or not (infinitive or node.dep_ in _CARRIED):
            return condition
        node = node.head


def _existence(reader: Reader, verb: Any, said: Part) -> Iterator[Edge]:
    """ "There are 3 schools in Oslo": 3 schools | are in | Oslo."""
    there = next(c for c in verb.children if c.dep_ == "expl")
    for thing in (c for c in verb.children if c.dep_ in {"attr", "dobj", "nsubj"}):
        places = [
            p
            for node in (thing, verb)
            for p in node.children
            if p.dep_ == "prep"
            and p.lower_ in {"in", "on", "at", "within", "near", "inside"}
            and p.i > thing.i
        ]
        if not places:
            for part in reader.group(thing):
                yield Edge(reader.words([there]), said, part)
            continue
        skip = {t.i for p in places for t in p.subtree}
        subject = reader.words(t for t in thing.subtree if t.i not in skip and not is_cut(reader, t, thing))
        for place in places:
            for words, target in prepositional(reader, place, said):
                yield Edge(subject, words, target)
