"""A language model made of words alone: it reads our prompts and answers in the form they ask for.

A sentence of the response becomes one claim: its first words, up to the first small word, are the subject.
A claim is entailed by a reference that has all its words, else Neutral. As a function from prompts to
replies, and as a server on loopback.
"""

from __future__ import annotations

import json
import re
from typing import Any

from fault_server import FaultServer

_FENCED = re.compile(
    r"^\[(?P<fence>\w+) (?P<name>[\w ]+) begins\]\n(?P<text>.*?)\n\[(?P=fence) (?P=name) ends\]$", re.M | re.S
)
_NUMBERED = re.compile(r"^\[(\w+)\] (.+)$", re.M)
_SUBJECT = re.compile(r"((?:[A-Z]\w+ ?)+)([a-z]\w*) ([^!?]+?)\.?$")


def served() -> FaultServer:
    """A server that answers like this and never fails."""
    return FaultServer(lambda system, user: reply(f"{system}\n\n{user}"))


def replies(prompts: list[str]) -> list[str]:
    """The answers, one per prompt: what upstream calls a `custom_llm_api_func`."""
    return [reply(prompt) for prompt in prompts]


def reply(prompt: str) -> str:
    material = {match["name"]: match["text"] for match in _FENCED.finditer(prompt)}
    if "response" in material:
        found = [_triplet(int(number), text) for number, text in _NUMBERED.findall(material["response"])]
        return json.dumps({"claims": [triplet for triplet in found if triplet]})
    reference = _words(material["reference"])
    claims = material.get("claims") or material["claim"]
    answers = [{"id": name, "label": _label(text, reference)} for name, text in _NUMBERED.findall(claims)]
    return json.dumps({"answers": answers} if answers else {"label": _label(claims, reference)})


def _triplet(number: int, sentence: str) -> dict[str, Any] | None:
    match = _SUBJECT.match(sentence)
    if not match:
        return None
    subject, predicate, obj = (part.strip() for part in match.groups())
    return {"sentence": number, "quote": sentence, "subject": subject, "predicate": predicate, "object": obj}


def _label(claim: str, reference: set[str]) -> str:
    return "Entailment" if _words(claim) <= reference else "Neutral"


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
