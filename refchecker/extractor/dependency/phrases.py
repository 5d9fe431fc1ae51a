"""Noun phrases of a parsed sentence, as they read in the response."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from .surface import STAND_IN, Plain

LONG_CLAUSE_TOKENS = 13  # a longer clause is left out of the noun phrase it describes
_EDGES = " \t\n,;:.!?\"“”'‘’«»–—-*_()[]{}/\\|~`·•"
_CONTRACTED = {"'re": "are", "'ll": "will", "'ve": "have", "'m": "am", "'d": "would"}
_BOUNDARY = {",", "-", "–", "—", "(", ":", ";"}


class Part(NamedTuple):
    """A piece of a claim: its words, and the tokens it was read from."""

    text: str
    first: int
    last: int

    def __add__(self, other: object) -> Part:
        if not isinstance(other, Part):
            return NotImplemented
        if not self.text or not other.text:
            return self if self.text else other
        return Part(f"{self.text} {other.text}", min(self.first, other.first), max(self.last, other.last))

    def lowered(self) -> Part:
        """The same within a sentence: "in", where a sentence began with "In"."""
        first, _, rest = self.text.partition(" ")
        if first[1:] != first[1:].lower() or (first == "I"):
            return self
        return self._replace(text=first.lower() + (" " + rest if rest else ""))


NOTHING_SAID = Part("", 0, 0)


class Reader:
    """Reads phrases off one parsed sentence. `said` holds what pronouns stand for."""

    def __init__(self, doc: Any, surface: Plain) -> None:
        self.doc = doc
        self.surface = surface
        self.said: dict[int, Part] = {}
        self.detached: set[int] = set()  # heads of what is not read as part of a phrase
        self.listed: set[int] = set()  # names in a list that the parser took for appositions
        for token in doc:
            if token.dep_ == "appos" and _is_list_item(token):
                self.listed.add(token.i)
            listing = (
                token.dep_ == "prep" and token.lower_ == "including" and token.head.tag_ in {"NNS", "NNPS"}
            )
            if (token.dep_ in {"relcl", "acl", "appos"} or listing) and self._stands_apart(token):
                self.detached.add(token.i)

    def is_title(self, token: Any) -> bool:
        """Whether the token stands for a quoted title."""
        return token.text == STAND_IN and token.idx in self.surface.titles

    def words(self, tokens: Iterable[Any]) -> Part:
        """The tokens in order, each as the response spells it or as what it stands for."""
        chosen = sorted(tokens, key=lambda token: token.i)
        kept = {token.i for token in chosen}
        chosen = [t for t in chosen if t.text != "," or (t.i - 1 in kept and t.i + 1 in kept)]
        while chosen and (chosen[-1].is_punct or chosen[-1].is_space or chosen[-1].dep_ == "cc"):
            chosen.pop()
        while chosen and (chosen[0].is_punct or chosen[0].is_space) and chosen[0].text not in {"-", "+", "~"}:
            chosen.pop(0)
        if not chosen:
            return NOTHING_SAID
        pieces: list[str] = []
        for index, token in enumerate(chosen):
            text = self.surface.original(token.idx, token.idx + len(token.text))
            if token.i in self.said:
                text = self.said[token.i].text
                if index and text.startswith("The "):
                    text = "t" + text[1:]
            elif index == 0:
                text = _full_form(token, text)
            if index + 1 < len(chosen) and self._comma_left_out(token):
                text += ","
            gap = index + 1 < len(chosen) and chosen[index + 1].i != token.i + 1
            pieces.append(text + (" " if gap else token.whitespace_))
        text = tidy("".join(pieces))
        return Part(text, chosen[0].i, chosen[-1].i) if text else NOTHING_SAID

    def _comma_left_out(self, token: Any) -> bool:
        """Whether the response has a comma after the token that the parser was not shown."""
        end, surface = token.idx + len(token.text), self.surface
        hidden = surface.source[surface.stops[end - 1] :][:1] == ","
        return hidden and surface.text[end : end + 1] == " "

    def phrase(self, token: Any, *, whole: bool = False, without: Any = None) -> Part:
        """A noun phrase without the clauses that are claims of their own, without the clause
        `without`, and, unless `whole`, without what is joined to it by "and"."""
        if token.i in self.said and not any(child.dep_ in {"conj", "appos"} for child in token.children):
            alone = self.said[token.i]
            return Part(alone.text, token.i, token.i)
        skipped = {"punct"} if whole else {"conj", "cc", "preconj"}
        kept = [token]
        stack = [child for child in token.children if child.dep_ not in skipped or whole]
        while stack:
            node = stack.pop()
            if (
                node.i in self.detached
                or node.i in self.listed
                or node.dep_ in {"intj", "parataxis"}
                or (without is not None and node.i == without.i)
            ):
                continue
            kept.append(node)
            stack.extend(node.children)
        return self.words(self._connected(token, kept))

    def group(self, token: Any) -> list[Part]:
        """A noun phrase and those joined to it by "and", each for itself.

        What "or" joins, and names such as "Peter, Paul and Mary", stay whole.
        """
        members = self.members(token)
        if len(members) == 1:
            return [part for part in [self.phrase(token)] if part.text]
        return [part for part in (self.phrase(member) for member in members) if part.text]

    def members(self, token: Any) -> list[Any]:
        """The heads of a coordination, or the token alone when it should not be split."""
        found, queue = [token], [token]
        while queue:
            node = queue.pop()
            for child in node.children:
                if child.dep_ == "cc" and child.lower_ not in {"and", "&", "but", "as"}:
                    return [token]
                if child.i in self.listed or (child.dep_ == "conj" and child.pos_ not in {"VERB", "AUX"}):
                    found.append(child)
                    queue.append(child)
        found.sort(key=lambda member: int(member.i))
        last = found[-1]
        if len(found) > 1:
            if token.ent_iob_ != "O" and any(
                m.i in range(e.start, e.end) for e in self.doc.ents for m in [last] if e.start <= token.i
            ):
                return [token]
            if (
                any(c.lower_ == "the" for c in last.lefts)
                and last.tag_ in {"NNPS", "NNS"}
                and last.text[0].isupper()
            ):
                return [token]  # Tom Petty and the Heartbreakers
        return found

    def whole_if_joined(self, token: Any) -> bool:
        """Whether the token heads a coordination that is not split."""
        return self.members(token) == [token] and any(child.dep_ == "conj" for child in token.children)

    def _connected(self, head: Any, kept: list[Any]) -> list[Any]:
        if self.whole_if_joined(head):
            seen = {token.i for token in kept}
            for child in head.children:
                if child.dep_ in {"conj", "cc"}:
                    kept += [node for node in child.subtree if node.i not in seen]
        return kept

    def _stands_apart(self, token: Any) -> bool:
        """Whether a clause or apposition is set off by a mark, or too long to read as part of its noun."""
        if under_negation(token.head):
            return False  # "is not a term that has a meaning" does not say that it has one
        before = self.doc[token.left_edge.i - 1] if token.left_edge.i else None
        marked = before is not None and before.text in _BOUNDARY and before.i > token.head.i
        if token.dep_ == "appos":
            if token.i in self.listed:
                return False
            if (
                not marked
                or token.pos_ == "NUM"
                or token.lower_ in {"inc", "inc.", "ltd", "jr", "jr.", "sr."}
            ):
                return False
            if token.pos_ == "PROPN" == token.head.pos_ and not any(
                c.dep_ in {"det", "poss"} for c in token.children
            ):
                office = token.head.ent_type_ == "PERSON" != token.ent_type_
                return office and any(c.dep_ == "prep" for c in token.children)  # not "Oslo, Norway"
            return bool(token.ent_type_ != "DATE")
        if token.dep_ in {"acl", "relcl"} and any(
            child.dep_ == "aux" and child.tag_ == "TO" for child in token.children
        ):
            return False
        indefinite = token.head.dep_ == "attr" and any(c.lower_ in {"a", "an"} for c in token.head.lefts)
        limit = LONG_CLAUSE_TOKENS if not indefinite else LONG_CLAUSE_TOKENS // 2
        return marked or bool(token.right_edge.i - token.left_edge.i >= limit)


def _is_list_item(token: Any) -> bool:
    """Whether an apposition is the second of three: "Tom, Ann, and Bob", "tea, milk, and sugar"."""
    if token.ent_type_ == token.head.ent_type_ == "GPE":
        return False
    bare = not any(child.dep_ in {"det", "poss"} for child in token.lefts)
    if not (token.pos_ == "PROPN" == token.head.pos_ or (bare and token.head.pos_ == "NOUN" == token.pos_)):
        return False
    after = [child for node in (token, token.head) for child in node.children if child.i > token.i]
    return any(child.dep_ in {"conj", "appos"} and child.pos_ == token.pos_ for child in after)


def under_negation(token: Any) -> bool:
    """Whether a noun stands behind a negated verb, so that nothing is said of it."""
    node = token
    while node.pos_ not in {"VERB", "AUX"} and node.head.i != node.i:
        if node.dep_ in {"nsubj", "nsubjpass"} or any(
            c.dep_ == "det" and c.lower_ == "no" for c in node.children
        ):
            return bool(any(c.lower_ == "no" for c in node.children))
        node = node.head
    return any(c.dep_ == "neg" for c in node.children)


def _full_form(token: Any, text: str) -> str:
    """A contracted verb that was cut off its subject, written out."""
    if token.pos_ not in {"AUX", "VERB", "PART"}:
        return text
    if token.lower_ in {"'s", "’s"}:
        return "has" if token.dep_ == "aux" and token.head.tag_ == "VBN" else "is"
    return _CONTRACTED.get(token.lower_.replace("’", "'"), text)


def tidy(text: str) -> str:
    """Without the marks around it, and with one space where there was white space."""
    text = re.sub(r"\s+([,;:.])(?=\s|$)", r"\1", re.sub(r"\s+", " ", text).strip())
    text = re.sub(r"(?:[,;:] ?)+(?=[,;:])", "", text)
    if text.count('"') % 2 or text.count("“") != text.count("”"):
        text = re.sub('["“”]', "", text)
    text = text.replace("'s's", "'s")
    while text:
        stripped = (
            text
            if re.match(r"[.-]\d", text)
            else text.lstrip(_EDGES.replace("(", "").replace("[", "").replace("-", ""))
        )
        stripped = stripped.rstrip(_EDGES.replace(".", "").replace(")", ""))
        if stripped.endswith(".") and (len(stripped) < 3 or stripped[-2:] == ".."):
            stripped = stripped.rstrip(".")
        for left, right in ("()", "[]"):
            if stripped.endswith(right) and left not in stripped:
                stripped = stripped[:-1]
            if stripped.startswith(left) and right not in stripped:
                stripped = stripped[1:]
        if stripped == text:
            break
        text = stripped
    return text if any(char.isalnum() for char in text) else ""
