"""References from your own documents."""

from __future__ import annotations

from .retriever import CorpusRetriever
