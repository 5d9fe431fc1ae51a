"""Anthropic's messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ...errors import imported
from ..types import Reply, Request
from .chat import Chat, ModelQuirks, Wire, http_client
from .errors import Endpoint
from .schema import closed

ADDRESS = "https://api.anthropic.com"
PATH = "/v1/messages"


_FIXED = frozenset({"temperature"})
_UNKNOWN = ModelQuirks(re.compile(""), thinks=True, refuses=_FIXED)
QUIRKS = (
    ModelQuirks(re.compile(r"claude-(3|(haiku|sonnet|opus)-4-[0-6]\b|(sonnet|opus)-4-\d{8})")),
    ModelQuirks(re.compile(r"claude-(opus-4-[78]|(sonnet|opus)-5$)"), "disabled", refuses=_FIXED),
    ModelQuirks(re.compile(r"claude-sonnet-5-5"), "between_tools", refuses=_FIXED),
)

# in the order of giving up: a schema first becomes a tool that must be called, then nothing
FEATURES = {
    "temperature": re.compile(r"temperature"),
    "thinking": re.compile(r"thinking"),
    "output_config": re.compile(r"output_config|output_format|json_schema|structured|schema|Extra inputs"),
    "tools": re.compile(r"tool"),
}


def provider(
    model: str,
    *,
    key: str,
    key_from: str,
    signature: str,
    address: str = ADDRESS,
    timeout_seconds: float = 60.0,
    client: Any = None,
) -> Chat:
    """A model at Anthropic, or at a server that speaks its protocol at another address."""
    module = imported("anthropic", "llm")
    quirks = next((quirks for quirks in QUIRKS if quirks.models.match(model)), _UNKNOWN)
    connection = module.AsyncAnthropic(
        api_key=key,
        base_url=address,
        max_retries=0,
        http_client=client or http_client(module, address, timeout_seconds),
    )
    return Chat(
        module,
        connection,
        Wire(PATH, partial(body_of, model, quirks), reply_of, uses, FEATURES),
        Endpoint("Anthropic", model, address, key_from, (key,)),
        signature=signature,
        without=quirks.refuses,
    )


def body_of(model: str, quirks: ModelQuirks, request: Request, without: frozenset[str]) -> dict[str, Any]:
    """The request as messages take it, without what the endpoint was seen to refuse."""
    thinking = quirks.least_thought if "thinking" not in without else None
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens + quirks.thinking_room(thinking),
        "messages": [{"role": "user", "content": request.user}],
    }
    if request.system:
        body["system"] = request.system
    if thinking:
        body["thinking"] = {"type": thinking}
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.schema is not None and "output_config" not in without:
        body["output_config"] = {"format": {"type": "json_schema", "schema": closed(request.schema)}}
    elif request.schema is not None and "tools" not in without:
        tool = {"name": request.schema_name, "input_schema": closed(request.schema)}
        body["tools"] = [tool | {"description": "Give the answer."}]
        body["tool_choice"] = {"type": "tool", "name": request.schema_name}
    return body


def uses(body: Mapping[str, Any]) -> frozenset[str]:
    """The features of a body that it could do without."""
    return frozenset(body.keys() & FEATURES.keys())


def reply_of(answer: Mapping[str, Any], endpoint: Endpoint) -> Reply:
    """The reply in a decoded message: its text, or the input of the tool it called."""
    blocks, reason = answer["content"], answer.get("stop_reason")
    if reason == "refusal":
        raise endpoint.refusal("it declined, or its content filter did")
    text, stop = endpoint.answer(
        [block["text"] for block in blocks if block["type"] == "text"],
        [block["input"] for block in blocks if block["type"] == "tool_use"],
        reason,
    )
    usage = answer.get("usage") or {}
    read = [
        usage.get(name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    return Reply(
        text,
        stop,
        sum(count or 0 for count in read) if read[0] is not None else None,
        usage.get("output_tokens"),
        model=answer.get("model") or "",
    )
