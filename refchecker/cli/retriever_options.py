"""The options of commands that can look for references themselves."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from ..errors import UsageError
from ..registry import load
from . import llm_options
from .options import at_least, known

EXAMPLES = """  refchecker-cli extract-check --input_path r.json --output_path v.json --corpus texts/
      references from your own files for the records that have none, without key or network
  refchecker-cli extract-check --input_path r.json --output_path v.json --use_retriever \\
      --retriever_name google --serper_api_key serper.txt
      references from the web, by Serper's Google search"""


def add_options(sub: argparse.ArgumentParser, *, always: bool = False) -> None:
    """Which retriever, and what it searches; `always` for a command that is about nothing else."""
    group = sub.add_argument_group("retriever")
    if not always:
        group.add_argument(
            "--use_retriever",
            "--use_retrieval",
            action="store_true",
            help="find references for the records that have none",
        )
    group.add_argument(
        "--retriever_name",
        metavar="NAME",
        help=f"{known('retriever')} (default: corpus where --corpus is given, else google)",
    )
    group.add_argument(
        "--corpus",
        metavar="PATH",
        help="for corpus: the folder or file to search, of text, markdown, HTML, PDF, JSON Lines, JSON, CSV "
        "or TSV; its index is kept in --cache_dir and only reads what has changed",
    )
    group.add_argument(
        "--corpus_field",
        metavar="NAME",
        help="field of JSON Lines, JSON, CSV and TSV that holds the text, if it is not called text, content, "
        "document, passage or the like",
    )
    group.add_argument(
        "--retriever_top_k",
        type=at_least(1),
        metavar="N",
        help="references per record at most (the retriever's own default)",
    )
    group.add_argument(
        "--retriever_embedder",
        metavar="MODEL",
        help="rank what was found again by meaning: a Hugging Face encoder by name or folder (slower)",
    )
    _web_options(group)


def _web_options(group: Any) -> None:
    group.add_argument(
        "--serper_api_key", metavar="FILE", help="file that holds the Serper key; else SERPER_API_KEY"
    )
    group.add_argument("--serper_api_base", metavar="URL", help="another server that speaks like Serper's")
    group.add_argument(
        "--retriever_snapshot",
        metavar="FILE",
        help="for google: record every search and page in this file; where it is there, replay it offline",
    )
    group.add_argument(
        "--retriever_max_age",
        type=_above_zero,
        metavar="DAYS",
        help="for google: take searches and pages from --cache_dir only if they are not older",
    )
    group.add_argument(
        "--retriever_searches", type=at_least(1), metavar="N", help="for google: searches per record at most"
    )
    group.add_argument(
        "--retriever_pages",
        type=at_least(0),
        metavar="N",
        help="for google: pages read per record at most; 0 takes only what the search engine shows",
    )
    group.add_argument(
        "--query_model", metavar="MODEL", help="for google: a language model that writes the searches"
    )


def retriever_of(
    options: argparse.Namespace, tell: Callable[[str], None], ledger: Any = None, batching: Any = None
) -> Any:
    """The retriever that the command line asks for; None where it asks for none.

    --corpus alone asks for one. Errors: `UsageError` for a corpus without a path, or one that
    another retriever would not look at.
    """
    wanted = getattr(options, "use_retriever", True)
    if not (wanted or options.corpus):
        if options.retriever_name:
            tell("--retriever_name is of no use without --use_retriever: nothing is retrieved")
        return None
    spec = options.retriever_name or ("corpus" if options.corpus else "google")
    name, _, argument = spec.partition(":")
    if name == "google" and getattr(options, "dry_run", False):
        tell("dry run: the web is not searched; what would be checked against it is not counted")
        return None
    if name == "corpus" and not (options.corpus or argument):
        raise UsageError("the corpus retriever needs documents: --corpus FOLDER, or a file")
    if options.corpus and (name in ("google", "python") or argument):
        raise UsageError(f"--corpus is for --retriever_name corpus, not for {spec}. Leave out one of them.")
    return load(
        "retriever",
        spec,
        **llm_options.client_options(options, "query", ledger, batching),
        path=options.corpus,
        corpus_field=options.corpus_field,
        k=options.retriever_top_k,
        language=options.language,
        embed=_embedder(options),
        tell=tell,
        serper_api_key=options.serper_api_key,
        serper_api_base=options.serper_api_base,
        snapshot=options.retriever_snapshot,
        max_age_days=options.retriever_max_age,
        searches=options.retriever_searches,
        pages=options.retriever_pages,
        query_model=options.query_model,
    )


def _embedder(options: argparse.Namespace) -> Any:
    if not options.retriever_embedder:
        return None
    from ..retriever.embedders import embedder

    device = getattr(options, "device", "auto")
    return embedder(options.retriever_embedder, device=device, cache_dir=options.cache_dir)


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return number
