"""Step 1 and 2 by rules: an event's attributes as sentences and questions; a term's sentences as a paragraph."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .facts import Event, Term

Kind = Literal["when", "where", "who", "what"]


@dataclass(frozen=True, slots=True)
class Wording:
    """How an attribute is said and asked. {v} is the value, {on} the preposition of a date, {n} the name."""

    kind: Kind
    sentence: str
    question: str


WORDINGS: Mapping[str, Wording] = {
    "date": Wording("when", "It took place {on} {v}.", "When did {n} take place?"),
    "start date": Wording("when", "It began {on} {v}.", "When did {n} begin?"),
    "launch date": Wording("when", "It was launched {on} {v}.", "When was {n} launched?"),
    "signing date": Wording("when", "It was signed {on} {v}.", "When was {n} signed?"),
    "year": Wording("when", "It was held {on} {v}.", "In which year was {n} held?"),
    "city": Wording("where", "It was held in {v}.", "In which city was {n} held?"),
    "stadium": Wording("where", "The venue was {v}.", "What was the venue of {n}?"),
    "location": Wording("where", "It happened in {v}.", "In which place did {n} happen?"),
    "country": Wording("where", "The country was {v}.", "In which country was {n}?"),
    "country today": Wording("where", "The site lies in {v} today.", "Where does the site of {n} lie today?"),
    "launch site": Wording("where", "The launch site was {v}.", "What was the launch site of {n}?"),
    "destination": Wording("where", "Its destination was {v}.", "What was the destination of {n}?"),
    "signing place": Wording("where", "The place of signing was {v}.", "Where was {n} signed?"),
    "laureate": Wording("who", "It was awarded to {v}.", "Who was awarded {n}?"),
    "laureate country": Wording("where", "The laureate's country was {v}.", "What was the country of the laureate of {n}?"),
    "notable work": Wording("what", "A notable work of the laureate is {v}.", "What is a notable work of the laureate of {n}?"),
    "winning coach": Wording("who", "The coach of the winning team was {v}.", "Who coached the winning team of {n}?"),
    "most valuable player": Wording("who", "The most valuable player was {v}.", "Who was the most valuable player of {n}?"),
    "victorious commander": Wording("who", "The commander of the victors was {v}.", "Who commanded the victors of {n}?"),
    "commander": Wording("who", "The commander of the crew was {v}.", "Who commanded the crew of {n}?"),
    "opened by": Wording("who", "The games were opened by {v}.", "Who opened {n}?"),
    "main opponent": Wording("who", "The main opponent was {v}.", "Who was the main opponent of the winner of {n}?"),
    "elected vice president": Wording("who", "The elected vice president was {v}.", "Who was elected vice president in {n}?"),
    "best director": Wording("who", "The award for best director went to {v}.", "Who won the award for best director at {n}?"),
    "best actor": Wording("who", "The award for best actor went to {v}.", "Who won the award for best actor at {n}?"),
    "best actress": Wording("who", "The award for best actress went to {v}.", "Who won the award for best actress at {n}?"),
    "best picture": Wording("what", "The award for best picture went to {v}.", "Which film won the award for best picture at {n}?"),
    "composer": Wording("who", "The music is by {v}.", "Who composed the music at {n}?"),
    "librettist": Wording("who", "A librettist was {v}.", "Who was a librettist of the work at {n}?"),
    "genre": Wording("what", "The work belongs to the genre {v}.", "To which genre does the work at {n} belong?"),
    "ended war": Wording("what", "It ended {v}.", "Which war did {n} end?"),
    "result": Wording("what", "Among its results was {v}.", "What was among the results of {n}?"),
    "winner party": Wording("what", "The winner ran for the {v} party.", "For which party did the winner of {n} run?"),
    "score": Wording("what", "The score was {v}.", "What was the score of {n}?"),
    "operator": Wording("what", "It was operated by {v}.", "Who operated {n}?"),
    "launch vehicle": Wording("what", "The launch vehicle was {v}.", "What was the launch vehicle of {n}?"),
    "winner": Wording("what", "The winner was {v}.", "Who won {n}?"),
    "runner up": Wording("what", "The runner-up was {v}.", "Who was the runner-up of {n}?"),
    "victor": Wording("what", "The victory went to {v}.", "Which side won {n}?"),
    "defeated side": Wording("what", "The defeated side was {v}.", "Which side was defeated in {n}?"),
}  # fmt: skip


def wording(key: str) -> Wording:
    """How the attribute of that key is said; plainly, for one that is not known."""
    plain = Wording("what", f"Its {key} was {{v}}.", f"What was the {key} of {{n}}?")
    return WORDINGS.get(key, plain)


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
