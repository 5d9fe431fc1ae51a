"""The nouns of a benchmark: Item -> Task -> Answer -> Sheet -> Page. Everything is frozen.

`prepare` gives items; each stage of `run` makes tasks of them and answers these; `score` turns the
answers into sheets, without asking anything; `page` says the report in tables and plots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from ..errors import LLMError
from ..llms.types import Reply, Request
from ..protocols import Checker, Extractor

Array = np.ndarray[Any, np.dtype[Any]]
Columns = Mapping[str, Array]
Metric = Callable[[Columns], float]  # nan where the columns give it no value


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a benchmark's data. `group` is what a bootstrap draws: a question, an event."""

    id: str
    group: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A benchmark's data, what is known of each source of it, and lines for a person."""

    items: Sequence[Item]
    sources: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to ask. `ask` is JSON and holds all that the answer depends on.

    `key` is unique in its stage.
    """

    key: str
    ask: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task; or, in `fault`, why nothing did."""

    value: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""


Answers = Mapping[str, Mapping[str, Answer]]  # by stage, by the task's key


@dataclass(frozen=True, slots=True)
class Stage:
    """Tasks and who answers them: one Answer per task, in order, while later ones are worked on."""

    name: str
    signature: str  # components, their versions, hashes of prompts
    tasks: Callable[[Answers], Iterable[Task]]  # may read the answers of earlier stages
    answer: Callable[[Iterable[Task]], Iterator[Answer]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a table's line is made of: a row per scored unit, and the metrics of its columns.

    Row i is the unit `ids[i]` of `groups[i]`; the same ids in two systems are the same units, which
    are then compared in pairs. What could not be scored has no row and is counted in `missing`.
    """

    name: str
    ids: Sequence[str]
    groups: Sequence[str]
    columns: Columns  # each [rows]
    metrics: Mapping[str, Metric]
    right: str = ""  # the 0/1 column that says whether a row is right, for McNemar's test
    label: str = ""  # the column of label codes, for the agreement of two systems
    tested: Sequence[str] = ()  # the metrics that are compared between systems
    missing: Mapping[str, int] = field(default_factory=dict)  # why -> how many units
    counts: Mapping[str, Any] = field(default_factory=dict)


class Series(NamedTuple):
    """One colour of a plot: a value for each place on the axis, with its interval where there is one."""

    name: str
    values: Sequence[float | None]
    lows: Sequence[float | None] = ()
    highs: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot to draw. `places` are the labels along the axis, or of the dots.

    Of "dots" the first series is across and each other one up. "parts" are shares of a whole: each place is
    one bar, from left to right, whose series add up to 1.
    """

    name: str  # of the PNG
    title: str
    kind: Literal["bars", "lines", "dots", "parts"]
    places: Sequence[str]
    series: Sequence[Series]
    x: str = ""
    y: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A report: lines of Markdown, and plots, which stand at its end."""

    lines: Sequence[str]
    plots: Sequence[Plot] = ()


class Ask(Protocol):
    """Requests in; for each a reply, or the error that concerns it alone."""

    @property
    def signature(self) -> str: ...

    def __call__(self, requests: Sequence[Request], /) -> list[Reply | LLMError]: ...


class Tools(Protocol):
    """What a suite may use: the models that are named, and the folder of the run."""

    folder: Path
    has_llm: bool  # whether a language model is named; in a run it is then what is measured
    system: str | None  # the name that the run's system was given, if any

    def llm(self) -> Ask: ...

    def checker(self) -> Checker: ...

    def extractor(self, claim_format: str = "triplet") -> Extractor: ...

    def tell(self, line: str) -> None: ...


@dataclass(frozen=True)
class NoOptions:
    """Of a step that has none."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark, as the functions of its steps.

    The options of `prepare` and `stages` are frozen dataclasses of fields made by `protocols.option`, and so
    are the flags of the command line.
    """

    name: str
    about: str
    prepare: Callable[[Any, Tools], Prepared]
    stages: Callable[[Sequence[Item], Any, Tools], Sequence[Stage]]
    score: Callable[[Sequence[Item], Answers], Sequence[Sheet]]
    page: Callable[[Mapping[str, Any]], Page]
    within: Callable[[Sequence[str]], Sequence[tuple[str, str]]] = (
        lambda names: ()
    )  # sheets to compare in pairs
    prepare_options: type[Any] = NoOptions
    run_options: type[Any] = NoOptions
    system_name: Callable[[Any], str] = lambda run_options: ""  # "": the name of the model or checker
