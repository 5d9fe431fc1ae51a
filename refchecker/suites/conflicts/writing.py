"""What a language model writes for the data: lists of entities, what it knows of each, questions.

The passages are the model's own knowledge, so the data is for that model. What it did not write, or wrote
unusably, is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...errors import UsageError
from ...llms.prompt import prompt
from ..ask import replies_to
from ..types import Ask
from .edits import Pair
from .entities import Entity

MIN_WORDS = 12
TOKENS = {"passage": 160, "question": 64, "list": 1024}
PROMPTS = ("passage", "question_about", "question_other", "domains", "fields", "entities")


def list_entities(ask: Ask, counts: Sequence[int], dropped: Counter[str]) -> list[Entity]:
    """So many domains, fields of each, entities of each of these, as the model names them; each once."""
    domains, fields, entities = counts
    named = _lists(ask, "domains", [{}], domains, dropped)[0]
    by_domain = _lists(ask, "fields", [{"domain": name} for name in named], fields, dropped)
    places = [
        {"domain": domain, "field": field}
        for domain, named_fields in zip(named, by_domain, strict=True)
        for field in named_fields
    ]
    listed: dict[str, Entity] = {}
    for place, names in zip(places, _lists(ask, "entities", places, entities, dropped), strict=True):
        for name in names:
            if name.casefold() in listed:
                dropped["an entity that was named before"] += 1
            else:
                listed[name.casefold()] = Entity(place["domain"], place["field"], name)
    if not listed:
        raise UsageError("--list: the model named no entities. Ask another --llm, or give --entities FILE.")
    return list(listed.values())


def _lists(
    ask: Ask, name: str, places: Sequence[dict[str, str]], count: int, dropped: Counter[str]
) -> list[list[str]]:
    replies = replies_to(
        ask, f"conflicts_{name}", [{**place, "count": count} for place in places], TOKENS["list"]
    )
    dropped[f"a list of {name} that did not come"] += sum(reply is None for reply in replies)
    return [lines_of(reply or "")[:count] for reply in replies]


def lines_of(reply: str) -> list[str]:
    """The lines of a list without numbers and marks, each once.

    >>> lines_of("1. Physics\\n- **Art**\\n\\n2) Physics")
    ['Physics', 'Art']
    """
    lines = (re.sub(r"^\W*(?:\d+\s*[.):]\s*)?\W*", "", line).strip(" *_.\t") for line in reply.splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def elicited(ask: Ask, entities: Sequence[Entity], dropped: Counter[str]) -> list[Entity]:
    """The entities with what the model says about them, in the place of what we say."""
    fills = [{"entity": entity.name, "field": entity.field} for entity in entities]
    replies = replies_to(ask, "conflicts_passage", fills, TOKENS["passage"])
    known = []
    for entity, reply in zip(entities, replies, strict=True):
        text = whole_sentences(reply or "")
        if len(text.split()) < MIN_WORDS:
            why = "no reply" if reply is None else f"fewer than {MIN_WORDS} words in whole sentences"
            dropped[f"a passage: {why}"] += 1
        else:
            known.append(replace(entity, passage=text, restated="", questions=()))
    return known


def whole_sentences(reply: str) -> str:
    """Its text in one line, without marks, up to the last sentence that ends.

    >>> whole_sentences("**Oslo** is a city.\\nIt lies in")
    'Oslo is a city.'
    """
    text = " ".join(re.sub(r"[*_#`]+", "", reply).split())
    end = max(text.rfind(mark) for mark in ".!?")
    return text[: end + 1]


def with_questions(ask: Ask, pairs: Sequence[Pair], dropped: Counter[str]) -> list[Pair]:
    """The pairs with a question whose answer is the edit, and one that it leaves alone."""
    fields = [{"context": pair.conflicting, "answer": pair.substitute} for pair in pairs]
    about = replies_to(ask, "conflicts_question_about", fields, TOKENS["question"])
    other = replies_to(ask, "conflicts_question_other", fields, TOKENS["question"])
    made = []
    for pair, one, two in zip(pairs, about, other, strict=True):
        kept = [question_of(reply, pair.substitute) for reply in (one, two)]
        dropped["a question: not usable, or it has the answer in it"] += kept.count("")
        made.append(replace(pair, about=kept[0], other=kept[1] if kept[0] else ""))
    return made


def question_of(reply: str | None, answer: str) -> str:
    """The question of the reply; "" where it has none, or says the answer.

    >>> question_of("Question: Where is it?", "Oslo"), question_of("Is it Oslo?", "Oslo")
    ('Where is it?', '')
    """
    question = re.search(r"(?:question\W*:\W*)?(\w[^?\n]*\?)", reply or "", re.IGNORECASE)
    if not question or answer.casefold() in question[1].casefold():
        return ""
    return question[1].strip()


def versions() -> list[str]:
    return [prompt(f"conflicts_{name}").version for name in PROMPTS]
