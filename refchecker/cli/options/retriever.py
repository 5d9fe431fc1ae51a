"""What commands that can look for references are told."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocols import option
from .arguments import Groups, above_zero, known
from .llm import server_of


@dataclass(frozen=True, kw_only=True)
class RetrieverOptions:
    """Which retriever, and what it searches."""

    use_retriever: bool = option(
        False, "find references for the records that have none", flags=("--use_retriever", "--use_retrieval")
    )
    retriever_name: str | None = option(
        None, f"{known('retriever')} (default: corpus where --corpus is given, else google)", "NAME"
    )
    corpus: str | None = option(
        None,
        "for corpus: the folder or file to search, of text, markdown, HTML, PDF, JSON Lines, JSON, CSV "
        "or TSV; its index is kept in --cache_dir and only reads what has changed",
        "PATH",
    )
    corpus_field: str | None = option(
        None,
        "field of JSON Lines, JSON, CSV and TSV that holds the text, if it is not called text, content, "
        "document, passage or the like",
        "NAME",
    )
    retriever_top_k: int | None = option(
        None, "references per record at most (the retriever's own default)", least=1
    )
    retriever_embedder: str | None = option(
        None,
        "rank what was found again by meaning: a Hugging Face encoder by name or folder (slower)",
        "MODEL",
    )
    query_api_base: str | None = server_of("query")


@dataclass(frozen=True, kw_only=True)
class WebOptions:
    """How the web is searched."""

    serper_api_key: str | None = option(None, "file that holds the Serper key; else SERPER_API_KEY", "FILE")
    serper_api_base: str | None = option(None, "another server that speaks like Serper's", "URL")
    retriever_snapshot: str | None = option(
        None,
        "for google: record every search and page in this file; where it is there, replay it offline",
        "FILE",
    )
    retriever_max_age: float | None = option(
        None,
        "for google: take searches and pages from --cache_dir only if they are not older",
        "DAYS",
        parse=above_zero,
    )
    retriever_searches: int | None = option(None, "for google: searches per record at most", least=1)
    retriever_pages: int | None = option(
        None, "for google: pages read per record at most; 0 takes only what the search engine shows", least=0
    )
    query_model: str | None = option(None, "for google: a language model that writes the searches", "MODEL")


RETRIEVER: Groups = {RetrieverOptions: "retriever", WebOptions: "retriever"}
