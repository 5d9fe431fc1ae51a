"""From a parsed sentence to triplets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .clauses import Edge, clause
from .nouns import of_noun
from .phrases import Part, PhraseReader
from .predicates import is_conditional, is_parallel, reports_the_reference
from .tree import is_verb


def edges(reader: PhraseReader, root: Any, subjects: Sequence[Part] = ()) -> list[Edge]:
    """Everything the sentence under `root` states; `subjects` are for a root that has none."""
    stated = list(clause(reader, root, subjects, depth=0)) if is_verb(root) else []
    for token in root.subtree:
        if token.pos_ in {"NOUN", "PROPN", "PRON", "NUM"}:
            stated += of_noun(reader, token, described_only=_within_report(token))
    return stated


def _within_report(token: Any) -> bool:
    """Whether a noun stands in a clause that is only reported or supposed."""
    return any(
        (node.dep_ == "ccomp" and not is_parallel(node) and not reports_the_reference(node.head))
        or (node.dep_ == "advcl" and is_conditional(node))
        for node in (token, *token.ancestors)
    )
