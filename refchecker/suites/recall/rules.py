"""The four steps offline: samples of events and terms by rules, with a seed.

Of each event one QA-A and one QA-NA sample, of each term one of QA-A, QA-NA and TG, as far as an edit can be
made that passes the inspection. Every attempt that does not pass is counted with its reason.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .answers import names_of, says
from .edits import (
    LONGEST_SHIFT,
    Edit,
    Pool,
    another,
    applied,
    pool,
    replace_words,
    shifted_date,
    shifted_dates,
    touches,
    word_edits,
)
from .facts import Event, Term
from .inspection import flaw
from .wording import event_text, question, term_text, wording

Fields = dict[str, Any]
GAP = "____"
FOREIGN_WORDS = 6  # a foreign sentence has at least so many


@dataclass
class Built:
    """Samples, and the attempts that were dropped, by (set, task) and reason."""

    samples: list[Fields] = field(default_factory=list)
    dropped: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def first_good(self, attempts: Iterator[Fields]) -> Fields | None:
        """Keep the first attempt that passes the inspection."""
        return next((fields for fields in attempts if self.keep(fields, flaw(fields))), None)

    def keep(self, fields: Fields, why: str) -> bool:
        """Keep the sample, or count why not."""
        if why:
            self.dropped.setdefault((fields["set"], fields["task"]), Counter())[why] += 1
        else:
            self.samples.append(fields)
        return not why


def sample(of: str, task: str, fields: Mapping[str, Any]) -> Fields:
    """A sample's fields, in their order; what a task has no use for is empty."""
    blank: Fields = {"set": of, "task": task, "source": "", "subject": "", "question": "", "answers": []}
    blank |= {"edited_answers": [], "original": "", "edited": "", "target": "", "edit": "", "edits": []}
    return blank | {"touches_name": False} | dict(fields)


def build(events: Sequence[Event], terms: Sequence[Term], seed: int = 0) -> Built:
    """All samples. Each event and term has its own chance, so that others leave its samples as they are."""
    built = Built()
    known = pool((event.type, key, value) for event in events for key, value in event.attributes.items())
    for event in events:
        chance = random.Random(f"{seed}/{event.id}")
        made = built.first_good(_event_answers(event, known, chance))
        built.first_good(_event_others(event, made["key"] if made else "", known, chance))
    facts = pool((term.field, key, value) for term in terms for key, value in term.facts.items())
    for term in terms:
        chance = random.Random(f"{seed}/{term.id}")
        built.first_good(_term_answers(term, facts, chance))
        built.first_good(_term_others(term, terms, facts, chance))
        built.first_good(_term_text(term, facts, chance))
    return built


# -- events ----------------------------------------------------------------------------------------


def _shuffled(things: Sequence[Any], chance: random.Random) -> list[Any]:
    return chance.sample(list(things), len(things))


def _apart(event: Event) -> list[tuple[str, str]]:
    """The attributes whose values are no part of another value: France, but not where Anatole France is."""
    values = event.attributes.values()
    return [
        (key, value)
        for key, value in event.attributes.items()
        if not any(other != value and says(other, [value]) for other in values)
    ]


def _asked(event: Event, key: str) -> Fields:
    value = event.attributes[key]
    person = wording(key).kind == "who"
    return {
        "source": event.id,
        "subject": event.name,
        "key": key,
        "question": question(key, event.name),
        "answers": names_of(value, person=person),
        "original": event_text(event),
    }


def _event_answers(event: Event, known: Pool, chance: random.Random) -> Iterator[Fields]:
    """Step 3: the value that is asked for becomes that of another event, or another date."""
    for key, value in _shuffled(_apart(event), chance):
        fields = _asked(event, key)
        if wording(key).kind == "when":
            other = shifted_date(value, chance.choice([-1, 1]) * chance.randint(1, LONGEST_SHIFT), chance)
        else:
            other = another(value, known[event.type, key], fields["original"], chance)
        fields |= {
            "edited_answers": names_of(other, person=wording(key).kind == "who") if other else [],
            "edited": replace_words(fields["original"], value, other),
            "edit": "answer",
            "edits": [Edit(value, other)],
        }
        yield sample("events", "QA-A", fields)


def _event_others(event: Event, key: str, known: Pool, chance: random.Random) -> Iterator[Fields]:
    """Step 4: the dates, one place, or one person, that the question does not ask for."""
    for asked in [key] if key else _shuffled(list(event.attributes), chance):
        fields = _asked(event, asked)
        for kind in _shuffled(["when", "where", "who"], chance):
            for edited, edits in _changed(event, asked, kind, known, fields["original"], chance):
                more = {"edited": edited, "edits": edits, "edit": kind}
                more["touches_name"] = touches(event.name, edits)
                yield sample("events", "QA-NA", {**fields, **more})


def _changed(
    event: Event, asked: str, kind: str, known: Pool, text: str, chance: random.Random
) -> Iterator[tuple[str, list[Edit]]]:
    if kind == "when":
        if wording(asked).kind != "when":
            yield shifted_dates(text, chance)
        return
    for key, value in _shuffled(_apart(event), chance):
        if key != asked and wording(key).kind == kind:
            other = another(value, known[event.type, key], text, chance)
            if other:
                yield replace_words(text, value, other), [Edit(value, other)]


