"""Any NLI model of the Hugging Face hub, or of a folder, as a checker."""

from __future__ import annotations

from .checker import DEFAULT_MODEL, NLIChecker
