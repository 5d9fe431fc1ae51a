"""Prompt files: a system part and a user part, filled once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

USER = "\n=== user ===\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two parts of `prompts/NAME.txt`; `version` is the name with a hash of the file."""

    system: str
    user: Template
    version: str


@cache
def prompt(name: str, *additions: str) -> Prompt:
    """The prompt of that name. Its $also is the text of the `additions`, files like it, or nothing."""
    text, also = _text(name), "".join(_text(addition) for addition in additions)
    system, separator, user = text.partition(USER)
    assert separator, f"prompts/{name}.txt has no user part"
    digest = hashlib.sha256((text + also).encode()).hexdigest()[:6]
    names = "+".join((name, *additions))
    filled = Template(system).substitute(also=also)
    return Prompt(filled.strip(), Template(user.strip()), f"{names}@{digest}")


def _text(name: str) -> str:
    return files("refchecker").joinpath("prompts", f"{name}.txt").read_text("utf-8")


def object_schema(members: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has these members and no others, as providers ask for it."""
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
