"""docs/architecture.md: what it shows runs, the files it names exist, and rooms import only downwards."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from refchecker import Claim, Label, Pair, Passage, Record, run
from refchecker.suites.types import Answer

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "refchecker"
TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def shown(heading: str) -> dict:
    """The names that the code under a heading defines; it is at most 30 lines long."""
    [code] = re.findall(rf"### {heading}\n\n```python\n(.*?)```", TEXT, re.S)
    assert len(code.splitlines()) <= 30
    names: dict = {}
    exec(code, names)
    return names


def test_the_extractor_finds_claims_where_they_stand():
    response = "So:\n- it rains\n- it snows\n"
    [extraction] = shown("An extractor")["bullets"]([Record("1", response)])
    assert [claim.text for claim in extraction.claims] == ["it rains", "it snows"]
    assert [response[s.start : s.end] for claim in extraction.claims for s in claim.spans] == [
        "it rains",
        "it snows",
    ]


def test_the_checker_runs_in_the_pipeline():
    record = Record(
        "1", "", references=(Passage("today it rains", "d"),), claims=(Claim("it rains"), Claim(""))
    )
    [report] = run([record], check=shown("A checker")["same_words"])
    assert [verdict.label for verdict in report.verdicts] == [Label.ENTAILMENT, Label.ABSTAIN]


def test_the_provider_is_asked():
    [judgment] = shown("A provider of language models")["check"](
        [Pair(Claim("it rains"), Passage("Sun.", "d"))]
    )
    assert judgment.label is Label.NEUTRAL


def test_the_suite_scores_what_a_model_answers():
    suite = shown("A suite")["SUITE"]
    items = suite.prepare(None, None).items
    answers = {"ask": {item.id: Answer({"reply": "It is 2."}) for item in items}}
    [sheet] = suite.score(items, answers)
    assert np.array_equal(sheet.columns["right"], [0, 1, 0])
    assert sheet.metrics["accuracy"](sheet.columns) == pytest.approx(1 / 3)


def test_the_files_that_are_named_exist():
    table = TEXT.split("## Where do I change")[1].split("## Add")[0]
    way = TEXT.split("## The way of one record")[1].split("## Where")[0]
    for name in re.findall(r"`([a-z_/]+(?:\.py|\.json|/))`", table + way):
        assert (PACKAGE / name).exists(), name


# a room may import from its own row and from those below it
ROWS = (
    {"cli", "suites", "compat", "report"},
    {"pipeline", "io"},
    {"extractor", "checker", "retriever", "localizer"},
    {"llms", "models", "text", "net"},
    {"types", "protocols", "errors", "registry", "aggregate", "__init__", "__main__", "prompts"},
)
EXCEPTIONS = {
    ("llms", "io"),  # SQLite files, which know nothing of records
    ("retriever", "io"),  # the same, and the formats that a corpus of rows is read in
    ("registry", "llms"),  # whether a name is that of a language model; imported when it is asked
    ("__main__", "cli"),
    ("checker", "compat"),  # upstream's names at upstream's place, resolved when first used
    ("extractor", "compat"),
}


def imports(path: Path) -> set[str]:
    """The rooms of the package that a module imports from."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level]
            target = (*base, *(node.module or "").split(".")) if node.module else base
            rooms |= {target[0]} if target and target[0] else {alias.name for alias in node.names}
    return rooms


def test_rooms_import_downwards():
    row = {room: number for number, rooms in enumerate(ROWS) for room in rooms}
    upwards = set()
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).with_suffix("").parts[0]
        upwards |= {(room, other) for other in imports(path) if other in row and row[other] < row[room]}
    assert upwards - {("__init__", other) for other in row} == EXCEPTIONS
