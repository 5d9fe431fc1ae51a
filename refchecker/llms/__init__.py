"""Language models as components: providers, one policy, one cache.

`load("openai/gpt-5")` gives the `Client` that extractors and checkers ask.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .types import Client, Price, Provider

if TYPE_CHECKING:
    from .asking import Ledger
    from .batch import Batching

CONCURRENCY = 64
ATTEMPT_SECONDS = 60.0
ATTEMPT_TIMES = 5  # how many times the time of one attempt all attempts together may take


def load(
    spec: str,
    *,
    api_base: str | None = None,
    openai_key: str | None = None,
    anthropic_key: str | None = None,
    aws_bedrock_region: str | None = None,
    prices: str | None = None,
    request_timeout: float = ATTEMPT_SECONDS,
    dry_run: bool = False,
    cache_only: bool = False,
    **options: Any,
) -> Client:
    """The client of that model, `provider/model` or a name such as `gpt4`: provider, policy and cache.

    `openai_key`, `anthropic_key` and `prices` are paths of files. With `dry_run` nothing is
    asked and the ledger has what it would be; with `cache_only` nothing is asked and only what
    is in `cache_dir` is answered. The other options are those of `client_of`. Options neither
    knows are those of other components and are left out, so that a factory passes on
    everything it was given: `load(spec, **options)`.
    """
    from .asking import KNOWN, price_of, read_prices
    from .providers import key_for, provider_of

    asks = not (dry_run or cache_only)
    provider = provider_of(
        spec,
        api_base=api_base,
        key=key_for(spec, openai_key=openai_key, anthropic_key=anthropic_key) if asks else "not needed",
        region=aws_bedrock_region,
        timeout_seconds=request_timeout,
    )
    price = price_of(provider.signature, read_prices(prices) if prices else KNOWN)
    chosen = {
        name: options[name] for name in ("cache_dir", "concurrency", "ledger", "batching") if name in options
    }
    return client_of(
        provider,
        price=price,
        request_timeout=request_timeout,
        dry_run=dry_run,
        cache_only=cache_only,
        **chosen,
    )


def client_of(
    provider: Provider,
    *,
    price: Price | None = None,
    request_timeout: float = ATTEMPT_SECONDS,
    dry_run: bool = False,
    cache_only: bool = False,
    cache_dir: str | None = None,
    concurrency: int = CONCURRENCY,
    ledger: Ledger | None = None,
    batching: Batching | None = None,
) -> Client:
    """The provider behind policy and cache; it is closed when the program ends.

    At most `concurrency` requests are under way at once. An attempt may take `request_timeout`
    seconds, all attempts at one request five times that. Clients with the same `ledger` share
    its budget, its time and its end. Without `cache_dir` nothing outlives the program. With
    `batching` (and a `cache_dir`) what it asks can first go through the provider's batch API.
    """
    from . import loop
    from .asking import FILE_NAME, Cached, DryRun, Ledger, Limits, Policy, Store

    ledger = ledger or Ledger()
    if ledger.max_cost is not None and price is None and not (dry_run or cache_only):
        raise UsageError(
            f"--max_cost needs prices, and that of {provider.signature} is not known. "
            "Give it with --prices FILE, or leave out --max_cost."
        )
    limits = Limits(concurrency, request_seconds=ATTEMPT_TIMES * request_timeout)
    uncached = DryRun(provider, ledger, price) if dry_run else Policy(provider, limits, ledger, price=price)
    nothing_kept = dry_run and not Path(cache_dir or "", FILE_NAME).exists()  # and none is to be made
    store = Store(cache_dir) if cache_dir and not nothing_kept else None
    client = Cached(uncached, ledger, store, only=cache_only and not dry_run)
    loop.at_end(client.close)
    return batching.client(client, provider, store, ledger, price) if batching and store else client


@contextmanager
def for_now(client: Client) -> Iterator[Client]:
    """The client, which is closed at the end of the block and not only at that of the program."""
    from . import loop

    try:
        yield client
    finally:
        loop.close_early(client.close)
