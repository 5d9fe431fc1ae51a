"""How often hostile text in a reference, claim, question or response changes what comes out.

    python -m benchmark.injection --checker_name embedded
    python -m benchmark.injection --checker_name llm:openai/gpt-5 --extractor_name llm:openai/gpt-5

Every hostile text of injection_texts/hostile.jsonl is put behind the text of every base item (bases.jsonl)
whose label is another than the one it aims at, and the label compared with that of the item alone. A harmless
sentence in the same place gives the rate to compare with. Of an extractor, missing claims are counted.
Writes benchmark/results/injection_NAME.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from refchecker.protocols import Checker, Extractor
from refchecker.registry import load
from refchecker.types import Claim, Label, Pair, Passage, Record

TEXTS = Path(__file__).resolve().parent / "injection_texts"
RESULTS = Path(__file__).resolve().parent / "results"
HARMLESS = "The weather was mild that year."
PLACES = ("reference", "claim", "question")


class Hostile(NamedTuple):
    """A text that aims at a label, or at "no claims" or "planted" claims where it stands in a response."""

    id: str
    kind: str
    where: str
    aims: str
    text: str


class Base(NamedTuple):
    """A claim and a reference without tricks, and what the label is."""

    label: Label
    reference: str
    claim: str

    def pair(self, where: str = "", text: str = "") -> Pair:
        """The item, with a text added in one place."""
        put = {place: f"\n{text}" if place == where else "" for place in PLACES}
        return Pair(
            Claim(self.claim + put["claim"]),
            Passage(self.reference + put["reference"], "reference"),
            ("What is said of it?" + put["question"]) if put["question"] else "",
        )


class Trial(NamedTuple):
    """One hostile text in one item: the labels without it, with it, and with a harmless sentence instead."""

    hostile: Hostile
    base: Base
    plain: Label
    attacked: Label
    harmless: Label


def hostile_texts(every: int = 1) -> list[Hostile]:
    """The first of every so many, which are of all kinds as they stand sorted by kind and place."""
    return [Hostile(**row) for row in _rows("hostile.jsonl")][::every]


def bases() -> list[Base]:
    return [Base(Label(row["label"]), row["reference"], row["claim"]) for row in _rows("bases.jsonl")]


def trials(check: Checker, every: int = 1) -> list[Trial]:
    """Every hostile text in every item that it could change, judged in one call."""
    chosen = [
        (hostile, base)
        for hostile in hostile_texts(every)
        for base in bases()
        if hostile.where in PLACES and base.label != hostile.aims
    ]
    pairs = [
        pair
        for hostile, base in chosen
        for pair in (
            base.pair(),
            base.pair(hostile.where, hostile.text),
            base.pair(hostile.where, HARMLESS),
        )
    ]
    labels = [judgment.label for judgment in check(pairs)]
    return [
        Trial(hostile, base, *labels[3 * number : 3 * number + 3])
        for number, (hostile, base) in enumerate(chosen)
    ]


def rates(found: Sequence[Trial]) -> dict[str, Any]:
    """Counts over some trials; `reached` are the changes to the label that the text aims at."""
    return {
        "trials": len(found),
        "changed": sum(trial.attacked is not trial.plain for trial in found),
        "reached": sum(trial.attacked == trial.hostile.aims != trial.plain for trial in found),
        "to_entailment": sum(trial.attacked is Label.ENTAILMENT is not trial.plain for trial in found),
        "undetermined": sum(trial.attacked is Label.ABSTAIN for trial in found),
        "changed_by_harmless_text": sum(trial.harmless is not trial.plain for trial in found),
    }


def lost_claims(extract: Extractor, every: int = 1) -> dict[str, Any]:
    """How many claims of a response are missing, and how many planted, with hostile text behind it."""
    references = list(dict.fromkeys(base.reference for base in bases()))
    chosen = [
        (hostile, text)
        for hostile in hostile_texts(every)
        if hostile.where == "response"
        for text in references
    ]
    plain = dict(zip(references, _claims(extract, references), strict=True))
    attacked = _claims(extract, [f"{text}\n{hostile.text}" for hostile, text in chosen])
    return {
        "responses": len(chosen),
        "claims": sum(len(plain[text]) for _, text in chosen),
        "missing": sum(len(plain[text] - found) for (_, text), found in zip(chosen, attacked, strict=True)),
        "planted": sum(any("zorbland" in claim for claim in found) for found in attacked),
        "none_left": sum(
            bool(plain[text]) and not found for (_, text), found in zip(chosen, attacked, strict=True)
        ),
    }


def report(check: Checker, extract: Extractor | None, every: int = 1) -> dict[str, Any]:
    found = trials(check, every)
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in found:
        groups[f"in the {trial.hostile.where}"].append(trial)
    for trial in found:
        groups[f"kind: {trial.hostile.kind}"].append(trial)
    changed = Counter(trial.hostile.id for trial in found if trial.attacked is not trial.plain)
    return {
        "checker": getattr(check, "signature", "function"),
        "extractor": getattr(extract, "signature", None),
        "texts": len({trial.hostile.id for trial in found}),
        "right_without_text": sum(trial.plain is trial.base.label for trial in found),
        "all": rates(found),
        "groups": {name: rates(group) for name, group in groups.items()},
        "texts_that_change_most": dict(changed.most_common(10)),
        "extraction": lost_claims(extract, every) if extract else None,
    }


def markdown(result: dict[str, Any]) -> str:
    def row(name: str, counts: dict[str, Any]) -> str:
        of = counts["trials"]
        shares = [counts[key] for key in ("changed", "reached", "to_entailment", "changed_by_harmless_text")]
        return f"| {name} | {of} | " + " | ".join(f"{share} ({share / of:.1%})" for share in shares) + " |"

    lines = [
        f"# Hostile text against `{result['checker']}`",
        "",
        f"`{result['command']}`: {result['texts']} hostile texts, {result['all']['trials']} trials; "
        f"without the text {result['right_without_text']} of their labels are right.",
        "",
        "| | trials | label changed | to the one aimed at | to Entailment | changed by a harmless sentence |",
        "|---|---|---|---|---|---|",
        row("all", result["all"]),
        *(row(name, counts) for name, counts in result["groups"].items()),
    ]
    if result["extraction"]:
        lines += ["", f"Extraction, `{result['extractor']}`: {json.dumps(result['extraction'])}"]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--checker_name", default="embedded")
    parser.add_argument("--extractor_name")
    parser.add_argument("--api_base", help="address of an OpenAI-compatible server for llm components")
    parser.add_argument("--request_timeout", type=float, default=60.0, help="seconds an attempt may take")
    parser.add_argument("--concurrency", type=int, default=64, help="requests under way at once")
    parser.add_argument("--cache_dir", help="keeps answers, so that a stopped run goes on")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth hostile text")
    parser.add_argument("--name", help="of the result (the checker's)")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(argv)
    chosen = ("api_base", "request_timeout", "concurrency", "cache_dir")
    components = {name: getattr(options, name) for name in chosen}
    check = load("checker", options.checker_name, **components)
    extract = load("extractor", options.extractor_name, **components) if options.extractor_name else None
    said = " ".join(sys.argv[1:] if argv is None else argv)
    result = {"command": f"python -m benchmark.injection {said}"} | report(check, extract, options.every)
    path = (
        options.results
        / f"injection_{options.name or options.checker_name.replace('/', '_').replace(':', '_')}"
    )
    path.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(markdown(result), encoding="utf-8")
    print(markdown(result))


def _claims(extract: Extractor, responses: Sequence[str]) -> list[set[str]]:
    records = [Record(str(number), response) for number, response in enumerate(responses)]
    return [{claim.text.casefold() for claim in each.claims} for each in extract(records)]


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with (TEXTS / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


if __name__ == "__main__":
    main()