# -- terms -----------------------------------------------------------------------------------------


def _term_answers(term: Term, facts: Pool, chance: random.Random) -> Iterator[Fields]:
    """Steps 2 and 3: a word that a sentence turns on becomes a gap to fill, and in the text its contrast."""
    sentences = _distinct(term)
    for place in _shuffled(range(len(sentences)), chance):
        for edit in _sentence_edits(term, sentences[place], facts, chance):
            yield _term_sample(term, "QA-A", sentences, {place: edit}, edit, place)


def _term_others(term: Term, terms: Sequence[Term], facts: Pool, chance: random.Random) -> Iterator[Fields]:
    """Step 4: a word of each sentence but the one that is asked for, or a sentence about another term."""
    sentences = _distinct(term)
    for place in _shuffled(range(len(sentences)), chance):
        asked = next(_sentence_edits(term, sentences[place], facts, chance), None)
        if asked is None:
            continue
        others = _one_each(term, sentences, facts, chance, keep=asked.original, but=place)
        wordwise = _term_sample(term, "QA-NA", sentences, others, asked, place)
        foreign = _with_foreign(term, terms, wordwise, sentences, chance)
        yield from (foreign, wordwise) if chance.random() < 0.5 else (wordwise, foreign)


def _term_text(term: Term, facts: Pool, chance: random.Random) -> Iterator[Fields]:
    """Steps 3 and 4 together: a word of every sentence, for the definition to be written from."""
    sentences = _distinct(term)
    yield _term_sample(term, "TG", sentences, _one_each(term, sentences, facts, chance))


def _distinct(term: Term) -> list[str]:
    """Step 1: the sentences without those that say the same."""
    return list(dict.fromkeys(term.sentences))


def _sentence_edits(term: Term, text: str, facts: Pool, chance: random.Random) -> Iterator[Edit]:
    """The edits that are known for the sentence: of its fact, of a word with a contrast, of its year."""
    for key, value in term.facts.items():
        if says(text, [value]) and not says(term.term, [value]):
            other = another(value, facts[term.field, key], " ".join(term.sentences), chance)
            if other and not value.isdigit():
                yield Edit(value, other)
    yield from word_edits(text, keep=term.term)
    _, edits = shifted_dates(text, chance)
    yield from edits[:1]


def _one_each(
    term: Term, sentences: Sequence[str], facts: Pool, chance: random.Random, keep: str = "", but: int = -1
) -> dict[int, Edit]:
    """One edit per sentence, where one is known that leaves `keep` alone."""
    found = {}
    for place, text in enumerate(sentences):
        fit = (e for e in _sentence_edits(term, text, facts, chance) if not says(keep, [e.original]))
        if place != but and (edit := next(fit, None)):
            found[place] = edit
    return found


def _term_sample(
    term: Term,
    task: str,
    sentences: Sequence[str],
    edits: Mapping[int, Edit],
    asked: Edit | None = None,
    place: int = -1,
) -> Fields:
    edited = [applied(text, edits[i]) if i in edits else text for i, text in enumerate(sentences)]
    fields: Fields = {
        "source": term.id,
        "subject": term.term,
        "original": term_text(term, sentences),
        "edited": term_text(term, edited),
        "target": term.definition if task == "TG" else "",
        "edit": "answer" if task == "QA-A" else "words",
        "edits": list(edits.values()),
    }
    if asked is not None:
        fields["question"] = gap_question(term, sentences[place], asked.original)
        fields["answers"] = [asked.original]
        fields["edited_answers"] = [asked.edited] if task == "QA-A" else []
    return sample("terms", task, fields)


def gap_question(term: Term, text: str, answer: str) -> str:
    """The sentence with a gap for the answer, as a question.

    An article before the gap does not tell how the answer begins.
    """
    gapped = re.sub(rf"\b([Aa])n? {GAP}", rf"\1(n) {GAP}", replace_words(text, answer, GAP))
    return f'What belongs in the gap of this statement about {term.term}: "{gapped}"'


def _with_foreign(
    term: Term, terms: Sequence[Term], fields: Fields, sentences: Sequence[str], chance: random.Random
) -> Fields:
    """The sample with a sentence about a term of another field, as if it were about this one."""
    others = [other for other in terms if other.field != term.field and not other.facts]
    foreign = ""
    for other in chance.sample(others, min(len(others), 20)):
        fit = [x for x in other.sentences if len(x.split()) >= FOREIGN_WORDS and x.startswith("It")]
        if fit and not says(fit[0], fields["answers"]):
            foreign = fit[0]  # its pronoun now stands for this term
            break
    place = chance.randint(1, len(sentences))
    edited = [*sentences[:place], *([foreign] if foreign else []), *sentences[place:]]
    return {**fields, "edited": term_text(term, edited), "edit": "sentence", "edits": [Edit("", foreign)]}
