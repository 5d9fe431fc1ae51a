"""OpenAI's chat completions, and the many servers that speak like it (vLLM, Ollama, llama.cpp)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...errors import imported
from ...net import shortened
from ..types import Refused, Reply, Request, Stop
from .chat import THINKING_ROOM, Chat, Wire, http_client
from .errors import Place, later
from .schema import closed, is_strict

ADDRESS = "https://api.openai.com/v1"
PATH = "/chat/completions"


@dataclass(frozen=True, slots=True)
class Habit:
    """What models of one kind take: the least effort of thought, and which parameters they refuse."""

    models: re.Pattern[str]
    effort: str | None = None
    thinks: bool = False  # even at that effort
    refuses: frozenset[str] = frozenset()


_PLAIN = Habit(re.compile(""))
HABITS = (
    Habit(re.compile(r"gpt-5(-\d|-mini|-nano|$)"), "minimal", True, frozenset({"temperature", "logprobs"})),
    Habit(re.compile(r"gpt-(5\.\d|[6-9])"), "none"),
    Habit(re.compile(r"o\d"), "low", True, frozenset({"temperature", "logprobs"})),
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
    own = address == ADDRESS
    habit = next((habit for habit in HABITS if own and habit.models.match(model)), _PLAIN)
    limits = ("max_completion_tokens", "max_tokens") if own else ("max_tokens", "max_completion_tokens")
    connection = module.AsyncOpenAI(
        api_key=key,
        base_url=address,
        max_retries=0,
        http_client=client or http_client(module, address, timeout_seconds),
    )
    return Chat(
        module,
        connection,
        Wire(PATH, partial(body_of, model, habit, limits), reply_of, uses, FEATURES),
        Place(name, model, address, key_from, (key,)),
        signature=signature,
        without=habit.refuses,
    )


def body_of(
    model: str, habit: Habit, limits: tuple[str, ...], request: Request, without: frozenset[str]
) -> dict[str, Any]:
    """The request as chat completions take it, without what the endpoint was seen to refuse."""
    messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
    if "system" in without or not request.system:
        messages = [{"role": "user", "content": f"{request.system}\n\n{request.user}".strip()}]
    body: dict[str, Any] = {"model": model, "messages": messages}
    effort = habit.effort if "reasoning_effort" not in without else None
    thinks = habit.thinks or (habit.effort and not effort)
    if limit := next((name for name in limits if name not in without), None):
        body[limit] = request.max_tokens + (THINKING_ROOM if thinks else 0)
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


def reply_of(answer: Mapping[str, Any], place: Place) -> Reply:
    """The reply in a decoded chat completion."""
    choice = answer["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    text = message.get("content") or ""
    if declined := message.get("refusal"):
        raise Refused(f"{place.provider}, model {place.model!r}: it declined: {shortened(declined)}")
    if finish == "content_filter":
        raise Refused(f"{place.provider}, model {place.model!r}: stopped by the provider's content filter")
    stop: Stop = "length" if finish == "length" else "end"
    if not text.strip():
        raise nothing_said(stop, place)
    usage = answer.get("usage") or {}
    return Reply(
        text,
        stop,
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        _logprobs((choice.get("logprobs") or {}).get("content") or ()),
        model=answer.get("model") or "",
    )


def nothing_said(stop: Stop, place: Place) -> Exception:
    """An empty answer: one that spent its tokens on thinking stays so, another may be better next time."""
    if stop == "length":
        return Refused(
            f"{place.provider}, model {place.model!r}: all tokens of the answer went into thinking; "
            "allow more (--extractor_max_new_tokens) or take a model that thinks less"
        )
    return later("unreadable", "an empty answer")


def _logprobs(tokens: Any) -> tuple[tuple[str, Mapping[str, float]], ...]:
    return tuple(
        (
            token["token"],
            {token["token"]: token["logprob"]}
            | {other["token"]: other["logprob"] for other in token.get("top_logprobs") or ()},
        )
        for token in tokens
    )
