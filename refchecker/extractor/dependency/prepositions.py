"""What prepositions say: "was born in | Oslo"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .lexicon import DATE_PREPOSITIONS, EMPTY_PHRASES
from .phrases import Part, Reader


def prepositional(
    reader: Reader, preposition: Any, base: Part, depth: int = 0
) -> Iterator[tuple[Part, Part]]:
    """base + preposition | each of its objects. "between A and B" stays whole."""
    inner = [c for c in preposition.children if c.dep_ == "prep"]
    targets = [c for c in preposition.children if c.dep_ in {"pobj", "obj"}]
    compound = [
        c
        for c in preposition.children
        if c.pos_ in {"ADP", "PART"} and c.i == preposition.i + 1 and c.dep_ in {"pcomp", "prep", "fixed"}
    ]
    if compound and not targets:
        targets = [c for node in compound for c in node.children if c.dep_ in {"pobj", "obj"}]
        inner = []
    lead = [
        preposition,
        *compound,
        *(
            c
            for c in preposition.children
            if c.i < preposition.i and c.dep_ in {"advmod", "npadvmod", "neg", "quantmod"}
        ),
    ]
    words = reader.words(lead)
    front = base + words.lowered()
    for target in targets:
        if (
            target.lower_ in EMPTY_PHRASES
            and (preposition.i < preposition.head.i or preposition.lower_ == "in")
            and not any(True for _ in target.children)
        ):
            continue
        if preposition.lower_ in {"between", "among", "amongst"}:
            yield front, reader.phrase(target, whole=True)
        elif preposition.lower_ == "from" and (end := _range_end(preposition)) is not None:
            yield front, reader.phrase(target) + reader.words(end.subtree)
        elif preposition.lower_ in {"to", "until"} and any(
            (s.lower_ == "from" and _range_end(s) is preposition) or _range_end(s) == preposition
            for s in preposition.head.children
            if s.dep_ == "prep"
        ):
            continue
        else:
            for part in reader.group(target):
                yield front, part
        for date in dates_of(target):
            if depth == 0 and preposition.dep_ != "agent":
                yield from prepositional(reader, date, base, 1)
            elif depth == 0:
                yield from prepositional(reader, date, front + reader.phrase(target), 1)
    if inner and not targets and depth < 4:
        for nested in inner:
            yield from prepositional(reader, nested, front, depth + 2)
    for other in preposition.children:
        if other.dep_ == "conj" and other.pos_ == "ADP":
            yield from prepositional(reader, other, base, depth + 2)


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
    found = []
    for child in thing.children:
        if child.dep_ == "prep" and child.lower_ in DATE_PREPOSITIONS and child.i > thing.i:
            for target in child.children:
                year = target.text.isdigit() and len(target.text) == 4
                if target.dep_ == "pobj" and (target.ent_type_ == "DATE" or year):
                    found.append(child)
    return found


def is_cut(reader: Reader, token: Any, top: Any) -> bool:
    node = token
    while node.i != top.i:
        if node.i in reader.detached:
            return True
        node = node.head
    return False
