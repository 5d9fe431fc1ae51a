"""Amazon Bedrock by its Converse API: boto3, which knows no asyncio, in threads of its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from ...errors import UsageError, imported
from ...net import retry_after, shortened
from ..types import Reply, Request
from .chat import CONNECT_SECONDS
from .errors import Endpoint, Failure, later, sort, unreachable
from .schema import closed

THREADS = 256  # requests under way at once; a thread is made when it is needed
KEY_FROM = "the AWS credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID, or the machine's role)"

# what a request can do without, and what a refusal of it mentions
FEATURES = {
    "temperature": re.compile(r"temperature"),
    "toolConfig": re.compile(r"tool", re.IGNORECASE),
    "system": re.compile(r"system", re.IGNORECASE),
}


class Bedrock:
    """A model in a region of Amazon Bedrock, by its model id or inference profile."""

    def __init__(self, model: str, *, region: str | None = None, timeout_seconds: float = 60.0) -> None:
        self._client = _client(region, timeout_seconds)
        self._endpoint = Endpoint("Amazon Bedrock", model, self._client.meta.endpoint_url, KEY_FROM)
        self.signature = f"bedrock/{model}"
        self._threads = ThreadPoolExecutor(THREADS, "bedrock")
        self._without: frozenset[str] = frozenset()
        self._answered = False

    async def send(self, request: Request, /) -> Reply:
        """The model's reply. Sent again at once only where the model refuses something we can do without."""
        errors = imported("botocore.exceptions", "llm")
        loop = asyncio.get_running_loop()
        while True:
            body = body_of(self._endpoint.model, request, self._without)
            try:
                answer = await loop.run_in_executor(self._threads, partial(self._client.converse, **body))
            except errors.ClientError as error:
                self._answered = True
                failure = failure_of(error.response)
                feature = blamed(failure, body)
                if feature is None:
                    raise sort(failure, self._endpoint) from None
                self._without |= {feature}
            except (errors.NoCredentialsError, errors.PartialCredentialsError, errors.TokenRetrievalError):
                raise sort(Failure("no credentials found", 401), self._endpoint) from None
            except errors.ParamValidationError as error:
                raise sort(Failure(str(error), 400), self._endpoint) from None
            except errors.HTTPClientError as error:
                raise unreachable(error, self._endpoint, answered=self._answered) from None
            except errors.BotoCoreError as error:
                raise later("unreadable", shortened(str(error))) from None
            else:
                self._answered = True
                return reply_of(answer, self._endpoint)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._client.close()


def _client(region: str | None, timeout_seconds: float) -> Any:
    boto3, config = imported("boto3", "llm"), imported("botocore.config", "llm")
    session = boto3.session.Session()
    if not (region or session.region_name):
        raise UsageError("Amazon Bedrock needs a region: --aws_bedrock_region, for example us-east-1.")
    return session.client(
        "bedrock-runtime",
        region_name=region,
        config=config.Config(
            connect_timeout=min(CONNECT_SECONDS, timeout_seconds),
            read_timeout=timeout_seconds,
            max_pool_connections=THREADS,
            retries={"total_max_attempts": 1},
        ),
    )


def body_of(model: str, request: Request, without: frozenset[str]) -> dict[str, Any]:
    """The arguments of `converse`; a schema becomes a tool that must be called."""
    settings: dict[str, Any] = {"maxTokens": request.max_tokens}
    if request.temperature is not None and "temperature" not in without:
        settings["temperature"] = request.temperature
    user = request.user
    body: dict[str, Any] = {"modelId": model, "inferenceConfig": settings}
    if request.system and "system" not in without:
        body["system"] = [{"text": request.system}]
    elif request.system:
        user = f"{request.system}\n\n{request.user}"
    body["messages"] = [{"role": "user", "content": [{"text": user}]}]
    if request.schema is not None and "toolConfig" not in without:
        tool = {
            "name": request.schema_name,
            "description": "Give the answer.",
            "inputSchema": {"json": closed(request.schema)},
        }
        choice = {"tool": {"name": request.schema_name}}
        body["toolConfig"] = {"tools": [{"toolSpec": tool}], "toolChoice": choice}
    return body


def blamed(failure: Failure, body: Mapping[str, Any]) -> str | None:
    """The feature in use that a validation error is about, if it is about one."""
    if "ValidationException" not in failure.code or "too long" in failure.message.lower():
        return None
    used = body.keys() | body["inferenceConfig"].keys()
    return next(
        (name for name, words in FEATURES.items() if name in used and words.search(failure.message)), None
    )


def failure_of(response: Mapping[str, Any]) -> Failure:
    """What a botocore error response says."""
    error, meta = response.get("Error", {}), response.get("ResponseMetadata", {})
    return Failure(
        error.get("Message", ""),
        meta.get("HTTPStatusCode"),
        error.get("Code", ""),
        retry_after(meta.get("HTTPHeaders", {})),
    )


def reply_of(answer: Mapping[str, Any], endpoint: Endpoint) -> Reply:
    """The reply in what `converse` returned: its text, or the input of the tool it called."""
    reason = answer.get("stopReason", "")
    if reason in ("guardrail_intervened", "content_filtered"):
        raise endpoint.refusal("stopped by the provider's content filter")
    try:
        blocks = answer["output"]["message"]["content"]
    except (KeyError, TypeError):
        raise later("unreadable", "an answer without a message") from None
    text, stop = endpoint.answer(
        [block["text"] for block in blocks if "text" in block],
        [block["toolUse"]["input"] for block in blocks if "toolUse" in block],
        reason,
    )
    usage = answer.get("usage", {})
    return Reply(text, stop, usage.get("inputTokens"), usage.get("outputTokens"), model=endpoint.model)
