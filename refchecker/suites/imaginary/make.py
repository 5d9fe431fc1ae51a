"""Items made of word lists: true, false and made-up statements, each in six constructions.

Everything about a statement but its names is the same in the three sets: the wording, the question and the
frame, so that what differs between sets is what the world says about it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

from ...errors import UsageError
from ..types import Item
from .grammar import Clause, sentence, with_articles, word_list

SETS = ("supported", "contradicting", "imaginary")
CONSTRUCTIONS = ("affirmative", "negation", "unlikely", "modal", "if_clause", "would_clause")
AFFIRMATIVE = CONSTRUCTIONS[0]
PLURAL = " (plural)"
PREPOSITIONS = {"at", "by", "from", "in", "into", "of", "on", "to", "with"}
LONG_NAMES = 0.6  # short ones alone are few
MADE_UP_LETTERS = "qxj"  # no chemical symbol has one of them in second place


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact of the word lists in one of its wordings."""

    relation: Mapping[str, Any]
    subject: str
    object: str
    wording: str  # subject | verb | rest | question

    def with_names(self, subject: str, obj: str) -> tuple[Clause, str]:
        """The statement and its question about other names."""
        before, verb, rest, question = self.wording.split(" | ")
        plural = before in self.relation.get("plural", ()) or (before == "{o}" and obj.endswith(PLURAL))
        names = {"s": subject, "o": obj.removesuffix(PLURAL)}
        past = self.relation["tense"] == "past"
        before, rest, question = (with_articles(text.format(**names)) for text in (before, rest, question))
        return Clause(before, verb, rest, past, plural), question


def make(seed: int, per_cell: int, sets: Sequence[str], constructions: Sequence[str]) -> list[Item]:
    """So many items for each set in each construction, the same ones for the same seed.

    Items stand in rounds, one of each cell, so that the first ones are of every kind.
    """
    rng = random.Random(f"imaginary {seed}")
    statements = list(_statements(rng))
    if not 1 <= per_cell <= len(statements):
        raise UsageError(
            f"--per_cell {per_cell}: the word lists hold {len(statements)} statements. Ask for 1 to so many."
        )
    frames = {construction: _dealt(word_list("frames")[construction], rng) for construction in CONSTRUCTIONS}
    names = made_up_names(rng)
    items = []
    for number, statement in enumerate(statements[:per_cell]):
        frame = {construction: next(frames[construction]) for construction in CONSTRUCTIONS}
        circumstances = _circumstances(statement.relation["theme"], rng)
        known = {
            "supported": (statement.subject, statement.object),
            "contradicting": (statement.subject, _other_object(statement, rng)),
            "imaginary": _made_up(statement, names, rng),
        }
        for construction in constructions:
            for of in sets:
                fields = _fields(statement, *known[of], construction, frame[construction], circumstances)
                group = f"{statement.relation['relation']}/{statement.subject}"
                items.append(Item(f"{of}/{construction}/{number:04d}", group, {"set": of, **fields}))
    return items


def _statements(rng: random.Random) -> Iterator[Statement]:
    """Every fact once, relation by turns; then every fact in another of its wordings, and so on."""
    relations = word_list("facts")
    orders = {r["relation"]: rng.sample(r["facts"], len(r["facts"])) for r in relations}
    starts = {r["relation"]: [rng.randrange(len(r["say"])) for _ in r["facts"]] for r in relations}
    for turn in range(max(len(r["say"]) for r in relations)):
        columns = [
            [
                Statement(r, subject, obj, r["say"][(starts[r["relation"]][place] + turn) % len(r["say"])])
                for place, (subject, obj) in enumerate(orders[r["relation"]])
                if turn < len(r["say"])
            ]
            for r in relations
        ]
        for row in zip_longest(*columns):
            yield from filter(None, row)


def _dealt(frames: Mapping[str, Sequence[str]], rng: random.Random) -> Iterator[str]:
    """Frames without end: plain ones and others by turns, each as often as the next of its kind."""
    kinds = [_cycled(frames["plain"], rng), _cycled(frames["other"], rng)]
    while True:
        for kind in kinds:
            yield next(kind)


def _cycled(frames: Sequence[str], rng: random.Random) -> Iterator[str]:
    while True:
        yield from rng.sample(frames, len(frames))


