"""What servers say: in how many seconds to come again, and their messages without anything secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from time import time

SHOWN_CHARACTERS = 240

_SECRETS = (
    re.compile(r"\b(sk|pk|rk|sess|gsk|xai|hf|AIza)[-_][\w*.-]{6,}"),
    re.compile(r"\b(AKIA|ASIA)[A-Z0-9]{12,}"),
    re.compile(r"(?i)\b(bearer|x-api-key:?|authorization:?|api[-_]key=)(\s*bearer)?\s*[\w*.=+/-]{6,}"),
    re.compile(r"(?<=//)[^/\s@]+@"),
)


def shortened(message: str, secrets: tuple[str, ...] = ()) -> str:
    """One line of at most 240 characters, without anything that looks like a key.

    >>> shortened("Incorrect API key\\nprovided: sk-proj-abc123***xyz.")
    'Incorrect API key provided: [key]'
    """
    for secret in secrets:
        message = message.replace(secret, "[key]") if secret else message
    for pattern in _SECRETS:
        message = pattern.sub("[key]", message)
    line = " ".join(message.split())
    return line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to wait for: `retry-after-ms`, or `Retry-After` as seconds or as a date."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        after = headers.get("retry-after")
        if not after:
            return None
        if re.fullmatch(r"\s*[\d.]+\s*", after):
            return float(after)
        return max(0.0, parsedate_to_datetime(after).timestamp() - time())
    except ValueError:
        return None
