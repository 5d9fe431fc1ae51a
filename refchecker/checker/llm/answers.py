"""A model's reply to labels, by claim id. Pure; no errors, and no label that the reply does not give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...llms.lenient_json import values, without_thoughts
from ...types import Label

SYNONYMS = {
    Label.ENTAILMENT: (
        "entailment|entailed|entails|entail|supported|supports|support|fully supported|implied|implies"
    ),
    Label.CONTRADICTION: (
        "contradiction|contradicted|contradicts|contradict|contradictory|refuted|refutes|refute"
    ),
    Label.NEUTRAL: (
        "neutral|not enough information|not enough info|insufficient information|nei|unverifiable"
        "|not mentioned|neither|unsupported|not supported|no evidence"
    ),
}
_LABELS = {word: label for label, words in SYNONYMS.items() for word in words.split("|")}
_WORDS = "|".join(sorted(map(re.escape, _LABELS), key=len, reverse=True))
_NAMED_LABEL = (  # a label with nothing behind it that could take it back
    rf"[\s\"'“”‘’*_`\[(]*(?P<label>{_WORDS})[\"'“”‘’*_`\])]*"
    r"\s*(?=[.,;:|\n\r(–—}]|-|$)(?![^\w\n.]*(?:or|and|no|not|false)\b)"
)
_NAMED = re.compile(
    r"\b(?:label|answer|verdict|judge?ment|classification|relation|relationship)\b[\"'*_`]*\s*(?:is|=|:)+"
    + _NAMED_LABEL,
    re.IGNORECASE,
)
_ALONE = re.compile(rf"^\W*(?:{_WORDS})\W*$", re.IGNORECASE)
_CANONICAL = re.compile(r"\b(?:entailment|neutral|contradiction)\b", re.IGNORECASE)
_LABEL_KEYS = ("label", "answer", "verdict", "judgment", "judgement", "classification", "relation", "result")
_REASON_KEYS = ("reason", "explanation", "rationale", "why", "justification")
_QUOTE_KEYS = ("quote", "evidence", "span", "citation")
_ID_KEYS = ("id", "claim_id", "claim id", "claimid", "claim", "key")


class ClaimAnswer(NamedTuple):
    """What the model says of one claim."""

    label: Label
    reason: str = ""
    quote: str = ""


def read_answers(reply: str, ids: Sequence[str]) -> dict[str, ClaimAnswer]:
    """The answers of a reply by claim id; ids that it says nothing readable about are left out.

    A reply that gives one id two labels has not answered it. Where one id was asked, an
    answer without an id is its answer.

    >>> answers = read_answers('{"fp2": "Neutral", "fp1": {"label": "entailed"}}', ["fp1", "fp2", "fp3"])
    >>> {name: str(answer.label) for name, answer in answers.items()}
    {'fp2': 'Neutral', 'fp1': 'Entailment'}
    """
    text = without_thoughts(reply)
    known = {_plain(name): name for name in ids}
    alone = ids[0] if len(ids) == 1 else None
    parsed = [value for value, _ in values(text)]
    answers = [pair for value in parsed for pair in _in_value(value, known, alone)]
    if not any(isinstance(value, dict) for value in parsed):
        answers += _in_lines(text, known, alone)
    labels: dict[str, set[Label]] = {}
    for name, answer in answers:
        labels.setdefault(name, set()).add(answer.label)
    return {name: answer for name, answer in answers if len(labels[name]) == 1}


def label_of(phrase: Any) -> Label | None:
    """The label that a word or short phrase names, None where it names none.

    >>> label_of(" **Entailed.**"), label_of("Entailment or Neutral"), label_of("not an Entailment")
    (<Label.ENTAILMENT: 'Entailment'>, None, None)
    """
    return _LABELS.get(_plain(phrase)) if isinstance(phrase, str) else None


def _in_value(value: Any, known: dict[str, str], alone: str | None) -> Iterator[tuple[str, ClaimAnswer]]:
    """Answers anywhere inside a JSON value: entries with an id, maps from id to answer, lone answers."""
    if isinstance(value, list):
        if len(value) == 2 and _plain(value[0]) in known and (label := label_of(value[1])):
            yield known[_plain(value[0])], ClaimAnswer(label)
            return
        for element in value:
            yield from _in_value(element, known, alone)
    elif isinstance(value, dict):
        fields = {key.strip().lower(): member for key, member in value.items()}
        label = next((label for key in _LABEL_KEYS if (label := label_of(fields.get(key)))), None)
        if label:
            names = [_plain(fields[key]) for key in _ID_KEYS if key in fields]
            name = next((known[name] for name in names if name in known), None)
            owner = name or (alone if not _has_other_id(fields) else None)
            if owner:
                yield owner, ClaimAnswer(label, _text(fields, _REASON_KEYS), _text(fields, _QUOTE_KEYS))
            return
        for key, member in value.items():
            name = known.get(_plain(key))
            if name and (label := label_of(member)):
                yield name, ClaimAnswer(label)
            else:
                yield from _in_value(member, known, name or alone)


def _has_other_id(fields: dict[str, Any]) -> bool:
    """Whether an entry says that it is about another claim than any that was asked."""
    return any(isinstance(fields.get(key), str | int) for key in ("id", "claim_id", "claim id", "claimid"))


def _in_lines(text: str, known: dict[str, str], alone: str | None) -> Iterator[tuple[str, ClaimAnswer]]:
    """Answers in plain words: lines such as "fp1: Neutral", or one label for the one claim."""
    for name in known.values():
        keyed = (
            rf"^\W*(?:\d+[.)]\W*)?{re.escape(name)}\b[\"'\])*_`]*\s*[:=|.)–—-]*\s*(?:(?:label|answer)\W+)?"
            + _NAMED_LABEL
        )
        for match in re.finditer(keyed, text, re.IGNORECASE | re.MULTILINE):
            yield name, ClaimAnswer(_LABELS[match["label"].lower()])
    if alone is None or len({match.lower() for match in _CANONICAL.findall(text)}) > 1:
        return  # several claims, or more than one label weighed
    lines = [line for line in text.splitlines() if line.strip()]
    for line in (*lines[:1], *lines[-1:]):
        if _ALONE.match(line) and (label := label_of(line)):
            yield alone, ClaimAnswer(label)
    for match in _NAMED.finditer(text):
        yield alone, ClaimAnswer(_LABELS[match["label"].lower()])


def _text(fields: dict[str, Any], keys: Sequence[str]) -> str:
    return next((fields[key].strip() for key in keys if isinstance(fields.get(key), str)), "")


def _plain(phrase: Any) -> str:
    """Letters and digits in lower case, single spaces between words."""
    return " ".join(re.findall(r"\w+", str(phrase).lower().replace("_", " ")))
