"""How often the rules of the checker `rules` are right, and some that were not good enough to be in it.

    python -m benchmark.rules

Counts, by the true label, the claims that each rule answers: on RefChecker's human labels, on other
claim sets and on hypothetical contexts (where only `affirmative` supports). Writes results/rules.md.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmark.calibration import wilson_bound
from benchmark.data import data_root
from benchmark.labels import (
    CLAIM_SETS,
    RESULTS,
    SETTINGS,
    VARIANTS,
    Item,
    claim_items,
    human_items,
    hypothetical_items,
)
from refchecker.checker.rules import Rules
from refchecker.types import Label, Pair

ABOUT = {
    "verbatim": "kept: a plain sentence begins with the claim, so Entailment",
    "no shared word": "thrown out: no word of four letters or a digit is shared, so Neutral",
}


def verbatim(item: Item, check: Rules) -> bool:
    judged = check([Pair(item.claim, passage) for passage in item.passages])
    return any(judgment.label is Label.ENTAILMENT for judgment in judged)


def no_shared_word(item: Item) -> bool:
    shared = words(item.claim.text) & words(" ".join(passage.text for passage in item.passages))
    return not shared


def words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}|\d+", text.lower()))


def load_sets(root: Path) -> dict[str, list[Item]]:
    """Every labelled set by name; under hypothetical contexts but `affirmative`, Neutral is true."""
    sets = {name: human_items(root, name) for name in SETTINGS}
    sets |= {name: claim_items(root, name) for name in CLAIM_SETS}
    for name in VARIANTS:
        true = Label.ENTAILMENT if name == "affirmative" else Label.NEUTRAL
        sets[f"hypothetical {name}"] = [item._replace(label=true) for item in hypothetical_items(root, name)]
    return sets


def section(title: str, says: Label, sets: dict[str, list[Item]], holds: Callable[[Item], bool]) -> list[str]:
    counts = {name: Counter(item.label for item in items if holds(item)) for name, items in sets.items()}
    human = sum((counts[name] for name in SETTINGS), Counter())
    rows = [("human labels together", human), *counts.items(), ("all", sum(counts.values(), Counter()))]
    lines = ["", f"## {title}", "", f"{ABOUT[title]}.", ""]
    lines += ["| set | answered | right | precision | lower bound |", "| --- | --- | --- | --- | --- |"]
    for name, count in rows:
        total, right = count.total(), count[says]
        share = f"{right / total:.3f} | {wilson_bound(right, total):.3f}" if total else "– | –"
        lines.append(f"| {name} | {total} | {right} | {share} |")
    return lines


def main(argv: Sequence[str] | None = None) -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args(argv)
    sets = load_sets(data_root("human", "claims", "hypotheticals"))
    check = Rules()
    lines = ["# Rules without a model", "", f"`{check.signature}`, made by `python -m benchmark.rules`."]
    lines += ["Lower bound: Wilson, 95 % one-sided."]
    lines += section("verbatim", Label.ENTAILMENT, sets, lambda item: verbatim(item, check))
    lines += section("no shared word", Label.NEUTRAL, sets, no_shared_word)
    text = "\n".join(lines) + "\n"
    (RESULTS / "rules.md").write_text(text, "utf-8")
    print(text)


if __name__ == "__main__":
    main()
