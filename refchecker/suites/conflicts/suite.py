"""Knowledge conflicts: does a model see that a text says other than it knows, where, and give both answers?

After Wang et al., "Resolving Knowledge Conflicts in Large Language Models" (2024). Passages about entities of
many domains are edited so that they disagree with what is known: a named entity is replaced by another of its
kind, or the subject by another subject. Three tasks: is there a conflict in the context, in what it has on a
question, and what are the two answers? The same pairs go through the checker, which should flag the edited
passage, its sentence and its words: that mode is ours.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...protocols import Localizer
from ...registry import load as load_component
from ..types import Ask, Item, Prepared, Stage, Step, Suite, Tools
from . import asking, checking, edits, entities, make, writing
from .page import page
from .sheets import score
from .units import TASKS


def add_options(group: Any, step: Step) -> None:
    if step == "prepare":
        _add_data(group)
    if step == "run":
        group.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS), help="with --llm (all)")
        group.add_argument(
            "--methods",
            nargs="+",
            choices=list(asking.METHODS),
            default=list(asking.METHODS),
            help="with --llm: ways to ask (default: all). Without --llm the checker is measured",
        )
        group.add_argument(
            "--wordings",
            type=int,
            default=1,
            metavar="N",
            help="with --llm: ask in the first N of four wordings (%(default)s)",
        )
        group.add_argument(
            "--formats",
            nargs="+",
            choices=checking.FORMATS,
            default=list(checking.FORMATS),
            help="claims of the checker (default: all)",
        )
        group.add_argument(
            "--localizer_name",
            default="auto",
            metavar="NAME",
            help="which words the checker points to: auto, exact, embedding, none (%(default)s)",
        )


def _add_data(group: Any) -> None:
    group.add_argument(
        "--entities",
        metavar="FILE",
        help='entities as JSON Lines of {"domain", "field", "entity"}, with "passage", "restated" and '
        '"questions" where they are known (default: the package\'s own)',
    )
    group.add_argument(
        "--list",
        nargs=3,
        type=int,
        metavar=("D", "F", "E"),
        help="have --llm name D domains, F fields of each and E entities of each field",
    )
    group.add_argument("--domains", nargs="+", default=[], metavar="NAME", help="only these (all)")
    group.add_argument("--per_field", type=int, metavar="N", help="the first N entities of each field (all)")
    group.add_argument("--per_domain", type=int, metavar="N", help="the first N of each domain (all)")
    group.add_argument(
        "--conflicts",
        choices=(*edits.METHODS, "both", "paper"),
        default="both",
        help="how passages are edited; paper: subjects are shuffled only where nothing could be substituted "
        "(%(default)s)",
    )
    group.add_argument(
        "--substitutions",
        type=int,
        default=1,
        metavar="N",
        help="pairs of an entity, each with another word replaced, at most (%(default)s)",
    )
    group.add_argument("--seed", type=int, default=0, help="of the choice of words (%(default)s)")


def prepare(options: argparse.Namespace, tools: Tools) -> Prepared:
    """Pairs of our passages or, with --llm, of what that model says about the entities."""
    from .recognise import recognise, signature

    dropped: Counter[str] = Counter()
    ask = tools.llm() if options.llm else None
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
    counts = {
        "passages": f"elicited from {ask.signature}" if ask else options.entities or "the package's own",
        "named entities": signature(),
        "seed": options.seed,
        "pairs": dict(Counter(f"{pair.method}/{pair.kind}" for pair in pairs)),
        "by domain": dict(Counter(pair.entity.domain for pair in pairs)),
        "entities without a pair": dict(made.without),
        "edits tried and dropped": dict(made.dropped),
        "written by the model and dropped": {why: count for why, count in dropped.items() if count},
        **({"prompts": writing.versions()} if ask else {}),
    }
    notes = [
        f"{len(pairs)} pairs of {len(chosen)} entities in {len(counts['by domain'])} domains; "
        f"{made.dropped.total()} edits were tried and dropped: see prepare.json"
    ]
    return Prepared(items_of(pairs), {"made": counts}, notes)


def _entities(options: argparse.Namespace, ask: Ask | None, dropped: Counter[str]) -> list[entities.Entity]:
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
        place = f"{entity.id}/{pair.method}"
        numbers[place] += 1
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
            "originals": [list(place) for place in pair.originals],
            "edits": [list(place) for place in pair.edits],
            "restated": entity.restated,
            "about": pair.about,
            "other": pair.other,
        }
        items.append(Item(f"{place}/{numbers[place]}", entity.id, fields))
    return items


def stages(items: Sequence[Item], options: argparse.Namespace, tools: Tools) -> list[Stage]:
    if options.llm:
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
    add_options,
    prepare,
    stages,
    score,
    page,
)
