"""The command recall from prepare to report, with outputs of a file, and what goes wrong with these."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from refchecker.cli import main
from refchecker.errors import UsageError
from refchecker.llms.types import Reply, Request
from refchecker.suites.folder import Folder
from refchecker.suites.recall import outputs
from refchecker.suites.recall.facts import Event, Term
from refchecker.suites.recall.published import load_published
from refchecker.suites.recall.writer import build_by_llm
from refchecker.suites.types import Item


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small benchmark."""
    bench = tmp_path_factory.mktemp("recall") / "bench"
    assert main(["recall", "prepare", "--folder", str(bench), "--samples", "2", "--quiet"]) == 0
    return bench


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    """That benchmark for one test alone."""
    return shutil.copytree(prepared, tmp_path / "bench")


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def gullible(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outputs of a model that knows everything and believes every context."""
    lines = []
    for item in items:
        if item["task"] in ("QA-A", "QA-NA"):
            edited = (item["edited_answers"] or item["answers"])[0]
            said = {"original": item["answers"][0], "edited": edited, "none": item["answers"][0]}
        else:
            said = {"original": item["target"] or "x", "edited": item["edited"], "none": item["target"]}
        lines += [{"id": item["id"], "condition": c, "output": f"It is {text}."} for c, text in said.items()]
    return lines


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_outputs_of_a_file_are_scored_and_reported(folder: Path, tmp_path: Path) -> None:
    items = [item for item in read(folder / "items.jsonl") if item["task"] != "probe"]
    rows = gullible(items)
    known = next(row for row in rows if row["id"].startswith("events/QA-A/"))  # with its original context
    kept = [row for row in rows if row is not known]
    path = write(tmp_path / "gullible.jsonl", [*kept, {**known, "id": "nobody"}])
    assert main(["recall", "score", str(path), "--folder", str(folder), "--quiet"]) in (0, 3)
    sheets = json.loads((folder / "gullible" / "score.json").read_text())["sheets"]
    metrics = sheets["events/QA-A/baseline"]["metrics"]
    assert metrics["m_rate"]["value"] == metrics["repeats_edit"]["value"] == 1
    assert metrics["accuracy_edited"]["value"] == 0
    assert sheets["events/QA-NA/baseline"]["metrics"]["m_rate"]["value"] == 0
    assert sheets["events/QA-A/baseline"]["counts"] == {"without original": 1}
    claims = [sheet for name, sheet in sheets.items() if name.startswith("triplets/") and "/edited/" in name]
    assert max(sheet["metrics"]["misled"]["value"] or 0 for sheet in claims) > 0
    page = (folder / "gullible" / "report.md").read_text()
    assert "### Claims" in page
    assert "M-Rate" in page


def test_the_same_file_again_asks_nothing(folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "g.jsonl", gullible(read(folder / "items.jsonl"))[:3])
    run = ["recall", "score", str(path), "--folder", str(folder), "--quiet", "--no_triplets"]
    main(run)
    before = (folder / "g" / "answers.jsonl").read_bytes()
    main(run)
    assert (folder / "g" / "answers.jsonl").read_bytes() == before


LINE = {"id": "a", "condition": "edited", "output": "x"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{"], "line 1: not JSON"),
        (
            [{**LINE, "condition": "wrong"}],
            "line 1: condition is 'wrong'. It is one of original, edited, none",
        ),
        ([LINE, {**LINE, "method": "x"}], "line 2: method is 'x'"),
        ([{"id": "a", "condition": "edited"}], "line 1: each line needs"),
        ([LINE, LINE], "line 2: a second output for a|edited|baseline"),
        ([{**LINE, "rating": 6}], "line 1: rating is 6"),
        ([{**LINE, "id": "b"}], "None of its ids is of these data"),
        ([], "no output to score"),
    ],
)
def test_outputs_that_cannot_be_read(tmp_path: Path, rows: list[Any], message: str) -> None:
    path = write(tmp_path / "o.jsonl", rows)
    with pytest.raises(UsageError) as caught:
        outputs.load_outputs(path, [Item("a", "a", {})])
    assert message in str(caught.value)


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "score", "nothing.jsonl"]) == 2
    assert "nothing.jsonl: there is no such file" in capsys.readouterr().err


def test_dola_needs_a_local_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recall", "run", "--folder", str(folder), "--methods", "dola", "--llm", "local/x"]) == 2
    assert "--hf_model" in capsys.readouterr().err


def test_ratings_of_people(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [item for item in read(folder / "items.jsonl") if item["task"] == "TG"]
    rows = [
        {"id": item["id"], "condition": c, "output": "x", "rating": r}
        for item, pair in zip(items, [(5, 2), (3, 4)], strict=True)
        for c, r in zip(("original", "edited"), pair, strict=True)
    ]
    path = write(tmp_path / "rated.jsonl", rows)
    main(["recall", "score", str(path), "--folder", str(folder), "--quiet", "--no_triplets"])
    sheets = json.loads((folder / "rated" / "score.json").read_text())["sheets"]
    assert sheets["terms/TG/baseline"]["metrics"]["d_rate"]["value"] == pytest.approx(1 - 6 / 8)
    people = [
        {"rater": "1", "id": item["id"], "original": 4, "edited": e}
        for item, e in zip(items, (1, 5), strict=True)
    ]
    write(tmp_path / "people.jsonl", people)
    capsys.readouterr()
    assert (
        main(["recall", "agree", str(tmp_path / "people.jsonl"), "--folder", str(folder), "--name", "rated"])
        == 0
    )
    assert "| 1 | 2 | 0.250 | 3.000 | 1.000 |" in capsys.readouterr().out


def test_scoring_needs_no_model_library(folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "g.jsonl", gullible(read(folder / "items.jsonl"))[:9])
    main(["recall", "score", str(path), "--folder", str(folder), "--quiet", "--no_triplets"])
    code = (
        "import sys; from refchecker.cli import main; "
        f"main(['recall', 'score', '--folder', {str(folder)!r}]); "
        "print([m for m in ('torch', 'transformers', 'onnxruntime', 'openai', 'spacy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_rules_are_told_what_they_dropped(folder: Path) -> None:
    record = Folder(folder, "recall").prepared()
    assert any("dropped by the inspection" in line for line in record["notes"])
    assert record["sources"]["dropped"]["events/QA-A"]


# -- the published set -----------------------------------------------------------------------------


def test_the_published_layout(tmp_path: Path) -> None:
    row = {
        "Question": "Where was it held?",
        "Answer": "Rome",
        "Original Context": "It was held in Rome in 1960.",
        "Edited Context": "It was held in Paris in 1960.",
    }
    (tmp_path / "eventkg_qa_a.json").write_text(json.dumps([row]))
    term = {
        "Term": "sort",
        "Original Source Text": "It is stable.",
        "Edited Source Text": "It is odd.",
        "Target Text": "d",
    }
    (tmp_path / "UJ").mkdir()
    write(tmp_path / "UJ" / "TG.jsonl", [term])
    items, used = load_published(tmp_path)
    assert [item.id for item in items] == ["terms/TG/published-1", "events/QA-A/published-1"]
    assert items[1].fields["edits"] == [("Rome", "Paris")]
    assert items[1].fields["edited_answers"] == ["Paris"]
    assert len(used) == 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("other.json", "[]", "no samples of RECALL here"),
        ("eventkg_qaa.json", "{", "not JSON"),
        (
            "eventkg_qaa.json",
            '[{"Question": "q"}]',
            "row 1: it has no answer, original, edited. Its keys are: Question",
        ),
    ],
)
def test_a_published_set_that_is_none(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        load_published(tmp_path)
    assert message in str(caught.value)


# -- the four steps by a model ---------------------------------------------------------------------


class Writer:
    """A scripted model that does each step, and one of them badly."""

    signature = "scripted"

    def __call__(self, requests: list[Request]) -> list[Reply]:
        return [Reply(self.reply(request.user)) for request in requests]

    def reply(self, user: str) -> str:
        if user.startswith("Facts about"):
            return "The feast was held in Rome on 4 July 1954. Its host was Ada Lee."
        if "Write one question" in user:
            return '{"question": "Where was the feast held?", "answer": "Rome"}'
        if "Give a false answer" in user:
            return 'Here: {"answer": "Oslo"}'
        if "of a fact" in user:
            return "cannot"
        return '{"text": "The feast was held in Rome on 9 May 1951. Its host was Bo Ray."}'


def test_the_four_steps_by_a_model() -> None:
    event = Event("feast", "the feast", "feast", "a feast", {"city": "Rome"})
    term = Term("feast", "feast", "meals", "A meal.", ["It was held in Rome."])
    lines: list[str] = []
    built = build_by_llm([event], [term], Writer(), lines.append)
    made = {(fields["set"], fields["task"]): fields for fields in built.samples}
    assert made["events", "QA-A"]["edited"].startswith("The feast was held in Oslo")
    assert made["events", "QA-NA"]["answers"] == ["Rome"]
    assert ("4 July 1954", "9 May 1951") in [tuple(e) for e in made["events", "QA-NA"]["edits"]] or made[
        "events", "QA-NA"
    ]["edits"]
    assert made["terms", "TG"]["target"] == "A meal."
    assert lines == ["5 samples by scripted"]


def test_a_step_that_cannot_be_read_is_dropped_and_counted() -> None:
    silent = SimpleNamespace(signature="s")
    silent = lambda requests: [Reply("I would rather not.") for _ in requests]  # noqa: E731
    silent.signature = "silent"  # type: ignore[attr-defined]
    event = Event("feast", "the feast", "feast", "a feast", {"city": "Rome"})
    built = build_by_llm([event], [], silent, lambda line: None)  # type: ignore[arg-type]
    assert built.samples == []
    assert sum(sum(why.values()) for why in built.dropped.values()) == 2
