"""Which part of a contradicted claim is wrong, and the words of the reference that stand against it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..protocols import Checker
from ..text import NEGATIONS, Reading, Word, comparable, read, whole_characters
from ..types import Claim, Label, Pair, Part
from .finding import Finder, parts_of
from .matching import support
from .sentences import Case, offered

SUPPORTED = 0.5
_TYPED, _NAMED, _OTHER = (
    0.5,
    0.4,
    0.2,
)  # what a kind of words counts for, beside their nearness to the claim's
_ALIKE, _CLOSE = 0.3, 0.2
_ELSEWHERE = 0.1  # less for what stands in another of the sentences near to the claim
_MOST_OTHERS = 6


class Clash(NamedTuple):
    """Words of a claim, and those of the reference that say otherwise. Half-open offsets."""

    part: Part
    claimed: tuple[int, int]  # in the claim's text
    given: tuple[int, int]  # in the passage's text
    score: float


def clashes(case: Case, chosen: Sequence[int], find: Finder) -> list[Clash]:
    """What may stand against the claim in those sentences of the passage, the likeliest first.

    A date stands against a date, a number against a number of its kind, a name against a name, a denial
    against a plain statement; else other words where the claim's would be. What the passage has of the claim
    anyway stands against nothing.
    """
    wanted, page = read(case.claim.text), case.page
    said = _said(wanted, case, chosen)
    around = {*chosen, *offered(case)}
    free = _free(wanted, page, around)
    found: list[Clash] = []

    def within(place: tuple[int, int]) -> bool:
        return any(start <= place[0] < end for start, end in (page.sentences[i] for i in chosen))

    for part, (start, end) in parts_of(case.claim).items():
        for run in _runs(wanted, said, start, end):
            claimed = (run[0].start, run[-1].end)
            options = [
                (place, weight - _ELSEWHERE * (not within(place)))
                for place, weight in _options(run, free, page)
                if weight > _OTHER or within(place)
            ]
            if not options:
                continue
            places = [place for place, _ in options]
            alike = find.alike(case.claim, *claimed, page.text, places)
            near = _closeness(wanted, page, around, run, places)
            found += (
                Clash(
                    part,
                    claimed,
                    whole_characters(page.text, *place),
                    min(1.0, weight + _ALIKE * max(a, 0.0) + _CLOSE * n),
                )
                for (place, weight), a, n in zip(options, alike, near, strict=True)
            )
    return sorted(found or _denials(case, wanted, chosen), key=lambda each: -each.score)


def surest(
    cases: Sequence[Case], found: Sequence[list[Clash]], check: Checker, *, most: int = 4
) -> list[list[Clash]]:
    """The clashes again, the best the one whose words make the claim supported where they stand in it."""
    some = [own[:most] for own in found]
    pairs = [
        Pair(_mended(case, clash), case.passage, case.question)
        for case, own in zip(cases, some, strict=True)
        for clash in own
    ]
    answers = iter(check(pairs) if pairs else ())
    weighed = [
        [
            each._replace(score=(each.score + next(answers).scores.get(Label.ENTAILMENT, 0.0)) / 2)
            for each in own
        ]
        for own in some
    ]
    return [sorted(own, key=lambda each: -each.score) for own in weighed]


def _mended(case: Case, clash: Clash) -> Claim:
    """The claim as the reference would have it."""
    text, (start, end) = case.claim.text, clash.claimed
    return Claim(text[:start] + case.page.text[slice(*clash.given)] + text[end:])


def _said(wanted: Reading, case: Case, chosen: Sequence[int]) -> list[bool]:
    """Of each word of the claim, whether the sentences say it by its very words."""
    rows = support(wanted, case.page)
    return [any(rows[i][item] >= SUPPORTED for i in chosen) for item in range(len(wanted.words))]


def _free(wanted: Reading, page: Reading, chosen: Collection[int]) -> list[int]:
    """The words of the sentences that the claim does not have, by place."""
    forms = {word.form for word in wanted.words if not word.value}
    rows = support(page, wanted)
    said = [max((row[place] for row in rows), default=0.0) for place in range(len(page.words))]
    return [
        place
        for place, word in enumerate(page.words)
        if page.sentence_of[place] in chosen
        and not word.light
        and said[place] < SUPPORTED
        and (word.value or word.form not in forms)
    ]


def _runs(wanted: Reading, said: Sequence[bool], start: int, end: int) -> Iterator[list[Word]]:
    """Words of a part that are not said, those together that are of one kind and follow each other."""
    run: list[Word] = []
    for word, known in zip(wanted.words, said, strict=True):
        if not start <= word.start < end:
            continue
        if known and not word.light:
            if run:
                yield run
            run = []
        elif not word.light:
            if run and (word.value or run[-1].value or word.capital != run[-1].capital):
                yield run
                run = []
            run.append(word)
    if run:
        yield run


def _options(run: list[Word], free: list[int], page: Reading) -> Iterator[tuple[tuple[int, int], float]]:
    """Words of the page that may stand for the run's: their place, and what their kind counts for."""
    words = page.words
    if claimed := run[0].value:
        for place in free:
            given = words[place].value
            if given and comparable(claimed, given):
                yield (given.start, given.end), _TYPED
        return
    name = run[0].capital
    stretches = []
    for _, group in groupby(
        enumerate(free),
        key=lambda each: (each[1] - each[0], words[each[1]].capital, bool(words[each[1]].value)),
    ):
        places = [place for _, place in group]
        if not words[places[0]].value and words[places[0]].capital == name:
            stretches.append(places)
    for places in stretches if name else stretches[: 2 * _MOST_OTHERS]:
        yield (words[places[0]].start, words[places[-1]].end), _NAMED if name else _OTHER
        if not name and len(places) > 1:
            yield from (((words[p].start, words[p].end), _OTHER) for p in places)


def _closeness(
    wanted: Reading,
    page: Reading,
    chosen: Collection[int],
    run: list[Word],
    places: Sequence[tuple[int, int]],
) -> list[float]:
    """Of each place, how near it stands to words that stand near the run in the claim: 1 beside them."""
    at = wanted.words.index(run[0])
    around = [w for w in wanted.words[max(0, at - 3) : at + len(run) + 3] if not w.light and w not in run]
    anchors = [
        place
        for word in around
        for place in page.places.get(word.form, ())
        if page.sentence_of[place] in chosen and not word.value
    ]
    if not anchors:
        return [0.0] * len(places)
    starts = {word.start: place for place, word in enumerate(page.words)}
    return [1 / max(1, min(abs(starts[start] - anchor) for anchor in anchors)) for start, _ in places]


def _denials(case: Case, wanted: Reading, chosen: Collection[int]) -> Iterator[Clash]:
    """A denial in the sentences, where the claim has none and all its words are said."""
    parts = parts_of(case.claim)
    part: Part = "predicate" if "predicate" in parts else "claim"
    if part not in parts or any(_denies(word) for word in wanted.words):
        return
    for place, word in enumerate(case.page.words):
        if case.page.sentence_of[place] in chosen and _denies(word):
            yield Clash(part, parts[part], (word.start, word.end), SUPPORTED)


def _denies(word: Word) -> bool:
    return word.plain in NEGATIONS or word.plain.endswith(("n't", "n’t"))
