"""Answers that are no sentences: "Paris.", "Yes.", "1. Foo - bar", "(born 1949)"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .clauses import Edge
from .phrases import Part, PhraseReader, tidy
from .tree import SUBJECT

Parse = Callable[[str], Any]

_QUESTION = re.compile(
    r"\b(who|whom|what|which|when|where|how\s+(?:many|much|long|old|far|often|tall|big))\b(?!.*\b(?:who|what|when|where)\b\s+(?:is|are|was|were|did|does|do)\b)",
    re.IGNORECASE,
)
_AUX = re.compile(r"(?:is|are|was|were|did|does|do|can|could|will|would|has|have|had|should)$", re.IGNORECASE)
_ASKS_OBJECT = re.compile(r"(?:did|do|does|can|will|would|has|have|had)\s+(?:the|a|an|[A-Z])")
_YEARS = re.compile(
    r"(?:c(?:a|irca)?\.?\s*|(?:\d{1,2}\s+)?[A-Z][a-z]{2,8}\s+(?:\d{1,2},\s+)?)?\d{3,4}\s*(?:[-–—]\s*(?:\d{2,4}|present))?$"
)
_LIST_HEAD = re.compile(
    r"(?P<subject>.{2,120}?)\s+(?P<verb>(?:also\s+)?(?:includ(?:e|es|ed)|are|were|is|was|has|have|had|feature[sd]?|contain[s]?))"
    r"(?:\s+(?:the\s+following|as\s+follows))?$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"(?:here|these|following|below|the\s+following)\s+(?:are|is|were)\s+(?P<what>.+)$", re.IGNORECASE
)
_HOW_MANY = re.compile(r"^(?:some|a list of|the list of|the names? of|a few|several)\s+(?:of\s+)?")
_ITEM = re.compile(
    r"\s*(?P<name>[^\s:][^:\n.!?]{0,58}?)\s*\*{0,2}(?::\*{0,2}|\s[-–—])\s+(?P<rest>\S.{1,400})$", re.DOTALL
)

_CITES = re.compile(
    r"(?:from\s+|see\s+|source:?\s*|in\s+)?(?:passages?|references?|paragraphs?|sources?|ref)\b|e\.g|i\.e|sic\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(born|died|founded|established|released|published)\s*((?:on|in|c\.)\s+)?(.+)", re.IGNORECASE
)
_KNOWN_AS = re.compile(
    r"(also|formerly|previously|originally)?\s*(?:known|called|named)\s+(?:as\s+)?(.+)", re.IGNORECASE
)


class Statement(NamedTuple):
    """A claim about a fragment; without predicate and object it is only a text."""

    subject: str
    predicate: str = ""
    object: str = ""


def item_parts(line: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the name and the description stand in a list line such as "Foo - bar" or "Foo: bar"."""
    match = _ITEM.match(line)
    if match is None or len(match.group("name").split()) > 8:
        return None
    return match.span("name"), match.span("rest")


def list_items(reader: PhraseReader) -> list[str]:
    """The items of "red, green and blue" when the text is nothing else."""
    if any(
        token.dep_ in SUBJECT
        and token.head.tag_ in {"VBD", "VBZ", "VBP", "VBN", "VB"}
        and token.head.text[0].islower()
        for token in reader.doc
    ):
        return []
    words = reader.part(reader.doc).text
    items = [tidy(item) for item in re.split(r",\s+(?:and\s+|or\s+)?", words)]
    if len(items) > 1:
        items[-1:] = [tidy(item) for item in items[-1].split(" and ")]
    short = all(0 < len(item.split()) <= 5 for item in items)
    return items if len(items) > 2 and short else []


def under_heading(heading: str, item: str) -> Statement:
    """An item below a line that ends in a colon.

    >>> under_heading("The main islands are:", "Tortola")
    Statement(subject='The main islands', predicate='are', object='Tortola')
    """
    head = heading.strip().rstrip(": ").rstrip("*_ ")
    shown = _SHOWN.search(head)
    if shown:
        what = _HOW_MANY.sub("", tidy(shown["what"]))
        return Statement(item, "is one of", what) if what else Statement(item)
    listed = _LIST_HEAD.match(head)
    if listed:
        return Statement(tidy(listed["subject"]), listed["verb"], item)
    return Statement(f"{head}: {item}" if head else item)


