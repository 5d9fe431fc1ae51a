"""What commands that go through a file of records are told: what they read, how they run, how they judge."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from ...checker.cascade import CONFIDENCE
from ...io import MAX_RECORD_MB
from ...llms import CONCURRENCY
from ...pipeline import run
from ...protocols import REQUIRED, option
from ...registry import names
from .arguments import FAIL_ON, Groups, fail_on, known, probability
from .llm import server_of

DEFAULT = {name: parameter.default for name, parameter in inspect.signature(run).parameters.items()}
FORMATS = ("json", "jsonl", "csv")


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """What is read and written."""

    input_path: str = option(REQUIRED, "JSON array, JSON Lines or CSV; - is stdin", "FILE")
    output_path: str = option(REQUIRED, "where the result goes; - is stdout", "FILE")
    format: str | None = option(None, "format of the input, where its name does not tell", choices=FORMATS)
    output_format: str | None = option(
        None, "default: by the output's name, else as the input", choices=FORMATS
    )
    limit: int | None = option(None, "take only the first N records", least=0)
    max_record_mb: float = option(MAX_RECORD_MB, "largest record read (%(default)s)", "MB")
    cache_dir: str = option(
        "./.cache", "where downloaded models and the answers of language models are kept (%(default)s)"
    )


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a run goes."""

    retry_failed: bool = option(False, "try the failed records of the last run again")
    restart: bool = option(False, "drop what an unfinished run left and begin anew")
    quiet: bool = option(False, "no progress and no summary, only errors")
    language: str = option("en", "language of the texts (%(default)s)", "CODE")
    concurrency: int | None = option(
        None,
        f"requests to a language model under way at once ({CONCURRENCY}; fewer while the server refuses "
        "some), and threads of the embedded checker (all cores)",
        least=1,
    )


@dataclass(frozen=True, kw_only=True)
class ExtractorOptions:
    """How claims are found."""

    extractor_name: str = option("spacy", f"{known('extractor')} (default: %(default)s)", "NAME")
    claim_format: str | None = option(
        None,
        "claims are triplets (default for English), whole sentences (spacy), or parts of them (llm)",
        choices=("triplet", "sentence", "subsentence"),
    )
    batch_size_extractor: int = option(DEFAULT["extract_batch"], "records per batch (%(default)s)", least=1)
    extractor_api_base: str | None = server_of("extractor")


@dataclass(frozen=True, kw_only=True)
class CheckerOptions:
    """Who judges claims."""

    checker_name: str = option(
        "embedded",
        f"{known('checker')}; nli:MODEL for a model or folder of your own; "
        "cascade:rules,embedded,nli:MODEL asks each only what those before it are unsure of "
        "(default: %(default)s)",
        "NAME",
    )
    claims_per_prompt: int = option(
        1,
        "claims that share a request to a language model, where they have the reference in common "
        "(%(default)s)",
        least=1,
    )
    llm_votes: int = option(
        1,
        "ask a language model K times; the majority counts, its share is the score (%(default)s)",
        "K",
        least=1,
    )
    reasons: bool = option(False, "have a language model say why, in a sentence per verdict")
    quotes: bool = option(
        False, "have a language model quote the words that decide, which become the evidence"
    )
    min_confidence: float = option(
        DEFAULT["min_confidence"],
        "abstain where the checker gives its label a lower probability than this; such a claim is "
        "Abstain and said to be unsure, its record has not failed (%(default)s)",
        "P",
        parse=probability,
    )
    cascade_confidence: float = option(
        CONFIDENCE,
        "how probable a label must be for a stage of a cascade to answer with it (%(default)s)",
        "P",
        parse=probability,
    )
    batch_size_checker: int = option(
        DEFAULT["check_batch"], "claim-reference pairs per batch (%(default)s)", least=1
    )
    device: str = option(
        "auto", "for the nli checker: auto, cpu, cuda, cuda:N; several GPUs as cuda:0,1, or all (%(default)s)"
    )
    checker_api_base: str | None = server_of("checker")


@dataclass(frozen=True, kw_only=True)
class VerdictOptions:
    """What becomes of the labels of a claim, and of those of a response."""

    localize: str = option(
        "none",
        "show the words that verdicts rest on, in the references and the response: none; exact (the "
        "same words, dates and numbers, no model); embedding (the nearest in meaning, by the embedded "
        "model's token embeddings; embedding:MODEL by an encoder of Hugging Face or sentence-transformers, "
        "by name or folder); auto or auto:MODEL (both, and the sentences the checker is surest of) "
        "(default: %(default)s)",
        "NAME",
    )
    merge: str = option(
        "any_support",
        "several references: any_support: one that entails is enough; any_contradiction: one that "
        "contradicts decides; surest: where they disagree, the one whose label is more probable "
        "(default: %(default)s)",
        choices=sorted(names("merge")),
    )
    aggregator_name: str = option(
        "soft",
        "strict: Contradiction if any claim is, Entailment if all are, else Neutral. soft: the share of "
        "each label. major: the label with most votes (default: %(default)s)",
        choices=("strict", "soft", "major"),
    )
    fail_on: tuple[str, ...] = option(
        (), f"exit with 1 if any claim is one of: {', '.join(FAIL_ON)} (comma between)", "WHAT", parse=fail_on
    )


FILES: Groups = {FileOptions: "files", RunOptions: "running"}
EXTRACTOR: Groups = {ExtractorOptions: "extractor"}
CHECKER: Groups = {CheckerOptions: "checker", VerdictOptions: "checker"}
