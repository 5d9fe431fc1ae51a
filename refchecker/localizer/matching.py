"""Where a text says some words: the same ones, or the same date, number or name written otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..text import ReadText, Word, agreement, whole_characters

SAME_FORM, FUZZY, INITIAL, ACRONYM, LAST_NAME = 0.95, 0.8, 0.7, 0.85, 0.8  # 1 is the same word
MIN_SCORE = 0.5  # of what is wanted, that a mention has
MIN_GAP_WORDS = 3  # that may stand between two words of one mention
_LONGEST_NAME_WORDS = 5


class Mention(NamedTuple):
    """Characters of a text that say what is wanted: `covered` are the places of its words that they say."""

    start: int
    end: int
    score: float
    covered: frozenset[int]


class _Hit(NamedTuple):
    place: int  # of a word of the text
    item: int  # of a word that is wanted
    quality: float


def mentions(wanted: ReadText, page: ReadText) -> list[Mention]:
    """Where the page says what is wanted, or at least half of it, in order of place.

    A date, number or name may be written otherwise; the last name is enough for a full one, letters that
    are its initials too.
    """
    if not wanted.words:
        return list(_literal(wanted.text.strip(), page.text))
    items = heavy(wanted)
    verbatim = list(_verbatim(wanted, items[0], page))
    every = verbatim + [
        mention
        for cluster in _clusters(_hits(wanted, items, page), page, max(MIN_GAP_WORDS, len(items)))
        if (mention := _mention(cluster, wanted, items, page))
        and mention.score >= MIN_SCORE
        and all(mention.end <= other.start or other.end <= mention.start for other in verbatim)
    ]
    if not any(mention.score >= LAST_NAME for mention in every):
        every += _acronyms(wanted, items, page)
    return sorted(every)


def support(wanted: ReadText, page: ReadText) -> list[list[float]]:
    """For each sentence of the page, how well it says each word of what is wanted, 0 to 1."""
    best = [[0.0] * len(wanted.words) for _ in page.sentences]
    for hit in _hits(wanted, range(len(wanted.words)), page):
        in_sentence = best[page.sentence_of[hit.place]]
        in_sentence[hit.item] = max(in_sentence[hit.item], hit.quality)
    return best


def heavy(wanted: ReadText) -> list[int]:
    """The places of the words that carry meaning; all, where none does."""
    return [i for i, word in enumerate(wanted.words) if not word.light] or list(range(len(wanted.words)))


def _verbatim(wanted: ReadText, item: int, page: ReadText) -> Iterator[Mention]:
    """Where the page has all the words that are wanted, one after the other."""
    plain = [word.plain for word in wanted.words]
    anchor = wanted.words[item]
    places = range(len(page.words)) if anchor.light or anchor.value else page.places.get(anchor.form, ())
    for first in (place - item for place in places):
        run = page.words[first : first + len(plain)] if first >= 0 else ()
        if [word.plain for word in run] == plain:
            start, end = whole_characters(page.text, run[0].start, run[-1].end)
            yield Mention(start, end, 1.0, frozenset(range(len(plain))))


def _literal(wanted: str, text: str) -> Iterator[Mention]:
    """Symbols and emoji, which are no words."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        if (at, at + len(wanted)) == whole_characters(text, at, at + len(wanted)):
            yield Mention(at, at + len(wanted), 1.0, frozenset())
        at = text.find(wanted, at + len(wanted))


def _hits(wanted: ReadText, items: Sequence[int], page: ReadText) -> list[_Hit]:
    """Words of the page that say words that are wanted, in order of place."""
    hits: list[_Hit] = []
    for item in items:
        word = wanted.words[item]
        if word.value:
            values = ((i, page.words[i].value) for i in page.valued)
            agreed = ((i, agreement(word.value, value)) for i, value in values if value)
            hits += (_Hit(i, item, quality) for i, quality in agreed if quality)
        elif word.light:
            hits += (_Hit(i, item, 1.0) for i, other in enumerate(page.words) if other.plain == word.plain)
        else:
            places = page.places.get(word.form) or []
            hits += (_Hit(i, item, 1.0 if page.words[i].plain == word.plain else SAME_FORM) for i in places)
            if not places:
                hits += (_Hit(i, item, FUZZY) for near in _near(word, page) for i in page.places[near])
            hits += (_Hit(i, item, INITIAL) for i in _initials(word, page))
    return sorted(hits)


def _near(word: Word, page: ReadText) -> list[str]:
    """Forms of the page that are this word but for a letter left out, added or exchanged with the next."""
    if len(word.plain) < 5 or not word.plain.isalpha():
        return []
    return [
        other
        for other, places in page.places.items()
        if other[:1] == word.form[:1] and _a_letter_apart(page.words[places[0]].plain, word.plain)
    ]


def _a_letter_apart(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) < 4 or len(long) - len(short) > 1:
        return False
    differs = next((i for i, char in enumerate(short) if char != long[i]), len(short))
    if len(short) < len(long):
        return short[differs:] == long[differs + 1 :]
    return (
        short[differs : differs + 2] == long[differs : differs + 2][::-1]
        and short[differs + 2 :] == long[differs + 2 :]
    )