def answer(question: str, words: str, parse: Parse) -> Statement:
    """What a bare answer states once the question is read with it.

    A question that cannot safely be turned round stands before the answer as it is.
    """
    question = " ".join(question.split()).rstrip("? .")
    match = _QUESTION.search(question)
    if match is None:
        return Statement(f"{question}: {words}" if question else words)
    wh, rest = match.group(1).lower(), question[match.end() :].strip()
    unturned = Statement(f"{question[match.start() :]}: {words}")
    first, _, remainder = rest.partition(" ")
    if not remainder or len(words.split()) > 14:
        return unturned
    if wh == "who" and not _ASKS_OBJECT.match(rest):
        return Statement(words, first, remainder)
    if not _AUX.match(first) or re.search(r"\b(?:its?|his|her|their|he|she|they)\b", remainder):
        return unturned
    if wh == "what" and first.lower() in {"is", "are", "was", "were"}:
        return Statement(remainder, first, words)
    if wh in {"when", "where"} and (turned := _uninverted(rest, parse)):
        subject, predicate = turned
        return Statement(subject, f"{predicate}{_preposition(wh, words)}", words)
    return unturned


def polar(question: str, word: str, parse: Parse) -> Statement | None:
    """What "Yes." or "No." says to a question such as "is celery nutritious?"."""
    question = " ".join(question.split()).rstrip("? .")
    if not question:
        return None
    turned = _uninverted(question, parse) if _AUX.match(question.partition(" ")[0]) else None
    subject, predicate = turned or ("", "")
    auxiliary, _, rest = predicate.partition(" ")
    if not rest:
        return Statement(f"{question}: {word}")
    return Statement(subject, auxiliary if word.lower() == "yes" else f"{auxiliary} not", rest)


def _uninverted(question: str, parse: Parse) -> tuple[str, str] | None:
    """ "was X filmed" as ("X", "was filmed")."""
    doc = parse(question[:1].lower() + question[1:] + "?")[:-1]
    subjects = [token for token in doc if token.dep_ in {*SUBJECT, "attr"} and token.i > 0]
    if not subjects or subjects[0].left_edge.i != 1:
        return None
    end = subjects[0].right_edge.i + 1
    if end == len(doc) and doc[end - 1].tag_ == "VBN":
        end -= 1  # "was the film made", read as "the film that was made"
    rest = doc[end:].text
    return doc[1:end].text, f"{doc[0].text} {rest}".strip()


def _preposition(wh: str, words: str) -> str:
    if re.match(
        r"(?:in|on|at|from|between|during|after|before|since|near|around|by)\b", words, re.IGNORECASE
    ):
        return ""
    if wh == "where" or re.fullmatch(r"(?:[A-Z][a-z]+ )?\d{4}s?", words):
        return " in"
    return " on" if re.search(r"\d", words) else ""


def asides(reader: PhraseReader) -> Iterator[tuple[Edge, int, int]]:
    """What the brackets of a sentence say of the noun before them, with its place in the source."""
    for aside in reader.surface.asides:
        before = [t for t in reader.doc if t.idx + len(t.text) <= aside.at and not t.is_punct]
        if not before:
            continue
        noun = before[-1]
        while noun.dep_ in {"compound", "nmod"} and noun.head.i - noun.i == 1:
            noun = noun.head
        last = noun.i
        while (
            noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.pos_ == noun.pos_ == "PROPN"
        ):
            noun = noun.head.head  # Secret of the Incas (1954)
        description = _aside(aside.text.strip(), noun.ent_type_ == "PERSON" and any(True for _ in noun.lefts))
        if noun.pos_ not in {"NOUN", "PROPN", "NUM"} or description is None:
            continue
        subject = reader.part(t for t in noun.subtree if t.i <= last)
        words, thing = (Part(text, noun.i, noun.i) for text in description)
        if subject.text and thing.text:
            first, _ = reader.surface.range(noun.left_edge.idx, noun.left_edge.idx + 1)
            yield Edge(subject, words, thing), first, aside.end


def _aside(text: str, person: bool) -> tuple[str, str] | None:
    """The predicate and object of what stands in brackets."""
    if _CITES.match(text):
        return None
    event = _EVENT.match(text)
    if event and not re.search(r"[;,]\s*died|[–—]", event[3]):
        verb = event[1].lower()
        return " ".join(["died" if verb == "died" else f"was {verb}", *(event[2] or "").split()]), tidy(
            event[3]
        )
    if _YEARS.match(text):
        if person and text.isdigit():
            return "is associated with", text
        return ("lived" if person and re.search(r"\d\s*[-–—]\s*\d", text) else "is dated"), text
    if re.fullmatch(r"[A-Z][A-Z&.-]{1,7}s?", text):
        return "is abbreviated as", text
    if now := re.match(r"(now|formerly|previously|originally)\s+((?:the\s+)?[A-Z].*)", text):
        return ("is now" if now[1] == "now" else f"was {now[1]}"), tidy(now[2])
    if known := _KNOWN_AS.match(text):
        return (f"is {known[1].lower()} known as" if known[1] else "is known as"), tidy(known[2])
    if len(text.split()) <= 8 and re.match(r"[A-Z0-9$€£]|(?:the|a|an|about|approximately|around)\s", text):
        return "is", tidy(text)
    return None
