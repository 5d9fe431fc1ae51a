"""One question to a language model about claims and a piece of a reference, as a request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ...llms.fence import fence_for, fenced, identifiers, one_line
from ...llms.prompt import Prompt, object_schema
from ...llms.types import Request
from ...types import Claim, Passage
from .logprobs import ALTERNATIVES, LABELS

VOTE_TEMPERATURE = 0.7  # repeats at 0 would be one answer said again
REPLY_TOKENS = {"": 200, "label": 40, "reason": 100, "quote": 150}  # room for the reply; "" is for the frame


class Question(NamedTuple):
    """How these claims relate to this piece of a reference. `user_question` is what the response answered."""

    claims: tuple[str, ...]
    piece: Passage
    user_question: str = ""

    def request(
        self, used: Prompt, fields: Sequence[str], *, voting: bool, sample: int
    ) -> tuple[Request, list[str]]:
        """The request for those fields of an answer, label last, and the ids it gives the claims."""
        texts = (self.piece.text, self.user_question, *self.claims)
        fence, ids = fence_for(*texts), identifiers(len(self.claims), *texts)
        alone = len(ids) == 1
        lines = [f"[{name}] {claim}" for name, claim in zip(ids, self.claims, strict=True)]
        material = [
            fenced("reference", self.piece.text, fence),
            fenced("question", self.user_question, fence) if self.user_question.strip() else "",
            fenced("claim", self.claims[0], fence) if alone else fenced("claims", "\n".join(lines), fence),
        ]
        request = Request(
            used.system,
            used.user.substitute(
                fence=fence, material="\n\n".join(filter(None, material)), ids=", ".join(ids)
            ),
            max_tokens=REPLY_TOKENS[""] + len(ids) * sum(REPLY_TOKENS[field] for field in fields),
            schema=_schema(fields) if alone else _joint_schema(fields),
            schema_name="verdict" if alone else "verdicts",
            temperature=VOTE_TEMPERATURE if voting else 0.0,
            logprobs=ALTERNATIVES if alone and not voting else 0,
            sample=sample,
            prompt=used.version,
        )
        return request, ids


def written(claim: Claim) -> str:
    """The claim on one line, a triplet with bars between its parts."""
    return one_line(" | ".join(claim.triplet) if claim.triplet else claim.text)


def questions(wanted: Iterable[tuple[str, Passage, str]], most: int) -> Iterator[Question]:
    """The (claim, piece, question) as questions: claims about the same together, up to that many."""
    about: dict[tuple[Passage, str], list[str]] = {}
    for claim, piece, user_question in wanted:
        about.setdefault((piece, user_question), []).append(claim)
    for (piece, user_question), claims in about.items():
        rest = iter(claims)
        while some := tuple(islice(rest, most)):
            yield Question(some, piece, user_question)


def _schema(fields: Sequence[str], **more: Any) -> dict[str, Any]:
    """The JSON schema of one answer. It is the same for every request: a new one costs a provider time."""
    kinds = more | {field: {"type": "string"} for field in fields}
    return object_schema(kinds | {"label": {"type": "string", "enum": [str(label) for label in LABELS]}})


def _joint_schema(fields: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of a list of answers, each with the id of its claim."""
    return object_schema({"answers": {"type": "array", "items": _schema(fields, id={"type": "string"})}})
