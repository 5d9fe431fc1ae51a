"""The `google` retriever: references from the web, found through Serper.

Its passages are what the page of results shows and pieces of the pages behind it. Offsets of a
piece count in the page's main text as it was extracted, which is what cache and snapshot keep.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

from ...errors import imported
from ...protocols import LLM
from ...types import Passage, Record
from ..passages import split
from ..ranking import Embed, rank
from .addresses import NoPage
from .memory import FAILED, FILE_NAME, Memory, Outcome, Outcomes, Snapshot
from .queries import LLMQueries, RuleQueries, statements
from .results import Results, joined, read_results
from .search import RESULTS, Serper, key_in
from .threads import Pool
from .web import Web, WebPage, now

SEARCHES = 4
PAGES = 8
TOP = 5
RECORDS = 8  # looked up at the same time
CONNECTIONS = 24

_GAP = re.compile(r"\s*(?:\.{3,}|…)\s*")


class Queries(Protocol):
    """What to ask a search engine about a record."""

    signature: str

    def __call__(self, record: Record, /) -> list[str]: ...

    def remarks(self) -> list[str]: ...


def serper_retriever(
    *,
    api_key: str | None = None,
    serper_api_key: str | None = None,
    serper_api_base: str | None = None,
    searches: int = SEARCHES,
    pages: int = PAGES,
    k: int = TOP,
    language: str = "en",
    embed: Embed | None = None,
    llm: LLM | None = None,
    query_model: str | None = None,
    cache_dir: str | None = None,
    max_age_days: float | None = None,
    snapshot: str | None = None,
    **llm_options: Any,
) -> SerperRetriever:
    """The retriever, ready to be called with records.

    The key is `api_key`, or in the file `serper_api_key`, or in SERPER_API_KEY; with a whole
    `snapshot`, which is a file, none is needed. `searches` are made and `pages` read per record at
    most; `k` passages are kept. Queries are made by rules, or by `llm`, a function from prompts to
    replies, or by `query_model`, a model's name, for which the other options are. `embed` ranks by
    meaning too. What `cache_dir` has is asked for again when it is older than `max_age_days`.
    """
    from ...llms import client_of, load
    from ...llms.providers import Function

    for package in (
        "bm25s",
        "protego",
        "snowballstemmer",
        "trafilatura",
    ):  # missed now, not after the first search
        imported(package, "retrieval")
    memory = Memory(
        Outcomes(Path(cache_dir, FILE_NAME)) if cache_dir else None,
        Snapshot(snapshot) if snapshot else None,
        max_age_days=max_age_days,
    )
    client = None
    if llm and not memory.frozen:
        client = client_of(Function(llm), cache_dir=cache_dir)
    elif query_model and not memory.frozen:
        # what is asked of the web depends on the answers, so they cannot wait for a batch
        client = load(query_model, cache_dir=cache_dir, **llm_options | {"batching": None})
    rules = RuleQueries(most=searches, language=language)
    return SerperRetriever(
        None if memory.frozen else Serper(api_key or key_in(serper_api_key), address=serper_api_base),
        Web(),
        memory,
        LLMQueries(client, rules) if client else rules,
        pages=pages,
        k=k,
        language=language,
        embed=embed,
    )


class SerperRetriever:
    """Passages about a record from the web, best first; none where nothing fits.

    `search` is None where the memory's snapshot has all the answers. Errors: those of `search`;
    a page that cannot be had is only counted.
    """

    def __init__(
        self,
        search: Callable[[Mapping[str, Any]], dict[str, Any]] | None,
        read: Callable[[str], WebPage],
        memory: Memory,
        queries: Queries,
        *,
        pages: int = PAGES,
        k: int = TOP,
        language: str = "en",
        embed: Embed | None = None,
    ) -> None:
        self._search, self._read, self._memory, self._queries = search, read, memory, queries
        self._pages, self._k, self._language, self._embed = pages, k, language, embed
        self._records, self._connections = Pool(RECORDS), Pool(CONNECTIONS)
        self._lock, self._counts, self._missed = Lock(), Counter[str](), Counter[str]()
        ranked = "bm25+embedding" if embed else "bm25"
        self.signature = f"google(queries:{queries.signature},pages:{pages},k:{k},{ranked},v1)"

    def __call__(self, record: Record, /) -> list[Passage]:
        said = statements(record, self._language)
        key = _key(record.question, *said)
        queries = self._memory("queries", key, lambda: {"made": self._queries(record)}, cached=False)["made"]
        found = joined(self._side_by_side(self._results, queries))
        pages = [page for page in self._side_by_side(self._page, found.links[: self._pages]) if page]
        texts = _distinct_texts(pages)
        pieces = [piece for text in texts for piece in split(text, language=self._language)]
        candidates = _unsaid(found.snippets, texts) + pieces
        wanted = list(filter(str.strip, (record.question, *said)))
        return rank(wanted, candidates, most=self._k, language=self._language, embed=self._embed)

    def begin(self, record: Record, /) -> Future[Sequence[Passage]]:
        """What `__call__` gives, without waiting for it."""
        return self._records.submit(self, record)

    def remarks(self) -> list[str]:
        """What was asked and read, and what was not, a few lines for a person."""
        counts = self._counts
        searches = f"searches {counts['searches']:,}, {counts['paid']:,} of them asked of Serper"
        lines = [f"{searches}; pages read {counts['pages']:,}"] if counts else []
        if self._missed:
            causes = ", ".join(f"{cause} {count:,}" for cause, count in self._missed.most_common())
            lines.append(f"pages not read {self._missed.total():,} ({causes})")
        return lines + self._queries.remarks()

    def finish(self) -> None:
        """The run has come to its end: a snapshot is whole, unless something could not be had."""
        self._memory.finish()

    def close(self) -> None:
        self._records.close()
        self._connections.close()
        self._memory.close()

    def _side_by_side(self, call: Callable[[str], Any], items: Sequence[str]) -> list[Any]:
        futures = [self._connections.submit(call, item) for item in items]
        return [future.result() for future in futures]

    def _results(self, query: str) -> Results:
        asked = {"q": query, "num": RESULTS, "hl": self._language}
        outcome = self._memory("search", json.dumps(asked, sort_keys=True), lambda: self._asked(asked))
        self._count("searches")
        return read_results(outcome["answer"], outcome["time"])

    def _asked(self, asked: Mapping[str, Any]) -> Outcome:
        assert self._search, "a whole snapshot answers or raises"
        answer = self._search(asked)
        self._count("paid")
        return {"time": now(), "answer": answer}

    def _page(self, link: str) -> WebPage | None:
        outcome = self._memory("page", link, lambda: self._outcome(link))
        if FAILED in outcome:
            with self._lock:
                self._missed[outcome[FAILED]] += 1
            return None
        self._count("pages")
        return WebPage(**outcome)

    def _outcome(self, link: str) -> Outcome:
        try:
            return self._read(link)._asdict()
        except NoPage as error:
            return {FAILED: error.cause, "detail": str(error)}

    def _count(self, what: str) -> None:
        with self._lock:
            self._counts[what] += 1


def _key(*texts: str) -> str:
    """What is asked for texts is kept under: their start, which a person can read, and a hash of all."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{' '.join(filter(None, texts))[:80]} {digest[:16]}"


def _distinct_texts(pages: Sequence[WebPage]) -> list[Passage]:
    """The pages' texts, of equal ones the first, and one for each address."""
    texts: dict[str, WebPage] = {}
    for page in pages:
        texts.setdefault(_plain(page.text), page)
    addresses: dict[str, WebPage] = {}
    for page in texts.values():
        addresses.setdefault(page.url, page)
    return [Passage(page.text, page.url, title=page.title, time=page.time) for page in addresses.values()]


def _unsaid(snippets: Sequence[Passage], texts: Sequence[Passage]) -> list[Passage]:
    """The snippets that none of the texts has too, with all around it; "..." stands for anything."""
    plain = [_plain(text.text) for text in texts]
    return [
        snippet
        for snippet in snippets
        if not any(_has(text, _GAP.split(_plain(snippet.text))) for text in plain)
    ]


def _has(text: str, parts: Sequence[str]) -> bool:
    position = 0
    for part in filter(None, parts):
        position = text.find(part, position) + len(part)
        if position < len(part):
            return False
    return True


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
