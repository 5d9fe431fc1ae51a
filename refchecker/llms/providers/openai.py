"""OpenAI's chat completions, and the many servers that speak like it (vLLM, Ollama, llama.cpp)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ...errors import imported
from ...net import shortened
from ..types import Reply, Request, Stop
from .chat import Chat, ModelQuirks, Wire, http_client
from .errors import Endpoint
from .schema import closed, is_strict

ADDRESS = "https://api.openai.com/v1"
PATH = "/chat/completions"


_UNKNOWN = ModelQuirks(re.compile(""))
_FIXED = frozenset({"temperature", "logprobs"})
QUIRKS = (
    ModelQuirks(re.compile(r"gpt-5(-\d|-mini|-nano|$)"), "minimal", True, _FIXED),
    ModelQuirks(re.compile(r"gpt-(5\.\d|[6-9])"), "none"),
    ModelQuirks(re.compile(r"o\d"), "low", True, _FIXED),
)

# what a request can do without, and what a refusal of it mentions
FEATURES = {
    "max_tokens": re.compile(r"\bmax_tokens"),
    "max_completion_tokens": re.compile(r"max_completion_tokens"),
    "temperature": re.compile(r"temperature"),
    "logprobs": re.compile(r"logprobs"),
    "reasoning_effort": re.compile(r"reasoning.?effort"),
    "json_schema": re.compile(r"response_format|json.?schema|structured|grammar|guided|additionalProperties"),
    "json_object": re.compile(r"response_format|json.?object|grammar|guided"),
    "system": re.compile(r"\b[Ss]ystem (role|message|prompt)|roles must alternate|\brole\b.{0,40}system"),
}


def provider(
    model: str,
    *,
    key: str,
    key_from: str,
    signature: str,
    name: str = "OpenAI",
    address: str = ADDRESS,
    timeout_seconds: float = 60.0,
    client: Any = None,
) -> Chat:
    """A model at OpenAI, or at a server that speaks its protocol at another address."""
    module = imported("openai", "llm")
    official = address == ADDRESS
    quirks = next((quirks for quirks in QUIRKS if official and quirks.models.match(model)), _UNKNOWN)
    limits = ("max_completion_tokens", "max_tokens") if official else ("max_tokens", "max_completion_tokens")
    connection = module.AsyncOpenAI(
        api_key=key,
        base_url=address,
        max_retries=0,
        http_client=client or http_client(module, address, timeout_seconds),
    )
    return Chat(
        module,
        connection,
        Wire(PATH, partial(body_of, model, quirks, limits), reply_of, uses, FEATURES),
        Endpoint(name, model, address, key_from, (key,)),
        signature=signature,
        without=quirks.refuses,
    )


def body_of(
    model: str, quirks: ModelQuirks, limits: tuple[str, ...], request: Request, without: frozenset[str]
) -> dict[str, Any]:
    """The request as chat completions take it, without what the endpoint was seen to refuse."""
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
    if "system" in without or not request.system:
        messages = [{"role": "user", "content": f"{request.system}\n\n{request.user}".strip()}]
    body: dict[str, Any] = {"model": model, "messages": messages}
    effort = quirks.least_thought if "reasoning_effort" not in without else None
    if limit := next((name for name in limits if name not in without), None):
        body[limit] = request.max_tokens + quirks.thinking_room(effort)
    if effort:
        body["reasoning_effort"] = effort
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.logprobs and "logprobs" not in without:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema is not None and "json_schema" not in without:
        schema = closed(request.schema)
        named = {"name": request.schema_name, "schema": schema, "strict": is_strict(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif request.schema is not None and "json_object" not in without:
        body["response_format"] = {"type": "json_object"}
    return body


def uses(body: Mapping[str, Any]) -> frozenset[str]:
    """The features of a body that it could do without."""
    roles = {message["role"] for message in body["messages"]}
    kind = {body["response_format"]["type"]} if "response_format" in body else set()
    return frozenset((body.keys() | kind | roles) & FEATURES.keys())


def reply_of(answer: Mapping[str, Any], endpoint: Endpoint) -> Reply:
    """The reply in a decoded chat completion."""
    choice = answer["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    text = message.get("content") or ""
    if declined := message.get("refusal"):
        raise endpoint.refusal(f"it declined: {shortened(declined)}")
    if finish == "content_filter":
        raise endpoint.refusal("stopped by the provider's content filter")
    stop: Stop = "length" if finish == "length" else "end"
    if not text.strip():
        raise endpoint.silence(stop)
    usage = answer.get("usage") or {}
    return Reply(
        text,
        stop,
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        _logprobs((choice.get("logprobs") or {}).get("content") or ()),
        model=answer.get("model") or "",
    )


def _logprobs(tokens: Any) -> tuple[tuple[str, Mapping[str, float]], ...]:
    return tuple(
        (
            token["token"],
            {token["token"]: token["logprob"]}
            | {other["token"]: other["logprob"] for other in token.get("top_logprobs") or ()},
        )
        for token in tokens
    )
