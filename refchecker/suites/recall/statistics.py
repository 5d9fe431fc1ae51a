"""How many samples and words there are, as the paper's table 7 has it; a part of the samples."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from ..types import Item


def notes_of(items: Sequence[Item]) -> list[str]:
    """A line for each set and task: samples, and words of both contexts."""
    lines = []
    for of, task in sorted({(item.fields["set"], item.fields["task"]) for item in items}):
        own = [item.fields for item in items if (item.fields["set"], item.fields["task"]) == (of, task)]
        words = sum(len(fields["original"].split()) for fields in own)
        kinds = sorted({fields["edit"] for fields in own})
        split = ", ".join(f"{sum(f['edit'] == kind for f in own):,} {kind}" for kind in kinds)
        lines.append(f"{of}/{task}: {len(own):,} samples, {words:,} words in the original contexts ({split})")
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
