"""The command line's options for language models, and what it says about their use."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..io import Pipeline, Session
from ..llms import ATTEMPT_SECONDS, ATTEMPT_TIMES
from ..protocols import Extractor
from ..registry import load
from ..types import Extraction, Record

CLIENT = ("openai_key", "anthropic_key", "aws_bedrock_region", "prices", "concurrency", "request_timeout")


def add_options(sub: argparse.ArgumentParser, roles: Iterable[str]) -> None:
    """The options of every command that may ask a model, as `roles` extractor, checker or both."""
    group = sub.add_argument_group("language models")
    for role in roles:
        group.add_argument(
            f"--{role}_api_base",
            metavar="URL",
            help=f"server of the {role}'s model, for example http://127.0.0.1:8000/v1",
        )
    group.add_argument(
        "--openai_key", metavar="FILE", help="file that holds the OpenAI key; else OPENAI_API_KEY"
    )
    group.add_argument(
        "--anthropic_key", metavar="FILE", help="file that holds the Anthropic key; else ANTHROPIC_API_KEY"
    )
    group.add_argument(
        "--aws_bedrock_region",
        metavar="REGION",
        help="region of Amazon Bedrock; else that of AWS's own settings",
    )
    group.add_argument(
        "--prices",
        metavar="FILE",
        help='prices of models that are not known, as {"provider/model": {"input": 0.1, "output": 0.4}} in '
        "dollars per million tokens",
    )
    group.add_argument(
        "--provider_batch",
        action="store_true",
        help="ask by the batch API of OpenAI or Anthropic: half the price, within a day; the same command "
        "takes up batches that are under way",
    )
    group.add_argument(
        "--max_cost",
        type=_above_zero,
        metavar="DOLLARS",
        help="end the run before it costs more than this; the same command with more goes on",
    )
    group.add_argument(
        "--dry_run",
        action="store_true",
        help="ask and write nothing; tell how many requests, tokens and dollars it would be",
    )
    group.add_argument(
        "--cache_only",
        action="store_true",
        help="ask nothing; answer from --cache_dir, and fail the records whose answers are not there",
    )
    group.add_argument(
        "--request_timeout",
        type=_above_zero,
        default=ATTEMPT_SECONDS,
        metavar="S",
        help=f"seconds for one attempt at a request; all attempts may take {ATTEMPT_TIMES} times that "
        "(%(default)g)",
    )
    group.add_argument(
        "--deadline",
        type=_above_zero,
        metavar="S",
        help="end the run so many seconds after its first request; the same command goes on",
    )


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return number


def ledger_of(options: argparse.Namespace, notice: Callable[[str], None]) -> Any:
    """The ledger that all models of this run share."""
    from ..llms.asking import Ledger

    limit = None if options.dry_run else options.max_cost
    return Ledger(max_cost=limit, deadline_seconds=options.deadline, notice=notice)


def batching_of(options: argparse.Namespace, tell: Callable[[str], None]) -> Any:
    """The batches of this run; None where it asks one request at a time."""
    if not options.provider_batch or options.dry_run:
        return None
    if options.cache_only:
        raise UsageError("--cache_only asks nothing, and --provider_batch asks: leave out one of them.")
    if options.input_path == "-":
        raise UsageError("--provider_batch reads the input more than once: give a file, not standard input.")
    from ..llms.batch import Batching

    return Batching(options.cache_dir, tell)


def client_options(options: argparse.Namespace, role: str, ledger: Any, batching: Any) -> dict[str, Any]:
    """What `llms.load` is to know of the command line, for the model in that role."""
    return {name: getattr(options, name, None) for name in CLIENT} | {
        "api_base": getattr(options, f"{role}_api_base"),
        "cache_dir": options.cache_dir,
        "cache_only": options.cache_only,
        "dry_run": options.dry_run,
        "ledger": ledger,
        "batching": batching,
    }


def usage_lines(ledger: Any) -> list[str]:
    """What was asked and what it cost, two lines; none where no model was asked."""
    usage = ledger.usage()
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


def trial(session: Session, pipeline: Pipeline) -> None:
    """Run over every record, and keep nothing of it on the disk."""
    with tempfile.TemporaryDirectory(prefix="refchecker-") as folder:
        output = str(Path(folder, "trial.jsonl"))
        replace(session, output_path=output, restart=False, retry_failed=False)(pipeline)


def ask_in_batches(session: Session, pipeline: Pipeline, batching: Any) -> None:
    """Have the provider's batch API answer into the cache what the run will ask."""
    unseen = replace(session, tell=lambda line: None, progress=lambda done, total: None)
    batching(lambda: trial(unseen, pipeline))


def dry_run(session: Session, pipeline: Pipeline, ledger: Any, guessing: Guessing | None) -> list[str]:
    """What the run would ask, a few lines. Nothing is asked, and nothing stays of it on the disk."""
    trial(session, pipeline)
    usage = ledger.usage()
    cost = "the cost is not known: --prices FILE gives the price of a model"
    if usage.cost is not None:
        cost = f"at most ${usage.cost:.4f}"
    lines = [
        "dry run: nothing was asked. The run would ask",
        f"requests {usage.requests:,}, beside {usage.cached:,} that the cache answers",
        f"tokens   about {usage.input_tokens:,} in, at most {usage.output_tokens:,} out; {cost}",
    ]
    if guessing and guessing.guessed:
        lines.append(
            f"claims   of {guessing.guessed:,} responses not known yet: the checker's part is a guess, "
            "with a claim per sentence"
        )
    return lines


class Guessing:
    """The extractor where it answers, and sentences as claims where it does not.

    A model that cannot be asked finds no claims, and what a checker is asked depends on them.
    """

    def __init__(self, extract: Extractor, language: str) -> None:
        self._extract = extract
        self._guess: Extractor = load("extractor", "sentence", language=language)
        self.guessed = 0

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]:
        found = self._extract(records)
        self.guessed += sum(each.failed for each in found)
        guesses = self._guess(records) if any(each.failed for each in found) else found
        return [guess if each.failed else each for each, guess in zip(found, guesses, strict=True)]
