"""What commands that may ask a language model are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...llms import ATTEMPT_SECONDS, ATTEMPT_TIMES
from ...protocols import option
from .arguments import Groups, above_zero

LANGUAGE_MODELS = "language models"


def server_of(role: str) -> Any:
    """The option, beside others of that role, that says where its model is asked."""
    about = f"server of the {role}'s model, for example http://127.0.0.1:8000/v1"
    return option(None, about, "URL", group=LANGUAGE_MODELS)


@dataclass(frozen=True, kw_only=True)
class LLMOptions:
    """How language models are asked, all that a run has. Where each of them is, is said beside its name."""

    openai_key: str | None = option(None, "file that holds the OpenAI key; else OPENAI_API_KEY", "FILE")
    anthropic_key: str | None = option(
        None, "file that holds the Anthropic key; else ANTHROPIC_API_KEY", "FILE"
    )
    aws_bedrock_region: str | None = option(
        None, "region of Amazon Bedrock; else that of AWS's own settings", "REGION"
    )
    prices: str | None = option(
        None,
        'prices of models that are not known, as {"provider/model": {"input": 0.1, "output": 0.4}} in '
        "dollars per million tokens",
        "FILE",
    )
    provider_batch: bool = option(
        False,
        "ask by the batch API of OpenAI or Anthropic: half the price, within a day; the same command "
        "takes up batches that are under way",
    )
    max_cost: float | None = option(
        None,
        "end the run before it costs more than this; the same command with more goes on",
        "DOLLARS",
        parse=above_zero,
    )
    dry_run: bool = option(
        False, "ask and write nothing; tell how many requests, tokens and dollars it would be"
    )
    cache_only: bool = option(
        False, "ask nothing; answer from --cache_dir, and fail the records whose answers are not there"
    )
    request_timeout: float = option(
        ATTEMPT_SECONDS,
        f"seconds for one attempt at a request; all attempts may take {ATTEMPT_TIMES} times that "
        "(%(default)g)",
        "S",
        parse=above_zero,
    )
    deadline: float | None = option(
        None,
        "end the run so many seconds after its first request; the same command goes on",
        "S",
        parse=above_zero,
    )


LLM: Groups = {LLMOptions: LANGUAGE_MODELS}
