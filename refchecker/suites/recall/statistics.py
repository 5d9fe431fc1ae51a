"""How many samples and words there are, as the paper's table 7 has it; a part of the samples."""

from __future__ import annotations

import hashlib
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


def sample_of(items: Sequence[Item], samples: int | None) -> list[Item]:
    """At most so many of each set and task, the same whatever else there is: those with the least hash."""
    if not samples:
        return list(items)
    kept: set[str] = set()
    for group in {(item.fields["set"], item.fields["task"]) for item in items}:
        own = [item for item in items if (item.fields["set"], item.fields["task"]) == group]
        own.sort(key=lambda item: hashlib.sha256(item.id.encode()).digest())
        kept.update(item.id for item in own[:samples])
    return [item for item in items if item.id in kept]
