"""How models are asked: limits, money, retries, cache."""

from __future__ import annotations

from .cache import FILE_NAME, Cached, Store, key_of
from .dry import DryRun
from .ledger import Ledger, most_cost
from .policy import Limits, Policy
from .prices import KNOWN, batched, cost_of, price_of, read_prices
