"""Answers that are no sentences: "Paris.", "Yes.", "1. Foo - bar", "(born 1949)"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .clauses import Edge
from .phrases import Part, Reader, tidy

Parse = Callable[[str], Any]

_QUESTION = re.compile(
    r"\b(who|whom|what|which|when|where|how\s+(?:many|much|long|old|far|often|tall|big))\b(?!.*\b(?:who|what|when|where)\b\s+(?:is|are|was|were|did|does|do)\b)",
    re.IGNORECASE,
)
_AUX = re.compile(r"(?:is|are|was|were|did|does|do|can|could|will|would|has|have|had|should)$", re.IGNORECASE)
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
_ITEM = re.compile(
    r"\s*(?P<name>[^\s:][^:\n.!?]{0,58}?)\s*\*{0,2}(?::\*{0,2}|\s[-–—])\s+(?P<rest>\S.{1,400})$", re.DOTALL
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


def list_items(reader: Reader) -> list[str]:
    """The items of "red, green and blue" when the text is nothing else."""
    if any(
        token.dep_ in {"nsubj", "nsubjpass"}
        and token.head.tag_ in {"VBD", "VBZ", "VBP", "VBN", "VB"}
        and token.head.text[0].islower()
        for token in reader.doc
    ):
        return []
    words = reader.words(reader.doc).text
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
        what = re.sub(
            r"^(?:some|a list of|the list of|the names? of|a few|several)\s+(?:of\s+)?",
            "",
            tidy(shown["what"]),
        )
        return Statement(item, "is one of", what) if what else Statement(item)
    listed = _LIST_HEAD.match(head)
    if listed:
        return Statement(tidy(listed["subject"]), listed["verb"], item)
    return Statement(f"{head}: {item}" if head else item)


def answer(question: str, words: str, parse: Parse) -> Statement:
    """What a bare answer states once the question is read with it.

    A question that cannot safely be turned round stands before the answer as it is.
    """
    asked = " ".join(question.split()).rstrip("? .")
    match = _QUESTION.search(asked)
    if match is None:
        return Statement(f"{asked}: {words}" if asked else words)
    wh, rest = match.group(1).lower(), asked[match.end() :].strip()
    plain = Statement(f"{asked[match.start() :]}: {words}")
    if not rest or len(words.split()) > 14:
        return plain
    first, _, remainder = rest.partition(" ")
    if wh == "who" and not re.match(
        r"(?:did|do|does|can|will|would|has|have|had)\s+(?:the|a|an|[A-Z])", rest
    ):
        return Statement(words, first, remainder) if remainder else plain
    if (
        not _AUX.match(first)
        or not remainder
        or re.search(r"\b(?:its?|his|her|their|he|she|they)\b", remainder)
    ):
        return plain
    if wh == "what" and first.lower() in {"is", "are", "was", "were"}:
        return Statement(remainder, first, words)
    if wh in {"when", "where"}:
        turned = _uninverted(rest, parse)
        if turned is not None:
            subject, predicate = turned
            return Statement(subject, f"{predicate}{_preposition(wh, words)}", words)
    return plain


def polar(question: str, word: str, parse: Parse) -> Statement | None:
    """What "Yes." or "No." says to a question such as "is celery nutritious?"."""
    asked = " ".join(question.split()).rstrip("? .")
    if not asked:
        return None
    turned = _uninverted(asked, parse) if _AUX.match(asked.partition(" ")[0]) else None
    subject, predicate = turned or ("", "")
    auxiliary, _, rest = predicate.partition(" ")
    if not rest:
        return Statement(f"{asked}: {word}")
    return Statement(subject, auxiliary if word.lower() == "yes" else f"{auxiliary} not", rest)


def _uninverted(asked: str, parse: Parse) -> tuple[str, str] | None:
    """ "was X filmed" as ("X", "was filmed")."""
    doc = parse(asked[:1].lower() + asked[1:] + "?")[:-1]
    subjects = [token for token in doc if token.dep_ in {"nsubj", "nsubjpass", "attr"} and token.i > 0]
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


def asides(reader: Reader) -> Iterator[tuple[Edge, int, int]]:
    """What the brackets of a sentence say of the noun before them, with its place in the source."""
    for aside in reader.surface.asides:
        before = [
            token for token in reader.doc if token.idx + len(token.text) <= aside.at and not token.is_punct
        ]
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
        said = _aside(aside.text.strip(), noun.ent_type_ == "PERSON" and any(True for _ in noun.lefts))
        if noun.pos_ not in {"NOUN", "PROPN", "NUM"} or said is None:
            continue
        subject = reader.words(t for t in noun.subtree if t.i <= last)
        words, thing = (Part(text, noun.i, noun.i) for text in said)
        if subject.text and thing.text:
            first, _ = reader.surface.range(noun.left_edge.idx, noun.left_edge.idx + 1)
            yield Edge(subject, words, thing), first, aside.end


def _aside(text: str, person: bool) -> tuple[str, str] | None:
    if re.match(
        r"(?:from\s+|see\s+|source:?\s*|in\s+)?(?:passages?|references?|paragraphs?|sources?|ref)\b|e\.g|i\.e|sic\b",
        text,
        re.I,
    ):
        return None
    spoken = re.match(
        r"(born|died|founded|established|released|published)\s*((?:on|in|c\.)\s+)?(.+)", text, re.I
    )
    if spoken and not re.search(r"[;,]\s*died|[–—]", spoken[3]):
        verb = spoken[1].lower()
        lead = verb if verb == "died" else f"was {verb}"
        return f"{lead} {(spoken[2] or '').strip()}".strip(), tidy(spoken[3])
    if _YEARS.match(text):
        if person and text.isdigit():
            return "is associated with", text
        return ("lived" if person and re.search(r"\d\s*[-–—]\s*\d", text) else "is dated"), text
    if re.fullmatch(r"[A-Z][A-Z&.-]{1,7}s?", text):
        return "is abbreviated as", text
    now = re.match(r"(now|formerly|previously|originally)\s+((?:the\s+)?[A-Z].*)", text)
    if now:
        return ("is now" if now[1] == "now" else f"was {now[1]}"), tidy(now[2])
    known = re.match(
        r"(also|formerly|previously|originally)?\s*(?:known|called|named)\s+(?:as\s+)?(.+)", text, re.I
    )
    if known:
        return " ".join(["is", *([known[1].lower()] if known[1] else []), "known as"]), tidy(known[2])
    if len(text.split()) <= 8 and re.match(r"[A-Z0-9$€£]|(?:the|a|an|about|approximately|around)\s", text):
        return "is", tidy(text)
    return None
