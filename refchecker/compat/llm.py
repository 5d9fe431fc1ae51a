"""Upstream RefChecker's classes that ask a language model: `LLMExtractor`, `LLMChecker`.

The model is named as upstream names it, `provider/model`, or is a function of yours from prompts to
replies, `custom_llm_api_func`, given to each call. Only the translation is here: the work is done by
`refchecker.extractor.llm` and `refchecker.checker.llm`.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from .. import llms
from ..errors import UsageError
from ..llms.providers import Function, is_model
from ..llms.types import Client
from ..text import sentences
from ..types import RESPONSE, Claim, Extraction, Passage, Record
from .checkers import UPSTREAM_BATCH_SIZE, CompatChecker, Labels

CHECK_TOKENS = 500  # of a reply from SageMaker
DEFAULT_MODEL = "claude2"  # upstream's, Claude 3 Sonnet on Bedrock, is no longer served

ClaimFormat = Literal["triplet", "subsentence"]
CustomLLM = Callable[[list[str]], list[str]]


@dataclass(frozen=True, slots=True)
class RCClaim:
    """A claim as upstream has it: a list of three strings, or one string.

    >>> RCClaim("triplet", ["Paris", "is in", "France"], ["1"]).get_content()
    'Paris is in France'
    """

    format: ClaimFormat
    content: list[str] | str
    attributed_sent_ids: list[str]  # numbers, from 1, of the sentences of the response that it comes from

    def get_content(self, preserve_triplet_form: bool = False) -> str:
        """The claim as one string."""
        if isinstance(self.content, str):
            return self.content
        if preserve_triplet_form:
            return "(" + ", ".join(f'"{part}"' for part in self.content) + ")"
        return " ".join(self.content)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The claims of one response; where there are none, `error_info` says why."""

    claims: list[RCClaim]
    question: str | None = None
    response: str = ""
    error_info: str | None = None


class LLMExtractor:
    """Upstream's extractor: `LLMExtractor(model="openai/gpt-5").extract(["Paris is in France."])`.

    With `api_base` the model is served there. `batch_size` prompts are under way at once.
    """

    def __init__(
        self,
        claim_format: ClaimFormat = "triplet",
        model: str = DEFAULT_MODEL,
        batch_size: int = UPSTREAM_BATCH_SIZE,
        api_base: str | None = None,
    ) -> None:
        self.claim_format = claim_format
        self._model = _Model(model, batch_size, api_base)

    def extract(
        self,
        batch_responses: Sequence[str],
        batch_questions: Sequence[str | None] | None = None,
        max_new_tokens: int = 500,
        *,
        custom_llm_api_func: CustomLLM | None = None,
        **sagemaker: Any,
    ) -> list[ExtractionResult]:
        """One result per response, in order. `sagemaker_client` and its companions work as upstream.

        Errors: `UsageError` for lists of different lengths, and for a model that cannot be asked at all.
        """
        from ..extractor import llm

        questions = batch_questions or [None] * len(batch_responses)
        if len(questions) != len(batch_responses):
            raise UsageError(
                f"batch_responses has {len(batch_responses)} items and batch_questions {len(questions)}. "
                "Give one question per response, or none at all."
            )
        records = [
            Record(str(index), response, question or "")
            for index, (response, question) in enumerate(zip(batch_responses, questions, strict=True))
        ]
        ask = custom_llm_api_func or sagemaker_function(self._model.name, max_new_tokens, **sagemaker)
        with llms.for_now(self._model.client(ask)) as client:
            extract = llm.LLMExtractor(client, claim_format=self.claim_format, max_tokens=max_new_tokens)
            extractions = extract(records)
        return [
            self._result(record, question, extraction)
            for record, question, extraction in zip(records, questions, extractions, strict=True)
        ]

    def _result(self, record: Record, question: str | None, extraction: Extraction) -> ExtractionResult:
        starts = [piece.start for piece in sentences(Passage(record.response, RESPONSE))]
        claims = [
            RCClaim(
                self.claim_format,
                list(claim.triplet) if claim.triplet else claim.text,
                sentence_numbers(claim, starts),
            )
            for claim in extraction.claims
        ]
        return ExtractionResult(claims, question, record.response, extraction.note or None)


