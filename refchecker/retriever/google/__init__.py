"""References from the web, found through Serper."""

from __future__ import annotations

from .retriever import serper_retriever
