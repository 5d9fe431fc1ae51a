"""What to ask a search engine about a record: by rules, or by a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from threading import Lock

from ...llms import loop
from ...llms.fence import fence_for, fenced, one_line
from ...llms.lenient_json import values, without_thoughts
from ...llms.prompt import object_schema, prompt
from ...llms.types import Client, GaveUp, Refused, Reply, Request
from ...text import declines, sentences
from ...types import RESPONSE, Passage, Record
from ..terms import terms

MAX_WORDS = 32  # Google reads no more of a query
MAX_TOKENS = 400

_OPERATORS = re.compile(
    r"(?<!\w)[-+~@]+(?=\w)|(?<=[^\W\d]):(?=\w)|\b(?:OR|AND|AROUND)\b|[\"“”„«»*|()\[\]{}<>^]"
)
_CLAIMS_SHOWN = 60


class RuleQueries:
    """The question first, then the claims that ask for most that is not asked for yet.

    Without claims the sentences of the response stand in for them. A claim whose words all
    stand in other queries is not asked about.
    """

    signature = "rules"

    def __init__(self, *, most: int, language: str = "en") -> None:
        self.most, self.language = most, language

    def __call__(self, record: Record, /) -> list[str]:
        """At most `most` queries, none twice."""
        question = plain_query(record.question)
        asked = set(terms(question, self.language))
        chosen = [question] if asked else []
        waiting = [
            (query, set(terms(query, self.language)))
            for query in map(plain_query, statements(record, self.language))
        ]
        while len(chosen) < self.most:
            query, words = max(waiting, key=lambda each: len(each[1] - asked), default=("", set()))
            if not words - asked:
                break
            chosen.append(query)
            asked |= words
        return chosen[: self.most]

    def remarks(self) -> list[str]:
        return []


class LLMQueries:
    """What a language model would ask; by rules where its reply cannot be had or read, and counted."""

    def __init__(self, client: Client, rules: RuleQueries) -> None:
        self._client, self._rules = client, rules
        self._prompt = prompt("search_queries")
        self._lock, self._missing = Lock(), Counter[str]()
        self.signature = f"llm({client.signature},{self._prompt.version})"

    def __call__(self, record: Record, /) -> list[str]:
        """At most `most` queries, none twice."""
        try:
            reply = loop.run(self._client.ask(self.request(record), accept=_readable))
        except (GaveUp, Refused) as error:
            return self._by_rules(record, f"the model did not answer ({type(error).__name__})")
        queries = read_queries(reply.text)
        if not queries:
            return self._by_rules(record, "the model's reply could not be read")
        return queries[: self._rules.most]

    def remarks(self) -> list[str]:
        """How often it was the rules, a line for each reason."""
        return [f"search queries by rules, as {why}: {count}" for why, count in self._missing.items()]

    def request(self, record: Record) -> Request:
        """What the model is asked about a record."""
        claims = statements(record, self._rules.language)[:_CLAIMS_SHOWN]
        lines = "\n".join(f"- {one_line(claim)}" for claim in claims)
        fence = fence_for(lines, record.question)
        material = [fenced("question", record.question, fence)] if record.question.strip() else []
        material.append(fenced("claims", lines, fence))
        return Request(
            self._prompt.system,
            self._prompt.user.substitute(fence=fence, material="\n\n".join(material), most=self._rules.most),
            max_tokens=MAX_TOKENS,
            schema=object_schema({"queries": {"type": "array", "items": {"type": "string"}}}),
            schema_name="queries",
            prompt=self._prompt.version,
        )

    def _by_rules(self, record: Record, why: str) -> list[str]:
        with self._lock:
            self._missing[why] += 1
        return self._rules(record)


def statements(record: Record, language: str) -> list[str]:
    """What the record claims: its claims, or the sentences of its response where there are none.

    A response that declines to answer claims nothing.
    """
    if record.claims:
        return [claim.text for claim in record.claims]
    said = [piece.text for piece in sentences(Passage(record.response, RESPONSE), language=language)]
    return [] if declines(said) else said


def plain_query(text: str) -> str:
    """The text as a query of plain words: what a search engine takes for an operator is taken out.

    A response could otherwise choose by `site:` where its own references come from.

    >>> plain_query('"Ada" -Byron site:evil.example (born OR raised) 1815')
    'Ada Byron site evil.example born raised 1815'
    """
    return " ".join(_OPERATORS.sub(" ", text).split()[:MAX_WORDS]).strip(" .,;:!")


def read_queries(reply: str) -> list[str]:
    """The queries in a model's reply, plain, none twice; empty where it has none.

    >>> read_queries('Here: {"queries": ["Ada Lovelace born", "ada lovelace born", "site:x.example Ada"]}')
    ['Ada Lovelace born', 'site x.example Ada']
    """
    for value, _ in reversed(values(without_thoughts(reply))):
        found = value.get("queries") if isinstance(value, dict) else value
        if isinstance(found, list) and found and all(isinstance(query, str) for query in found):
            return _distinct(map(plain_query, found))
    return []


def _distinct(queries: Iterable[str]) -> list[str]:
    first: dict[str, str] = {}
    for query in filter(None, queries):
        first.setdefault(query.casefold(), query)
    return list(first.values())


def _readable(reply: Reply) -> bool:
    return bool(read_queries(reply.text))