class LLMChecker:
    """Upstream's checker: `LLMChecker("openai/gpt-5").check(batch_claims=…, batch_references=…)`."""

    def __init__(
        self, model: str = DEFAULT_MODEL, batch_size: int = UPSTREAM_BATCH_SIZE, api_base: str | None = None
    ) -> None:
        self._model = _Model(model, batch_size, api_base)

    def check(
        self,
        batch_claims: Sequence[Sequence[Any]],
        batch_references: Sequence[str | Sequence[str] | None],
        batch_questions: Sequence[str | None] | None = None,
        max_reference_segment_length: int | None = 200,
        merge_psg: bool = True,
        is_joint: bool = False,
        joint_check_num: int = 5,
        *,
        custom_llm_api_func: CustomLLM | None = None,
        **sagemaker: Any,
    ) -> list[Labels]:
        """Label names, nested as in `CompatChecker.check`. Joint: up to `joint_check_num` claims at once."""
        from ..checker import llm

        ask = custom_llm_api_func or sagemaker_function(self._model.name, CHECK_TOKENS, **sagemaker)
        with llms.for_now(self._model.client(ask)) as client:
            check = llm.LLMChecker(client, claims_per_prompt=joint_check_num if is_joint else 1)
            return CompatChecker(check).check(
                batch_claims, batch_references, batch_questions, max_reference_segment_length, merge_psg
            )


@dataclass(frozen=True, slots=True)
class _Model:
    """The model that a constructor was given. No key is needed before it is used.

    Each call gets a client of its own, since one whose run has ended (no network, say) stays ended;
    it is closed after the call, as a program may make many.
    """

    name: str
    batch_size: int
    api_base: str | None

    def client(self, ask: CustomLLM | None) -> Client:
        if ask is not None:
            waiting = 2 * self.batch_size  # the next batch is full when one is answered
            return llms.client_of(Function(ask, batch_size=self.batch_size), concurrency=waiting)
        # ragchecker's command line gives a model name as api_base where the user gives none
        address = self.api_base if self.api_base and "://" in self.api_base else None
        return llms.load(full_name(self.name), api_base=address, concurrency=self.batch_size)


def full_name(model: str) -> str:
    """The name here of a model that upstream's code calls by a bare or short one.

    >>> full_name("gpt-4o"), full_name("claude3-sonnet"), full_name("bedrock/amazon.nova-pro-v1:0")
    ('openai/gpt-4o', 'claude2', 'bedrock/amazon.nova-pro-v1:0')
    """
    if is_model(model):
        return model
    if model in ("claude3-sonnet", "claude3-haiku"):
        return "claude2"
    return f"anthropic/{model}" if model.startswith("claude-") else f"openai/{model}"


def sentence_numbers(claim: Claim, starts: Sequence[int]) -> list[str]:
    """The numbers of the sentences that a claim comes from, by where sentences start.

    >>> from refchecker.types import Span
    >>> sentence_numbers(Claim("It rains.", spans=(Span("response", 12, 15),)), [0, 10, 20])
    ['2']
    """
    numbers = {bisect_right(starts, span.start) for span in claim.spans}
    return [str(number) for number in sorted(numbers)]


def sagemaker_function(
    endpoint: str,
    max_new_tokens: int,
    *,
    sagemaker_client: Any = None,
    sagemaker_params: Mapping[str, Any] | None = None,
    sagemaker_get_response_func: Callable[[Any], str] | None = None,
    **_unused: Any,
) -> CustomLLM | None:
    """From prompts to the replies of an Amazon SageMaker endpoint, as upstream; None without a client."""
    if sagemaker_client is None:
        return None
    parameters = {"max_new_tokens": max_new_tokens, "temperature": 1e-5, **(sagemaker_params or {})}

    def ask(prompts: list[str]) -> list[str]:
        bodies = [json.dumps({"inputs": prompt, "parameters": parameters}) for prompt in prompts]
        answers = [
            sagemaker_client.invoke_endpoint(EndpointName=endpoint, Body=body, ContentType="application/json")
            for body in bodies
        ]
        return [(sagemaker_get_response_func or _first_output)(answer) for answer in answers]

    return ask


def _first_output(answer: Any) -> str:
    return str(json.loads(answer["Body"].read())["outputs"][0])
