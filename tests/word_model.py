"""A language model made of words alone: it reads our prompts and answers in the form they ask for.

A sentence of the response becomes one claim: its first words, up to the first small word, are the subject.
A claim is entailed by a reference that has all its words, else Neutral. As a function from prompts to
replies, and as a server on loopback that speaks the OpenAI protocol.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_FENCED = re.compile(
    r"^\[(?P<fence>\w+) (?P<name>[\w ]+) begins\]\n(?P<text>.*?)\n\[(?P=fence) (?P=name) ends\]$", re.M | re.S
)
_NUMBERED = re.compile(r"^\[(\w+)\] (.+)$", re.M)
_SUBJECT = re.compile(r"((?:[A-Z]\w+ ?)+)([a-z]\w*) ([^!?]+?)\.?$")


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


class _Completions(BaseHTTPRequestHandler):
    """POST /v1/chat/completions, and nothing else."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = reply("\n\n".join(message["content"] for message in body["messages"]))
        answer = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            ],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: the tests' output is for the tests."""


@contextmanager
def served() -> Iterator[str]:
    """The address of a running server, as an `api_base`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Completions)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
