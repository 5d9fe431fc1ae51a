"""Names to components: `load("checker", "nli:roberta-large-mnli")`.

A component is a factory. Built-ins are listed here as import paths, so nothing heavy is
imported until it is asked for. Other packages add their own under the entry-point groups
`refchecker.extractor`, `refchecker.checker`, ...
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import UsageError

BUILTIN = {
    "extractor": {
        "spacy": "refchecker.extractor.dependency:DependencyExtractor",
        "sentence": "refchecker.extractor.sentence:SentenceExtractor",
        "llm": "refchecker.extractor.llm:llm_extractor",
        "python": "refchecker.registry:imported",
    },
    "checker": {
        "embedded": "refchecker.checker.embedded:EmbeddedChecker",
        "nli": "refchecker.checker.nli:NLIChecker",
        "llm": "refchecker.checker.llm:llm_checker",
        "rules": "refchecker.checker.rules:Rules",
        "cascade": "refchecker.checker.cascade:cascade",
        "python": "refchecker.registry:imported",
    },
    "retriever": {
        "google": "refchecker.retriever.google:serper_retriever",
        "corpus": "refchecker.retriever.corpus:CorpusRetriever",
        "python": "refchecker.registry:imported",
    },
    "localizer": {
        "none": "refchecker.localizer.factories:none",
        "exact": "refchecker.localizer.factories:exact",
        "embedding": "refchecker.localizer.factories:embedding",
        "auto": "refchecker.localizer.factories:auto",
    },
    "aggregator": {
        "strict": "refchecker.aggregate:strict",
        "soft": "refchecker.aggregate:soft",
        "major": "refchecker.aggregate:major",
    },
    "merge": {
        "any_support": "refchecker.aggregate:any_support",
        "any_contradiction": "refchecker.aggregate:any_contradiction",
        "surest": "refchecker.aggregate:surest",
    },
    "suite": {
        "human": "refchecker.suites.human:SUITE",
        "imaginary": "refchecker.suites.imaginary:SUITE",
        "conflicts": "refchecker.suites.conflicts:SUITE",
        "recall": "refchecker.suites.recall:SUITE",
    },
}


def names(kind: str) -> dict[str, EntryPoint]:
    """Every component of one kind, built in or installed."""
    group = f"refchecker.{kind}"
    builtin = {name: EntryPoint(name, path, group) for name, path in BUILTIN.get(kind, {}).items()}
    return builtin | {ep.name: ep for ep in entry_points(group=group)}


def find(kind: str, name: str) -> Any:
    """The factory (for extractors, checkers and retrievers) or the function (for the rest) of that name."""
    known = names(kind)
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"no {kind} called {name!r}.{hint} Available: {', '.join(sorted(known))}")
    return known[name].load()


def load(kind: str, spec: str, **options: Any) -> Any:
    """Call the factory called `name` in `name[:argument]`, with those options that it knows.

    An option the factory has no parameter for is not its business and is left out, so that
    one command line serves components that need different things. A factory with `**` gets
    them all: it loads further components. The bare name of a language model, such as
    `openai/gpt-5` or `gpt4`, is the argument of `llm`.
    """
    from .llms.providers import is_model

    name, _, argument = spec.partition(":")
    if is_model(name):
        name, argument = "llm", spec
    factory = find(kind, name)
    known = inspect.signature(factory).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    chosen = {
        key: value for key, value in options.items() if (open_ended or key in known) and value is not None
    }
    return factory(argument, **chosen) if argument else factory(**chosen)


def imported(path: str) -> Any:
    """The object at `module:name`, your own function or class instance, from here or an installed package.

    This is how `--checker_name python:my_checks:check` reaches a function in `./my_checks.py`.
    """
    module, _, attribute = path.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"cannot load {path!r}: {error}. Write python:MODULE:NAME, with MODULE importable from here."
        ) from error
