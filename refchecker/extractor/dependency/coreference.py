"""What the pronouns of a response stand for, where that is safe to say."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from .lexicon import BE, FEMALE, MALE, PEOPLE
from .phrases import Part, PhraseReader
from .tree import SUBJECT, children, has_before, is_plural, is_verb

_PERSONAL: dict[str, tuple[str, str]] = {  # pronoun: (kind, gender)
    **dict.fromkeys(("he", "him", "his"), ("person", "m")),
    **dict.fromkeys(("she", "her", "hers"), ("person", "f")),
    **dict.fromkeys(("it", "its"), ("thing", "")),
    **dict.fromkeys(("they", "them", "their"), ("many", "")),
}

_VAGUE = frozenset({"some", "many", "others", "most", "all", "one", "none", "each"})


class Antecedent(NamedTuple):
    """Something a pronoun can stand for."""

    text: str
    kind: Literal["person", "thing", "many", "unknown"]
    gender: str = ""
    head: str = ""  # the phrase up to its noun
    group: bool = False  # an organisation, which may be "they"

    @property
    def short(self) -> str:
        """What takes a possessive: "the messengers", not "the messengers from Oslo"."""
        return self.head if self.head and len(self.text.split()) > 4 else self.text


class Antecedents:
    """What a response has spoken of so far; subjects before the rest, the latest first."""

    def __init__(self, question: str = "") -> None:
        self.subjects: list[Antecedent] = []
        self.others: list[Antecedent] = []
        named = re.findall(r"(?<=\s)(?:[A-Z][\w.'’-]*)(?:\s+(?:of\s+(?:the\s+)?)?[A-Z][\w.'’-]*)*", question)
        titles = re.findall(r"[\"“]([^\"”]{3,80})[\"”]", question)
        if len(titles) == 1:
            self.others.append(Antecedent(titles[0], "thing"))
        elif len(set(named)) == 1:
            self.others.append(Antecedent(named[0].rstrip(".,?"), "unknown"))

    def read(self, reader: PhraseReader) -> None:
        """Fill `reader.antecedents` for the pronouns of one sentence, and remember its mentions."""
        for token in reader.doc:
            if token.lower_ in _PERSONAL and token.pos_ in {"PRON", "DET"}:
                self._resolve(token, reader)
            elif token.dep_ in SUBJECT and token.pos_ in {"NOUN", "PROPN", "NUM", "ADJ"}:
                verb = token.head
                while verb.dep_ == "conj":
                    verb = verb.head
                main = verb.dep_ in {"ROOT", "ccomp", "parataxis"}
                self._remember(token, reader, self.subjects if main else self.others)
            elif token.pos_ == "PROPN" and token.dep_ in {"pobj", "dobj", "appos", "attr", "ROOT", "conj"}:
                self._remember(token, reader, self.others)

    def _resolve(self, token: Any, reader: PhraseReader) -> None:
        kind, gender = _PERSONAL[token.lower_]
        if token.lower_ == "it" and _is_expletive(token):
            return
        if token.lower_ == "their" and any(map(is_plural, reader.doc[: token.i])):
            return  # whose, is anyone's guess
        possessive = token.dep_ == "poss" or token.tag_ == "PRP$"
        taken = "" if possessive or token.dep_.startswith("nsubj") else _subject_of(token, reader)
        for pool in (self.subjects, self.others):
            for index in range(len(pool) - 1, max(-1, len(pool) - 9), -1):
                mention = pool[index]
                if not mention.text and pool is self.subjects and index == len(pool) - 1:
                    return
                if not mention.text or mention.text == taken or not _fits(mention, kind, gender):
                    continue
                if gender and not mention.gender:
                    pool[index] = mention._replace(gender=gender, kind="person")
                text = mention.short if possessive else mention.text
                if possessive and token.lower_ != "hers":
                    text += "'" if text.endswith("s") and kind == "many" else "'s"
                reader.antecedents[token.i] = Part(text, token.i, token.i)
                return
            if self.subjects and len({m.text for m in self.others[-8:] if _fits(m, kind, gender)}) > 1:
                return  # no subject fits, and more than one of the rest does

    def _remember(self, token: Any, reader: PhraseReader, pool: list[Antecedent]) -> None:
        text = reader.phrase(token, whole=bool(children(token, "conj"))).text
        if token.ent_type_ in {"DATE", "CARDINAL", "TIME", "MONEY", "PERCENT", "QUANTITY", "ORDINAL"}:
            return
        if not text or len(text.split()) > 9 or token.lower_ in _VAGUE:
            if pool is self.subjects:
                pool.append(Antecedent("", "unknown"))  # what follows may speak of it: say nothing
            return
        head = reader.part([*token.lefts, token]).text
        mention = Antecedent(text, _kind(token, reader), _gender(text), head, token.ent_type_ == "ORG")
        for known in (*self.subjects, *self.others):
            if known.text == text and known.gender:
                mention = mention._replace(gender=known.gender, kind=known.kind)
        pool.append(mention)


def _kind(token: Any, reader: PhraseReader) -> Literal["person", "thing", "many", "unknown"]:
    if reader.is_title(token):
        return "thing"
    if is_plural(token) or children(token, "conj"):
        return "many"
    described = children(token.head, "attr") if token.dep_ == "nsubj" else []
    if described and token.head.lower_ in BE:
        people = any(node.lower_ in PEOPLE for node in (*described, *described[0].children))
        return "person" if people or token.ent_type_ == "PERSON" else "thing"
    if token.lower_ in PEOPLE:
        return "person"
    if token.ent_type_ == "PERSON":
        return "unknown" if has_before(token, "the") else "person"  # the Mona Lisa
    return "unknown" if token.pos_ == "PROPN" and not token.ent_type_ else "thing"


def _gender(text: str) -> str:
    words = [word.strip(".").lower() for word in text.split()]
    if words[:1] == ["the"]:
        return ""  # a thing's name: the Mona Lisa
    return "f" if any(w in FEMALE for w in words[:3]) else "m" if any(w in MALE for w in words[:2]) else ""


def _fits(mention: Antecedent, kind: str, gender: str) -> bool:
    if kind == "many" and mention.group:
        return True
    if mention.kind == "unknown":
        if gender and mention.text.lower().startswith("the "):
            return False
        return kind != "many" and not (kind == "thing" and mention.gender)
    return mention.kind == kind and not (gender and mention.gender and mention.gender != gender)


def _subject_of(token: Any, reader: PhraseReader) -> str:
    """The subject of the clause an object stands in; the object is someone else."""
    above = [token.head, *token.head.ancestors]
    for subject in children(next(filter(is_verb, above), above[-1]), *SUBJECT):
        known = reader.antecedents.get(subject.i)
        return known.text if known else reader.phrase(subject).text
    return ""


def _is_expletive(token: Any) -> bool:
    if token.dep_ == "expl":
        return True
    described = children(token.head, "attr")
    clauses = [clause for noun in described for clause in children(noun, "relcl")]
    if any(clause.left_edge.lower_ in {"that", "who"} for clause in clauses):
        return not any(has_before(noun, "a", "an") for noun in described)  # it was X that
    if token.head.lower_ in {"rained", "rains", "snowed", "snows", "takes", "took"}:
        return True
    if token.dep_ != "nsubj":
        return False
    if children(token.head, "ccomp", "csubj"):
        return True
    qualities = children(token.head, "acomp", "attr")
    goes_on = any(children(node, "xcomp", "ccomp", "advcl") for node in (token.head, *qualities))
    return goes_on and bool(children(token.head, "acomp", "oprd"))
