"""The time-sensitive probe: made-up news of the future, of which a model cannot know."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..rows import sheet_of
from ..types import Answers, Item, Sheet
from .answers import says
from .scores import flag, mean_of, replies_of, reply, scored

_CAUTION = re.compile(
    r"knowledge cut-?\s?off|as of my|my (?:last )?(?:knowledge|training|update|information)|up[- ]to[- ]date"
    r"|(?:cannot|can't|can not|unable to|could not) (?:verify|confirm|know)"
    r"|(?:do not|don't) have (?:access|current)|in the future|not (?:yet )?(?:happened|verified)"
    r"|fictional|hypothetical",
    re.IGNORECASE,
)


def cautious(text: str) -> bool:
    """Whether an answer warns that its knowledge does not reach so far, or that the text may not be true.

    >>> cautious("As of my last update, Mount Everest is the highest."), cautious("K2 is the highest.")
    (True, False)
    """
    return bool(_CAUTION.search(text))


def sheets(items: Sequence[Item], answers: Answers) -> list[Sheet]:
    """The sheet of the baseline's answers, where there are any."""
    probes = [item for item in items if item.fields["task"] == "probe"]
    replies, rows = replies_of(answers), {}
    for item in probes:
        if (text := reply(replies, item.id, "edited", "baseline")) is not None:
            follows = says(text, item.fields["answers"])
            rows[item.id] = {"ideal": flag(cautious(text)), "follows": flag(follows)}
    metrics = {"ideal": mean_of("ideal"), "follows_text": mean_of("follows")}
    return [sheet_of("future/probe/baseline", scored(probes, rows), metrics)] if rows else []
