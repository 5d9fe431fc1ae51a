"""The checker that ships: a network and trees, without torch and without a download."""

from __future__ import annotations

from .checker import EmbeddedChecker
from .model import read_config
