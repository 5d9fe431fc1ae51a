"""The batch APIs of the providers."""

from __future__ import annotations

from .batch import Batching
