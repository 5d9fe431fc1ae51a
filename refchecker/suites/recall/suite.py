"""RECALL: does a model keep to what it knows when the context is wrong?

After "RECALL: A Benchmark for LLMs Robustness against External Counterfactual Knowledge"
(arXiv 2311.08147), on events and terms of our own, with scores by triplet beside the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...llms.prompt import prompt
from ...protocols import option
from ..ask import FunctionAsk, check_stage, prompt_stage
from ..folder import Folder, file_hash
from ..types import Answers, Item, Prepared, Sheet, Stage, Suite, Tools
from . import outputs, probe, ratings, scores, tasks, triplets
from .facts import data_file, load_events, load_terms, rows
from .page import page, within
from .published import load_published
from .rules import build
from .statistics import notes_of, sample_of


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """Of which facts samples are built, and by whom; or where the published ones are."""

    events: str | None = option(None, "events of yours (those of the package)", "FILE")
    terms: str | None = option(None, "terms of yours (those of the package)", "FILE")
    published: str | None = option(None, "the published RECALL set, instead of building one", "DIR")
    by: str = option(
        "rules",
        "who paraphrases, asks and edits: rules, offline, or the model of --llm (%(default)s)",
        choices=("rules", "llm"),
    )
    samples: int | None = option(None, "only so many samples of each set and task (all)", "N")
    data_seed: int = option(0, "of the data (%(default)s)")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Who answers, and what is made of the answers."""

    methods: tuple[str, ...] = option(
        ("baseline",),
        "baseline is asked under all conditions, the others with the edited context (baseline)",
        choices=tasks.METHODS,
    )
    hf_model: str | None = option(
        None, "a local model of Hugging Face, in the place of --llm; dola needs it", "PATH"
    )
    outputs: str | None = option(
        None,
        "outputs made elsewhere, instead of asking: JSON Lines of " + outputs.FIELDS.replace("%", "%%"),
        "FILE",
    )
    rate: bool = option(False, "have --llm rate the definitions of the system --name, for D-Rate")
    no_triplets: bool = option(False, "do not check the outputs claim by claim")


def prepare(options: PrepareOptions, tools: Tools) -> Prepared:
    if options.published:
        items, used = load_published(Path(options.published))
        chosen = sample_of(items, options.samples)
        return Prepared(chosen, file_hash(used), notes_of(chosen))
    events_path = Path(options.events) if options.events else data_file("events.jsonl")
    terms_path = Path(options.terms) if options.terms else data_file("terms.jsonl")
    events, terms = load_events(events_path), load_terms(terms_path)
    if options.by == "llm":
        from .writer import build_by_llm

        built = build_by_llm(events, terms, tools.llm(), tools.tell)
    else:
        built = build(events, terms, options.data_seed)
    items = [
        Item(
            f"{fields['set']}/{fields['task']}/{fields['source']}",
            f"{fields['set']}/{fields['source']}",
            fields,
        )
        for fields in built.samples
    ]
    chosen = sample_of(items, options.samples)
    dropped = {"/".join(of): dict(why) for of, why in built.dropped.items()}
    sources = {**file_hash([events_path, terms_path]), "dropped": dropped, "by": options.by}
    notes = [*notes_of(chosen), *_dropped_lines(built.dropped)]
    return Prepared([*chosen, *_probe_items()], sources, notes)


def _dropped_lines(dropped: Any) -> list[str]:
    return [
        f"{of}/{task}: {sum(why.values())} edits dropped by the inspection: "
        + ", ".join(f"{count} {reason}" for reason, count in Counter(why).most_common())
        for (of, task), why in dropped.items()
    ]


def _probe_items() -> list[Item]:
    """The events of the future, which no model can know of."""
    blank = {"set": "future", "task": "probe", "subject": "", "edits": [], "edited_answers": [], "target": ""}
    return [
        Item(
            f"future/probe/{row['id']}",
            f"future/{row['id']}",
            blank
            | {"question": row["question"], "answers": [row["answer"]], "original": row["context"]}
            | {"edited": row["context"], "touches_name": False, "edit": "", "source": row["id"]},
        )
        for _, row in rows(data_file("future.jsonl"))
    ]


def stages(items: Sequence[Item], options: RunOptions, tools: Tools) -> list[Stage]:
    if options.rate:
        return [_rating_stage(items, tools)]
    if options.outputs:
        loaded = outputs.load_outputs(Path(options.outputs), items)
        if loaded.unknown:
            tools.tell(
                f"{loaded.unknown:,} outputs are of no item of these data and do not count, such as "
                f"{loaded.first_unknown}"
            )
        asking = outputs.stages(items, loaded)
    else:
        asking = _asking(items, options, tools)
    if options.no_triplets:
        return asking
    check, extract = tools.checker(), tools.extractor("triplet")
    checking = [
        check_stage(
            stage.name.replace("answers", triplets.STAGE),
            check,
            partial(triplets.tasks, items, stage.name),
            extract=extract,
        )
        for stage in asking
        if stage.name.startswith("answers")
    ]
    return [*asking, *checking]


def _asking(items: Sequence[Item], options: RunOptions, tools: Tools) -> list[Stage]:
    plain = [method for method in options.methods if method != "dola"]
    if options.hf_model:
        from .dola import load_local

        local = load_local(options.hf_model, dola=False)
        stages = []
        for name, methods, dola in (("answers", plain, False), ("answers-dola", ["dola"], True)):
            if set(methods) & set(options.methods):
                model = local.decoding(dola)
                ask = FunctionAsk(model, model.signature)
                prompts = partial(_tasks, items, methods)
                stages.append(prompt_stage(name, ask, prompts, prompts=tasks.versions()))
        return stages
    if "dola" in options.methods:
        raise UsageError("dola contrasts the layers of a local model: give it with --hf_model PATH.")
    return [prompt_stage("answers", tools.llm(), partial(_tasks, items, plain), prompts=tasks.versions())]


def _tasks(items: Sequence[Item], methods: Sequence[str], answers: Answers) -> Any:
    return tasks.all_tasks(items, methods)


def _rating_stage(items: Sequence[Item], tools: Tools) -> Stage:
    if not tools.system:
        raise UsageError("--rate rates the answers of a system that is there: name it with --name.")
    answers = Folder(tools.folder, "recall").answers(tools.system)
    version = prompt("recall_rate").version
    return prompt_stage("ratings", tools.llm(), lambda _: ratings.tasks(items, answers), prompts=[version])


def score(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    return [*scores.sheets(items, answers), *probe.sheets(items, answers), *triplets.sheets(items, answers)]


SUITE = Suite(
    "recall",
    "RECALL: robustness against counterfactual contexts, on events and terms.",
    prepare,
    stages,
    score,
    page,
    within,
    PrepareOptions,
    RunOptions,
)
