"""RefChecker's human-labelled benchmark: three settings, seven models, labelled triplets.

A system is a checker (on the annotators' triplets, and on claims of other formats), a file of a
checker's labels, the majority label, or a language model whose own responses are collected and checked.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...protocols import REQUIRED, option
from ...types import Label
from ..ask import check_stage, prompt_stage
from ..collect import question_task, versions
from ..folder import slug
from ..types import Answer, Answers, Item, Prepared, Stage, Suite, Task, Tools
from .data import SETTINGS, load, predictions
from .page import page
from .sheets import FORMATS, score, within

RESPOND = "respond"


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """Where the labels are, and which of them."""

    data: str = option(
        REQUIRED, "folder with human/SETTING.jsonl, or RefChecker's human_annotations_v1 and data", "DIR"
    )
    settings: tuple[str, ...] = option(SETTINGS, "default: all three", choices=SETTINGS)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Which claims are checked, and by whom if not by a checker."""

    claims: tuple[str, ...] = option(
        FORMATS,
        "claims to check: the annotators' (human), or the response as triplets, sentences, or whole "
        "(default: all)",
        choices=FORMATS,
    )
    predictions: str | None = option(
        None,
        "take a checker's labels from a file instead of running one: JSON Lines of setting, model, "
        "id, claim_index, label",
        "FILE",
    )
    majority: bool = option(False, "the baseline that gives each setting's commonest label")


def system_name(options: RunOptions) -> str:
    """After the file of predictions, or the baseline."""
    if options.predictions:
        return slug(Path(options.predictions).stem)
    return "majority" if options.majority else ""


def prepare(options: PrepareOptions, tools: Tools) -> Prepared:
    return load(Path(options.data), options.settings)


def stages(items: Sequence[Item], options: RunOptions, tools: Tools) -> list[Stage]:
    if sum(map(bool, (options.predictions, options.majority, tools.has_llm))) > 1:
        raise UsageError("give one of --llm, --predictions and --majority: each is a system of its own.")
    if options.predictions:
        path = Path(options.predictions)
        if not path.is_file():
            raise UsageError(f"--predictions {path}: there is no such file.")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:6]
        return [_labels_stage(items, f"check:{path.stem}@{digest}", _lookup(predictions(path)))]
    if options.majority:
        return [_labels_stage(items, "check:majority", _majority(items))]
    if tools.has_llm:
        return _response_stages(items, tools)
    check = tools.checker()
    return [
        check_stage(
            f"check-{form}",
            check,
            _tasks(items, form),
            extract=tools.extractor(form) if form in ("triplet", "sentence") else None,
        )
        for form in options.claims
    ]


def _tasks(items: Sequence[Item], form: str) -> Callable[[Answers], Iterator[Task]]:
    """Each response with its claims in that format. What people found no claim in is not asked."""

    def tasks(answers: Answers) -> Iterator[Task]:
        for item in items:
            fields = item.fields
            if fields["claims"]:
                ask = {name: fields[name] for name in ("response", "question", "references")}
                whole = [fields["response"]] if fields["response"].strip() else []
                claims = {"human": fields["claims"], "response": whole}.get(form)
                yield Task(item.id, {**ask, "claims": claims})

    return tasks


# -- labels that no model has to be asked for ----------------------------------------------------

Labelling = Callable[[Task], Answer]


def _labels_stage(items: Sequence[Item], signature: str, label: Labelling) -> Stage:
    return Stage("check-human", signature, _tasks(items, "human"), lambda tasks: map(label, tasks))


def _lookup(known: dict[tuple[str, int], str]) -> Labelling:
    def label(task: Task) -> Answer:
        keys = [(task.key, number) for number in range(len(task.ask["claims"]))]
        absent = sum(key not in known for key in keys)
        fault = f"{absent} of its claims are not in the file" if absent else ""
        return Answer({"labels": [known.get(key, Label.ABSTAIN.value) for key in keys]}, fault)

    return label


def _majority(items: Sequence[Item]) -> Labelling:
    counts: dict[str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.fields["setting"], Counter()).update(filter(None, item.fields["labels"]))

    def label(task: Task) -> Answer:
        setting = task.key.partition("/")[0]
        return Answer({"labels": [counts[setting].most_common(1)[0][0]] * len(task.ask["claims"])})

    return label


# -- a language model's own responses ------------------------------------------------------------


def _response_stages(items: Sequence[Item], tools: Tools) -> list[Stage]:
    """The questions to the model, then its responses to the extractor and the checker."""
    first = {item.group: item for item in reversed(items)}
    chosen = [first[group] for group in dict.fromkeys(item.group for item in items)]

    def questions(answers: Answers) -> Iterator[Task]:
        for item in chosen:
            fields = item.fields
            if not fields["question"]:
                raise UsageError(f"{item.group} has no question. Prepare the data with its questions.")
            shown = [] if fields["setting"] == "zero_context" else fields["references"]
            yield question_task(item.group, fields["question"], shown)

    def responses(answers: Answers) -> Iterator[Task]:
        for item in chosen:
            reply = answers[RESPOND].get(item.group)
            if reply and not reply.fault:
                ask = {name: item.fields[name] for name in ("question", "references")}
                yield Task(item.group, {**ask, "response": reply.value["reply"], "claims": None})

    return [
        prompt_stage(RESPOND, tools.llm(), questions, prompts=versions()),
        check_stage("check-own", tools.checker(), responses, extract=tools.extractor("triplet")),
    ]


SUITE = Suite(
    "human",
    "RefChecker's human labels: how well a checker agrees with people, and whether triplets help.",
    prepare,
    stages,
    score,
    page,
    within,
    PrepareOptions,
    RunOptions,
    system_name,
)
