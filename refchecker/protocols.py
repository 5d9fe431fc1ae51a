"""The six seams, and what a component may have beside being called. A plain function satisfies any of them.

Models work in batches, so `LLM`, `Extractor` and `Checker` take a list and
return a list of the same length in the same order. The rest take one thing.

A component may have, as attributes, any of these; `optional_parts` reads them and has a stand-in for each:

    signature: str              name and version of whatever decides its answers, as in the journal
    remarks() -> list[str]      what did not go smoothly, a line each, said once the run is over
    begin(items) -> Future      of the same list for the same items, later
    finish()                    once, after a run that came to its end
    close()                     once, however the run ended
    most_tokens(request) -> int of a provider of language models: the most tokens that its answer may have

`begin` is for extractors and checkers that wait for others rather than compute. It returns at once; the
pipeline begins each record as it comes and waits for none. The future carries what went wrong with these
items; a `UsageError` in it ends the run. A retriever's is `begin(record)`, the future one of its passages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import MISSING, dataclass, field
from typing import Any, Protocol, TypeVar

from .types import Extraction, Judgment, Label, Located, Pair, Passage, Record, Verdict

T = TypeVar("T")
REQUIRED = MISSING


class LLM(Protocol):
    """Prompts in, replies out."""

    def __call__(self, prompts: Sequence[str], /) -> list[str]: ...


class Extractor(Protocol):
    """The claims of each record's response."""

    def __call__(self, records: Sequence[Record], /) -> list[Extraction]: ...


class Checker(Protocol):
    """What each pair's passage says about its claim."""

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]: ...


class Retriever(Protocol):
    """References for a record that came without."""

    def __call__(self, record: Record, /) -> Sequence[Passage]: ...


class Localizer(Protocol):
    """Where a record says what its verdicts rest on: one answer per verdict, in order."""

    def __call__(self, record: Record, verdicts: Sequence[Verdict], /) -> list[Located]: ...


class Aggregator(Protocol):
    """The share of each label; shares sum to 1."""

    def __call__(self, labels: Sequence[Label], /) -> dict[Label, float]: ...


@dataclass(frozen=True, slots=True)
class OptionalParts:
    """What a component has beside being called."""

    signature: str
    remarks: Callable[[], Sequence[str]]
    begin: Callable[[Any], Future[Any]] | None
    finish: Callable[[], object]
    close: Callable[[], object]
    most_tokens: Callable[[Any], int] | None


def optional_parts(component: object, name: str = "") -> OptionalParts:
    """The optional parts of a component; one without a signature goes by `name`, or by its own.

    >>> optional_parts(len).signature, optional_parts(len).remarks()
    ('len', ())
    """

    def nothing() -> Sequence[str]:
        return ()

    own_name = name or getattr(component, "__name__", type(component).__name__)
    return OptionalParts(
        signature=getattr(component, "signature", None) or own_name,
        remarks=getattr(component, "remarks", nothing),
        begin=getattr(component, "begin", None),
        finish=getattr(component, "finish", nothing),
        close=getattr(component, "close", nothing),
        most_tokens=getattr(component, "most_tokens", None),
    )


def option(
    default: object,
    about: str,
    metavar: str | tuple[str, ...] | None = None,
    *,
    choices: Iterable[str] | None = None,
    least: int | None = None,
    parse: Callable[[str], object] | None = None,
    flags: Sequence[str] = (),
    group: str = "",
) -> Any:
    """A field of a frozen dataclass of options, as a front end shows it: a flag, or an input of a form.

    Its type says what is asked for: `int | None` a number or nothing, `bool` a switch, `tuple[str, ...]` one
    or more. `default` may be `REQUIRED`. `parse` makes the value of text; `flags` are other spellings than
    the field's name, and `group` is the heading, where it is not that of the other fields.
    """
    shown = {"about": about, "metavar": metavar, "choices": choices, "group": group}
    return field(default=default, metadata={**shown, "least": least, "parse": parse, "flags": flags})


def done_future(result: T) -> Future[T]:
    """A future that has its result already."""
    future: Future[T] = Future()
    future.set_result(result)
    return future
