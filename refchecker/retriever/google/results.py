"""What a search engine shows: short texts that are references themselves, and pages to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple
from urllib.parse import quote_plus

from ...types import Passage
from .addresses import NoPage, target_of


class Results(NamedTuple):
    """The short texts of a page of results, and the addresses behind them, the promising first.

    The source of a short text is the address that it is shown for with `#answer-box`,
    `#knowledge-graph` or `#search-snippet`: its offsets are not those of the page's text.
    """

    snippets: tuple[Passage, ...]
    links: tuple[str, ...]


def read_results(answer: Mapping[str, Any], time: str) -> Results:
    """What is in an answer of Serper's, searched for at `time`; whatever is missing or odd is left out.

    >>> answer = {"organic": [{"title": "Bern", "link": "https://bern.example/", "snippet": "A city."}]}
    >>> read_results(answer, "").snippets[0].source
    'https://bern.example/#search-snippet'
    """
    shown = f"https://www.google.com/search?q={quote_plus(_text(_part(answer, 'searchParameters').get('q')))}"
    found = [
        _answer_box(_part(answer, "answerBox")),
        _knowledge_graph(_part(answer, "knowledgeGraph")),
        *map(_organic, _objects(answer.get("organic"))),
    ]
    return Results(
        tuple(
            Passage(each.text, f"{each.link or shown}#{each.kind}", title=each.title, time=time)
            for each in found
            if each.text
        ),
        tuple(dict.fromkeys(each.link for each in found if each.link)),
    )


def joined(answers: Sequence[Results]) -> Results:
    """Those of several searches: each text once, and the first link of each search, then the second, ...

    Where several texts have one source, that of the second is `source-2`.
    """
    snippets: dict[str, Passage] = {}
    uses: Counter[str] = Counter()
    for snippet in (snippet for answer in answers for snippet in answer.snippets):
        if snippet.text not in snippets:
            uses[snippet.source] += 1
            number = uses[snippet.source]
            source = f"{snippet.source}-{number}" if number > 1 else snippet.source
            snippets[snippet.text] = replace(snippet, source=source)
    in_turn = (link for links in zip_longest(*(answer.links for answer in answers)) for link in links)
    pages = dict.fromkeys(map(_page_of, filter(None, in_turn)))
    return Results(tuple(snippets.values()), tuple(pages))


def _page_of(link: str) -> str:
    """The page's address in plain form, so that it is not read twice; the link itself if it is none."""
    try:
        return target_of(link).url
    except NoPage:
        return link


class _Found(NamedTuple):
    kind: str
    title: str
    text: str
    link: str


def _answer_box(box: Mapping[str, Any]) -> _Found:
    """Its answer may be a word or two, which say something only under their title."""
    title, answer = _text(box.get("title")), _text(box.get("answer"))
    snippet = _text(box.get("snippet")) or _text(box.get("snippetHighlighted"))
    if answer and answer not in snippet:
        answer = f"{title}: {answer}" if title else answer
        snippet = f"{answer}\n{snippet}" if snippet else answer
    return _Found("answer-box", title, snippet, _link(box, "link"))


def _knowledge_graph(graph: Mapping[str, Any]) -> _Found:
    """A line for what the thing is, its description, and a line for each of its attributes."""
    title = _text(graph.get("title"))
    kind = _text(graph.get("type"))
    attributes = {_text(name): _text(value) for name, value in _part(graph, "attributes").items()}
    lines = [
        f"{title}: {kind}" if title and kind else "",
        _text(graph.get("description")),
        *(f"{title}, {name}: {value}" for name, value in attributes.items() if name and value and title),
    ]
    link = _link(graph, "descriptionLink") or _link(graph, "website")
    return _Found("knowledge-graph", title, "\n".join(filter(None, lines)), link)


def _organic(result: Mapping[str, Any]) -> _Found:
    return _Found(
        "search-snippet", _text(result.get("title")), _text(result.get("snippet")), _link(result, "link")
    )


def _part(whole: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = whole.get(name)
    return part if isinstance(part, dict) else {}


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in (value if isinstance(value, list) else []) if isinstance(each, dict))


def _text(value: Any) -> str:
    """A string, a number or a list of them on one line; nothing for the rest."""
    if isinstance(value, list):
        return " ".join(filter(None, map(_text, value)))
    if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return " ".join(str(value).split())
    return ""


def _link(result: Mapping[str, Any], name: str) -> str:
    link = _text(result.get(name))
    return link if link.lower().startswith(("http://", "https://")) else ""
