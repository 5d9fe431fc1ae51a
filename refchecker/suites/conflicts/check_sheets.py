"""The sheets of a checker: are edited passages flagged, the claim that has the edit, and its words?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from .. import metrics
from ..rows import Row, reason
from ..types import Answer, Item, Sheet
from . import checking
from .pointing import claims_of, pointed
from .rows import Kind, Outcome, Score, sliced
from .units import CONTEXT, Unit, units_of

FOUND = {
    "precision": metrics.of(metrics.precision, "truth", "guess"),
    "recall": metrics.of(metrics.recall, "truth", "guess"),
    "f1": metrics.of(metrics.f1, "truth", "guess"),
    "accuracy": metrics.of(metrics.share, "right"),
}
PASSAGES = Kind(
    {
        **FOUND,
        "precision_unsupported": metrics.of(metrics.precision, "truth", "unsupported"),
        "recall_unsupported": metrics.of(metrics.recall, "truth", "unsupported"),
        "f1_unsupported": metrics.of(metrics.f1, "truth", "unsupported"),
    },
    ("f1",),
)
CLAIMS = Kind(FOUND, ("f1",))
WORDS = Kind(
    {
        "pointed": lambda sheet: metrics.share(sheet["hit"], sheet["passage_flagged"]),
        "precision": lambda sheet: metrics.share(sheet["both"], sheet["flagged"]),
        "recall": lambda sheet: metrics.share(sheet["both"], sheet["edited"]),
        "f1": lambda sheet: metrics.share(2 * sheet["both"], sheet["flagged"] + sheet["edited"]),
        "against_pointed": lambda sheet: metrics.share(sheet["against_hit"], sheet["shown"]),
    },
    ("f1",),
    right="hit",
)


def check_sheets(
    name: str, items: Sequence[Item], given: Mapping[str, Answer], reference: str
) -> Iterator[Sheet]:
    units = [unit for item in items for unit in units_of(item, CONTEXT)]
    units = [unit for unit in units if checking.reference_text(unit.item, reference)]
    edited = [unit for unit in units if unit.conflict]

    def passages(unit: Unit) -> Outcome:
        answer = given.get(checking.check_key(unit, reference))
        if answer is None or not answer.value.get("labels"):
            return "no claim was found" if answer and not answer.fault else reason(answer)
        labels, truth = answer.value["labels"], int(unit.conflict)
        guess = int("Contradiction" in labels)
        unsupported = int(any(label != "Entailment" for label in labels))
        right = int(guess == truth)
        return [(unit.id, {"truth": truth, "guess": guess, "unsupported": unsupported, "right": right})]

    def answered(measure: Callable[[Unit, Answer], Sequence[tuple[str, Row]]]) -> Score:
        def score(unit: Unit) -> Outcome:
            outcome = passages(unit)
            if isinstance(outcome, str):
                return outcome
            return measure(unit, given[checking.check_key(unit, reference)])

        return score

    yield from sliced(f"check/{name}", units, passages, PASSAGES)
    yield from sliced(f"sentences/{name}", edited, answered(claims_of), CLAIMS)
    yield from sliced(f"spans/{name}", edited, answered(partial(pointed, reference=reference)), WORDS)
