"""What a reference says about a claim, by any language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from ... import llms
from ...errors import UsageError
from ...llms import loop
from ...llms.gather import gather
from ...llms.prompt import prompt
from ...llms.tokens import estimated
from ...llms.types import Client, GaveUp, Refused, Reply
from ...text import find_quote
from ...types import Judgment, Label, Pair, Passage
from ..votes import majority, over_windows
from ..windows import cut, unaskable
from .answers import ClaimAnswer, read_answers
from .logprobs import label_scores
from .question import Question, questions, written

VERSION = 2  # of everything here and in the modules above that can change a verdict
MAX_REFERENCE_TOKENS = 4000  # estimated; a window of the reference beside its claims
_NOTE_CHARS = 200


def llm_checker(
    spec: str = "",
    *,
    claims_per_prompt: int = 1,
    reasons: bool = False,
    quotes: bool = False,
    votes: int = 1,
    language: str = "en",
    **options: Any,
) -> LLMChecker:
    """The checker on the model `spec`, such as `openai/gpt-5` or `gpt4`; `options` go to `llms.load`."""
    return LLMChecker(
        llms.load(spec, **options),
        claims_per_prompt=claims_per_prompt,
        reasons=reasons,
        quotes=quotes,
        votes=votes,
        language=language,
    )


class _Outcome(NamedTuple):
    """What a reply says, by claim, and about the claims it leaves out: why, and whether to ask again."""

    judgments: dict[str, Judgment]
    note: str
    final: bool = False


class LLMChecker:
    """What each pair's passage says about its claim, as `client`'s model judges it.

    Up to `claims_per_prompt` claims about the same passage share a request; one that the reply
    leaves out is asked again alone, once, and then undetermined. With `reasons` a judgment has
    a sentence that says why, with `quotes` the words that decide as its spans. Of `votes`
    repeats the majority counts and their shares are the scores; with one vote, scores are the
    model's own probabilities where it tells them. `remarks` says what did not go smoothly.

    >>> from refchecker.llms.providers.scripted import Scripted
    >>> from refchecker.types import Claim
    >>> check = LLMChecker(Scripted(lambda request: '{"label": "Entailment"}'))
    >>> check([Pair(Claim("It rains."), Passage("It rains.", "doc"))])[0].label
    <Label.ENTAILMENT: 'Entailment'>
    """

    def __init__(
        self,
        client: Client,
        *,
        claims_per_prompt: int = 1,
        reasons: bool = False,
        quotes: bool = False,
        votes: int = 1,
        max_reference_tokens: int = MAX_REFERENCE_TOKENS,
        language: str = "en",
    ) -> None:
        if min(claims_per_prompt, votes) < 1:
            raise UsageError(
                f"claims_per_prompt is {claims_per_prompt} and votes is {votes}; each must be at least 1"
            )
        self._client = client
        self._claims_per_prompt = claims_per_prompt
        self._votes = votes
        self._max_reference_tokens = max_reference_tokens
        self._language = language
        self._fields = ["quote"] * quotes + ["reason"] * reasons + ["label"]
        additions = [f"check_{field}" for field in self._fields[:-1]]
        self._one, self._joint = prompt("check_one", *additions), prompt("check_joint", *additions)
        self._counts: Counter[str] = Counter()
        prompts = [self._one, self._joint][: min(2, claims_per_prompt)]
        self.signature = (
            f"llm({client.signature},{','.join(used.version for used in prompts)},"
            f"claims:{claims_per_prompt},votes:{votes},v{VERSION})"
        )

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        return loop.run(self._judgments(pairs))

    def begin(self, pairs: Sequence[Pair], /) -> Future[list[Judgment]]:
        """What `__call__` gives, without waiting for it."""
        return loop.submit(self._judgments(pairs))

    def remarks(self) -> list[str]:
        """What did not go smoothly so far, and how often repeats disagreed; a line each."""
        counts = dict(self._counts)
        votes, flips = counts.pop("votes", 0), counts.pop("flips", 0)
        lines = [f"{what}: {count}" for what, count in counts.items() if count]
        return lines + ([f"{flips / votes:.1%} of {votes} votes were against the majority"] if votes else [])

    async def _judgments(self, pairs: Sequence[Pair]) -> list[Judgment]:
        """Each different claim and piece is asked once, however often it comes."""
        pieces = {passage: self._pieces(passage) for passage in dict.fromkeys(pair.passage for pair in pairs)}
        wanted = [(written(pair.claim), pair.passage, pair.question) for pair in pairs]
        askable = dict.fromkeys(
            (claim, piece, question)
            for claim, passage, question in wanted
            if not _unaskable(claim, passage)
            for piece in pieces[passage]
        )
        requests = list(questions(askable, self._claims_per_prompt))
        replies = await gather(
            self._judged(request, sample) for request in requests for sample in range(self._votes)
        )
        judged = {
            (claim, request.piece, request.user_question): judgment
            for number, request in enumerate(requests)
            for claim, judgment in self._decided(
                request, replies[number * self._votes : (number + 1) * self._votes]
            ).items()
        }
        return [
            _unaskable(claim, passage)
            or over_windows([judged[claim, piece, question] for piece in pieces[passage]])
            for claim, passage, question in wanted
        ]

    def _pieces(self, passage: Passage) -> list[Passage]:
        if len(passage.text) <= self._max_reference_tokens:  # a token has a character at least
            return [passage]
        return cut(passage, estimated, max_tokens=self._max_reference_tokens, language=self._language)

    def _decided(self, question: Question, samples: Sequence[dict[str, Judgment]]) -> Mapping[str, Judgment]:
        """The judgment for each claim that most samples give."""
        if self._votes == 1:
            return samples[0]
        votes = {claim: [sample[claim] for sample in samples] for claim in question.claims}
        decided = {claim: majority(of_claim) for claim, of_claim in votes.items()}
        for claim, winner in decided.items():
            if winner.label is not Label.ABSTAIN:
                read = [vote.label for vote in votes[claim] if vote.label is not Label.ABSTAIN]
                self._counts["votes"] += len(read)
                self._counts["flips"] += len(read) - read.count(winner.label)
        return decided

    async def _judged(self, question: Question, sample: int) -> dict[str, Judgment]:
        """A judgment for every claim of the question; those without an answer are asked again alone."""
        first = await self._outcome(question, sample)
        judgments = dict(first.judgments)
        left = [claim for claim in question.claims if claim not in judgments]
        notes = dict.fromkeys(left, first.note)
        if left and not first.final:
            self._counts["answers missing or unreadable, asked for again"] += len(left)
            alone = [question._replace(claims=(claim,)) for claim in left]
            again = await gather(self._outcome(single, sample) for single in alone)
            for claim, outcome in zip(left, again, strict=True):
                judgments |= outcome.judgments
                notes[claim] = outcome.note
        return {claim: Judgment(Label.ABSTAIN, note=note) for claim, note in notes.items()} | judgments

    async def _outcome(self, question: Question, sample: int) -> _Outcome:
        """One request. A joint reply is kept as it is, as its gaps are asked for in other requests."""
        alone = len(question.claims) == 1
        request, ids = question.request(
            self._one if alone else self._joint, self._fields, voting=self._votes > 1, sample=sample
        )

        def readable(reply: Reply) -> bool:
            return bool(read_answers(reply.text, ids))

        try:
            reply = await self._client.ask(request, accept=readable if alone else None)
        except GaveUp as error:
            return _Outcome({}, str(error), final=True)
        except Refused as error:  # one of several claims can be the cause
            return _Outcome({}, str(error), final=alone)
        answers = read_answers(reply.text, ids)
        judgments = {
            claim: self._judgment(answers[name], question.piece, reply if alone else None)
            for name, claim in zip(ids, question.claims, strict=True)
            if name in answers
        }
        beginning = reply.text[:_NOTE_CHARS]
        empty = f"the reply was empty (it ended by {reply.stop})"
        return _Outcome(judgments, beginning if beginning.strip() else empty)

    def _judgment(self, answer: ClaimAnswer, piece: Passage, alone: Reply | None) -> Judgment:
        """The answer with its quote found in the piece; without one, all of the piece is the evidence."""
        places = find_quote(answer.quote, piece.text) if "quote" in self._fields else []
        if "quote" in self._fields and answer.quote.strip() and not places:
            self._counts["quotes that are not in the reference, left out"] += 1
        if not places and answer.label is not Label.NEUTRAL:
            places = [(0, len(piece.text))]
        scores = label_scores(alone.logprobs) if alone else {}
        return Judgment(
            answer.label,
            scores if scores and max(scores, key=scores.__getitem__) is answer.label else {},
            spans=tuple(piece.span(start, end) for start, end in places),
            reason=answer.reason if "reason" in self._fields else "",
        )


def _unaskable(claim: str, passage: Passage) -> Judgment | None:
    return unaskable(bool(claim.strip(" |")), bool(passage.text.strip()))
