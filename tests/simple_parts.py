"""An extractor and a checker of a few lines, and records for them."""

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace

from refchecker.types import Claim, Extraction, Judgment, Label, Pair, Passage, Record

E, N, C, A = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION, Label.ABSTAIN


def by_sentence(records: Sequence[Record]) -> list[Extraction]:
    return [Extraction(tuple(Claim(s.strip()) for s in r.response.split(".") if s.strip())) for r in records]


def says(pairs: Sequence[Pair]) -> list[Judgment]:
    """Entailed where the words are there, contradicted where the reference says "not" them."""

    def judge(claim: str, text: str) -> Judgment:
        if f"not {claim}" in text:
            return Judgment(C, {C: 0.8, N: 0.2})
        if (at := text.find(claim)) >= 0:
            return Judgment(E, {E: 0.9, N: 0.1}, spans=(Passage(text, "?").span(at, at + len(claim)),))
        return Judgment(N, {N: 1.0})

    return [
        replace(j, spans=tuple(p.passage.span(s.start, s.end) for s in j.spans))
        for p in pairs
        for j in [judge(p.claim.text, p.passage.text)]
    ]


def record(
    *references: str, claims: Sequence[str] | None = ("rain",), id: str = "r", response: str = "rain"
) -> Record:
    passages = tuple(Passage(text, f"d{i}") for i, text in enumerate(references))
    return Record(
        id, response, references=passages, claims=None if claims is None else tuple(map(Claim, claims))
    )


class Begun:
    """A component whose work runs in a pool; the call without `begin` must not be used."""

    def __init__(self, pool, work):
        self._pool, self._work = pool, work

    def __call__(self, items):
        raise AssertionError("the pipeline did not use begin")

    def begin(self, items) -> Future:
        return self._pool.submit(self._work, items)


def ids(reports) -> list[str]:
    return [report.record.id for report in reports]
