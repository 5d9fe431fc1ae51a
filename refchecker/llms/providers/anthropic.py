"""Anthropic's messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...errors import imported
from ..types import Refused, Reply, Request, Stop
from .chat import THINKING_ROOM, Chat, Wire, http_client
from .errors import Place
from .openai import nothing_said
from .schema import closed

ADDRESS = "https://api.anthropic.com"
PATH = "/v1/messages"


@dataclass(frozen=True, slots=True)
class Habit:
    """What models of one kind take: whether a temperature, and how they are told not to think first."""

    models: re.Pattern[str]
    temperature: bool = False
    thinking: str | None = None
    thinks: bool = False  # where nothing else is said


_PLAIN = Habit(re.compile(""), thinks=True)
HABITS = (
    Habit(re.compile(r"claude-(3|(haiku|sonnet|opus)-4-[0-6]\b|(sonnet|opus)-4-\d{8})"), temperature=True),
    Habit(re.compile(r"claude-(opus-4-[78]|(sonnet|opus)-5$)"), thinking="disabled", thinks=True),
    Habit(re.compile(r"claude-sonnet-5-5"), thinking="between_tools", thinks=True),
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
    habit = next((habit for habit in HABITS if habit.models.match(model)), _PLAIN)
    connection = module.AsyncAnthropic(
        api_key=key,
        base_url=address,
        max_retries=0,
        http_client=client or http_client(module, address, timeout_seconds),
    )
    return Chat(
        module,
        connection,
        Wire(PATH, partial(body_of, model, habit), reply_of, uses, FEATURES),
        Place("Anthropic", model, address, key_from, (key,)),
        signature=signature,
        without=frozenset() if habit.temperature else frozenset({"temperature"}),
    )


def body_of(model: str, habit: Habit, request: Request, without: frozenset[str]) -> dict[str, Any]:
    """The request as messages take it, without what the endpoint was seen to refuse."""
    told = habit.thinking if "thinking" not in without else None
    thinks = habit.thinks and not told
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens + (THINKING_ROOM if thinks else 0),
        "messages": [{"role": "user", "content": request.user}],
    }
    if request.system:
        body["system"] = request.system
    if told:
        body["thinking"] = {"type": told}
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


def reply_of(answer: Mapping[str, Any], place: Place) -> Reply:
    """The reply in a decoded message: its text, or the input of the tool it called."""
    blocks, reason = answer["content"], answer.get("stop_reason")
    if reason == "refusal":
        raise Refused(f"{place.provider}, model {place.model!r}: it declined, or its content filter did")
    called = next((block["input"] for block in blocks if block["type"] == "tool_use"), None)
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    if called is not None:
        text = json.dumps(called, ensure_ascii=False)
    stop: Stop = "length" if reason in ("max_tokens", "model_context_window_exceeded") else "end"
    if not text.strip():
        raise nothing_said(stop, place)
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
