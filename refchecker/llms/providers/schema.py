"""JSON schemas as the providers want them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def closed(schema: Any) -> Any:
    """The schema with every object closed to properties that it does not name, as strict modes demand.

    >>> closed({"type": "object", "properties": {"a": {"type": "string"}}})["additionalProperties"]
    False
    """
    if isinstance(schema, Mapping):
        inner = {name: closed(part) for name, part in schema.items()}
        if schema.get("type") == "object":
            inner.setdefault("additionalProperties", False)
        return inner
    return [closed(part) for part in schema] if isinstance(schema, list | tuple) else schema


def is_strict(schema: Any) -> bool:
    """Whether every object is closed and requires all its properties, as OpenAI's strict mode demands."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "object" and (
            schema.get("additionalProperties") is not False
            or set(schema.get("required", ())) != set(schema.get("properties", ()))
        ):
            return False
        return all(is_strict(part) for part in schema.values())
    return all(is_strict(part) for part in schema) if isinstance(schema, list) else True
