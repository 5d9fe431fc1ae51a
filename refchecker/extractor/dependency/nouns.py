"""What noun phrases state by themselves: relative clauses, appositions, lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .clauses import Edge
from .clauses import clause as clause_edges
from .lexicon import BE, LISTING
from .phrases import NOTHING_SAID, Part, Reader, under_negation
from .predicates import is_infinitive
from .prepositions import prepositional


def of_noun(reader: Reader, noun: Any, *, described_only: bool = False) -> Iterator[Edge]:
    """What a noun phrase states by itself: its appositions and, unless `described_only`, its
    clauses and lists. Inside what is only reported, appositions alone are the writer's own."""
    if described_only:
        for child in noun.children:
            has_article = any(c.dep_ == "det" for c in child.children)
            if child.dep_ == "appos" and child.i in reader.detached and has_article:
                yield from _apposition(reader, noun, child)
        return
    negated = under_negation(noun)
    for child in noun.children:
        if negated and child.dep_ in {"relcl", "acl", "appos"} and child.i not in reader.detached:
            continue
        if child.dep_ == "appos" and child.i in reader.detached:
            yield from _apposition(reader, noun, child)
        elif child.dep_ == "relcl" and child.pos_ in {"VERB", "AUX"}:
            yield from _relative(reader, noun, child)
        elif child.dep_ == "acl" and child.tag_ in {"VBN", "VBG", "VBD"} and not is_infinitive(child):
            subjects = _referents(reader, noun, child)
            front = NOTHING_SAID
            if child.tag_ != "VBG":
                if child.lower_ in BE or any(
                    c.dep_ in {"nsubj", "nsubjpass", "aux", "auxpass"} for c in child.children
                ):
                    continue
                form = "are" if noun.tag_ in {"NNS", "NNPS"} else "is"
                if noun.dep_ == "attr" and noun.head.lower_ in {"is", "are", "was", "were"}:
                    there = any(c.dep_ == "expl" for c in noun.head.children)
                    form = form if there else noun.head.lower_
                front = Part(form, child.i, child.i)
            yield from (e for e in clause_edges(reader, child, subjects, front, (), 1) if e.object.text)
        elif child.dep_ == "prep" and child.lower_ in LISTING | {"as"} and noun.tag_ in {"NNS", "NNPS"}:
            if child.lower_ in {"as", "like"} and not (
                child.lower_ == "as" and any(c.lower_ == "such" for c in child.children)
            ):
                continue
            for _, item in prepositional(reader, child, NOTHING_SAID):
                yield Edge(
                    reader.words(t for t in noun.subtree if t.i < child.i and t.lower_ != "such"),
                    Part("include", child.i, child.i),
                    item,
                )
        elif (
            child.dep_ == "appos"
            and child.pos_ == "PROPN"
            and noun.tag_ == "NN"
            and any(c.dep_ == "poss" for c in noun.lefts)
        ):
            role = reader.words(t for t in noun.subtree if t.i <= noun.i)
            yield Edge(reader.phrase(child), Part("is", child.i, child.i), role)
    kin = [c for c in noun.lefts if c.dep_ in {"compound", "nmod"} and c.tag_ == "NN"]
    owner = [c for node in (noun, *kin) for c in node.lefts if c.dep_ == "poss"]
    if noun.pos_ == "PROPN" and owner and kin and owner[0].i < kin[0].i:
        name = reader.words([t for t in noun.subtree if t.i > kin[-1].i and t.i <= noun.i])
        role = reader.words([t for t in noun.subtree if t.i <= kin[-1].i])
        yield Edge(name, Part("is", noun.i, noun.i), role)


def _referents(reader: Reader, noun: Any, clause: Any) -> list[Part]:
    """What a description is said of: of "Gilda is a film that ...", Gilda."""
    if noun.dep_ == "appos" and noun.i in reader.detached:
        return _referents(reader, noun.head, clause)
    if (
        noun.dep_ == "attr"
        and noun.head.lower_ in BE
        and (noun.tag_ in {"NN", "NNS"} or any(c.lower_ in {"a", "an"} for c in noun.lefts))
    ):
        subjects = [c for c in noun.head.children if c.dep_ == "nsubj"]
        definite = any(c.dep_ == "neg" for c in noun.head.children)
        definite = definite or (
            any(c.lower_ == "the" for c in noun.lefts) and bool(subjects) and subjects[0].pos_ != "PROPN"
        )
        if subjects and not definite and subjects[0].lower_ not in {"this", "that", "it", "one"} | {"there"}:
            return reader.group(subjects[0])
        if subjects and subjects[0].i in reader.said:
            return [reader.said[subjects[0].i]]
    part = reader.phrase(noun, without=clause)
    return [part] if part.text else []


def _apposition(reader: Reader, noun: Any, apposed: Any) -> Iterator[Edge]:
    subject, many = reader.phrase(noun), noun.tag_ in {"NNS", "NNPS"}
    if noun.dep_ == "appos" and noun.head.tag_ in {"NNS", "NNPS"}:
        return  # the next of a list
    if any(
        token.i > noun.i and not noun.is_ancestor(token) for token in noun.doc[noun.i : apposed.left_edge.i]
    ):
        return  # the parser reached over a verb
    if noun.dep_ == "ROOT" and noun.pos_ == "PROPN" == apposed.pos_:
        return  # a list of names
    if many and apposed.tag_ not in {"NNS", "NNPS"}:
        queue = [apposed]
        for member in queue:
            queue += [c for c in member.children if c.dep_ == "appos"]
            for item in reader.group(member):
                yield Edge(subject, Part("include", apposed.i, apposed.i), item)
        return
    for item in reader.group(apposed):
        yield Edge(subject, Part("are" if many else "is", apposed.i, apposed.i), item)


def _relative(reader: Reader, noun: Any, clause: Any) -> Iterator[Edge]:
    """A relative clause, read with its antecedent in place of the pronoun."""
    referents = _referents(reader, noun, clause)
    if not referents or is_infinitive(clause):
        return
    antecedent = referents[0] if len(referents) == 1 else reader.phrase(noun, without=clause)
    placed, relative = False, None
    for token in clause.subtree:
        if token.i in reader.said:
            continue
        if token.tag_ in {"WP", "WDT"} or (
            token.lower_ == "that" and token.dep_ in {"nsubj", "dobj", "nsubjpass", "pobj"}
        ):
            reader.said[token.i] = antecedent
            placed, relative = True, token
        elif token.tag_ == "WP$":
            reader.said[token.i] = antecedent._replace(text=antecedent.text + "'s")
            placed = True
        elif token.tag_ == "WRB" and token.lower_ in {"where", "when"} and token.head == clause:
            found = list(clause_edges(reader, clause, [], NOTHING_SAID, (), 1))
            yield from (e for e in found if e.object.text)
            if found and not found[0].object.text:
                yield found[0]._replace(
                    predicate=found[0].predicate + Part("in", token.i, token.i), object=antecedent
                )
            return
        if placed:
            break
    own = any(
        c.dep_ in {"nsubj", "nsubjpass"} and c is not relative and c.i not in reader.said
        for c in clause.children
    )
    statements = clause_edges(reader, clause, [] if own or placed else referents, NOTHING_SAID, (), 1)
    if placed and relative is not None and relative.dep_ in {"nsubj", "nsubjpass"} and len(referents) > 1:
        for edge in statements:
            yield from (edge._replace(subject=r) if edge.subject == antecedent else edge for r in referents)
        return
    for edge in statements:
        if not placed and not edge.object.text:
            edge = edge._replace(object=antecedent)  # the book he wrote
        yield edge
