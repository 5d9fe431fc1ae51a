"""Names of models, and the provider for each: `provider_of("anthropic/claude-sonnet-5-5")`."""

from __future__ import annotations

import difflib
import os
import re
from urllib.parse import urlsplit

from ...errors import UsageError
from ...net import key_of
from ..types import Provider
from . import anthropic, openai

GPT = "openai/gpt-6.1-terra"
CLAUDE = "anthropic/claude-sonnet-5-5"
NAMES = {"gpt4": GPT, "claude2": CLAUDE}  # upstream's names, each for a current model of its family

OPENAI_KEY, ANTHROPIC_KEY = "--openai_key FILE or OPENAI_API_KEY", "--anthropic_key FILE or ANTHROPIC_API_KEY"
NO_KEY = "no-key-given"  # what is sent then; no word of a message, as keys are taken out of those


def provider_of(
    name: str,
    *,
    api_base: str | None = None,
    key: str | None = None,
    region: str | None = None,
    timeout_seconds: float = 60.0,
) -> Provider:
    """The provider of a model, not asked yet.

    `gpt4`, `claude2`, `openai/MODEL`, `anthropic/MODEL`, `bedrock/MODEL`; any other `provider/MODEL` is an
    OpenAI-compatible server at `api_base`. Without a `key` (the key itself; see `key_of` for files) it is the
    environment's: OPENAI_API_KEY, ANTHROPIC_API_KEY, AWS's own; for another provider PROVIDER_API_KEY.
    A key of the environment goes to the server of its name only.
    """
    kind, model = parted(name)
    if kind == "bedrock":
        from .bedrock import Bedrock

        return Bedrock(model, region=region, timeout_seconds=timeout_seconds)
    if kind == "anthropic":
        address = _address(api_base or os.environ.get("ANTHROPIC_BASE_URL") or anthropic.ADDRESS)
        return anthropic.provider(
            model,
            key=_needed(key, "ANTHROPIC_API_KEY", ANTHROPIC_KEY, own=address == anthropic.ADDRESS),
            key_from=ANTHROPIC_KEY,
            signature=_signature(kind, model, address, anthropic.ADDRESS),
            address=address,
            timeout_seconds=timeout_seconds,
        )
    if kind == "openai":
        address = _address(api_base or os.environ.get("OPENAI_BASE_URL") or openai.ADDRESS)
        key = _needed(key, "OPENAI_API_KEY", OPENAI_KEY, own=address == openai.ADDRESS)
        key_from = OPENAI_KEY
    elif api_base:
        variable = re.sub(r"\W", "_", kind).upper() + "_API_KEY"
        address, key = _address(api_base), key or os.environ.get(variable, "").strip() or NO_KEY
        key_from = f"--openai_key FILE or {variable}"
    else:
        raise UsageError(
            f"{name!r} is a model of no provider known here ({', '.join(sorted(NAMES))}, openai/MODEL, "
            "anthropic/MODEL, bedrock/MODEL). For an OpenAI-compatible server give its address too: "
            "--extractor_api_base, --checker_api_base, for example http://127.0.0.1:8000/v1."
        )
    return openai.provider(
        model,
        key=key,
        key_from=key_from,
        signature=_signature(kind, model, address, openai.ADDRESS),
        name="OpenAI" if address == openai.ADDRESS else kind,
        address=address,
        timeout_seconds=timeout_seconds,
    )


def parted(name: str) -> tuple[str, str]:
    """Provider and model of a name.

    >>> parted("claude2")
    ('anthropic', 'claude-sonnet-5-5')
    """
    kind, slash, model = NAMES.get(name, name).partition("/")
    if slash and kind and model:
        return kind, model
    close = difflib.get_close_matches(name, NAMES, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else f" Did you mean 'openai/{name}'?" if name else ""
    raise UsageError(
        f"no model called {name!r}.{hint} Models: {', '.join(sorted(NAMES))}, openai/MODEL, anthropic/MODEL, "
        "bedrock/MODEL, or provider/MODEL of an OpenAI-compatible server by its api base."
    )


def is_model(name: str) -> bool:
    """Whether a component's name is that of a language model."""
    return name in NAMES or "/" in name


def key_for(name: str, *, openai_key: str | None = None, anthropic_key: str | None = None) -> str | None:
    """The key in the file of the flag that belongs to a model; None where none was given."""
    kind, _ = parted(name)
    if kind == "bedrock":
        return None
    path, flag = (anthropic_key, "--anthropic_key") if kind == "anthropic" else (openai_key, "--openai_key")
    return key_of(path, flag) if path else None


def _needed(key: str | None, variable: str, key_from: str, *, own: bool) -> str:
    found = key or os.environ.get(variable, "").strip()
    if not found and own:
        raise UsageError(f"a key is needed: {key_from}.")
    return found or NO_KEY


def _address(api_base: str) -> str:
    address = api_base.rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{api_base!r} is no api base. It looks like http://127.0.0.1:8000/v1.")
    return address


def _signature(kind: str, model: str, address: str, own: str) -> str:
    """The model's name, with the server's where it is not the provider's own; never what logs in there."""
    if address == own:
        return f"{kind}/{model}"
    parts = urlsplit(address)
    return f"{kind}/{model}@{parts.netloc.rpartition('@')[2]}{parts.path}"
