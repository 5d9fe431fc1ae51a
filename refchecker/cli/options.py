"""The options that several commands share, and the types of their values."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from ..checker.cascade import CONFIDENCE
from ..io import MAX_RECORD_MB
from ..llms import CONCURRENCY
from ..pipeline import run
from ..registry import names

FAIL_ON = ("contradiction", "neutral", "abstain", "conflict")
DEFAULT = {name: parameter.default for name, parameter in inspect.signature(run).parameters.items()}


def file_options(sub: argparse.ArgumentParser) -> None:
    """What is read and written, and how a run goes."""
    files = sub.add_argument_group("files")
    files.add_argument(
        "--input_path", required=True, metavar="FILE", help="JSON array, JSON Lines or CSV; - is stdin"
    )
    files.add_argument(
        "--output_path", required=True, metavar="FILE", help="where the result goes; - is stdout"
    )
    files.add_argument(
        "--format", choices=("json", "jsonl", "csv"), help="format of the input, where its name does not tell"
    )
    files.add_argument(
        "--output_format",
        choices=("json", "jsonl", "csv"),
        help="default: by the output's name, else as the input",
    )
    files.add_argument("--limit", type=at_least(0), metavar="N", help="take only the first N records")
    files.add_argument(
        "--max_record_mb",
        type=float,
        default=MAX_RECORD_MB,
        metavar="MB",
        help="largest record read (%(default)s)",
    )
    files.add_argument(
        "--cache_dir",
        default="./.cache",
        help="where downloaded models and the answers of language models are kept (%(default)s)",
    )
    running = sub.add_argument_group("running")
    running.add_argument(
        "--retry_failed", action="store_true", help="try the failed records of the last run again"
    )
    running.add_argument(
        "--restart", action="store_true", help="drop what an unfinished run left and begin anew"
    )
    running.add_argument("--quiet", action="store_true", help="no progress and no summary, only errors")
    running.add_argument(
        "--language", default="en", metavar="CODE", help="language of the texts (%(default)s)"
    )
    running.add_argument(
        "--concurrency",
        type=at_least(1),
        metavar="N",
        help=f"requests to a language model under way at once ({CONCURRENCY}; fewer while the server refuses "
        "some), and threads of the embedded checker (all cores)",
    )


def extractor_options(sub: argparse.ArgumentParser) -> None:
    """How claims are found."""
    group = sub.add_argument_group("extractor")
    group.add_argument(
        "--extractor_name",
        default="spacy",
        metavar="NAME",
        help=f"{known('extractor')} (default: %(default)s)",
    )
    group.add_argument(
        "--claim_format",
        choices=("triplet", "sentence", "subsentence"),
        help="claims are triplets (default for English), whole sentences (spacy), or parts of them (llm)",
    )
    group.add_argument(
        "--batch_size_extractor",
        type=at_least(1),
        default=DEFAULT["extract_batch"],
        metavar="N",
        help="records per batch (%(default)s)",
    )


def checker_options(sub: argparse.ArgumentParser) -> None:
    """How claims are judged."""
    group = sub.add_argument_group("checker")
    group.add_argument(
        "--checker_name",
        default="embedded",
        metavar="NAME",
        help=f"{known('checker')}; nli:MODEL for a model or folder of your own; "
        "cascade:rules,embedded,nli:MODEL asks each only what those before it are unsure of "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--claims_per_prompt",
        type=at_least(1),
        default=1,
        metavar="N",
        help="claims that share a request to a language model, where they have the reference in common "
        "(%(default)s)",
    )
    group.add_argument(
        "--llm_votes",
        type=at_least(1),
        default=1,
        metavar="K",
        help="ask a language model K times; the majority counts, its share is the score (%(default)s)",
    )
    group.add_argument(
        "--reasons", action="store_true", help="have a language model say why, in a sentence per verdict"
    )
    group.add_argument(
        "--quotes",
        action="store_true",
        help="have a language model quote the words that decide, which become the evidence",
    )
    group.add_argument(
        "--min_confidence",
        type=probability,
        default=DEFAULT["min_confidence"],
        metavar="P",
        help="abstain where the checker gives its label a lower probability than this; such a claim is "
        "Abstain and said to be unsure, its record has not failed (%(default)s)",
    )
    group.add_argument(
        "--cascade_confidence",
        type=probability,
        default=CONFIDENCE,
        metavar="P",
        help="how probable a label must be for a stage of a cascade to answer with it (%(default)s)",
    )
    group.add_argument(
        "--batch_size_checker",
        type=at_least(1),
        default=DEFAULT["check_batch"],
        metavar="N",
        help="claim-reference pairs per batch (%(default)s)",
    )
    group.add_argument(
        "--device",
        default="auto",
        help="for the nli checker: auto, cpu, cuda, cuda:N; several GPUs as cuda:0,1, or all (%(default)s)",
    )
    group.add_argument(
        "--localize",
        default="none",
        metavar="NAME",
        help="show the words that verdicts rest on, in the references and the response: none; exact (the "
        "same words, dates and numbers, no model); embedding (the nearest in meaning, by the embedded "
        "model's token embeddings; embedding:MODEL by an encoder of Hugging Face or sentence-transformers, "
        "by name or folder); auto or auto:MODEL (both, and the sentences the checker is surest of) "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--merge",
        choices=sorted(names("merge")),
        default="any_support",
        help="several references: any_support: one that entails is enough; any_contradiction: one that "
        "contradicts decides; surest: where they disagree, the one whose label is more probable "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--aggregator_name",
        choices=("strict", "soft", "major"),
        default="soft",
        help="strict: Contradiction if any claim is, Entailment if all are, else Neutral. soft: the share of "
        "each label. major: the label with most votes (default: %(default)s)",
    )
    group.add_argument(
        "--fail_on",
        type=fail_on,
        default=(),
        metavar="WHAT",
        help=f"exit with 1 if any claim is one of: {', '.join(FAIL_ON)} (comma between)",
    )


def known(kind: str) -> str:
    return ", ".join(sorted(names(kind)))


def at_least(least: int) -> Any:
    def count(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is too small, it must be {least} or more")
        return number

    return count


def probability(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no probability, it must be from 0 to 1")
    return number


def fail_on(text: str) -> tuple[str, ...]:
    wanted = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if unknown := [part for part in wanted if part not in FAIL_ON]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(FAIL_ON)}")
    return wanted
