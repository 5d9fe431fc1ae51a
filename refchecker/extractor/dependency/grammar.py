"""From a parsed sentence to triplets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .clauses import Edge, clause
from .nouns import of_noun
from .phrases import NOTHING_SAID, Part, Reader
from .predicates import is_conditional, is_parallel, reports_the_reference


def edges(reader: Reader, root: Any, subjects: Sequence[Part] = ()) -> list[Edge]:
    """Everything the sentence under `root` states; `subjects` are for a root that has none."""
    found: list[Edge] = []
    if root.pos_ in {"VERB", "AUX"}:
        found += clause(reader, root, subjects, NOTHING_SAID, (), 0)
    for token in root.subtree:
        if token.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}:
            found += of_noun(reader, token, described_only=_within_report(token))
    return found


def _within_report(token: Any) -> bool:
    """Whether a noun stands in a clause that is only reported or supposed."""
    node = token
    while node.head.i != node.i:
        if node.dep_ == "ccomp" and not is_parallel(node) and not reports_the_reference(node.head):
            return True
        if node.dep_ == "advcl" and is_conditional(node):
            return True
        node = node.head
    return False
