"""A fact in other words: what annotators and language models write for what a text says.

Every rewording keeps the statement true; the swaps and denials of `rules.py` are made on the reworded claim
too, so that other words are no sign of either label.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple


class Cut(NamedTuple):
    """A triplet cut from a sentence; `modal` when the sentence only says it may be so."""

    subject: str
    predicate: str
    object: str
    modal: bool = False

    @property
    def text(self) -> str:
        """Its elements with tabs between, so that they are still known when one was swapped."""
        return f"{self.subject}\t{self.predicate}\t{self.object}"


# One relation a line: its ways to be said of the first thing, then those of the second. "(d)" and "(p)" ask
# for a date or for something else as the object.
_RELATIONS = """
wrote, authored, penned, is the author of, is the writer of / written by, authored by, author, has author, is a work by
directed, is the director of / directed by, director, has director
produced, is the producer of / produced by, producer
composed, wrote the music for, is the composer of / composed by, composer, music by
painted, is the painter of / painted by, painter
sang, performed, recorded, is the singer of / sung by, performed by, recorded by, singer, artist
founded, established, set up, created, is the founder of, co-founded / founded by, established by, created by, founder
invented, is the inventor of, came up with / invented by, inventor
discovered, is the discoverer of, found / discovered by, discoverer, found by
designed, is the designer of / designed by, designer, designer is
built, constructed, erected / built by, constructed by, builder
developed, is the developer of, made / developed by, developer, made by
published, released, issued / published by, publisher, released by, issued by
owns, is the owner of, has / owned by, owner, belongs to, property of
leads, heads, is the leader of, is the head of / led by, headed by, leader, head
contains, includes, has, comprises, consists of / part of, belongs to, included in
defeated, beat, won against, overcame / defeated by, beaten by, lost to
won, received, was awarded, took, is the winner of / won by, awarded to, winner, received by
married, wed, is the spouse of, got married to / married to, spouse, wed to
employs, is the employer of / employed by, works for, employer
borders, adjoins, shares a border with, is next to / bordered by, adjacent to
manages, runs, is the manager of / managed by, run by, manager
acquired, bought, purchased, took over / acquired by, bought by, purchased by
played, portrayed, acted as / played by, portrayed by, actor
hosts, is the host of, presents / hosted by, host, presented by
taught, was the teacher of / taught by, student of, studied under
named after, named for, gets its name from / gave its name to
starring, stars, features, cast member / starred in, appeared in, acted in, featured in
caused, led to, brought about, resulted in / caused by, resulted from, due to
influenced, inspired / influenced by, inspired by
killed, murdered / killed by, murdered by
located in, situated in, lies in, found in, is in, location / is the location of, is home to
based in, headquartered in, has its headquarters in, headquarters / is the headquarters of, is home to
born in (p), born at, place of birth, birthplace, comes from / birthplace of
born on, born in (d), date of birth, birth date, was born / was the birth date of
died in (p), died at, place of death, passed away in
died on, died in (d), date of death, death date, passed away on
released on, released in, came out on, release date, was published on
founded in (d), established in, dates from, founding date, was founded in
opened on, opened in (d), opening date
began in (d), started in, began on, start date
ended in (d), finished in, ended on, end date
aired on (d), broadcast on, first shown on, air date
known as, called, also known as, nicknamed, referred to as, goes by / another name for, nickname of
capital of, is the capital city of / capital, has capital
member of, belongs to, is in / has member, includes
moved to, relocated to, went to live in
graduated from, studied at, attended, is an alumnus of / is the alma mater of, educated
used for, serves for, employed for, purpose
made of, made from, consists of, composed of, material
served as, worked as, held the post of, was
""".strip().splitlines()  # noqa: E501

_BE = re.compile(r"^(?:is|are|was|were|be|been|being|has been|have been|had been)\s+", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.I)
_DATE = re.compile(
    r"\b(?:1[0-9]|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|"
    r"December)\b"
)


def _key(form: str) -> str:
    return _BE.sub("", form.strip().lower())


def _table() -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """(form, "d" or "p" or "") -> other forms in the same direction, forms in the other direction."""
    table: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for line in _RELATIONS:
        sides = [[form.strip() for form in side.split(",")] for side in line.split("/")] + [[]]
        for mine, theirs in ((sides[0], sides[1]), (sides[1], sides[0])):
            bare = [re.sub(r" \([dp]\)$", "", form) for form in mine]
            for form, plain in zip(mine, bare, strict=True):
                asks = form[-2] if form.endswith(")") else ""
                others = [other for other in bare if other != plain]
                table.setdefault(
                    (_key(plain), asks), (others, [re.sub(r" \([dp]\)$", "", f) for f in theirs])
                )
    return table


_TABLE = _table()


def by_relation(cut: Cut, rng: Random) -> Cut:
    """Another name of the relation, or the relation seen from its other end."""
    asks = "d" if _DATE.search(cut.object) else "p"
    key = _key(cut.predicate)
    found = _TABLE.get((key, asks)) or _TABLE.get((key, ""))
    if not found:
        return cut
    same, turned = found
    if turned and (not same or rng.random() < 0.5):
        return cut._replace(subject=cut.object, predicate=rng.choice(turned), object=cut.subject)
    return cut._replace(predicate=rng.choice(same)) if same else cut


def by_voice(cut: Cut, rng: Random) -> Cut:
    """ "was built by" for "built", and the other way round."""
    words = cut.predicate.lower().split()
    if len(words) >= 2 and words[-1] == "by" and words[-2].endswith("ed"):
        return cut._replace(subject=cut.object, predicate=words[-2], object=cut.subject)
    if len(words) == 1 and words[0].endswith("ed") and not _DATE.search(cut.object):
        be = rng.choice(("was ", "", "is "))
        return cut._replace(subject=cut.object, predicate=f"{be}{words[0]} by", object=cut.subject)
    return cut


_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = _MONTH_NAMES.split()
_FULL_DATE = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}}),? ((?:1\d|20)\d\d)\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)}) ((?:1\d|20)\d\d)\b")


def by_date(text: str, rng: Random) -> str:
    """The same date written another way, or less exactly."""

    def written(day: str, month: str, year: str) -> str:
        forms = (
            f"{int(day)} {month} {year}",
            f"{month} {int(day)}, {year}",
            f"{month} {year}",
            year,
            f"{month[:3]} {int(day)}, {year}",
            f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}",
        )
        return rng.choice(forms)

    text = _FULL_DATE.sub(lambda m: written(m[2], m[1], m[3]), text, count=1)
    return _DAY_FIRST.sub(lambda m: written(m[1], m[2], m[3]), text, count=1)


_NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_DIGITS = _NUMBER_WORDS.split()


def by_number(text: str, _: Random) -> str:
    """ "2" for "two", "1,200" for "1200", "million" for its zeros, and back."""

    def other(match: re.Match[str]) -> str:
        word = match.group().lower()
        if word in _DIGITS:
            return str(_DIGITS.index(word))
        plain = word.replace(",", "")
        if plain.isdigit() and int(plain) < len(_DIGITS):
            return _DIGITS[int(plain)]
        if "," in word:
            millions = int(plain) / 1_000_000
            return f"{millions:g} million" if millions >= 1 and millions * 10 % 1 == 0 else plain
        return f"{int(plain):,}" if plain.isdigit() and len(plain) > 4 else match.group()

    pattern = rf"(?<![\w.,-])(?:\d+(?:,\d{{3}})*|{'|'.join(_DIGITS[2:])})(?![\w-]|[.,]\d)"
    return re.sub(pattern, other, text, count=1)


_ALIASES = (
    "the United States/US;the United States/United States of America;the United States/USA;"
    "the United States/U.S.;the United Kingdom/UK;the United Kingdom/United Kingdom;the United Nations/UN;"
    "the European Union/EU;World War II/Second World War;World War I/First World War;New York City/New York;"
    "the Soviet Union/USSR;television/TV;percent/%;approximately/about;approximately/around;"
    "kilometres/km;kilometers/km;metres/m;meters/m;mathematics/math;university/college"
)
_ALIAS = [pair.split("/") for pair in _ALIASES.split(";")]

_SYNONYMS = (
    "began started;begins starts;movie film;large big;largest biggest;small little;received got;"
    "located situated;various several;many numerous;often frequently;primarily mainly;mostly mainly;"
    "usually generally;important significant;famous well-known;known famous;created made;creates makes;"
    "shows displays;used employed;uses employs;helps assists;needs requires;requires needs;"
    "obtained got;purchased bought;constructed built;ended finished;ends finishes;lived resided;"
    "lives resides;died passed away;children kids;physician doctor;attorney lawyer;author writer;"
    "nation country;town settlement;car automobile;cars automobiles;aircraft airplane;illness disease;"
    "disease illness;buildings structures;company firm;companies firms;company business;team club;"
    "area region;region area;kind type;type kind;types kinds;method technique;job occupation;"
    "profession occupation;spouse wife;hence therefore;additional further;entire whole;"
    "initially originally;currently now;formerly previously;approximately roughly;over more than;"
    "about approximately;annual yearly;yearly annual;quickly rapidly;rapidly quickly;"
    "difficult hard;easy simple;wealthy rich;huge very large;main chief;primary main;"
    "contains includes;includes contains;provides offers;offers provides;allows lets;enables allows;"
    "became turned into;remained stayed;attempted tried;assisted helped;described portrayed;"
    "stated said;announced said;commenced began;revealed disclosed;chosen selected;selected chosen;"
    "gathered collected;destroyed ruined;injured hurt;appointed named;elected chosen;"
    "album record;song track;novel book;series show;tournament competition;championship title;"
    "match game;games matches;player athlete;professor academic;soldiers troops;troops soldiers;"
    "army military force;ship vessel;vessel ship;road street;residents inhabitants;inhabitants people;"
    "population number of people;citizens people;students pupils;founded established;"
    "leader head;chief head;border boundary;ocean sea;mountain peak;forest woodland;stone rock"
)
_SYNONYM: dict[str, list[str]] = {}
for _pair in _SYNONYMS.split(";"):
    _first, _second = _pair.split(" ", 1)
    _SYNONYM.setdefault(_first, []).append(_second)


def by_synonym(text: str, rng: Random) -> str:
    """One ordinary word replaced by another that means the same."""
    hits = [m for m in re.finditer(r"(?<![\w'-])[a-z]+(?![\w'-])", text) if m.group() in _SYNONYM]
    if not hits:
        return text
    hit = rng.choice(hits)
    return text[: hit.start()] + rng.choice(_SYNONYM[hit.group()]) + text[hit.end() :]


def by_alias(text: str, rng: Random) -> str:
    """A name by which the same thing is known: "UK" for "the United Kingdom"."""
    for long, short in rng.sample(_ALIAS, len(_ALIAS)):
        for old, new in ((long, short), (short, long)):
            if re.search(rf"(?<![\w.]){re.escape(old)}(?![\w.])", text):
                return re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, text, count=1)
    return text


def by_surname(text: str, people: list[str], rng: Random) -> str:
    """A person by the last name alone."""
    named = [p for p in people if 2 <= len(p.split()) <= 3 and p.split()[-1][0].isupper() and p in text]
    if not named:
        return text
    person = rng.choice(named)
    return text.replace(person, person.split()[-1], 1)


def by_cutting(cut: Cut, rng: Random) -> Cut:
    """Less said, so still true: what stands after a preposition or comma in the object is left out."""
    shorter = re.split(
        r",? (?:of|in|at|from|with|for|by|on|near|who|which|that|located|including) |, | \(", cut.object
    )
    if (
        len(shorter) > 1
        and len(shorter[0].split()) >= 2
        and not re.search(r"\b(?:no|not|none)\b", cut.object)
    ):
        return cut._replace(object=shorter[0])
    return cut


def reworded(cut: Cut, people: list[str], rng: Random) -> Cut:
    """The cut said in other words, true where it is true: one to three changes, those that apply."""
    changes: list[Callable[[Cut], Cut]] = [
        lambda c: by_relation(c, rng),
        lambda c: by_relation(c, rng),
        lambda c: by_voice(c, rng),
        lambda c: by_cutting(c, rng),
        lambda c: c._replace(object=by_date(c.object, rng)),
        lambda c: c._replace(object=by_number(c.object, rng)),
        lambda c: c._replace(object=by_alias(c.object, rng), subject=by_alias(c.subject, rng)),
        lambda c: c._replace(predicate=by_synonym(c.predicate, rng), object=by_synonym(c.object, rng)),
        lambda c: c._replace(subject=by_surname(c.subject, people, rng)),
        lambda c: c._replace(object=by_surname(c.object, people, rng)),
        lambda c: c._replace(subject=_ARTICLE.sub("", c.subject), object=_ARTICLE.sub("", c.object)),
    ]
    rng.shuffle(changes)
    wanted, made = rng.choice((1, 1, 2, 2, 3)), 0
    for change in changes:
        new = change(cut)
        if new != cut:
            cut, made = new, made + 1
        if made == wanted:
            break
    return cut


def reworded_sentence(text: str, people: list[str], rng: Random) -> str:
    """A sentence with one or two of its words, dates, numbers or names put another way."""
    changes: list[Callable[[str], str]] = [
        lambda t: by_date(t, rng),
        lambda t: by_number(t, rng),
        lambda t: by_alias(t, rng),
        lambda t: by_synonym(t, rng),
        lambda t: by_synonym(t, rng),
        lambda t: by_surname(t, people, rng),
    ]
    rng.shuffle(changes)
    for change in changes[: rng.choice((3, 4, 6))]:
        text = change(text)
    return text
