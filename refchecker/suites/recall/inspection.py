"""The automatic inspection: a sample whose edit failed is dropped, and it is said why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .answers import says

LENGTH_RATIO = 2.0  # an edited text that is longer or shorter by more was rewritten, not edited
CHANGED_SHARE = 0.5  # of the words of the original


def flaw(fields: Mapping[str, Any]) -> str:
    """Why the sample cannot be used; empty for one that can.

    The two requirements of the paper (appendix D): words were edited as asked for, and the new words fit
    in the place of the old ones. The answer must stand where it is looked for, and nowhere else.
    """
    original, edited = fields["original"], fields["edited"]
    if not fields["edits"] or original == edited:
        return "nothing was edited"
    if any(not new or new == old for old, new in fields["edits"]):
        return "an edit changes nothing"
    if any(not says(edited, [new]) for _, new in fields["edits"]):
        return "an edit is not in the edited text"
    longer, shorter = max(len(original), len(edited)), min(len(original), len(edited))
    if longer > LENGTH_RATIO * shorter or _changed(original, edited) > CHANGED_SHARE:
        return "the text was rewritten"
    return "" if fields["task"] == "TG" else _answer_flaw(fields)


def _answer_flaw(fields: Mapping[str, Any]) -> str:
    original, edited, names = fields["original"], fields["edited"], fields["answers"]
    if not says(original, names[:1]):
        return "the answer is not in the text"
    if says(fields["question"], names):
        return "the question gives the answer away"
    if fields["task"] == "QA-NA":
        return "" if says(edited, names[:1]) else "the answer was edited too"
    wrong = fields["edited_answers"]
    if says(edited, names):
        return "the answer is still in the edited text"
    if says(original, wrong):
        return "the edited answer is in the original text"
    if any(says(name, wrong) for name in names) or any(says(name, names) for name in wrong):
        return "the edited answer means the same"
    return ""


def _changed(original: str, edited: str) -> float:
    """The share of the original's words that the edited text lacks."""
    words, kept = original.split(), set(edited.split())
    return sum(word not in kept for word in words) / len(words) if words else 1.0
