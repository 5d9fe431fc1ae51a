"""Pairs of passages that disagree: a named entity replaced by another of its kind, or the subject itself.

After Wang et al. (2024), section 2.2. What takes the place of an entity comes from passages of the same
domain. An edit that did not make a clear disagreement is dropped, and counted with the reason.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .edits import (
    KINDS,
    SHUFFLING,
    SUBSTITUTION,
    Mention,
    Pair,
    Recognise,
    edited,
    fault,
    mentions_of,
    places_of,
    shape,
    subject_fault,
    unseen,
)
from .entities import Entity

_TRIES = 20  # substitutes for one entity that are tried


@dataclass
class Made:
    """Pairs; entities that gave none, by method and reason; edits that were tried and dropped, by reason."""

    pairs: list[Pair] = field(default_factory=list)
    without: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)


def make(
    entities: Sequence[Entity],
    corpus: Sequence[Entity],
    recognise: Recognise,
    *,
    method: str,
    substitutions: int,
    seed: int,
) -> Made:
    """Pairs of the entities, in their order; what is put in comes from the corpus, which has them too.

    `method` is one of METHODS, "both", or "paper": a subject is shuffled only where nothing could be
    substituted.
    """
    made = Made()
    domains = {entity.domain for entity in entities}
    corpus = [entity for entity in corpus if entity.domain in domains]
    found = {entity.id: mentions_of(entity, recognise) for entity in corpus}
    pools = _pools(corpus, found)
    for entity in entities:
        rng = random.Random(f"{seed}/{entity.id}")
        pairs: list[Pair] = []
        if method != SHUFFLING:
            pairs = _substituted(entity, found[entity.id], pools[entity.domain], recognise, rng, made)
            pairs = pairs[:substitutions]
        if method in (SHUFFLING, "both") or (method == "paper" and not pairs):
            pairs += _shuffled(entity, corpus, rng, made)
        made.pairs += pairs
    return made


@dataclass
class Pool:
    """What may take a place in a domain: texts by label, and what questions call those they ask for."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    asked_as: dict[str, set[str]] = field(default_factory=dict)


def _pools(entities: Sequence[Entity], found: Mapping[str, Sequence[Mention]]) -> dict[str, Pool]:
    """By domain, the named entities of its passages, each once."""
    pools: dict[str, Pool] = {}
    for entity in entities:
        pool = pools.setdefault(entity.domain, Pool())
        for mention in found[entity.id]:
            texts = pool.texts.setdefault(mention.label, [])
            if mention.text not in texts:
                texts.append(mention.text)
        for question, answer in entity.questions:
            pool.asked_as.setdefault(answer, set()).update(_noun(question))
    return pools


def _noun(question: str) -> list[str]:
    """What a question calls its answer: "city" in "In which city ...?"."""
    return re.findall(r"^whom?\b|\bwhich \w+", question.casefold())[:1]


def _other_sort(pair: Pair, asked_as: Mapping[str, set[str]]) -> str:
    """Why a name is not asked for as the original is. Of numbers and dates the shape says enough."""
    wanted, found = (asked_as.get(text, set()) for text in (pair.original, pair.substitute))
    if not wanted or wanted & found or (shape(pair.substitute) and not found):
        return ""
    return "not known to be of the same sort: a city for a city"


# -- substitution --------------------------------------------------------------------------------


def _substituted(
    entity: Entity,
    mentions: Sequence[Mention],
    pool: Pool,
    recognise: Recognise,
    rng: random.Random,
    made: Made,
) -> list[Pair]:
    """A pair for each named entity that has a substitute: first those that a question asks for."""
    each = list({mention.text: mention for mention in mentions}.values())
    rng.shuffle(each)
    each.sort(key=lambda mention: not _asked(entity, mention.text))
    pairs, why = [], "no named entity of the six kinds" if not each else ""
    for mention in each:
        wanted = pool.asked_as.get(mention.text, set())
        candidates = [text for text in pool.texts[mention.label] if text != mention.text]
        rng.shuffle(candidates)
        candidates.sort(key=lambda text: not wanted & pool.asked_as.get(text, set()))
        why = "no other entity of its kind in the domain" if not candidates else why
        for substitute in candidates[:_TRIES]:
            pair = edited(entity, SUBSTITUTION, KINDS[mention.label], mention.text, substitute)
            why = fault(pair) or _other_sort(pair, pool.asked_as) or unseen(pair, mention.label, recognise)
            if not why:
                pairs.append(_with_questions(pair))
                break
            made.dropped[why] += 1
    if not pairs:
        made.without[f"{SUBSTITUTION}: {why}"] += 1
    return pairs


# -- shuffling -----------------------------------------------------------------------------------


def _shuffled(entity: Entity, corpus: Sequence[Entity], rng: random.Random, made: Made) -> list[Pair]:
    """The passage with another subject: of the same field where there is one, else of the domain."""
    others = [each for each in corpus if each.domain == entity.domain and each.name != entity.name]
    rng.shuffle(others)
    others.sort(key=lambda each: each.field != entity.field)
    why = "no other subject in the domain"
    for other in others:
        pair = edited(entity, SHUFFLING, "subject", entity.name, other.name)
        why = subject_fault(pair)
        if not why:
            return [_with_questions(pair)]
        made.dropped[why] += 1
    made.without[f"{SHUFFLING}: {why}"] += 1
    return []


# -- questions -----------------------------------------------------------------------------------


def _asked(entity: Entity, text: str) -> str:
    """The question whose answer it is."""
    wanted = _bare(text)
    return next((question for question, answer in entity.questions if _bare(answer) == wanted), "")


def _bare(text: str) -> str:
    return re.sub(r"^the\s+", "", text.strip().casefold())


def _with_questions(pair: Pair) -> Pair:
    """With the question about the edit, and one that it leaves alone."""
    about = _asked(pair.entity, pair.original)
    edited = {pair.original, pair.substitute}
    untouched = [
        question
        for question, answer in pair.entity.questions
        if question != about and not any(places_of(text, f"{question} {answer}") for text in edited)
    ]
    rng = random.Random(f"{pair.entity.id}/{pair.original}")
    return replace(pair, about=about, other=rng.choice(untouched) if about and untouched else "")


def unique(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Each edited passage once."""
    seen = set()
    for pair in pairs:
        if pair.conflicting not in seen:
            seen.add(pair.conflicting)
            yield pair
