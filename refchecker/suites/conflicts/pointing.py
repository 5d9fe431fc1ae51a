"""Where a checker points, against where the edit is. Offsets are half open. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ..types import Answer
from .checking import VERBATIM, reference_text
from .edits import places_of
from .units import Unit

Place = Sequence[int]  # [start, end]


def overlaps(one: Iterable[Place], other: Sequence[Place]) -> bool:
    return any(start < right and left < end for start, end in one for left, right in other)


def words_in(text: str, places: Sequence[Place]) -> set[int]:
    """Where the words begin that lie in the places, if only in part.

    >>> words_in("It is in Oslo.", [[9, 13]])
    {9}
    """
    return {match.start() for match in re.finditer(r"\w+", text) if overlaps([match.span()], places)}


def claims_of(unit: Unit, answer: Answer) -> list[tuple[str, Mapping[str, int]]]:
    """A row per claim of an edited passage: whether it says what was put in, and whether it is flagged."""
    substitute = unit.item.fields["substitute"]
    rows: list[tuple[str, Mapping[str, int]]] = []
    for number, (label, claim) in enumerate(zip(answer.value["labels"], answer.value["claims"], strict=True)):
        truth = int(bool(places_of(substitute, claim)))
        guess = int(label == "Contradiction")
        rows.append((f"{unit.id}#{number}", {"truth": truth, "guess": guess, "right": int(truth == guess)}))
    return rows


def pointed(unit: Unit, answer: Answer, reference: str) -> list[tuple[str, Mapping[str, int]]]:
    """The row of an edited passage: words flagged, words edited, words that are both; and the reference's.

    The words against the claim should be those that were replaced.
    """
    fields = unit.item.fields
    flagged_places = [place for claim in answer.value["flagged"] for place in claim]
    flagged, edited = (words_in(unit.context, places) for places in (flagged_places, fields["edits"]))
    against = [place for claim in answer.value["against"] for place in claim]
    text = reference_text(unit.item, reference)
    originals = fields["originals"] if reference == VERBATIM else places_of(fields["original"], text)
    shown = bool(against and originals)
    row: dict[str, int] = {
        "flagged": len(flagged),
        "edited": len(edited),
        "both": len(flagged & edited),
        "passage_flagged": int(bool(flagged)),
        "hit": int(bool(flagged & edited)),
        "shown": int(shown),
        "against_hit": int(shown and overlaps(against, originals)),
    }
    return [(unit.id, row)]
