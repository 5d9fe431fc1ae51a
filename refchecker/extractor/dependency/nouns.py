"""What noun phrases state by themselves: relative clauses, appositions, lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .clauses import Edge, clause
from .lexicon import BE, LISTING
from .phrases import NO_WORDS, Part, PhraseReader, under_negation
from .predicates import is_infinitive
from .prepositions import prepositional
from .tree import SUBJECT, children, has_before, is_plural, is_relative, is_verb


def of_noun(reader: PhraseReader, noun: Any, *, described_only: bool = False) -> Iterator[Edge]:
    """What a noun phrase states by itself: its appositions and, unless `described_only`, its
    clauses and lists. Inside what is only reported, appositions alone are the writer's own."""
    if described_only:
        for child in children(noun, "appos"):
            if child.i in reader.detached and children(child, "det"):
                yield from _apposition(reader, noun, child)
        return
    negated = under_negation(noun)
    for child in noun.children:
        if negated and child.dep_ in {"relcl", "acl", "appos"} and child.i not in reader.detached:
            continue
        if child.dep_ == "appos" and child.i in reader.detached:
            yield from _apposition(reader, noun, child)
        elif child.dep_ == "relcl" and is_verb(child):
            yield from _relative(reader, noun, child)
        elif child.dep_ == "acl" and child.tag_ in {"VBN", "VBG", "VBD"} and not is_infinitive(child):
            yield from _participle(reader, noun, child)
        elif child.dep_ == "prep" and is_plural(noun) and _lists(child):
            for _, item in prepositional(reader, child, NO_WORDS):
                listed = reader.part(t for t in noun.subtree if t.i < child.i and t.lower_ != "such")
                yield Edge(listed, Part("include", child.i, child.i), item)
        elif child.dep_ == "appos" and child.pos_ == "PROPN" and noun.tag_ == "NN" and _owners(noun):
            role = reader.part(t for t in noun.subtree if t.i <= noun.i)
            yield Edge(reader.phrase(child), Part("is", child.i, child.i), role)
    kin = [child for child in noun.lefts if child.dep_ in {"compound", "nmod"} and child.tag_ == "NN"]
    owners = [owner for node in (noun, *kin) for owner in _owners(node)]
    if noun.pos_ == "PROPN" and owners and kin and owners[0].i < kin[0].i:
        name = reader.part(t for t in noun.subtree if kin[-1].i < t.i <= noun.i)
        role = reader.part(t for t in noun.subtree if t.i <= kin[-1].i)
        yield Edge(name, Part("is", noun.i, noun.i), role)


def _owners(noun: Any) -> list[Any]:
    return [child for child in noun.lefts if child.dep_ == "poss"]


def _lists(preposition: Any) -> bool:
    """Whether examples follow: "including", "such as"."""
    if preposition.lower_ == "as":
        return any(child.lower_ == "such" for child in preposition.children)
    return preposition.lower_ in LISTING


def _participle(reader: PhraseReader, noun: Any, verb: Any) -> Iterator[Edge]:
    """A clause without a verb form of its own: "a tower built in 1889"."""
    front = NO_WORDS
    if verb.tag_ != "VBG":
        if verb.lower_ in BE or children(verb, *SUBJECT, "aux", "auxpass"):
            return
        form = "are" if is_plural(noun) else "is"
        described = noun.dep_ == "attr" and noun.head.lower_ in {"is", "are", "was", "were"}
        if described and not children(noun.head, "expl"):
            form = noun.head.lower_
        front = Part(form, verb.i, verb.i)
    yield from (
        edge for edge in clause(reader, verb, _referents(reader, noun, verb), front) if edge.object.text
    )


def _referents(reader: PhraseReader, noun: Any, description: Any) -> list[Part]:
    """What a description is said of: of "Gilda is a film that ...", Gilda."""
    if noun.dep_ == "appos" and noun.i in reader.detached:
        return _referents(reader, noun.head, description)
    common = noun.tag_ in {"NN", "NNS"} or has_before(noun, "a", "an")
    subjects = children(noun.head, "nsubj")
    if noun.dep_ == "attr" and noun.head.lower_ in BE and common and subjects:
        subject = subjects[0]
        definite = has_before(noun, "the") and subject.pos_ != "PROPN"
        negated = bool(children(noun.head, "neg"))
        if not definite and not negated and subject.lower_ not in {"this", "that", "it", "one", "there"}:
            return reader.group(subject)
        if subject.i in reader.antecedents:
            return [reader.antecedents[subject.i]]
    part = reader.phrase(noun, without=description)
    return [part] if part.text else []


def _apposition(reader: PhraseReader, noun: Any, apposed: Any) -> Iterator[Edge]:
    subject, many = reader.phrase(noun), is_plural(noun)
    if noun.dep_ == "appos" and is_plural(noun.head):
        return  # the next of a list
    between = noun.doc[noun.i + 1 : apposed.left_edge.i]
    if not all(noun.is_ancestor(token) for token in between):
        return  # the parser reached over a verb
    if noun.dep_ == "ROOT" and noun.pos_ == "PROPN" == apposed.pos_:
        return  # a list of names
    if many and not is_plural(apposed):
        queue = [apposed]
        for member in queue:
            queue += children(member, "appos")
            for item in reader.group(member):
                yield Edge(subject, Part("include", apposed.i, apposed.i), item)
        return
    for item in reader.group(apposed):
        yield Edge(subject, Part("are" if many else "is", apposed.i, apposed.i), item)


def _relative(reader: PhraseReader, noun: Any, verb: Any) -> Iterator[Edge]:
    """A relative clause, read with its antecedent in place of the pronoun."""
    referents = _referents(reader, noun, verb)
    if not referents or is_infinitive(verb):
        return
    antecedent = referents[0] if len(referents) == 1 else reader.phrase(noun, without=verb)
    placed, relative = False, None
    for token in verb.subtree:
        if token.i in reader.antecedents:
            continue
        that = token.lower_ == "that" and token.dep_ in {*SUBJECT, "dobj", "pobj"}
        if is_relative(token) or that:
            reader.antecedents[token.i] = antecedent
            placed, relative = True, token
        elif token.tag_ == "WP$":
            reader.antecedents[token.i] = antecedent._replace(text=antecedent.text + "'s")
            placed = True
        elif token.tag_ == "WRB" and token.lower_ in {"where", "when"} and token.head == verb:
            stated = list(clause(reader, verb, []))
            yield from (edge for edge in stated if edge.object.text)
            if stated and not stated[0].object.text:
                predicate = stated[0].predicate + Part("in", token.i, token.i)
                yield stated[0]._replace(predicate=predicate, object=antecedent)
            return
        if placed:
            break
    named = any(subject.i not in reader.antecedents for subject in children(verb, *SUBJECT))
    stands_for_many = relative is not None and relative.dep_ in SUBJECT and len(referents) > 1
    for edge in clause(reader, verb, [] if named or placed else referents):
        if stands_for_many and edge.subject == antecedent:
            yield from (edge._replace(subject=referent) for referent in referents)
        elif not placed and not edge.object.text:
            yield edge._replace(object=antecedent)  # the book he wrote
        else:
            yield edge
