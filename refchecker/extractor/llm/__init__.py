"""Any language model as an extractor."""

from __future__ import annotations

from .extractor import LLMExtractor, llm_extractor
