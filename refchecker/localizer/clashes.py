"""Which part of a contradicted claim is wrong, and the words of the reference that stand against it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from ..protocols import Checker
from ..text import NEGATIONS, ReadText, Word, comparable, read, whole_characters
from ..types import Claim, Label, Pair, Part
from .finding import Finder, parts_of
from .matching import support
from .sentences import Case, offered

SUPPORTED = 0.5
# What a kind of words counts for, beside their nearness to the claim's.
_TYPED, _NAMED, _OTHER = 0.5, 0.4, 0.2
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
    supported = _supported(wanted, case, chosen)
    around = {*chosen, *offered(case)}
    free = _free(wanted, page, around)
    rivals: list[Clash] = []

    def within(place: tuple[int, int]) -> bool:
        return any(start <= place[0] < end for start, end in (page.sentences[i] for i in chosen))

    for part, (start, end) in parts_of(case.claim).items():
        for run in _runs(wanted, supported, start, end):
            claimed = (run[0].start, run[-1].end)
            options = [
                (place, weight - _ELSEWHERE * (not within(place)))
                for place, weight in _options(run, free, page)
                if weight > _OTHER or within(place)
            ]
            places = [place for place, _ in options]
            alike = find.alike(case.claim, *claimed, page.text, places) if places else []
            near = _closeness(wanted, page, around, run, places)
            for (place, weight), likeness, closeness in zip(options, alike, near, strict=True):
                score = min(1.0, weight + _ALIKE * max(likeness, 0.0) + _CLOSE * closeness)
                rivals.append(Clash(part, claimed, whole_characters(page.text, *place), score))
    return sorted(rivals or _denials(case, wanted, chosen), key=_score, reverse=True)


def surest(
    cases: Sequence[Case], rivals: Sequence[list[Clash]], check: Checker, *, most: int = 4
) -> list[list[Clash]]:
    """The clashes again, the best the one whose words make the claim supported where they stand in it."""
    likeliest = [of_case[:most] for of_case in rivals]
    pairs = [
        Pair(_mended(case, clash), case.passage, case.question)
        for case, of_case in zip(cases, likeliest, strict=True)
        for clash in of_case
    ]
    support = iter([answer.scores.get(Label.ENTAILMENT, 0.0) for answer in (check(pairs) if pairs else ())])
    weighed = [
        [clash._replace(score=(clash.score + next(support)) / 2) for clash in of_case]
        for of_case in likeliest
    ]
    return [sorted(of_case, key=_score, reverse=True) for of_case in weighed]


_score = attrgetter("score")


def _mended(case: Case, clash: Clash) -> Claim:
    """The claim as the reference would have it."""
    text, (start, end) = case.claim.text, clash.claimed
    return Claim(text[:start] + case.page.text[slice(*clash.given)] + text[end:])


def _supported(wanted: ReadText, case: Case, chosen: Sequence[int]) -> list[bool]:
    """For each word of the claim, whether the sentences say it by its very words."""
    rows = support(wanted, case.page)
    return [any(rows[i][item] >= SUPPORTED for i in chosen) for item in range(len(wanted.words))]


def _free(wanted: ReadText, page: ReadText, chosen: Collection[int]) -> list[int]:
    """The words of the sentences that the claim does not have, by place."""
    forms = {word.form for word in wanted.words if not word.value}
    rows = support(page, wanted)
    in_claim = [max((row[i] for row in rows), default=0.0) for i in range(len(page.words))]
    return [
        i
        for i, word in enumerate(page.words)
        if page.sentence_of[i] in chosen
        and not word.light
        and in_claim[i] < SUPPORTED
        and (word.value or word.form not in forms)
    ]


def _runs(wanted: ReadText, supported: Sequence[bool], start: int, end: int) -> Iterator[list[Word]]:
    """Words of a part that are not supported, those together that are of one kind and follow each other."""
    run: list[Word] = []
    for word, known in zip(wanted.words, supported, strict=True):
        if word.light or not start <= word.start < end:
            continue
        if run and (known or word.value or run[-1].value or word.capital != run[-1].capital):
            yield run
            run = []
        if not known:
            run.append(word)
    if run:
        yield run


def _options(run: list[Word], free: list[int], page: ReadText) -> Iterator[tuple[tuple[int, int], float]]:
    """Words of the page that may stand for the run's: their place, and what their kind counts for."""
    words = page.words
    if claimed := run[0].value:
        for value in (words[i].value for i in free):
            if value and comparable(claimed, value):
                yield (value.start, value.end), _TYPED
        return
    name = run[0].capital
    same_kind = [i for i in free if not words[i].value and words[i].capital == name]
    stretches = [
        [i for _, i in group]
        for _, group in groupby(enumerate(same_kind), key=lambda item: item[1] - item[0])
    ]
    for stretch in stretches if name else stretches[: 2 * _MOST_OTHERS]:
        yield (words[stretch[0]].start, words[stretch[-1]].end), _NAMED if name else _OTHER
        if not name and len(stretch) > 1:
            yield from (((words[i].start, words[i].end), _OTHER) for i in stretch)


def _closeness(
    wanted: ReadText,
    page: ReadText,
    chosen: Collection[int],
    run: list[Word],
    places: Sequence[tuple[int, int]],
) -> list[float]:
    """For each place, how near it stands to words that stand near the run in the claim: 1 beside them."""
    at = wanted.words.index(run[0])
    around = [w for w in wanted.words[max(0, at - 3) : at + len(run) + 3] if not w.light and w not in run]
    anchors = [
        i
        for word in around
        for i in page.places.get(word.form, ())
        if page.sentence_of[i] in chosen and not word.value
    ]
    if not anchors:
        return [0.0] * len(places)
    starts = {word.start: i for i, word in enumerate(page.words)}
    return [1 / max(1, min(abs(starts[start] - anchor) for anchor in anchors)) for start, _ in places]


def _denials(case: Case, wanted: ReadText, chosen: Collection[int]) -> Iterator[Clash]:
    """A denial in the sentences, where the claim has none and all its words are said."""
    parts = parts_of(case.claim)
    part: Part = "predicate" if "predicate" in parts else "claim"
    if part not in parts or any(_denies(word) for word in wanted.words):
        return
    for word, sentence in zip(case.page.words, case.page.sentence_of, strict=True):
        if sentence in chosen and _denies(word):
            yield Clash(part, parts[part], (word.start, word.end), SUPPORTED)


def _denies(word: Word) -> bool:
    return word.plain in NEGATIONS or word.plain.endswith(("n't", "n’t"))
