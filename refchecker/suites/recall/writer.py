"""The four steps by a language model: the same samples as by rules, from prompts of ours."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..ask import replies_to
from ..types import Ask
from .answers import names_of
from .edits import Edit, replace_words, touches
from .facts import Event, Term
from .inspection import flaw
from .published import word_changes
from .rules import Built, sample

TOKENS = 512
OTHERS = {
    "when": "Change the dates of this text, and nothing but the dates, to other dates.",
    "where": "Change the name of one city, country or continent of this text to another one, everywhere.",
    "who": "Change the name of one person of this text to that of another person, everywhere.",
    "words": "Change exactly one word of each sentence to one that makes the sentence false.",
}
Subject = tuple[str, str, str, str, str]  # set, source, name, facts, definition


def build_by_llm(
    events: Sequence[Event], terms: Sequence[Term], ask: Ask, tell: Callable[[str], None], seed: int = 0
) -> Built:
    """All samples that pass the inspection. Each step asks about all subjects at once; answers are cached."""
    subjects = [_event(event) for event in events] + [_term(term) for term in terms]
    built = Built()
    texts = _asked(ask, "recall_paraphrase", [{"subject": s[2], "facts": s[3]} for s in subjects])
    pairs = _asked(
        ask,
        "recall_question",
        [{"subject": s[2], "context": t} for s, t in zip(subjects, texts, strict=True)],
    )
    questions = [(_json(pair, "question"), _json(pair, "answer")) for pair in pairs]
    known = [
        {"subject": s[2], "context": text, "question": question, "answer": answer}
        for s, text, (question, answer) in zip(subjects, texts, questions, strict=True)
    ]
    wrong = [_json(reply, "answer") for reply in _asked(ask, "recall_edit_answer", known)]
    kinds = [_kind(subject, seed) for subject in subjects]
    others = _asked(
        ask,
        "recall_edit_others",
        [fill | {"task": OTHERS[kind]} for fill, kind in zip(known, kinds, strict=True)],
    )
    for subject, fill, false, kind, other in zip(subjects, known, wrong, kinds, others, strict=True):
        for fields in _samples(subject, fill, false, kind, _json(other, "text")):
            built.keep(fields, flaw(fields) if fields["original"] else "a step was not answered")
    tell(f"{len(built.samples):,} samples by {ask.signature}")
    return built


def _event(event: Event) -> Subject:
    facts = {"what it was": event.description, **event.attributes}
    return "events", event.id, event.name, "\n".join(f"- {k}: {v}" for k, v in facts.items()), ""


def _term(term: Term) -> Subject:
    return "terms", term.id, term.term, "\n".join(f"- {text}" for text in term.sentences), term.definition


def _kind(subject: Subject, seed: int) -> str:
    if subject[0] == "terms":
        return "words"
    return random.Random(f"{seed}/{subject[1]}").choice(["when", "where", "who"])


def _asked(ask: Ask, name: str, fills: Sequence[Mapping[str, str]]) -> list[str]:
    """The replies to a prompt; empty where there is none."""
    return [(reply or "").strip() for reply in replies_to(ask, name, fills, TOKENS)]


def _json(reply: str, name: str) -> str:
    """A text under that name of the first object of the reply; empty if it cannot be read.

    >>> _json('Sure: {"answer": "Rome"}', "answer"), _json("Rome", "answer")
    ('Rome', '')
    """
    start, end = reply.find("{"), reply.rfind("}")
    try:
        value = json.loads(reply[start : end + 1]).get(name)
    except ValueError:
        return ""
    return value.strip() if isinstance(value, str) else ""


def _samples(
    subject: Subject, fill: dict[str, str], false: str, kind: str, other: str
) -> list[dict[str, Any]]:
    of, source, name, _, definition = subject
    text, answer = fill["context"], fill["answer"]
    common: dict[str, Any] = {
        "source": source,
        "subject": name,
        "original": text,
        "question": fill["question"],
    }
    common |= {"answers": names_of(answer) if answer else []}
    replaced = replace_words(text, answer, false) if answer and false else ""
    changed = word_changes(text, other) if other else []
    wordwise = {"edited": other, "edits": changed, "edit": kind}
    made = [
        sample(of, "QA-A", {**common, "edited_answers": names_of(false) if false else [], "edited": replaced,
                            "edit": "answer", "edits": [Edit(answer, false)]}),
        sample(of, "QA-NA", {**common, **wordwise, "touches_name": touches(name, changed)}),
    ]  # fmt: skip
    if of == "terms":
        both = replace_words(other, answer, false) if answer and false else other
        whole = {
            **common,
            **wordwise,
            "edited": both,
            "edits": word_changes(text, both),
            "target": definition,
        }
        made.append(sample(of, "TG", {**whole, "question": "", "answers": []}))
    return made
