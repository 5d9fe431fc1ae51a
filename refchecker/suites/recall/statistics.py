"""How many samples and words there are, as the paper's table 7 has it; a part of the samples."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from ..types import Item
from .scores import by_task


def notes_of(items: Sequence[Item]) -> list[str]:
    """A line for each set and task: samples, and words of both contexts."""
    lines = []
    for (of, task), members in by_task(items).items():
        words = sum(len(item.fields["original"].split()) for item in members)
        kinds = Counter(item.fields["edit"] for item in members)
        split = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
        size = f"{len(members):,} samples, {words:,} words in the original contexts"
        lines.append(f"{of}/{task}: {size} ({split})")
    return lines


def sample_of(items: Sequence[Item], samples: int | None = None) -> list[Item]:
    """At most so many of each set and task, mixed: the first N items of the result are a sample of all.

    The order is that of hashes of the ids, so a smaller sample is part of a larger one.
    """
    seen = Counter[tuple[str, str]]()
    chosen = []
    for item in sorted(items, key=lambda item: hashlib.sha256(item.id.encode()).digest()):
        group = item.fields["set"], item.fields["task"]
        seen[group] += 1
        if not samples or seen[group] <= samples:
            chosen.append(item)
    return chosen
