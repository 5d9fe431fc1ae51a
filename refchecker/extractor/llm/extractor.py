"""The claims of a response, by any language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, NamedTuple

from ... import llms
from ...errors import UsageError
from ...llms import loop
from ...llms.fence import fence_for, fenced, one_line
from ...llms.gather import gather
from ...llms.prompt import object_schema, prompt
from ...llms.tokens import estimated
from ...llms.types import Client, GaveUp, Refused, Reply, Request
from ...text import DECLINES, NOTHING, declines, kind, sentences
from ...types import RESPONSE, Claim, Extraction, Passage, Record, Span
from .locate import locate
from .parse import ParsedClaim, ParsedReply, read_claims

VERSION = 1  # of everything here and in the modules above that can change a claim
MAX_TOKENS = 4096  # of a reply
REQUEST_TOKENS = 1500  # estimated, of the sentences in one request
CONTEXT_SENTENCES = 3  # shown before a later part of a long response, for its pronouns
_NOTE_CHARS = 200
_FIELDS = {"triplet": ("subject", "predicate", "object"), "subsentence": ("claim",)}
_LOST = "claims that the response does not make, left out"


def llm_extractor(
    spec: str = "",
    *,
    claim_format: str = "triplet",
    max_tokens: int = MAX_TOKENS,
    language: str = "en",
    **options: Any,
) -> LLMExtractor:
    """The extractor on the model `spec`, such as `openai/gpt-5` or `gpt4`; `options` go to `llms.load`."""
    client = llms.load(spec, **options)
    return LLMExtractor(client, claim_format=claim_format, max_tokens=max_tokens, language=language)


class _Part(NamedTuple):
    """Sentences of a response for one request, by their numbers, which begin with 1."""

    response: tuple[Passage, ...]
    first: int
    last: int
    question: str

    def halves(self) -> tuple[_Part, _Part]:
        middle = (self.first + self.last) // 2
        return self._replace(last=middle), self._replace(first=middle + 1)


class LLMExtractor:
    """The claims of each record's response, as `client`'s model finds them, each with its place in it.

    `claim_format` is "triplet" or "subsentence" (short plain sentences). A claim that the
    response does not make is left out and counted. A long response is asked about in parts.
    Where a reply cannot be read a second time, the extraction is failed, and has what was found.
    `remarks` says what did not go smoothly.

    >>> from refchecker.llms.providers.scripted import Scripted
    >>> extract = LLMExtractor(Scripted(lambda request: '[["Paris", "is in", "France"]]'))
    >>> extract([Record("1", "Paris is in France.")])[0].claims[0].triplet.object
    'France'
    """

    def __init__(
        self,
        client: Client,
        *,
        claim_format: str = "triplet",
        max_tokens: int = MAX_TOKENS,
        request_tokens: int = REQUEST_TOKENS,
        language: str = "en",
    ) -> None:
        if claim_format not in _FIELDS:
            raise UsageError(f"the llm extractor makes {' or '.join(_FIELDS)} claims, not {claim_format!r}")
        self._client = client
        self._format = claim_format
        self._max_tokens = max_tokens
        self._request_tokens = request_tokens
        self._language = language
        self._prompt = prompt(f"extract_{claim_format}")
        self._counts: Counter[str] = Counter()
        self.signature = f"llm({client.signature},{self._prompt.version},v{VERSION})"

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]:
        return loop.run(self._extractions(records))

    def begin(self, records: Sequence[Record], /) -> Future[list[Extraction]]:
        """What `__call__` gives, without waiting for it."""
        return loop.submit(self._extractions(records))

    def remarks(self) -> list[str]:
        """What did not go smoothly so far, a line each."""
        return [f"{what}: {count}" for what, count in self._counts.items()]

    async def _extractions(self, records: Sequence[Record]) -> list[Extraction]:
        return await gather(map(self._extraction, records))

    async def _extraction(self, record: Record) -> Extraction:
        pieces = tuple(sentences(Passage(record.response, RESPONSE), language=self._language))
        if not pieces or declines([piece.text for piece in pieces]):
            return Extraction((), DECLINES if pieces else NOTHING)
        parts = list(_parts(pieces, record.question, self._request_tokens))
        replies = await gather(map(self._reply, parts))
        claims, lost = _claims([claim for reply, _ in replies for claim in reply.claims], pieces, record)
        notes = list(dict.fromkeys(note for _, note in replies if note))
        if lost:
            self._counts[_LOST] += lost
            notes.append(f"{_LOST}: {lost}")
        failed = any(note for _, note in replies) or bool(lost and not claims)
        return Extraction(claims, "; ".join(notes) or ("" if claims else NOTHING), failed=failed)

    async def _reply(self, part: _Part) -> tuple[ParsedReply, str]:
        """What the model finds in that part, and what went wrong; asked twice where it cannot be read."""
        divisible = part.first < part.last
        parsed, request = ParsedReply(()), self._request(part)

        def accept(reply: Reply) -> bool:
            return _whole(reply, self._format) or (divisible and reply.stop == "length")

        for attempt in range(2):
            try:
                reply = await self._client.ask(request, accept=accept)
            except (GaveUp, Refused) as error:
                return parsed, str(error)
            parsed = read_claims(reply.text, triplets=self._format == "triplet") or parsed
            if _whole(reply, self._format):
                return parsed, ""
            if divisible and reply.stop == "length":
                halves = await gather(map(self._reply, part.halves()))
                claims = tuple(claim for half, _ in halves for claim in half.claims)
                return ParsedReply(claims), "; ".join(dict.fromkeys(note for _, note in halves if note))
            if not attempt:
                self._counts["replies unreadable or cut off, asked for again"] += 1
        if parsed.claims:
            return parsed, f"a reply was cut off after {len(parsed.claims)} claims"
        return parsed, f"a reply could not be read: {reply.text[:_NOTE_CHARS]}"

    def _request(self, part: _Part) -> Request:
        fence = fence_for("\n".join(piece.text for piece in part.response), part.question)
        material = [fenced("question", part.question, fence)] if part.question.strip() else []
        if part.first > 1:
            before = part.response[max(0, part.first - 1 - CONTEXT_SENTENCES) : part.first - 1]
            material.append(fenced("text before", "\n".join(one_line(piece.text) for piece in before), fence))
        lines = [
            f"[{number}] {one_line(part.response[number - 1].text)}"
            for number in range(part.first, part.last + 1)
        ]
        material.append(fenced("response", "\n".join(lines), fence))
        return Request(
            self._prompt.system,
            self._prompt.user.substitute(fence=fence, material="\n\n".join(material)),
            max_tokens=self._max_tokens,
            schema=_schema(_FIELDS[self._format]),
            schema_name="claims",
            prompt=self._prompt.version,
        )


def _whole(reply: Reply, claim_format: str) -> bool:
    parsed = read_claims(reply.text, triplets=claim_format == "triplet")
    return parsed is not None and parsed.whole and reply.stop == "end"


def _parts(pieces: tuple[Passage, ...], question: str, most_tokens: int) -> Iterator[_Part]:
    """Whole sentences, as many in a part as its tokens allow, at least one."""
    first, tokens = 1, 0
    for number, piece in enumerate(pieces, 1):
        size = len(estimated(piece.text))
        if number > first and tokens + size > most_tokens:
            yield _Part(pieces, first, number - 1, question)
            first, tokens = number, 0
        tokens += size
    yield _Part(pieces, first, len(pieces), question)


def _claims(
    parsed: Sequence[ParsedClaim], pieces: Sequence[Passage], record: Record
) -> tuple[tuple[Claim, ...], int]:
    """The claims with their places, each once, and how many are not in the response."""
    claims: dict[str, Claim] = {}
    lost = 0
    for parsed_claim in parsed:
        spans = locate(parsed_claim, pieces, record.question)
        claim = _claim(parsed_claim.parts, spans)
        if not spans:
            lost += 1
        elif not _declining(claim, pieces):
            known = claims.setdefault(claim.text.casefold(), claim)
            claims[claim.text.casefold()] = replace(known, spans=tuple(dict.fromkeys(known.spans + spans)))
    return tuple(claims.values()), lost


def _claim(parts: Sequence[str], spans: tuple[Span, ...]) -> Claim:
    if len(parts) == 1:
        return Claim(parts[0], spans=spans)
    subject, predicate, obj = parts
    return Claim.of_triplet(subject, predicate, obj, spans)


def _declining(claim: Claim, pieces: Sequence[Passage]) -> bool:
    """Whether a claim is only that the response declines, made of a sentence that does."""
    return kind(claim.text) == "refusal" and all(
        kind(piece.text) == "refusal"
        for piece in pieces
        if any(piece.start <= span.start < piece.start + len(piece.text) for span in claim.spans)
    )


def _schema(fields: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of the reply."""
    members: dict[str, Any] = {"sentence": {"type": "integer"}, "quote": {"type": "string"}}
    entry = object_schema(members | {field: {"type": "string"} for field in fields})
    return object_schema({"claims": {"type": "array", "items": entry}})
