"""What a language model writes for the data: lists of entities, what it knows of each, questions.

The passages are the model's own knowledge, so the data is for that model. What it did not write, or wrote
unusably, is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import LLMError, UsageError
from ...llms.prompt import prompt
from ...llms.types import Request
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
    places = [(domain, each) for domain, own in zip(named, by_domain, strict=True) for each in own]
    by_field = _lists(
        ask, "entities", [{"domain": domain, "field": each} for domain, each in places], entities, dropped
    )
    found: dict[str, Entity] = {}
    for (domain, each), own in zip(places, by_field, strict=True):
        for name in own:
            if name.casefold() in found:
                dropped["an entity that was named before"] += 1
            else:
                found[name.casefold()] = Entity(domain, each, name)
    if not found:
        raise UsageError("--list: the model named no entities. Ask another --llm, or give --entities FILE.")
    return list(found.values())


def _lists(
    ask: Ask, name: str, places: Sequence[dict[str, str]], count: int, dropped: Counter[str]
) -> list[list[str]]:
    replies = _asked(ask, name, [{**place, "count": count} for place in places], TOKENS["list"])
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
    replies = _asked(
        ask, "passage", [{"entity": e.name, "field": e.field} for e in entities], TOKENS["passage"]
    )
    found = []
    for entity, reply in zip(entities, replies, strict=True):
        text = whole_sentences(reply or "")
        if len(text.split()) < MIN_WORDS:
            why = "no reply" if reply is None else f"fewer than {MIN_WORDS} words in whole sentences"
            dropped[f"a passage: {why}"] += 1
        else:
            found.append(replace(entity, passage=text, restated="", questions=()))
    return found


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
    about = _asked(ask, "question_about", fields, TOKENS["question"])
    other = _asked(ask, "question_other", fields, TOKENS["question"])
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
    found = re.search(r"(?:question\W*:\W*)?(\w[^?\n]*\?)", reply or "", re.IGNORECASE)
    if not found or answer.casefold() in found[1].casefold():
        return ""
    return found[1].strip()


def _asked(ask: Ask, name: str, fields: Sequence[dict[str, Any]], max_tokens: int) -> list[str | None]:
    """The reply to each filled prompt; None where there is none."""
    form = prompt(f"conflicts_{name}")
    requests = [Request(form.system, form.user.substitute(**each), max_tokens) for each in fields]
    return [None if isinstance(reply, LLMError) else reply.text for reply in ask(requests)]


def versions() -> list[str]:
    return [prompt(f"conflicts_{name}").version for name in PROMPTS]
