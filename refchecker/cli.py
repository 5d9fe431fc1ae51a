"""refchecker-cli: what is wrong in a file of model responses.

stdout is data, stderr is talk. Exit codes: 0 all judged, 1 --fail_on hit, 2 usage,
3 some records failed and were written as such, 130 interrupted.
"""

from __future__ import annotations

import argparse
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import __version__, llm_options
from .checker.cascade import CONFIDENCE
from .errors import RefCheckerError, UsageError
from .files import MAX_RECORD_MB
from .llms import CONCURRENCY
from .pipeline import run
from .progress import Progress
from .registry import find, load, names
from .session import Session, journal_of
from .types import Record, Report

FAIL_ON = ("contradiction", "neutral", "abstain", "conflict")
DEFAULT = {name: parameter.default for name, parameter in inspect.signature(run).parameters.items()}

EXAMPLES = """examples:
  refchecker-cli extract-check --input_path responses.json --output_path verdicts.json
      extract claims from every response and check them, without key or download
  refchecker-cli check --input_path triplets.jsonl --output_path verdicts.jsonl --aggregator_name strict
      check triplets that are already there
  refchecker-cli extract-check --input_path r.json --output_path v.json --fail_on contradiction,conflict
      exit with 1 if anything is contradicted (for CI)
  refchecker-cli check --input_path t.json --output_path v.json --checker_name nli:path/to/model --device cuda
      a Hugging Face NLI model, by name or folder, on a GPU
  refchecker-cli check --input_path t.json --output_path v.json --checker_name cascade:rules,embedded,nli:M
      ask the large model only what the embedded one is unsure of
  cat r.jsonl | refchecker-cli extract-check --input_path - --output_path - > v.jsonl
      as part of a shell pipe
  refchecker-cli doctor
      what is installed here, and what to install for the rest

A run that was stopped goes on where it was when the same command is given again.
Exit codes: 0 all judged, 1 --fail_on hit, 2 usage, 3 some records failed, 130 interrupted."""


