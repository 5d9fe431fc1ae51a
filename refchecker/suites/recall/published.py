"""The published RECALL set, where a user has it.

Its files are not public here, so the layout is what the paper says of its components (table 10), with
these assumptions: JSON arrays or JSON Lines named after set and task (`eventkg_qa_a.json`,
`UJ/QA-NA.jsonl`, ...: the path without case, blanks, dashes and underscores holds "eventkg" or "uj", and
"qana", "qaa" or "tg"), and objects with the components as keys, whatever their case and separators.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ..types import Item
from .answers import names_of, says
from .edits import Edit, touches
from .rules import sample

KEYS = {
    "question": ("question", "query"),
    "answer": ("answer", "originalanswer", "groundtruth"),
    "edited_answer": ("editedanswer", "counterfactualanswer", "wronganswer"),
    "original": ("originalcontext", "originalsourcetext", "originaltext", "context", "sourcetext"),
    "edited": ("editedcontext", "editedsourcetext", "editedtext", "counterfactualcontext"),
    "target": ("targettext", "target", "definition"),
    "subject": ("term", "event", "eventname", "name", "subject"),
}
NEEDED = {
    "QA-A": ("question", "answer", "original", "edited"),
    "TG": ("original", "edited", "target", "subject"),
}
TASKS = {"qana": "QA-NA", "qaa": "QA-A", "tg": "TG", "textgeneration": "TG"}


def load_published(root: Path) -> tuple[list[Item], list[Path]]:
    """Its samples as items, and the files that were read. Errors: `UsageError` with file and row."""
    items: list[Item] = []
    used = []
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".json", ".jsonl")):
        plain = re.sub(r"[\s_-]", "", str(path.relative_to(root)).lower())
        of = next((name for mark, name in (("eventkg", "events"), ("uj", "terms")) if mark in plain), "")
        task = next((name for mark, name in TASKS.items() if mark in plain), "")
        if of and task:
            used.append(path)
            items += [
                _item(row, f"{path} row {n}", of, task, n) for n, row in enumerate(_array(path), start=1)
            ]
    if not items:
        raise UsageError(
            f"{root}: no samples of RECALL here. Expected JSON or JSON Lines files whose names have eventkg "
            "or uj, and QA-A, QA-NA or TG, such as eventkg_qa_a.json."
        )
    return items, used


def _array(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    try:
        found = (
            json.loads(text)
            if path.suffix == ".json"
            else [json.loads(x) for x in text.splitlines() if x.strip()]
        )
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}.") from error
    if isinstance(found, dict):
        found = list(found.values())
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise UsageError(f"{path}: expected a list of objects, one for each sample.")
    return found


def _item(row: Mapping[str, Any], where: str, of: str, task: str, number: int) -> Item:
    plain = {re.sub(r"[\s_-]", "", key.lower()): value for key, value in row.items()}
    own = {name: next((str(plain[k]) for k in keys if plain.get(k)), "") for name, keys in KEYS.items()}
    if lacking := [name for name in NEEDED.get(task, NEEDED["QA-A"]) if not own[name]]:
        raise UsageError(f"{where}: it has no {', '.join(lacking)}. Its keys are: {', '.join(row)}.")
    edits = word_changes(own["original"], own["edited"])
    wrong = own["edited_answer"] or next((new for old, new in edits if says(own["answer"], [old])), "")
    source = f"published-{number}"
    fields = sample(
        of,
        task,
        {
            "source": source,
            "subject": own["subject"],
            "question": own["question"],
            "answers": names_of(own["answer"]) if own["answer"] else [],
            "edited_answers": names_of(wrong) if task == "QA-A" and wrong else [],
            "original": own["original"],
            "edited": own["edited"],
            "target": own["target"],
            "edit": "answer" if task == "QA-A" else "published",
            "edits": edits,
            "touches_name": touches(own["subject"] or own["question"], edits),
        },
    )
    return Item(f"{of}/{task}/{source}", f"{of}/{task}/{source}", fields)


def word_changes(original: str, edited: str) -> list[Edit]:
    """The runs of words that differ.

    >>> word_changes("It was in Rome in 1960.", "It was in Paris in 1960.")
    [Edit(original='Rome', edited='Paris')]
    """
    before, after = original.split(), edited.split()
    changes = difflib.SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    return [
        Edit(_stripped(before[a:b]), _stripped(after[c:d])) for how, a, b, c, d in changes if how != "equal"
    ]


def _stripped(words: list[str]) -> str:
    return " ".join(words).strip(".,;:!?")
