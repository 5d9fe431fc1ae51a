"""Noun phrases of a parsed sentence, as they read in the response."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from .surface import STAND_IN, CleanText
from .tree import SUBJECT, children, has_before, is_plural, is_verb

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


NO_WORDS = Part("", 0, 0)


class PhraseReader:
    """Reads phrases off one parsed sentence. `antecedents` holds what pronouns stand for."""

    def __init__(self, doc: Any, surface: CleanText) -> None:
        self.doc = doc
        self.surface = surface
        self.antecedents: dict[int, Part] = {}
        self.detached: set[int] = set()  # heads of what is not read as part of a phrase
        self.listed = {token.i for token in doc if token.dep_ == "appos" and _is_list_item(token)}
        for token in doc:
            listing = token.dep_ == "prep" and token.lower_ == "including" and is_plural(token.head)
            if (listing or token.dep_ in {"relcl", "acl", "appos"}) and self._stands_apart(token):
                self.detached.add(token.i)

    def is_title(self, token: Any) -> bool:
        """Whether the token stands for a quoted title."""
        return token.text == STAND_IN and token.idx in self.surface.titles

    def part(self, tokens: Iterable[Any]) -> Part:
        """The tokens in order, each as the response spells it or as what it stands for."""
        chosen = sorted(tokens, key=lambda token: token.i)
        kept = {token.i for token in chosen}
        chosen = [t for t in chosen if t.text != "," or (t.i - 1 in kept and t.i + 1 in kept)]
        while chosen and (chosen[-1].is_punct or chosen[-1].is_space or chosen[-1].dep_ == "cc"):
            chosen.pop()
        while chosen and (chosen[0].is_punct or chosen[0].is_space) and chosen[0].text not in {"-", "+", "~"}:
            chosen.pop(0)
        if not chosen:
            return NO_WORDS
        pieces: list[str] = []
        for index, token in enumerate(chosen):
            text = self.surface.original(token.idx, token.idx + len(token.text))
            if token.i in self.antecedents:
                text = self.antecedents[token.i].text
                if index and text.startswith("The "):
                    text = "t" + text[1:]
            elif index == 0:
                text = _full_form(token, text)
            if index + 1 < len(chosen) and self._comma_left_out(token):
                text += ","
            gap = index + 1 < len(chosen) and chosen[index + 1].i != token.i + 1
            pieces.append(text + (" " if gap else token.whitespace_))
        text = tidy("".join(pieces))
        return Part(text, chosen[0].i, chosen[-1].i) if text else NO_WORDS

    def _comma_left_out(self, token: Any) -> bool:
        """Whether the response has a comma after the token that the parser was not shown."""
        end, surface = token.idx + len(token.text), self.surface
        hidden = surface.source[surface.stops[end - 1] :][:1] == ","
        return hidden and surface.text[end : end + 1] == " "

    def phrase(self, token: Any, *, whole: bool = False, without: Any = None) -> Part:
        """A noun phrase without the clauses that are claims of their own, without the clause
        `without`, and, unless `whole`, without what is joined to it by "and"."""
        if token.i in self.antecedents and not children(token, "conj", "appos"):
            return Part(self.antecedents[token.i].text, token.i, token.i)
        skipped = () if whole else ("conj", "cc", "preconj")
        kept = [token]
        stack = [child for child in token.children if child.dep_ not in skipped]
        while stack:
            node = stack.pop()
            separate = node.i in self.detached or node.i in self.listed or node == without
            if not separate and node.dep_ not in {"intj", "parataxis"}:
                kept.append(node)
                stack.extend(node.children)
        if self.whole_if_joined(token):
            kept += [node for child in children(token, "conj", "cc") for node in child.subtree]
        return self.part(set(kept))

    def group(self, token: Any) -> list[Part]:
        """A noun phrase and those joined to it by "and", each for itself.

        What "or" joins, and names such as "Peter, Paul and Mary", stay whole.
        """
        return [part for part in map(self.phrase, self.members(token)) if part.text]

    def members(self, token: Any) -> list[Any]:
        """The heads of a coordination, or the token alone when it should not be split."""
        heads = [token]
        for head in heads:
            for child in head.children:
                if child.dep_ == "cc" and child.lower_ not in {"and", "&", "but", "as"}:
                    return [token]
                if child.i in self.listed or (child.dep_ == "conj" and not is_verb(child)):
                    heads.append(child)
        heads.sort(key=lambda head: int(head.i))
        last = heads[-1]
        band = has_before(last, "the") and is_plural(last) and last.text[0].isupper()  # and the Heartbreakers
        one_name = band or any(name.start <= token.i and last.i < name.end for name in self.doc.ents)
        return [token] if one_name and len(heads) > 1 else heads

    def whole_if_joined(self, token: Any) -> bool:
        """Whether the token heads a coordination that is not split."""
        return bool(children(token, "conj")) and self.members(token) == [token]

    def _stands_apart(self, token: Any) -> bool:
        """Whether a clause or apposition is set off by a mark, or too long to read as part of its noun."""
        if under_negation(token.head):
            return False  # "is not a term that has a meaning" does not say that it has one
        before = self.doc[token.left_edge.i - 1] if token.left_edge.i else None
        marked = before is not None and before.text in _BOUNDARY and before.i > token.head.i
        if token.dep_ == "appos":
            suffix = token.lower_ in {"inc", "inc.", "ltd", "jr", "jr.", "sr."}
            if token.i in self.listed or not marked or token.pos_ == "NUM" or suffix:
                return False
            if token.pos_ == "PROPN" == token.head.pos_ and not children(token, "det", "poss"):
                office = token.head.ent_type_ == "PERSON" != token.ent_type_
                return office and bool(children(token, "prep"))  # not "Oslo, Norway"
            return bool(token.ent_type_ != "DATE")
        if token.dep_ in {"acl", "relcl"} and any(aux.tag_ == "TO" for aux in children(token, "aux")):
            return False
        indefinite = token.head.dep_ == "attr" and has_before(token.head, "a", "an")
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
    for node in (token, *token.ancestors):
        if is_verb(node) or node.head == node:
            break
        if node.dep_ in SUBJECT:
            return any(child.lower_ == "no" for child in node.children)
        if any(child.lower_ == "no" for child in children(node, "det")):
            return True
    return bool(children(node, "neg"))


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
