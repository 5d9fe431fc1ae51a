"""Localizers: a finder, and the rules by which its findings become the evidence of a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise

from ..protocols import Checker
from ..text import ReadText, Word, read, whole_characters
from ..types import CLAIM, RESPONSE, Claim, Element, Label, Located, Part, Record, Span, Verdict
from .clashes import SUPPORTED, Clash, clashes, surest
from .finding import Finder, Finding, parts_of
from .matching import Mention
from .sentences import Case, by_checker, by_words

GUESS = 0.35  # the least score of a mention where the label says that there must be one
NEAR_SENTENCES = 3  # of a reference: in those nearest to a neutral claim its words are looked for
_PREFERRED, _TOGETHER, _NEAR = 0.3, 0.5, 0.5
_SURE = 0.95  # mentions of such a score may overlap others
_DECIDED = (Label.ENTAILMENT, Label.CONTRADICTION)


class Localizer:
    """Where the references, and the response, say what each verdict rests on.

    Entailment: sentences, and the words for each part of the claim. Contradiction: the same, but for the
    part that is wrong the words that stand against it. Neutral: only what of the claim is not there.
    With `check`, that checker chooses among the sentences and among what may stand against the claim.
    """

    def __init__(self, find: Finder, *, check: Checker | None = None, language: str = "en") -> None:
        self._find, self._check, self._language = find, check, language
        self.signature = f"{find.signature}{'+checker' if check else ''}"

    def __call__(self, record: Record, verdicts: Sequence[Verdict], /) -> list[Located]:
        if not verdicts:
            return []
        claims = [verdict.claim for verdict in verdicts]
        findings = self._find(claims, [record.response, *(passage.text for passage in record.references)])
        cases = [self._cases(record, *each) for each in zip(verdicts, findings, strict=True)]
        flat = [case for of_verdict in cases for case in of_verdict]
        chosen = by_checker(flat, self._check) if self._check else [by_words(case) for case in flat]
        wrong: list[list[Clash]] = [
            clashes(case, sentences, self._find) if case.label is Label.CONTRADICTION else []
            for case, sentences in zip(flat, chosen, strict=True)
        ]
        if self._check:
            wrong = surest(flat, wrong, self._check)
        decided = iter(zip(flat, chosen, wrong, strict=True))
        return [
            self._located(record, verdict, by_text, [next(decided) for _ in of_verdict])
            for verdict, by_text, of_verdict in zip(verdicts, findings, cases, strict=True)
        ]

    def _cases(self, record: Record, verdict: Verdict, findings: Sequence[Finding]) -> list[Case]:
        """The passages that carry the verdict."""
        if verdict.label not in _DECIDED:
            return []
        return [
            Case(
                verdict.claim, passage, record.question, judgment.label, judgment.confidence,
                read(passage.text, self._language), finding,
            )
            for passage, judgment, finding in zip(
                verdict.passages, verdict.judgments, findings[1:], strict=True
            )
            if judgment.label is verdict.label
        ]  # fmt: skip

    def _located(
        self,
        record: Record,
        verdict: Verdict,
        findings: Sequence[Finding],
        decided: Sequence[tuple[Case, list[int], list[Clash]]],
    ) -> Located:
        claim = verdict.claim
        elements = list(self._in_response(record, claim, findings[0]))
        evidence: list[Span] = []
        missing: set[tuple[int, int]] = set()
        for case, chosen, wrong in decided:
            clash = wrong[0] if wrong else None
            if clash:
                missing.add(clash.claimed)
                further = _sentences_at(case.page, *clash.given)
                chosen = [*chosen, *(i for i in further if i not in chosen)]
            evidence += (case.passage.span(*case.page.sentences[i]) for i in chosen)
            elements += _in_passage(case, chosen, clash)
        if verdict.label is Label.NEUTRAL:
            missing = set(unsupported(claim, findings[1:], self._language))
        response = read(record.response, self._language)
        for start, end in sorted(missing):
            elements += _missing(claim, start, end, response, elements)
        return Located(tuple(evidence), tuple(dict.fromkeys(elements)))

    def _in_response(self, record: Record, claim: Claim, finding: Finding) -> Iterator[Element]:
        page = read(record.response, self._language)
        known = {i for span in claim.spans for i in _sentences_at(page, span.start, span.end)}
        for part, mention in placed(finding, page, known, GUESS).items():
            yield Element(part, "said", Span(RESPONSE, mention.start, mention.end), mention.score)


def _in_passage(case: Case, chosen: Sequence[int], clash: Clash | None) -> Iterator[Element]:
    """The words of a passage for each part of the claim, or those against it."""
    least = GUESS if case.label is Label.ENTAILMENT else SUPPORTED
    for part, mention in placed(case.finding, case.page, chosen, least).items():
        if not clash or part != clash.part:
            yield Element(part, "found", case.passage.span(mention.start, mention.end), mention.score)
    if clash:
        yield Element(clash.part, "contradicted", case.passage.span(*clash.given), clash.score)


def placed(finding: Finding, page: ReadText, preferred: Collection[int], least: float) -> dict[Part, Mention]:
    """For each part its best mention: by score, and by its sentence: preferred, with other parts, near.

    Outside the preferred sentences a mention needs the score that counts anywhere. One that overlaps
    a better one is left out, unless it has the same words.
    """
    best: dict[int, dict[Part, float]] = {}
    for part, mentions in finding.mentions.items():
        for mention in mentions if part != "claim" else ():
            for i in _sentences_at(page, mention.start, mention.end):
                scores = best.setdefault(i, {})
                scores[part] = max(scores.get(part, 0.0), mention.score)

    def worth(mention: Mention) -> float:
        numbers = _sentences_at(page, mention.start, mention.end)
        together = max((_together(best.get(i, {})) for i in numbers), default=0.0)
        near = max((finding.ranks[i] for i in numbers), default=0.0) - max(finding.ranks, default=0.0)
        preference = _PREFERRED * any(i in preferred for i in numbers)
        return mention.score + preference + _TOGETHER * together + _NEAR * near

    def counts(mention: Mention) -> bool:
        inside = any(i in preferred for i in _sentences_at(page, mention.start, mention.end))
        return mention.score >= (least if inside else SUPPORTED)

    counting = [
        (part, mention)
        for part, mentions in finding.mentions.items()
        for mention in mentions
        if counts(mention)
    ]
    chosen: dict[Part, Mention] = {}
    for part, mention in sorted(counting, key=lambda candidate: -worth(candidate[1])):
        others = [other for name, other in chosen.items() if "claim" not in (name, part)]
        clear = all(mention.end <= other.start or other.end <= mention.start for other in others)
        if part not in chosen and (clear or mention.score >= _SURE):
            chosen[part] = mention
    return {part: chosen[part] for part in finding.mentions if part in chosen}


def _together(scores: Mapping[Part, float]) -> float:
    """How much of a claim stands in one sentence. The object tells most: the subject is in many of a text."""
    return sum((2 if part == "object" else 1) * score for part, score in scores.items()) / 4


def _sentences_at(page: ReadText, start: int, end: int) -> list[int]:
    return [i for i, (left, right) in enumerate(page.sentences) if left < end and start < right]


def unsupported(claim: Claim, findings: Sequence[Finding], language: str) -> list[tuple[int, int]]:
    """The words of a claim that no near sentence says; those of a part that follow each other are one."""
    words = read(claim.text, language).words
    lacking = lacking_words(words, said_nearby(findings, len(words)))
    parts = parts_of(claim)
    owner = [next((p for p, (a, b) in parts.items() if a <= word.start < b), None) for word in words]
    spans = []
    for (lacks, _), group in groupby(range(len(words)), key=lambda i: (lacking[i], owner[i])):
        run = [words[i] for i in group]
        if lacks:
            spans.append((run[0].start, run[-1].end))
    return spans


def said_nearby(findings: Sequence[Finding], words: int, *, most: int = NEAR_SENTENCES) -> list[float]:
    """How well each word of a claim is said in the sentences of each text that are nearest to it."""
    scores = [0.0] * words
    for finding in findings:
        for i in sorted(range(len(finding.ranks)), key=lambda i: -finding.ranks[i])[:most]:
            scores = [max(pair) for pair in zip(scores, finding.support[i], strict=True)]
    return scores


def lacking_words(words: Sequence[Word], scores: Sequence[float], least: float = SUPPORTED) -> list[bool]:
    """Of each word, whether it is not said; light ones only where the words on both sides are not."""
    lacking = [not word.light and score < least for word, score in zip(words, scores, strict=True)]
    heavy = [i for i, word in enumerate(words) if not word.light]
    for left, right in pairwise(heavy):
        if lacking[left] and lacking[right]:
            lacking[left:right] = [True] * (right - left)
    return lacking


def _missing(
    claim: Claim, start: int, end: int, response: ReadText, elements: Sequence[Element]
) -> Iterator[Element]:
    """Words of the claim that are not supported: in its own text and, where it says them, in the response."""
    inside: list[Part] = [p for p, (left, right) in parts_of(claim).items() if left < end and start < right]
    part: Part = inside[0] if inside else "claim"
    yield Element(part, "missing", Span(CLAIM, start, end), 1.0)
    words = claim.text[start:end]
    for element in elements:
        if element.role == "said" and element.element == part:
            at = response.text.find(words, element.span.start, element.span.end)
            if at >= 0:
                where = whole_characters(response.text, at, at + len(words))
                yield Element(part, "missing", Span(RESPONSE, *where), 1.0)
                return
