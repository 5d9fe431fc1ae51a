"""The components that options name, and how the language models of a run are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from ..protocols import Checker
from ..registry import load
from .options import CheckerOptions, ExtractorOptions, LLMOptions, RetrieverOptions, WebOptions


@dataclass(frozen=True, slots=True)
class Clients:
    """How all language models of a run are asked: with one ledger, and where it batches with one batching."""

    llm: LLMOptions
    cache_dir: str
    concurrency: int | None
    ledger: Any
    batching: Any = None

    def options(self, api_base: str | None) -> dict[str, Any]:
        """What `llms.load` is to know, for the model at that address."""
        shared = {"cache_dir": self.cache_dir, "concurrency": self.concurrency, "ledger": self.ledger}
        told = vars(self.llm) | shared | {"api_base": api_base, "batching": self.batching}
        return {name: value for name, value in told.items() if value is not None}

    def usage(self) -> list[str]:
        """What was asked and what it cost, two lines; none where no model was asked."""
        usage = self.ledger.usage()
        if not (usage.requests or usage.cached or usage.retries or usage.failed):
            return []
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(usage.causes.items()))
        parts = [f"{usage.requests:,} answered"]
        parts += [f"{usage.cached:,} from the cache"] if usage.cached else []
        parts += [f"{usage.retries:,} asked again ({causes})"] if usage.retries else []
        parts += [f"{usage.failed:,} given up"] if usage.failed else []
        cost = "cost not known" if usage.cost is None else f"${usage.cost:.4f}"
        return [
            f"requests {', '.join(parts)}",
            f"tokens   {usage.input_tokens:,} in, {usage.output_tokens:,} out, {cost}",
        ]


def clients_of(
    llm: LLMOptions, cache_dir: str, concurrency: int | None, notice: Callable[[str], None]
) -> Clients:
    """Clients that share a ledger, which tells `notice` what waits for another attempt."""
    from ..llms.asking import Ledger

    max_cost = None if llm.dry_run else llm.max_cost
    ledger = Ledger(max_cost=max_cost, deadline_seconds=llm.deadline, notice=notice)
    return Clients(llm, cache_dir, concurrency, ledger)


def extractor_of(options: ExtractorOptions, clients: Clients, language: str) -> Any:
    """The embedded extractor reads English trees; other languages have sentence claims."""
    name, claim_format = options.extractor_name, options.claim_format
    embedded = name.partition(":")[0] == "spacy"
    if embedded and language != "en":
        if claim_format == "triplet":
            raise UsageError(
                f"the spacy extractor makes triplets of English only, not of {language!r}. "
                "Use --claim_format sentence."
            )
        claim_format = "sentence"
    if embedded and claim_format == "subsentence":
        raise UsageError("parts of sentences as claims need a language model: --extractor_name llm:MODEL")
    if embedded and claim_format == "sentence":
        name = "sentence"
    asking = clients.options(options.extractor_api_base)
    return load("extractor", name, claim_format=claim_format, language=language, **asking)


def checker_of(options: CheckerOptions, clients: Clients, language: str) -> Any:
    """The checker of that name."""
    return load(
        "checker",
        options.checker_name,
        device=options.device,
        language=language,
        threads=clients.concurrency,
        cascade_confidence=options.cascade_confidence,
        claims_per_prompt=options.claims_per_prompt,
        votes=options.llm_votes,
        reasons=options.reasons,
        quotes=options.quotes,
        **clients.options(options.checker_api_base),
    )


def localizer_of(name: str, check: Checker, clients: Clients, language: str, device: str) -> Any:
    """The localizer of that name; None for none."""
    return load(
        "localizer",
        name,
        check=check,
        device=device,
        language=language,
        threads=clients.concurrency,
        cache_dir=clients.cache_dir,
    )


def retriever_of(
    options: RetrieverOptions,
    web: WebOptions,
    clients: Clients,
    tell: Callable[[str], None],
    language: str,
    device: str = "auto",
) -> Any:
    """The retriever that the options ask for; None where they ask for none.

    --corpus alone asks for one. Errors: `UsageError` for a corpus without a path, or one that
    another retriever would not look at.
    """
    if not (options.use_retriever or options.corpus):
        if options.retriever_name:
            tell("--retriever_name is of no use without --use_retriever: nothing is retrieved")
        return None
    spec = options.retriever_name or ("corpus" if options.corpus else "google")
    name, _, argument = spec.partition(":")
    if name == "google" and clients.llm.dry_run:
        tell("dry run: the web is not searched; what would be checked against it is not counted")
        return None
    if name == "corpus" and not (options.corpus or argument):
        raise UsageError("the corpus retriever needs documents: --corpus FOLDER, or a file")
    if options.corpus and (name in ("google", "python") or argument):
        raise UsageError(f"--corpus is for --retriever_name corpus, not for {spec}. Leave out one of them.")
    embed = None
    if options.retriever_embedder:
        from ..retriever.embedders import embedder

        embed = embedder(options.retriever_embedder, device=device, cache_dir=clients.cache_dir)
    return load(
        "retriever",
        spec,
        **clients.options(options.query_api_base),
        path=options.corpus,
        corpus_field=options.corpus_field,
        k=options.retriever_top_k,
        language=language,
        embed=embed,
        tell=tell,
        serper_api_key=web.serper_api_key,
        serper_api_base=web.serper_api_base,
        snapshot=web.retriever_snapshot,
        max_age_days=web.retriever_max_age,
        searches=web.retriever_searches,
        pages=web.retriever_pages,
        query_model=web.query_model,
    )
