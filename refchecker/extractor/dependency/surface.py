"""Text cleaned for a parser, each character with the place it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .lexicon import STATES

STAND_IN = "Zembla"  # a proper noun that stands for a quoted title while the sentence is parsed
_LEAD_IN = re.compile(
    r"""\s*(?:
      (?:based\ (?:up)?on|according\ to|in|from|per|given
        |as\ (?:stated|mentioned|described|noted|per)\ (?:in|by)?)\s+
        (?:(?:the|this|these|your|my|all|provided|given|above|following|supplied)\s+)*
        (?:context|passages?|text|information|paragraphs?|article|references?|documents?|description|summary|excerpt
          |conclusion|short)
        (?:\s+\d+|\s+(?:provided|given|above|below|you\ (?:provided|gave)))*\s*,
    | (?:yes|no|sure|certainly|therefore|thus|so|overall|however|specifically|additionally|moreover
        |furthermore|also|in\ (?:summary|addition|conclusion|fact|short)
        |unfortunately|hence|finally|to\ summarize|for\ example
        |for\ instance|as\ a\ result|and|but|answer)\s*[,:]
    | (?:the\ )?(?:passages?|texts?|context|paragraph|article|references?|documents?)
        (?:\s+\d+(?:(?:,\s*|,?\s+and\s+)\d+)*)?\s+(?:also\s+|directly\s+|then\s+)*
        (?:states?|mentions?|notes?|indicates?|suggests?|explains?|says?|reveals?|shows?|confirms?|adds?)\s+that
    | the\ (?:correct\ )?answer\ (?:to\ (?:the|your|this)\ question[^:]{0,120}?\ )?is\s*:?(?=\s+(?!that\b))
    | (?:note|it(?:\ is|['’]s)\ (?:also\ )?(?:worth\ (?:noting|mentioning)
        |important\ to\ (?:note|remember))|please\ note|keep\ in\ mind)\s+that
    | so\s+in\s+(?:summary|short|conclusion)\s*,
    )\s+""",
    re.IGNORECASE | re.VERBOSE,
)
_ASIDE = re.compile(
    r",?\s+as\s+(?:stated|mentioned|described|noted|discussed)\s+in\s+(?:the\s+)?"
    r"(?:above\s+|given\s+|provided\s+)?(?:passage|text|context|paragraph|article)s?(?=[,.])(?:,(?=\s))?"
)
_MARKER = re.compile(r"\s*(?:[-•*](?=[^\W\d])|(?:[-*+•‣◦▪●·–>]|\(?\d{1,3}[.)]|\(?[A-Za-z]\)|#{1,6})\s+)+")
_REPORTS = re.compile(
    r"(?<=\s)passages?\s+\d+\s+(?:also\s+)?(?:states?|mentions?|notes?|indicates?|says?)\s+that\s",
    re.IGNORECASE,
)
_IN_STATE = re.compile(rf"\b([A-Z][\w'’.-]+), (?=(?:{'|'.join(sorted(STATES))})\b(?!,? and |, [A-Z]))")
_MARKDOWN = re.compile(r"\*+|__+|`+|\[\d+\]|</?[a-z]+/?>|(?<=\])\(https?://[^\s)]*\)")
_BRACKETED = re.compile(r"\s*[(（]([^()（）]{1,80})[)）]")
_TITLE = re.compile(
    r"\"([^\"\n]{2,90})\"|“([^”\n]{2,90})”|(?<!\w)'([A-Z][^'\n]{2,60}(?:'[a-z][^'\n]{0,60})?)'(?!\w)"
)

_LIGHT = frozenset({"with", "from", "into", "over", "upon", "like", "than", "that", "this", "your", "about"})

_TITLED = re.compile(
    r"\b(?:songs?|films?|movies?|books?|albums?|novels?|poems?|term|word|phrase|titled|entitled|called)\s$"
)
_NAMES = re.compile(r"\s(?:is|was|were|are|by|refers|means|stands)\b")


class Aside(NamedTuple):
    """What stood in brackets, and the place in the clean text where it stood."""

    text: str
    at: int
    start: int  # in the source
    end: int


class CleanText(NamedTuple):
    """A sentence without markup, list markers, lead-ins and brackets."""

    text: str
    source: str
    places: tuple[int, ...]  # where each character of `text` begins in `source`
    stops: tuple[int, ...]  # where it ends
    asides: tuple[Aside, ...]
    titles: frozenset[int]  # where in `text` a STAND_IN begins

    def range(self, start: int, end: int) -> tuple[int, int]:
        """`text[start:end]` as offsets into the source."""
        return self.places[start], self.stops[end - 1]

    def original(self, start: int, end: int) -> str:
        """What the source says where the clean text says `text[start:end]`."""
        pieces: list[str] = []
        while start < end:
            if start in self.titles:
                last = min(start + len(STAND_IN), len(self.text)) - 1
                pieces.append(self.source[self.places[start] : self.stops[last]])
                start = last + 1
            else:
                pieces.append(self.source[self.places[start]] if self.text[start] != " " else " ")
                start += 1
        return "".join(pieces)


def clean(source: str, start: int, end: int) -> CleanText:
    """`source[start:end]` as a parser can read it.

    >>> clean("- **Gilda** (1946) is a film.", 0, 29).text
    'Gilda is a film.'
    """
    kept: list[tuple[str, int, int]] = []
    asides: list[Aside] = []
    titles: set[int] = set()
    for kind, left, right in _pieces(source, start, end):
        if kind == "title":
            titles.add(len(kept))
            last = len(STAND_IN) - 1
            for i, letter in enumerate(STAND_IN):
                kept.append((letter, right - 1 if i else left, left + 1 if i < last else right))
        elif kind == "aside":
            asides.append(Aside(source[left:right], len(kept), left, right))
        else:
            for place in range(left, right):
                char = " " if source[place].isspace() else source[place]
                if char != " " or (kept and kept[-1][0] != " "):
                    kept.append((char, place, place + 1))
    while kept and kept[-1][0] == " ":
        kept.pop()
    text = "".join(char for char, _, _ in kept)
    if sum(char.isupper() for char in text) > 0.8 * sum(char.isalpha() for char in text) and len(text) > 20:
        text = "".join(char.lower() if char.isascii() else char for char in text)
    return CleanText(
        text,
        source,
        tuple(p for _, p, _ in kept),
        tuple(s for _, _, s in kept),
        tuple(asides),
        frozenset(titles),
    )


def _pieces(source: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The range as stretches of text, titles and bracketed asides; what is left out is markup."""
    for pattern in (_MARKER, _LEAD_IN, _LEAD_IN):
        match = pattern.match(source, start, end)
        if match and match.end() < end:
            start = match.end()
    left_out = [
        match.span()
        for pattern in (_ASIDE, _REPORTS, _MARKDOWN)
        for match in pattern.finditer(source, start, end)
    ]
    left_out += [  # the comma
        (match.end(1), match.end(1) + 1)
        for match in _IN_STATE.finditer(source, start, end)
        if match.group(1) not in STATES | {"York"}
    ]
    events = [(left, right, "", (left, left)) for left, right in left_out]
    for match in _TITLE.finditer(source, start, end):
        left, right = match.span(match.lastindex or 0)
        while right > left + 1 and source[right - 1] in ",.;: ":
            right -= 1
        if _is_title(source, left, right, match):
            events.append((*match.span(), "title", (left, right)))
    events += [(*m.span(), "aside", m.span(1)) for m in _BRACKETED.finditer(source, start, end)]
    position = start
    for left, right, kind, inner in sorted(events, key=lambda event: (event[0], -event[1])):
        if left < position:
            continue
        yield "text", position, left
        if kind:
            yield kind, *inner
        if kind == "title" and source[inner[1] : inner[1] + 1] in {",", "."}:
            yield "text", inner[1], inner[1] + 1
        position = right
    yield "text", position, end


def _is_title(source: str, left: int, right: int, match: re.Match[str]) -> bool:
    text = source[left:right]
    if _TITLED.search(source, max(0, match.start() - 20), match.start()):
        return len(text.split()) <= 14
    if _NAMES.match(source, match.end()) and match.group()[0] in '"“':
        return 1 < len(text.split()) <= 14
    words = re.findall(r"[^\W\d_][\w'’-]*", text)
    if len(words) < 2 or not (text[0].isupper() or text[0].isdigit() or text[0] == "("):
        return False
    heavy = [word for word in words if len(word) > 3 and word not in _LIGHT]
    return len(words) <= 14 and all(word[0].isupper() for word in heavy or words)
