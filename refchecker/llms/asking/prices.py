"""What tokens cost: dollars per million as listed on `AS_OF`; an unknown price is None, never 0."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from ...errors import UsageError
from ..types import Price, Request

AS_OF = "2026-11-21"
CHARACTERS_PER_TOKEN = 4
BATCH_SHARE = 0.5  # what the batch APIs of OpenAI and Anthropic charge of the usual price


# of prompts of the usual length; discounts for caching and surcharges for very long prompts are left out
KNOWN: Mapping[str, Price] = {
    "openai/gpt-6.1-terra": Price(1.00, 5.00),
    "openai/gpt-6.1-sol": Price(2.00, 10.00),
    "openai/gpt-5.6-terra": Price(2.00, 12.00),
    "openai/gpt-5.5": Price(5.00, 30.00),
    "openai/gpt-5.4": Price(2.50, 15.00),
    "openai/gpt-5.4-mini": Price(0.75, 4.50),
    "openai/gpt-5.4-nano": Price(0.20, 1.25),
    "openai/gpt-4.1": Price(2.00, 8.00),
    "openai/gpt-4.1-mini": Price(0.40, 1.60),
    "openai/gpt-4.1-nano": Price(0.10, 0.40),
    "openai/gpt-4o": Price(2.50, 10.00),
    "openai/gpt-4o-mini": Price(0.15, 0.60),
    "anthropic/claude-fable-5-1": Price(10.00, 50.00),
    "anthropic/claude-opus-5-5": Price(4.00, 20.00),
    "anthropic/claude-opus-5": Price(5.00, 25.00),
    "anthropic/claude-opus-4-6": Price(5.00, 25.00),
    "anthropic/claude-opus-4-5": Price(5.00, 25.00),
    "anthropic/claude-sonnet-5-5": Price(2.00, 10.00),
    "anthropic/claude-sonnet-5": Price(2.00, 10.00),
    "anthropic/claude-sonnet-4-6": Price(3.00, 15.00),
    "anthropic/claude-sonnet-4-5": Price(3.00, 15.00),
    "anthropic/claude-haiku-4-5": Price(1.00, 5.00),
}

_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


def price_of(name: str, prices: Mapping[str, Price] = KNOWN) -> Price | None:
    """The price of `provider/model`, None where it is not known; a dated snapshot costs what its model costs.

    A server of your own (`provider/model@address`) has a price only where one was given for that name, with
    or without the address.
    """
    model, at, _ = name.partition("@")
    if at and prices is KNOWN:
        return None
    if at and KNOWN.get(model) == prices.get(model):  # the list price is not the price of another server
        return prices.get(name)
    return prices.get(name) or prices.get(model) or prices.get(_SNAPSHOT.sub("", model))


def cost_of(price: Price | None, input_tokens: int | None, output_tokens: int | None) -> float | None:
    """Dollars for so many tokens; None where the price or a count is unknown.

    >>> cost_of(Price(1.0, 5.0), 1_000_000, 200_000)
    2.0
    """
    if price is None or input_tokens is None or output_tokens is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / 1e6


def batched(price: Price | None) -> Price | None:
    """The price of the same tokens through the provider's batch API."""
    return price and Price(price.input * BATCH_SHARE, price.output * BATCH_SHARE)


def estimated_tokens(request: Request) -> tuple[int, int]:
    """About how many tokens a request reads, and the most it may write; four characters count as a token."""
    schema = len(json.dumps(request.schema)) if request.schema else 0
    characters = len(request.system) + len(request.user) + schema
    return -(-characters // CHARACTERS_PER_TOKEN), request.max_tokens


def read_prices(path: str) -> Mapping[str, Price]:
    """The known prices, and those of a JSON file `{"provider/model": {"input": 0.1, "output": 0.4}}`."""
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
        prices = {name: Price(float(price["input"]), float(price["output"])) for name, price in given.items()}
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}. Check --prices.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f'{path}: not a price list. It needs {{"provider/model": {{"input": 0.1, "output": 0.4}}}}, '
            "dollars per million tokens."
        ) from error
    if negative := [name for name, price in prices.items() if min(price.input, price.output) < 0]:
        raise UsageError(f"{path}: the price of {negative[0]} is below zero.")
    return {**KNOWN, **prices}
