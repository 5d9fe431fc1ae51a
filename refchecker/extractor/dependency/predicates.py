"""Verbs with their auxiliaries, and the words that introduce what follows them."""

from __future__ import annotations

from typing import Any

from .lexicon import BE, CONDITIONS, CONNECTIVES, KNOWN, SOURCES, TELLS, UNREAL
from .phrases import Part, Reader


def predicate(reader: Reader, verb: Any, inherited: tuple[Any, ...] = ()) -> Part:
    """A verb with its auxiliaries, negation, particles and adverbs, as the text has them."""
    subject = next((c for c in verb.children if c.dep_ in {"nsubj", "nsubjpass", "expl"}), None)
    core, early = [verb, *inherited], []
    for child in verb.children:
        if child.dep_ in {"aux", "auxpass", "neg", "prt"}:
            core += [node for node in child.subtree if node.dep_ != "punct"]
        elif is_neither(child):
            core.append(child)
        elif child.dep_ == "prep" and child.i == verb.i + 1 and not any(True for _ in child.children):
            core.append(child)  # "is referred to as"
        elif child.dep_ == "advmod" and is_plain_adverb(child):
            words = [node for node in child.subtree if node.dep_ != "punct"]
            if subject is not None and child.i < subject.i:
                early += words
            elif child.i < verb.i or not _after_object(verb, child):
                core += words
    front = reader.words(early)
    return front.lowered() + _in_order(reader, core, inherited, verb)


def _in_order(reader: Reader, tokens: list[Any], inherited: tuple[Any, ...], verb: Any) -> Part:
    if not inherited:
        return reader.words(tokens)
    own = [token for token in tokens if token not in inherited]
    borrowed = reader.words(inherited)
    main = reader.words(own)
    return Part(f"{borrowed.text} {main.text}", main.first, main.last) if borrowed.text else main


def is_neither(token: Any) -> bool:
    """The negation of verbs joined by "nor", which the parser does not call one."""
    return token.dep_ in {"preconj", "cc"} and token.lower_ == "neither"


def is_plain_adverb(token: Any) -> bool:
    """An adverb that belongs in the predicate: not a connective, and without a phrase of its own."""
    if token.lower_ == "well":
        return not any(child.lower_ == "as" for child in token.children)
    if token.lower_ in CONNECTIVES or token.tag_ in {"WRB", "WDT", "WP"}:
        return False
    return all(child.dep_ in {"advmod", "neg", "punct"} for child in token.children)


def _after_object(verb: Any, adverb: Any) -> bool:
    return any(
        child.dep_ in {"dobj", "attr", "prep", "agent", "acomp", "oprd", "xcomp", "npadvmod", "ccomp"}
        and verb.i < child.i < adverb.i
        for child in verb.children
    )


def inherited_auxiliaries(verb: Any, head: Any) -> tuple[Any, ...]:
    """The auxiliaries that a joined verb shares with the first: "was written and recorded"."""
    if any(child.dep_ in {"aux", "auxpass", "nsubj", "nsubjpass"} for child in verb.children):
        return ()
    passive = verb.tag_ == "VBD" and head.tag_ == "VBN" and any(c.dep_ == "agent" for c in verb.children)
    if (verb.tag_ not in {"VB", "VBN", "VBG"} and not passive) or verb.lower_ in BE:
        return ()
    auxiliaries = [child for child in head.children if child.dep_ in {"aux", "auxpass"}]
    if not auxiliaries or (verb.tag_ == "VB") != (head.tag_ in {"VB", "VBP"}):
        return ()
    negated = any(child.lower_ in {"or", "nor"} for child in head.children if child.dep_ == "cc") or any(
        aux.lower_ in {"do", "does", "did", "ca", "wo", "sha"} for aux in auxiliaries
    )
    return tuple(
        child
        for child in head.children
        if child.dep_ in {"aux", "auxpass"} or (negated and (child.dep_ == "neg" or is_neither(child)))
    )


def marker(clause: Any) -> str:
    """The word that introduces a subordinate clause, or "" when there is none."""
    words = [
        c.lower_
        for c in clause.children
        if c.dep_ in {"mark", "advmod"} and c.i < clause.i and c.tag_ in {"IN", "WRB", "RB"}
    ]
    first = [c.lower_ for c in clause.children if c.dep_ == "mark"]
    inverted = clause.left_edge.lower_ in {"had", "should", "were"} and clause.left_edge.dep_ in {
        "aux",
        "auxpass",
    }
    return "if" if inverted else " ".join(first) if first else (words[0] if words else "")


def is_conditional(clause: Any) -> bool:
    """Whether a clause only supposes what it says."""
    mark = marker(clause)
    return (
        any(word in CONDITIONS for word in mark.split())
        or clause.left_edge.lower_ in CONDITIONS
        or mark in UNREAL
    )


def is_parallel(clause: Any) -> bool:
    """Whether a clause before the verb stands by itself: "He was ill, so he left"."""
    if clause.dep_ not in {"parataxis", "ccomp"} or clause.i > clause.head.i:
        return False
    subjects = [{"nsubj", "nsubjpass"} & {c.dep_ for c in node.children} for node in (clause, clause.head)]
    quoted = any(token.is_quote for token in clause.sent)
    return all(subjects) and not quoted and clause.head.lower_ not in TELLS


def is_infinitive(verb: Any) -> bool:
    """Whether the verb comes with "to"."""
    return any(child.tag_ == "TO" and child.dep_ == "aux" for child in verb.children)


def reports_the_reference(verb: Any) -> bool:
    """Whether a verb only says that the given text says so: "The passage states that ..."."""
    negated = any(child.dep_ == "neg" for child in verb.children)
    subjects = [
        node.lower_
        for child in verb.children
        if child.dep_ in {"nsubj", "nsubjpass"}
        for node in (child, *(c for c in child.lefts if c.dep_ in {"compound", "nmod"}))
    ]
    if negated or not subjects:
        return False
    if any(
        node.lower_ in {"some", "other", "several", "many", "few", "one"}
        for child in verb.children
        if child.dep_ == "nsubj"
        for node in child.lefts
    ):
        return False  # "some passages suggest that": others do not
    if subjects[0] in {"this", "that", "these"}:
        return verb.lower_ in TELLS | {"means", "implies", "meant"}
    if subjects == ["it"]:
        inner = {child.lower_ for child in verb.children if child.dep_ in {"acomp", "attr"}} | {verb.lower_}
        return bool(inner & KNOWN)
    return bool(SOURCES & set(subjects)) and verb.lower_ in TELLS
