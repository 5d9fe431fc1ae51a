"""What the steps of bench are told, beside their suite's options. Not in the door: it needs numpy."""

from __future__ import annotations

from dataclasses import dataclass

from ...llms import CONCURRENCY
from ...protocols import REQUIRED, option
from ...suites.stats import DRAWS, TEST_DRAWS
from .arguments import known
from .llm import server_of

FEWEST_DRAWS = 10


@dataclass(frozen=True, kw_only=True)
class FolderOptions:
    """Where the suite is, and which system answers there."""

    folder: str | None = option(None, "where data and answers are kept (bench/SUITE)", "DIR")
    name: str | None = option(None, "name of the system in the folder (made of the model's name)")


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The models that a step may ask."""

    llm: str | None = option(None, "language model to measure: provider/model, gpt4, claude2", "MODEL")
    checker_name: str = option("embedded", f"{known('checker')} (default: %(default)s)", "NAME")
    extractor_name: str = option("spacy", f"{known('extractor')} (default: %(default)s)", "NAME")
    device: str = option("auto", "for the nli checker: auto, cpu, cuda:N (%(default)s)")
    claims_per_prompt: int = option(1, "claims that share a request", least=1)
    concurrency: int | None = option(None, f"requests under way at once ({CONCURRENCY})", least=1)
    cache_dir: str = option("./.cache", "where the answers of language models are kept (%(default)s)")
    quiet: bool = option(False, "only errors")
    llm_api_base: str | None = server_of("llm")
    checker_api_base: str | None = server_of("checker")
    extractor_api_base: str | None = server_of("extractor")


@dataclass(frozen=True, kw_only=True)
class MeasureOptions:
    """Whose answers are measured, and how surely."""

    systems: tuple[str, ...] = option((), "default: all of the folder", "NAME")
    draws: int = option(DRAWS, "samples for intervals (%(default)s)", least=FEWEST_DRAWS)
    test_draws: int = option(TEST_DRAWS, "for paired tests (%(default)s)", least=FEWEST_DRAWS)
    seed: int = option(0, "of the bootstrap (%(default)s)")


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """What is reported, and where."""

    against: str = option("", "compare the systems with this one only", "NAME")
    output: str | None = option(None, "PATH.json, PATH.md, PATH_*.png (DIR/report)", "PATH")
    note: str = option("", "a paragraph for the head of the page", "TEXT")
    no_plots: bool = option(False, "no PNG files")


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Which two systems are compared, and on what."""

    a: str = option(REQUIRED, "folder of a system, such as bench/human/embedded", flags=["a"])
    b: str = option(REQUIRED, "folder of another, on the same data", flags=["b"])
    sheets: tuple[str, ...] = option((), "such as 'checker/*' (all)", "PATTERN")
    json: bool = option(False, "JSON instead of a table")
