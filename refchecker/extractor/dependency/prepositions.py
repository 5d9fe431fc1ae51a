"""What prepositions say: "was born in | Oslo"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from .lexicon import DATE_PREPOSITIONS, EMPTY_PHRASES
from .phrases import Part, PhraseReader
from .tree import children


def prepositional(
    reader: PhraseReader, preposition: Any, base: Part, depth: int = 0
) -> Iterator[tuple[Part, Part]]:
    """base + preposition | each of its objects. "between A and B" stays whole."""
    inner = children(preposition, "prep")
    targets = children(preposition, "pobj", "obj")
    compound = [
        child
        for child in children(preposition, "pcomp", "prep", "fixed")
        if child.pos_ in {"ADP", "PART"} and child.i == preposition.i + 1
    ]
    if compound and not targets:
        targets = [target for node in compound for target in children(node, "pobj", "obj")]
        inner = []
    adverbs = children(preposition, "advmod", "npadvmod", "neg", "quantmod")
    lead = [preposition, *compound, *(child for child in adverbs if child.i < preposition.i)]
    front = base + reader.part(lead).lowered()
    leads_in = preposition.i < preposition.head.i or preposition.lower_ == "in"
    for target in targets:
        if leads_in and target.lower_ in EMPTY_PHRASES and not any(True for _ in target.children):
            continue
        if preposition.lower_ in {"between", "among", "amongst"}:
            yield front, reader.phrase(target, whole=True)
        elif preposition.lower_ == "from" and (end := _range_end(preposition)) is not None:
            yield front, reader.phrase(target) + reader.part(end.subtree)
        elif preposition.lower_ in {"to", "until"} and any(
            _range_end(sibling) == preposition for sibling in children(preposition.head, "prep")
        ):
            continue
        else:
            for part in reader.group(target):
                yield front, part
        for date in dates_of(target) if depth == 0 else ():
            before = front + reader.phrase(target) if preposition.dep_ == "agent" else base
            yield from prepositional(reader, date, before, 1)
    if inner and not targets and depth < 4:
        for nested in inner:
            yield from prepositional(reader, nested, front, depth + 2)
    for joined in children(preposition, "conj"):
        if joined.pos_ == "ADP":
            yield from prepositional(reader, joined, base, depth + 2)


def _range_end(start: Any) -> Any:
    """The "to 1902" that belongs to "from 1891"."""
    for sibling in [*start.head.children, *start.children]:
        if sibling.dep_ == "prep" and sibling.lower_ in {"to", "until", "through"} and sibling.i > start.i:
            between = sibling.left_edge.i - start.right_edge.i if sibling.head != start else 1
            numeric = any(t.like_num or t.ent_type_ in {"DATE", "TIME", "CARDINAL"} for t in sibling.subtree)
            if between <= 1 and numeric:
                return sibling
    return None


def dates_of(thing: Any) -> list[Any]:
    """Dates that the parser hung on a noun though they tell when the verb happened."""
    return [
        preposition
        for preposition in children(thing, "prep")
        if preposition.lower_ in DATE_PREPOSITIONS and preposition.i > thing.i
        for target in children(preposition, "pobj")
        if target.ent_type_ == "DATE" or (target.text.isdigit() and len(target.text) == 4)
    ]


def is_cut(reader: PhraseReader, token: Any, top: Any) -> bool:
    """Whether something detached stands between a token and the noun `top` above it, or is the token."""
    path = takewhile(lambda node: node != top, (token, *token.ancestors))
    return any(node.i in reader.detached for node in path)
