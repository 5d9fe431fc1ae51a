"""Knowledge conflicts: does a model see that a text says other than it knows, where, and give both answers?

After Wang et al., "Resolving Knowledge Conflicts in Large Language Models" (2024). Passages about entities of
many domains are edited so that they disagree with what is known: a named entity is replaced by another of its
kind, or the subject by another subject. Three tasks: is there a conflict in the context, in what it has on a
question, and what are the two answers? The same pairs go through the checker, which should flag the edited
passage, its sentence and its words: that mode is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...protocols import Localizer, option
from ...registry import load as load_component
from ..types import Ask, Item, Prepared, Stage, Suite, Tools
from . import asking, checking, edits, entities, make, writing
from .page import page
from .sheets import score
from .units import TASKS


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """Which entities there are passages of, and how these are edited."""

    entities: str | None = option(
        None,
        'entities as JSON Lines of {"domain", "field", "entity"}, with "passage", "restated" and '
        '"questions" where they are known (default: the package\'s own)',
        "FILE",
    )
    list: tuple[int, int, int] | None = option(
        None, "have --llm name D domains, F fields of each and E entities of each field", ("D", "F", "E")
    )
    domains: tuple[str, ...] = option((), "only these (all)", "NAME")
    per_field: int | None = option(None, "the first N entities of each field (all)", "N")
    per_domain: int | None = option(None, "the first N of each domain (all)", "N")
    conflicts: str = option(
        "both",
        "how passages are edited; paper: subjects are shuffled only where nothing could be substituted "
        "(%(default)s)",
        choices=(*edits.METHODS, "both", "paper"),
    )
    substitutions: int = option(
        1, "pairs of an entity, each with another word replaced, at most (%(default)s)", "N"
    )
    seed: int = option(0, "of the choice of words (%(default)s)")


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a language model is asked, and in which forms a checker gets its claims."""

    tasks: tuple[str, ...] = option(TASKS, "with --llm (all)", choices=TASKS)
    methods: tuple[str, ...] = option(
        tuple(asking.METHODS),
        "with --llm: ways to ask (default: all). Without --llm the checker is measured",
        choices=tuple(asking.METHODS),
    )
    wordings: int = option(1, "with --llm: ask in the first N of four wordings (%(default)s)", "N")
    formats: tuple[str, ...] = option(
        checking.FORMATS, "claims of the checker (default: all)", choices=checking.FORMATS
    )
    localizer_name: str = option(
        "auto", "which words the checker points to: auto, exact, embedding, none (%(default)s)", "NAME"
    )


def prepare(options: PrepareOptions, tools: Tools) -> Prepared:
    """Pairs of our passages or, with --llm, of what that model says about the entities."""
    from .recognise import recognise, signature

    dropped: Counter[str] = Counter()
    ask = tools.llm() if tools.has_llm else None
    known = _entities(options, ask, dropped)
    chosen = entities.chosen(known, options.domains, options.per_field, options.per_domain)
    if ask:
        known = chosen = writing.elicited(ask, chosen, dropped)
    bare = [entity.id for entity in chosen if not entity.passage]
    if bare:
        raise UsageError(
            f"{bare[0]} has no passage. Give --llm, the model under test, which writes them, or add "
            '"passage" to its line.'
        )
    made = make.make(
        chosen,
        [entity for entity in known if entity.passage],
        recognise,
        method=options.conflicts,
        substitutions=options.substitutions,
        seed=options.seed,
    )
    pairs = list(make.unique(made.pairs))
    if not pairs:
        raise UsageError("no pair could be made: " + "; ".join(made.without) + ". Take more entities.")
    if ask:
        pairs = writing.with_questions(ask, pairs, dropped)
    by_domain = Counter(pair.entity.domain for pair in pairs)
    counts = {
        "passages": f"elicited from {ask.signature}" if ask else options.entities or "the package's own",
        "named entities": signature(),
        "seed": options.seed,
        "pairs": dict(Counter(f"{pair.method}/{pair.kind}" for pair in pairs)),
        "by domain": dict(by_domain),
        "entities without a pair": dict(made.without),
        "edits tried and dropped": dict(made.dropped),
        "written by the model and dropped": {why: count for why, count in dropped.items() if count},
        **({"prompts": writing.versions()} if ask else {}),
    }
    notes = [
        f"{len(pairs)} pairs of {len(chosen)} entities in {len(by_domain)} domains; "
        f"{made.dropped.total()} edits were tried and dropped: see prepare.json"
    ]
    return Prepared(items_of(pairs), {"made": counts}, notes)


def _entities(options: PrepareOptions, ask: Ask | None, dropped: Counter[str]) -> list[entities.Entity]:
    if options.list:
        if not ask:
            raise UsageError("--list needs the --llm that names the domains, fields and entities.")
        return writing.list_entities(ask, options.list, dropped)
    return entities.load(Path(options.entities)) if options.entities else entities.ours()


def items_of(pairs: Sequence[edits.Pair]) -> list[Item]:
    """Pairs of one entity are one group: they share a passage."""
    items, numbers = [], Counter[str]()
    for pair in pairs:
        entity = pair.entity
        series = f"{entity.id}/{pair.method}"
        numbers[series] += 1
        fields = {
            "domain": entity.domain,
            "field": entity.field,
            "entity": entity.name,
            "method": pair.method,
            "kind": pair.kind,
            "original": pair.original,
            "substitute": pair.substitute,
            "parametric": entity.passage,
            "conflicting": pair.conflicting,
            "originals": [list(offsets) for offsets in pair.originals],
            "edits": [list(offsets) for offsets in pair.edits],
            "restated": entity.restated,
            "about": pair.about,
            "other": pair.other,
        }
        items.append(Item(f"{series}/{numbers[series]}", entity.id, fields))
    return items


def stages(items: Sequence[Item], options: RunOptions, tools: Tools) -> list[Stage]:
    if tools.has_llm:
        return asking.stages(items, tools.llm(), options.tasks, options.methods, options.wordings)
    check = tools.checker()
    locate: Localizer | None = load_component(
        "localizer", options.localizer_name, **({"check": check} if options.localizer_name == "auto" else {})
    )
    return [
        checking.check_stage(items, form, tools.extractor(form), check, locate, checking.REFERENCES)
        for form in options.formats
    ]


SUITE = Suite(
    "conflicts",
    "Texts that contradict what a model knows: noticed, pinpointed, answered both ways.",
    prepare,
    stages,
    score,
    page,
    prepare_options=PrepareOptions,
    run_options=RunOptions,
)
