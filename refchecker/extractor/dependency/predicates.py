"""Verbs with their auxiliaries, and the words that introduce what follows them."""

from __future__ import annotations

from typing import Any

from .lexicon import BE, CONDITIONS, CONNECTIVES, KNOWN, SOURCES, TELLS, UNREAL
from .phrases import Part, PhraseReader
from .tree import SUBJECT, children, has_before, has_subject

_SOME = ("some", "other", "several", "many", "few", "one")
_TAKES_NOT = frozenset({"do", "does", "did", "ca", "wo", "sha"})  # auxiliaries that go on with their negation


def predicate(reader: PhraseReader, verb: Any, inherited: tuple[Any, ...] = ()) -> Part:
    """A verb with its auxiliaries, negation, particles and adverbs, as the text has them."""
    subject = next(iter(children(verb, *SUBJECT, "expl")), None)
    core, early = [verb], []
    for child in verb.children:
        words = [node for node in child.subtree if node.dep_ != "punct"]
        if child.dep_ in {"aux", "auxpass", "neg", "prt"}:
            core += words
        elif is_neither(child):
            core.append(child)
        elif child.dep_ == "prep" and child.i == verb.i + 1 and not any(True for _ in child.children):
            core.append(child)  # "is referred to as"
        elif child.dep_ == "advmod" and is_plain_adverb(child):
            if subject is not None and child.i < subject.i:
                early += words
            elif child.i < verb.i or not _after_object(verb, child):
                core += words
    front, borrowed = reader.part(early).lowered(), reader.part(inherited)
    main = reader.part(token for token in core if token not in inherited)
    return front + (main._replace(text=f"{borrowed.text} {main.text}") if borrowed.text else main)


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
    after = children(verb, "dobj", "attr", "prep", "agent", "acomp", "oprd", "xcomp", "npadvmod", "ccomp")
    return any(verb.i < child.i < adverb.i for child in after)


def inherited_auxiliaries(verb: Any, head: Any) -> tuple[Any, ...]:
    """The auxiliaries that a joined verb shares with the first: "was written and recorded"."""
    if children(verb, "aux", "auxpass", *SUBJECT):
        return ()
    passive = verb.tag_ == "VBD" and head.tag_ == "VBN" and bool(children(verb, "agent"))
    if (verb.tag_ not in {"VB", "VBN", "VBG"} and not passive) or verb.lower_ in BE:
        return ()
    auxiliaries = children(head, "aux", "auxpass")
    if not auxiliaries or (verb.tag_ == "VB") != (head.tag_ in {"VB", "VBP"}):
        return ()
    alternatives = any(child.lower_ in {"or", "nor"} for child in children(head, "cc"))
    if not alternatives and not any(aux.lower_ in _TAKES_NOT for aux in auxiliaries):
        return tuple(auxiliaries)
    return tuple(c for c in head.children if c.dep_ in {"aux", "auxpass", "neg"} or is_neither(c))


def marker(clause: Any) -> str:
    """The word that introduces a subordinate clause, or "" when there is none."""
    marks = [child.lower_ for child in children(clause, "mark")]
    start = clause.left_edge
    if start.lower_ in {"had", "should", "were"} and start.dep_ in {"aux", "auxpass"}:
        return "if"
    adverbs = [c for c in children(clause, "advmod") if c.i < clause.i and c.tag_ in {"IN", "WRB", "RB"}]
    return " ".join(marks) or (adverbs[0].lower_ if adverbs else "")


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
    quoted = any(token.is_quote for token in clause.sent)
    named = has_subject(clause) and has_subject(clause.head)
    return named and not quoted and clause.head.lower_ not in TELLS


def is_infinitive(verb: Any) -> bool:
    """Whether the verb comes with "to"."""
    return any(child.tag_ == "TO" for child in children(verb, "aux"))


def reports_the_reference(verb: Any) -> bool:
    """Whether a verb only says that the given text says so: "The passage states that ..."."""
    subjects = [
        node.lower_
        for child in children(verb, *SUBJECT)
        for node in (child, *(c for c in child.lefts if c.dep_ in {"compound", "nmod"}))
    ]
    if not subjects or children(verb, "neg"):
        return False
    if any(has_before(child, *_SOME) for child in children(verb, "nsubj")):
        return False  # "some passages suggest that": others do not
    if subjects[0] in {"this", "that", "these"}:
        return verb.lower_ in TELLS | {"means", "implies", "meant"}
    if subjects == ["it"]:
        described = {child.lower_ for child in children(verb, "acomp", "attr")}
        return bool((described | {verb.lower_}) & KNOWN)
    return bool(SOURCES & set(subjects)) and verb.lower_ in TELLS
