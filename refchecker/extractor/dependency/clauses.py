"""What a clause, and the clauses inside it, say of their subjects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .arguments import base_of, continues, statements
from .lexicon import BE
from .phrases import NO_WORDS, Part, PhraseReader
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
from .tree import SUBJECT, children, has_subject, is_relative, is_verb

# What is said before these holds for them.
_CARRIED = frozenset({"conj", "xcomp", "acomp", "pcomp", "prep", "agent"})
_DEPTH = 12  # clauses within clauses; beyond it text is not language


class Edge(NamedTuple):
    """A triplet in the making. `object` is empty when the sentence gives none."""

    subject: Part
    predicate: Part
    object: Part


def clause(
    reader: PhraseReader,
    verb: Any,
    subjects: Sequence[Part],
    prefix: Part = NO_WORDS,
    inherited: tuple[Any, ...] = (),
    depth: int = 1,
) -> Iterator[Edge]:
    """What one verb says of its subjects. `prefix` is what stands before it: "wants to"."""
    if depth > _DEPTH:
        return
    reported = children(verb, "ccomp")
    if reported and reports_the_reference(verb):
        for inner in reported:
            yield from clause(reader, inner, [], depth=depth + 1)
        return
    subjects = _subjects_of(reader, verb) or subjects
    action = predicate(reader, verb, inherited)
    action = prefix + action.lowered() if prefix.text else action
    if any(child.lower_ == "there" for child in children(verb, "expl")):
        yield from _existence(reader, verb, action)
    else:
        condition = conditions(reader, verb)
        for words, thing in list(statements(reader, verb, action)) or _bare(reader, verb, action):
            for subject in subjects:
                yield Edge(subject, words, thing + condition)
    base = base_of(reader, verb, action)
    for inner, before, keep in _inner_clauses(reader, verb, action, base):
        yield from clause(reader, inner, subjects if keep else [], before, depth=depth + 1)
    for child in verb.children:
        if child.dep_ == "conj" and is_verb(child):
            before = NO_WORDS if prefix.text in BE and child.tag_ != "VBN" else prefix
            yield from clause(reader, child, subjects, before, inherited_auxiliaries(child, verb), depth + 1)
        elif is_parallel(child) and depth == 0:
            yield from clause(reader, child, [], depth=depth + 1)


def _subjects_of(reader: PhraseReader, verb: Any) -> list[Part]:
    subject = next(iter(children(verb, *SUBJECT, "csubj", "csubjpass")), None)
    if subject is None or (is_relative(subject) and subject.i not in reader.antecedents):
        return []
    if not subject.dep_.startswith("csubj"):
        return reader.group(subject)
    start = subject.left_edge
    named = subject.tag_ == "VBG" or is_infinitive(subject) or start.tag_ in {"WP", "WRB", "IN", "WDT"}
    return [reader.part(subject.subtree)] if named and start.lower_ not in {"while", "although"} else []


def _bare(reader: PhraseReader, verb: Any, action: Part) -> list[tuple[Part, Part]]:
    """A verb without anything after it, or with the reason: "was cancelled | because it rained"."""
    if verb.lower_ in BE or any(continues(child, verb) for child in verb.children):
        return []
    for child in children(verb, "advcl"):
        if child.i > verb.i and marker(child) and not is_conditional(child):
            return [(action, reader.part(child.subtree))]
    word = reader.part([verb]).text
    if children(verb, "auxpass") and action.text.endswith(f" {word}"):
        return [(action._replace(text=action.text[: -len(word) - 1]), Part(word, verb.i, verb.i))]
    return [(action, NO_WORDS)]


def _inner_clauses(
    reader: PhraseReader, verb: Any, action: Part, base: Part
) -> Iterator[tuple[Any, Part, bool]]:
    """(clause, what is said before it, whether the subject goes on) for the clauses below a verb."""
    for child in verb.children:
        if child.dep_ == "xcomp" and is_verb(child):
            between = reader.part(t for subject in children(child, *SUBJECT) for t in subject.subtree)
            yield child, (action + between if has_subject(child) else base), True
        elif child.dep_ == "acomp":
            quality = reader.part([*child.lefts, child, *(c for c in child.rights if c.dep_ == "advmod")])
            for inner in children(child, "xcomp"):
                yield inner, action + quality, True
        elif child.dep_ == "advcl" and is_verb(child):
            new_subject = bool(children(child, *SUBJECT, "expl"))
            empty = any(c.lower_ == "it" and c.i not in reader.antecedents for c in children(verb, "nsubj"))
            if is_conditional(child) or (empty and not new_subject):
                continue
            if not is_infinitive(child):
                participle = child.tag_ == "VBN" and not new_subject and not children(child, "aux", "auxpass")
                yield child, Part("is", child.i, child.i) if participle else NO_WORDS, not new_subject
            elif not new_subject:
                yield child, base if child.i > verb.i else NO_WORDS, child.i > verb.i
        elif child.dep_ in {"prep", "agent"}:
            for inner in filter(is_verb, children(child, "pcomp")):
                if has_subject(inner):
                    yield inner, NO_WORDS, False
                elif child.i > verb.i:
                    yield inner, base + reader.part([child]), True
        elif child.dep_ in {"dobj", "attr"} and child.pos_ == "VERB":
            yield child, action, True


def conditions(reader: PhraseReader, verb: Any) -> Part:
    """The if-clauses that what the verb says hangs on."""
    condition = NO_WORDS
    for node in (verb, *verb.ancestors):
        for child in filter(is_conditional, children(node, "advcl")):
            condition = condition + reader.part(child.subtree).lowered()
        if node.dep_ not in _CARRIED and not (node.dep_ == "advcl" and is_infinitive(node)):
            break
    return condition


def _existence(reader: PhraseReader, verb: Any, action: Part) -> Iterator[Edge]:
    """ "There are 3 schools in Oslo": 3 schools | are in | Oslo."""
    there = children(verb, "expl")[0]
    for thing in children(verb, "attr", "dobj", "nsubj"):
        places = [
            preposition
            for node in (thing, verb)
            for preposition in children(node, "prep")
            if preposition.lower_ in {"in", "on", "at", "within", "near", "inside"}
            and preposition.i > thing.i
        ]
        if not places:
            for part in reader.group(thing):
                yield Edge(reader.part([there]), action, part)
            continue
        elsewhere = {t.i for preposition in places for t in preposition.subtree}
        subject = reader.part(
            t for t in thing.subtree if t.i not in elsewhere and not is_cut(reader, t, thing)
        )
        for preposition in places:
            for words, target in prepositional(reader, preposition, action):
                yield Edge(subject, words, target)
