"""Language models as components: providers, one policy, one cache.

`load("openai/gpt-5")` gives the `Client` that extractors and checkers ask.
"""

from __future__ import annotations

from typing import Any

from .types import Client


def load(
    spec: str,
    *,
    api_base: str | None = None,
    openai_key: str | None = None,
    anthropic_key: str | None = None,
    aws_bedrock_region: str | None = None,
    cache_dir: str | None = None,
    cache_only: bool = False,
    concurrency: int = 64,
    request_timeout: float = 60.0,
    **_: Any,
) -> Client:
    """The client of that model, `provider/model` or a name such as `gpt4`: provider, policy and cache.

    Options it does not know are those of other components and are left out, so that a factory
    passes on everything it was given: `load(spec, **options)`.
    """
    raise NotImplementedError