def _initials(word: Word, page: ReadText) -> list[int]:
    """Where the page has a name's initial for the name, or the name for its initial."""
    if not word.capital:
        return []
    if len(word.plain) == 1:
        longer = ((i, other) for i, other in enumerate(page.words) if other.capital and len(other.plain) > 1)
        return [i for i, other in longer if other.plain.startswith(word.plain)]
    return [i for i in page.places.get(word.plain[0], ()) if page.words[i].capital]


def _clusters(hits: list[_Hit], page: ReadText, gap: int) -> Iterator[list[_Hit]]:
    """Hits that stand close together in one sentence."""
    cluster: list[_Hit] = []
    for hit in hits:
        if cluster and (
            hit.place - cluster[-1].place > gap
            or page.sentence_of[hit.place] != page.sentence_of[cluster[-1].place]
        ):
            yield cluster
            cluster = []
        cluster.append(hit)
    if cluster:
        yield cluster


def _mention(cluster: list[_Hit], wanted: ReadText, items: Sequence[int], page: ReadText) -> Mention | None:
    """The shortest part of the cluster that says as much as all of it."""
    best: dict[int, float] = {}
    for hit in cluster:
        best[hit.item] = max(best.get(hit.item, 0.0), hit.quality)
    if all(quality == INITIAL for quality in best.values()):
        return None
    chosen = _shortest([hit for hit in cluster if hit.quality == best[hit.item]], len(best))
    first, last = _extended(chosen, wanted, page)
    places = len({hit.place for hit in cluster})  # a word that is wanted twice has to be there twice
    score = sum(sorted(best.values())[-places:]) / len(items)
    names = [wanted.words[item] for item in items]
    if len(best) < len(items) <= _LONGEST_NAME_WORDS and all(name.capital for name in names):
        score = max(score, LAST_NAME if best.get(items[-1], 0.0) >= SAME_FORM else 0.0)
    if score == 1.0 and last - first + 1 != len(wanted.words):
        score = 0.99
    start, end = whole_characters(page.text, page.words[first].start, page.words[last].end)
    return Mention(start, end, score, frozenset(best))


def _shortest(hits: list[_Hit], items: int) -> list[_Hit]:
    """The shortest run of hits with all the items; the first of those."""
    counts: dict[int, int] = {}
    left, best = 0, (0, len(hits))
    shortest = hits[-1].place - hits[0].place + 1
    for right, hit in enumerate(hits):
        counts[hit.item] = counts.get(hit.item, 0) + 1
        while len(counts) == items:
            length = hit.place - hits[left].place
            if length < shortest:
                shortest, best = length, (left, right + 1)
            counts[hits[left].item] -= 1
            if not counts[hits[left].item]:
                del counts[hits[left].item]
            left += 1
    return hits[slice(*best)]


def _extended(hits: list[_Hit], wanted: ReadText, page: ReadText) -> tuple[int, int]:
    """From the first to the last word, with the light words around them that are wanted too."""
    first, last = hits[0], hits[-1]
    left, right, before, after = first.place, last.place, first.item, last.item

    def same(item: int, place: int) -> bool:
        return (
            0 <= item < len(wanted.words)
            and 0 <= place < len(page.words)
            and page.sentence_of[place] == page.sentence_of[first.place]
            and wanted.words[item].plain == page.words[place].plain
        )

    while same(before - 1, left - 1):
        before, left = before - 1, left - 1
    while same(after + 1, right + 1):
        after, right = after + 1, right + 1
    return left, right


def _acronyms(wanted: ReadText, items: Sequence[int], page: ReadText) -> Iterator[Mention]:
    """Capital letters for a name of several words, and the other way round."""
    words = [wanted.words[item] for item in items]
    raw = wanted.text.strip().replace(".", "")
    if len(words) == 1 and raw.isupper() and 2 <= len(raw) <= 6:
        ranges = _names(page).get(raw.lower(), [])
    elif 2 <= len(words) <= 6 and all(word.capital for word in words):
        letters = "".join(word.plain[0] for word in words)
        places = page.places.get(letters, ())
        ranges = [(i, i) for i in places if page.text[slice(*page.words[i][:2])].isupper()]
    else:
        return
    for first, last in ranges:
        yield Mention(page.words[first].start, page.words[last].end, ACRONYM, frozenset(items))


@lru_cache(maxsize=64)
def _names_of(words: tuple[Word, ...]) -> dict[str, list[tuple[int, int]]]:
    names: dict[str, list[tuple[int, int]]] = {}
    for first in (i for i, word in enumerate(words) if word.capital):
        letters = ""
        for last, word in enumerate(words[first : first + 8], first):
            if not (word.capital or word.light):
                break
            letters += word.plain[0] if word.capital else ""
            if len(letters) >= 2 and word.capital:
                names.setdefault(letters, []).append((first, last))
    return names


def _names(page: ReadText) -> dict[str, list[tuple[int, int]]]:
    """The places of capitalised words that follow each other, by their first letters."""
    return _names_of(page.words)
