"""Steps 1 and 2 by rules: an event's attributes as sentences and questions, a term's sentences as a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from .facts import Event, Term, data_file


class Wording(NamedTuple):
    """How an attribute is said and asked; `kind` is when, where, who or what."""

    kind: str
    sentence: str
    question: str


@cache
def wordings() -> Mapping[str, Wording]:
    """The attributes that have words of their own, from wordings.txt."""
    lines = data_file("wordings.txt").read_text("utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line and not line.startswith("#")]
    return {key: Wording(*words) for key, *words in rows}


def wording(key: str) -> Wording:
    """How the attribute of that key is said; plainly, for one that is not known."""
    plain = Wording("what", f"Its {key} was {{v}}.", f"What was the {key} of {{n}}?")
    return wordings().get(key, plain)


def on(date: str) -> str:
    """The preposition of a date: "on 4 July 1954", "in 1944"."""
    return "on" if re.match(r"\d{1,2} [A-Z]", date) else "in"


def sentence(key: str, value: str) -> str:
    """
    >>> sentence("date", "4 July 1954")
    'It took place on 4 July 1954.'
    """
    return wording(key).sentence.format(v=value, on=on(value))


def question(key: str, name: str) -> str:
    """
    >>> question("city", "the 1954 FIFA World Cup final")
    'In which city was the 1954 FIFA World Cup final held?'
    """
    return wording(key).question.format(n=name)


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def event_text(event: Event) -> str:
    """The event as a paragraph: what it was, then a sentence for each attribute."""
    first = f"{upper_first(event.name)} was {event.description}."
    return " ".join([first, *(sentence(key, value) for key, value in event.attributes.items())])


def term_text(term: Term, sentences: Sequence[str]) -> str:
    """The sentences under the term as a headword, as a dictionary has them."""
    return " ".join([f"{upper_first(term.term)}.", *sentences])
