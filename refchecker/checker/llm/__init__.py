"""Any language model as a checker."""

from __future__ import annotations

from .checker import LLMChecker, llm_checker