def _circumstances(theme: str, rng: random.Random) -> dict[str, str]:
    """A consequence and a condition that go with the subject matter, in the forms that frames name."""
    then = _clause(rng.choice(word_list("themes")[theme]["then"]))
    then_past = replace(then, past=True)
    condition = replace(_clause(rng.choice(word_list("themes")[theme]["cond"])), past=True)
    return {
        "then": f"{then.subject} would {then.bare}",
        "then_past": f"{then.subject} would {then_past.bare}",
        "will": f"{then.subject} will {then.bare}",
        "cond": f"{condition.subject} {condition.hypothetical}",
        "had": condition.inverted,
    }


def _clause(text: str) -> Clause:
    subject, verb, rest = text.split(" | ")
    return Clause(subject, verb, rest)


def _fields(
    statement: Statement,
    subject: str,
    obj: str,
    construction: str,
    frame: str,
    circumstances: Mapping[str, str],
) -> dict[str, Any]:
    """An item's fields, but for its set."""
    clause, question = statement.with_names(subject, obj)
    would = circumstances["then_past" if clause.past else "then"]
    context = sentence(
        frame.format(**clause.forms(), **circumstances, would=would, would_now=circumstances["then"])
    )
    answer = obj.removesuffix(PLURAL)
    return {
        "construction": construction,
        "context": context,
        "question": sentence(question),
        "answer": answer,
        "answers": golds(clause, answer, context) if construction == AFFIRMATIVE else [],
        "claim": sentence(f"{clause.subject} {clause.finite}."),
        "triplet": list(triplet(clause, answer, subject)),
        "truth": statement.object.removesuffix(PLURAL),
        "relation": statement.relation["relation"],
        "frame": frame,
    }


def golds(clause: Clause, answer: str, context: str) -> list[str]:
    """What counts as the answer, longest first: each a span of the context."""
    before = re.search(rf"(\w+) {re.escape(answer)}$", clause.rest)
    prefixed = [f"{before[1]} {answer}"] if before and before[1] in PREPOSITIONS else []
    candidates = [f"{clause.subject} {clause.finite}", *prefixed, answer, re.sub(r"^(a|an|the) ", "", answer)]
    return [text for text in dict.fromkeys(candidates) if text.casefold() in context.casefold()]


def triplet(clause: Clause, obj: str, subject: str) -> tuple[str, str, str]:
    """The claim as subject, predicate and object, cut before the name that the predicate is about.

    >>> triplet(Clause("the government of Ghana", "sit", "in Accra"), "Accra", "Ghana")
    ('the government of Ghana', 'sits in', 'Accra')
    """
    at = min((place for name in (obj, subject) if (place := clause.rest.find(name)) >= 0), default=0)
    return clause.subject, f"{clause.finite_verb} {clause.rest[:at]}".strip(), clause.rest[at:]


# -- names ---------------------------------------------------------------------------------------


def _other_object(statement: Statement, rng: random.Random) -> str:
    """The object of another fact of the relation, which makes the statement false."""
    facts: list[list[str]] = statement.relation["facts"]
    true = {obj for subject, obj in facts if subject == statement.subject}
    return rng.choice(sorted({obj for _, obj in facts} - true))


def _made_up(statement: Statement, names: Iterator[str], rng: random.Random) -> tuple[str, str]:
    """A subject that does not exist and, where the object is a name too, such an object."""
    kinds = statement.relation["made_up"]
    subject = _name(kinds["s"], names, rng)
    return subject, _name(kinds["o"], names, rng) if "o" in kinds else statement.object


def _name(kind: str, names: Iterator[str], rng: random.Random) -> str:
    if kind == "symbol":
        return next(names)[0] + rng.choice(MADE_UP_LETTERS)
    pattern = rng.choice(word_list("names")["patterns"][kind])
    parts = list(islice(names, pattern.count("{}")))
    if kind not in word_list("names")["proper"]:
        parts = [part.lower() for part in parts]
    return with_articles(str(pattern).format(*parts))


def made_up_names(rng: random.Random) -> Iterator[str]:
    """Words that are nobody's name, each once, without end."""
    lists = word_list("names")
    used = set(lists["avoid"])
    while True:
        middle = rng.choice(lists["middles"]) if rng.random() < LONG_NAMES else ""
        name = rng.choice(lists["heads"]) + middle + rng.choice(lists["tails"])
        if name not in used:
            used.add(name)
            yield name
