"""The text of an HTML page that a person would read."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from ..errors import imported
from .decoding import decoded

_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_MOST_TAGS = 20_000
_HEAD_BYTES = 4096  # within which a page must say its encoding, and more


class HtmlText(NamedTuple):
    """A page's title and its main text; both empty where it has none."""

    title: str
    text: str


def read_html(markup: bytes | str, *, charset: str = "") -> HtmlText:
    """The main text of a page, without its menus and footers; all its text where no main text is found.

    `charset` is what the sender says the bytes are in; otherwise the page's own word for it counts.
    """
    trafilatura = imported("trafilatura", "retrieval")
    if isinstance(markup, bytes):
        said = _META_CHARSET.search(markup, 0, _HEAD_BYTES)
        markup = decoded(markup, charset or (said.group(1).decode() if said else "")) or ""
    if markup.count("<") > _MOST_TAGS:  # trafilatura takes minutes over pages made of tags
        return HtmlText("", _visible(markup))
    # of a piece of a page trafilatura would not believe that it is HTML
    tree = trafilatura.load_html(markup) if markup.strip() else None
    if tree is None and markup.strip():
        tree = trafilatura.load_html(f"<html><body>{markup}</body></html>")
    if tree is None:
        return HtmlText("", _visible(markup))
    title = " ".join((tree.findtext(".//title") or "").split())
    main = trafilatura.extract(tree, favor_recall=True, include_comments=False)
    return HtmlText(title, main or _visible(markup))


def _visible(markup: str) -> str:
    """All that is not a tag, a script or a style, in one pass whatever the markup is like."""
    first, *pieces = markup.split("<")
    kept, hidden = [first], ""
    for piece in pieces:
        tag, _, text = piece.partition(">")
        name = tag.split(maxsplit=1)[0].lower() if tag.strip() else ""
        if hidden:
            hidden = "" if name == f"/{hidden}" else hidden
        elif name in ("script", "style"):
            hidden = name
        if not hidden:
            kept.append(text)
    return "\n".join(line for part in kept if (line := " ".join(unescape(part).split())))
