"""What a reply says: yes or no, or two answers. Pure functions of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ..squad import normalised

_MARKUP = " \t\n*_`\"'“”‘’.:>#-"
_FINAL = re.compile(r"final answer\W*(?:is\W*)?(yes|no)\b", re.IGNORECASE)
_CONTEXT = re.compile(r"^\W*from the context\W*:\W*(.*)$", re.IGNORECASE | re.MULTILINE)
_KNOWLEDGE = re.compile(r"^\W*from my (?:own )?knowledge\W*:\W*(.*)$", re.IGNORECASE | re.MULTILINE)


def verdict(reply: str, *, reasoned: bool) -> str:
    """ "yes", "no", or "" where the reply does not have the form that was asked for.

    >>> verdict("**Yes**, it does", reasoned=False), verdict("None of it", reasoned=False)
    ('yes', '')
    >>> verdict("Step 1: yes. Final answer: No.", reasoned=True), verdict("Yes", reasoned=True)
    ('no', '')
    """
    if reasoned:
        found = _FINAL.findall(reply)
        return found[-1].lower() if found else ""
    first = re.match(r"(?:answer\W+)?(yes|no)\b", reply.strip(_MARKUP), re.IGNORECASE)
    return first[1].lower() if first else ""


def majority(verdicts: Sequence[str]) -> str:
    """What most say; of those that are said equally often, the one that was said first. "" does not vote.

    >>> majority(["no", "yes", "yes", ""]), majority(["no", "yes"]), majority(["", ""])
    ('yes', 'no', '')
    """
    votes = Counter(each for each in verdicts if each)
    return votes.most_common(1)[0][0] if votes else ""


def two_answers(reply: str) -> tuple[str, str]:
    """The answer from the context and the one from knowledge; "" for one that has no line.

    >>> two_answers("From the context: Oslo\\n**From my knowledge:** Rome.")
    ('Oslo', 'Rome')
    """
    found = (pattern.findall(reply) for pattern in (_CONTEXT, _KNOWLEDGE))
    context, knowledge = (each[-1].strip(_MARKUP) if each else "" for each in found)
    return context, knowledge


def says(answer: str, truth: str, other: str = "") -> bool:
    """Whether one has all the words of the other, in one stretch, and not those of `other` as well.

    >>> says("It was Oslo", "Oslo"), says("Oslo", "the city of Oslo"), says("Oslo or Rome", "Oslo", "Rome")
    (True, True, False)
    """
    given, wanted, unwanted = (f" {normalised(text)} " for text in (answer, truth, other))
    if not given.strip() or not wanted.strip():
        return False
    if unwanted.strip() and unwanted not in wanted and unwanted in given:
        return False
    return wanted in given or given in wanted
