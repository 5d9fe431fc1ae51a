"""Pairs of sentences that contradict each other, with the words that make them do so."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from refchecker.localizer.clashes import clashes, surest
from refchecker.localizer.finding import Finder
from refchecker.localizer.sentences import Case
from refchecker.text import ReadText, read
from refchecker.types import Claim, Label, Passage

MOST_DIFFERING = 3  # words: a sentence that differs in more was written anew
ENTAILED, CONTRADICTED = 0, 2
Words = tuple[tuple[int, int], ...]  # offsets


class Swap(NamedTuple):
    """A reference and a claim that contradict each other: the words that do so, "" where nobody says."""

    premise: str
    hypothesis: str
    given: Words  # in the premise
    claimed: Words  # in the hypothesis


def rows_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def swapped(rows: Sequence[dict[str, Any]], most: int) -> list[Swap]:
    """Every so many of the contradictions whose two sentences differ in one place."""
    against = [row for row in rows if row["label"] == CONTRADICTED]
    found = (_swap(row["premise"], row["hypothesis"]) for row in against[:: max(1, len(against) // most)])
    return [each for each in found if each]


def _swap(premise: str, hypothesis: str) -> Swap | None:
    parts = _differing(premise, hypothesis)
    if len(parts) != 1 or not all(parts[0]):
        return None
    return Swap(premise, hypothesis, *parts[0])


def revised(rows: Sequence[dict[str, Any]]) -> list[Swap]:
    """Contradictions that people made of an entailment by changing a few words, of one of its sides."""
    found = []
    for changed, kept in (("hypothesis", "premise"), ("premise", "hypothesis")):
        entailed: dict[str, list[str]] = {}
        for row in rows:
            if row["label"] == ENTAILED:
                entailed.setdefault(row[kept], []).append(row[changed])
        for row in rows:
            if row["label"] == CONTRADICTED:
                words = _changed(row[changed], entailed.get(row[kept], ()))
                sides = {"premise": (), "hypothesis": ()} | {changed: words}
                if words:
                    pair = row["premise"], row["hypothesis"]
                    found.append(Swap(*pair, sides["premise"], sides["hypothesis"]))
    return found


def _changed(text: str, before: Iterable[str]) -> Words:
    """The words that are new in the text beside the likest of those it may have come from."""
    sides = ([own for _, own in _differing(other, text)] for other in before)
    found = [tuple(place for own in side for place in own) for side in sides]
    return min((own for own in found if 0 < len(own) <= MOST_DIFFERING), key=len, default=())


def _differing(one: str, other: str) -> list[tuple[Words, Words]]:
    """The words of each text that stand where the other has different ones, place by place."""
    words = [read(text).words for text in (one, other)]
    plain = [[word.plain for word in own] for own in words]
    return [
        (tuple(w[:2] for w in words[0][a:b]), tuple(w[:2] for w in words[1][c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, *plain, autojunk=False).get_opcodes()
        if tag != "equal"
    ]


class Hits(NamedTuple):
    """Whether the likeliest clash touches the words that contradict; None where nobody says which do."""

    claim: float | None
    reference: float | None


def clash_rows(every: Sequence[Swap], finder: Finder, check: Any) -> list[Hits]:
    cases = []
    for each in every:
        claim, passage = Claim(each.hypothesis), Passage(each.premise, "premise")
        [[finding]] = finder([claim], [passage.text])
        cases.append(Case(claim, passage, "", Label.CONTRADICTION, 1.0, read(passage.text), finding))
    found = [clashes(case, range(len(case.page.sentences)), finder) for case in cases]
    if check:
        found = surest(cases, found, check)
    return [
        Hits(
            _touched(own[0].claimed if own else None, each.claimed),
            _touched(own[0].given if own else None, each.given),
        )
        for each, own in zip(every, found, strict=True)
    ]


def chance_rows(every: Sequence[Swap]) -> list[Hits]:
    """How often a word taken by chance, among those that carry meaning, is one of them."""
    return [
        Hits(_share(read(each.hypothesis), each.claimed), _share(read(each.premise), each.given))
        for each in every
    ]


def _share(page: ReadText, wanted: Words) -> float | None:
    weighty = [word[:2] for word in page.words if not word.light] or [word[:2] for word in page.words]
    return sum(word in wanted for word in weighty) / len(weighty) if wanted else None


def _touched(found: tuple[int, int] | None, wanted: Words) -> float | None:
    if not wanted:
        return None
    return float(found is not None and any(start < found[1] and found[0] < end for start, end in wanted))


def known(hits: Sequence[Hits], side: int) -> Iterator[tuple[int, float]]:
    """The places of the pairs for which it is known, and whether it was hit."""
    return ((place, value) for place, each in enumerate(hits) if (value := each[side]) is not None)