def parser() -> argparse.ArgumentParser:
    """The command line: one sub-command each for extract, check, extract-check and doctor."""
    top = argparse.ArgumentParser(
        prog="refchecker-cli",
        description="Find what is wrong in text that a language model wrote.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"refchecker {__version__}")
    commands = top.add_subparsers(
        dest="command", metavar="{extract,check,extract-check,doctor}", required=True
    )
    about = {
        "extract": "Extract claim triplets from the responses.",
        "check": "Check triplets that the input already has against its references.",
        "extract-check": "Extract claim triplets and check them against the references.",
    }
    for command, text in about.items():
        sub = commands.add_parser(
            command,
            help=text,
            description=text,
            epilog=EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _file_options(sub)
        if command != "check":
            _extractor_options(sub)
        if command != "extract":
            _checker_options(sub)
        llm_options.add_options(
            sub, {"extract": ["extractor"], "check": ["checker"]}.get(command, ["extractor", "checker"])
        )
    commands.add_parser("doctor", help="Show what is installed and what is missing.")
    return top


def _file_options(sub: argparse.ArgumentParser) -> None:
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
    files.add_argument("--limit", type=_at_least(0), metavar="N", help="take only the first N records")
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
        type=_at_least(1),
        metavar="N",
        help=f"requests to a language model under way at once ({CONCURRENCY}; fewer while the server refuses "
        "some), and threads of the embedded checker (all cores)",
    )


def _extractor_options(sub: argparse.ArgumentParser) -> None:
    group = sub.add_argument_group("extractor")
    group.add_argument(
        "--extractor_name",
        default="spacy",
        metavar="NAME",
        help=f"{_known('extractor')} (default: %(default)s)",
    )
    group.add_argument(
        "--claim_format",
        choices=("triplet", "sentence", "subsentence"),
        help="claims are triplets (default for English), whole sentences (spacy), or parts of them (llm)",
    )
    group.add_argument(
        "--batch_size_extractor",
        type=_at_least(1),
        default=DEFAULT["extract_batch"],
        metavar="N",
        help="records per batch (%(default)s)",
    )


def _checker_options(sub: argparse.ArgumentParser) -> None:
    group = sub.add_argument_group("checker")
    group.add_argument(
        "--checker_name",
        default="embedded",
        metavar="NAME",
        help=f"{_known('checker')}; nli:MODEL for a model or folder of your own; "
        "cascade:rules,embedded,nli:MODEL asks each only what those before it are unsure of "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--claims_per_prompt",
        type=_at_least(1),
        default=1,
        metavar="N",
        help="claims that share a request to a language model, where they have the reference in common "
        "(%(default)s)",
    )
    group.add_argument(
        "--llm_votes",
        type=_at_least(1),
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
        type=_probability,
        default=DEFAULT["min_confidence"],
        metavar="P",
        help="abstain where the checker gives its label a lower probability than this; such a claim is "
        "Abstain and said to be unsure, its record has not failed (%(default)s)",
    )
    group.add_argument(
        "--cascade_confidence",
        type=_probability,
        default=CONFIDENCE,
        metavar="P",
        help="how probable a label must be for a stage of a cascade to answer with it (%(default)s)",
    )
    group.add_argument(
        "--batch_size_checker",
        type=_at_least(1),
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
        "--merge",
        choices=sorted(names("merge")),
        default="any_support",
        help="several references: any_support: one that entails is enough; any_contradiction: one that "
        "contradicts decides (default: %(default)s)",
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
        type=_fail_on,
        default=(),
        metavar="WHAT",
        help=f"exit with 1 if any claim is one of: {', '.join(FAIL_ON)} (comma between)",
    )


def _known(kind: str) -> str:
    return ", ".join(sorted(names(kind)))


def _at_least(least: int) -> Any:
    def count(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is too small, it must be {least} or more")
        return number

    return count


def _probability(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no probability, it must be from 0 to 1")
    return number


def _fail_on(text: str) -> tuple[str, ...]:
    wanted = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if unknown := [part for part in wanted if part not in FAIL_ON]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(FAIL_ON)}")
    return wanted


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = parser().parse_args(_command_first(sys.argv[1:] if argv is None else argv))
    if options.command == "doctor":
        from .doctor import report

        text, usable = report()
        print(text)
        return 0 if usable else 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(options)
    except RefCheckerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(_how_to_go_on(options.output_path), file=sys.stderr)
        return 130


def _command_first(arguments: Sequence[str]) -> list[str]:
    """Upstream takes its command after the options too, and none means extract-check."""
    if not arguments or not arguments[0].startswith("--") or arguments[0] in ("--help", "--version"):
        return list(arguments)
    command = next((a for a in arguments if a in ("extract", "check", "extract-check")), None)
    if command is None:
        return ["extract-check", *arguments]
    place = arguments.index(command)
    return [command, *arguments[:place], *arguments[place + 1 :]]


def _how_to_go_on(output_path: str) -> str:
    journal = journal_of(output_path)
    if journal.exists():
        return (
            f"interrupted. What is done is kept in {journal}; run the same command again to go on from there."
        )
    return "interrupted."


def _run(options: argparse.Namespace) -> int:
    extracting, checking = options.command != "check", options.command != "extract"
    if not sys.stderr.isatty() and not options.quiet:
        print(f"refchecker {__version__} {options.command} {options.input_path}", file=sys.stderr)
    progress = Progress(quiet=options.quiet)
    ledger = llm_options.ledger_of(options, progress.note)
    batching = llm_options.batching_of(options, progress.tell)
    extractor = _extractor(options, ledger, batching) if extracting else None
    checker = (
        load(
            "checker",
            options.checker_name,
            device=options.device,
            language=options.language,
            threads=options.concurrency,
            cascade_confidence=options.cascade_confidence,
            claims_per_prompt=options.claims_per_prompt,
            votes=options.llm_votes,
            reasons=options.reasons,
            quotes=options.quotes,
            **llm_options.client_options(options, "checker", ledger, batching),
        )
        if checking
        else None
    )
    settings: dict[str, Any] = {
        "version": __version__,
        "command": options.command,
        "language": options.language,
    }
    if extracting:
        settings["extractor"] = getattr(extractor, "signature", options.extractor_name)
        settings["claim_format"] = options.claim_format
    if checking:
        settings |= {
            "checker": getattr(checker, "signature", options.checker_name),
            "min_confidence": options.min_confidence,
            "merge": options.merge,
            "aggregator": options.aggregator_name,
        }
    guessing = llm_options.Guessing(extractor, options.language) if extractor and options.dry_run else None

    def pipeline(records: Iterable[Record]) -> Iterator[Report]:
        rules: dict[str, Any] = {"in_flight": max(DEFAULT["in_flight"], 16 * (options.concurrency or 0))}
        if checking:
            rules |= {
                "merge": find("merge", options.merge),
                "aggregate": find("aggregator", options.aggregator_name),
                "check_batch": options.batch_size_checker,
                "min_confidence": options.min_confidence,
            }
        if extracting:
            rules["extract_batch"] = options.batch_size_extractor
        return run(records, extract=guessing or extractor, check=checker, **rules)

    started = time.monotonic()
    session = Session(
        options.input_path,
        options.output_path,
        settings,
        input_format=options.format,
        output_format=options.output_format,
        soft=not checking or options.aggregator_name == "soft",
        checked=checking,
        limit=options.limit,
        retry_failed=options.retry_failed,
        restart=options.restart,
        max_record_mb=options.max_record_mb,
        tell=progress.tell,
        progress=progress,
    )
    if options.dry_run:
        print("\n".join(llm_options.dry_run(session, pipeline, ledger, guessing)), file=sys.stderr)
        return 0
    try:
        if batching:
            llm_options.ask_in_batches(session, pipeline, batching)
        with progress:
            tally = session(pipeline)
    finally:
        for line in llm_options.usage_lines(ledger):
            progress.tell(line)
    if not options.quiet:
        print(tally.text(checked=checking), file=sys.stderr)
        for component in (extractor, checker):
            for line in getattr(component, "told", list)():
                print(line, file=sys.stderr)
        place = "" if options.output_path == "-" else f"{options.output_path} written, "
        print(f"{place}{time.monotonic() - started:.1f} s", file=sys.stderr)
        if tally.statuses["failed"] and journal_of(options.output_path).exists():
            print("--retry_failed tries the failed records again.", file=sys.stderr)
    if checking and tally.hits(options.fail_on):
        return 1
    return 3 if tally.statuses["failed"] else 0


def _extractor(options: argparse.Namespace, ledger: Any, batching: Any) -> Any:
    """The embedded extractor reads English trees; other languages have sentence claims."""
    name, claim_format = options.extractor_name, options.claim_format
    embedded = name.partition(":")[0] == "spacy"
    if embedded and options.language != "en":
        if claim_format == "triplet":
            raise UsageError(
                f"the spacy extractor makes triplets of English only, not of {options.language!r}. "
                "Use --claim_format sentence."
            )
        claim_format = "sentence"
    if embedded and claim_format == "subsentence":
        raise UsageError("parts of sentences as claims need a language model: --extractor_name llm:MODEL")
    if embedded and claim_format == "sentence":
        name = "sentence"
    clients = llm_options.client_options(options, "extractor", ledger, batching)
    return load("extractor", name, claim_format=claim_format, language=options.language, **clients)


if __name__ == "__main__":
    sys.exit(main())
