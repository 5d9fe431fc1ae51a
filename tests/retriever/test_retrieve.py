"""Retrieval on the command line: alone, before a check, its journal, its mistakes; references in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.cli import main, parser
from refchecker.io import Item, output_schema, to_record, to_referenced_item
from refchecker.retriever.embedders import embedder
from refchecker.types import Passage, Record, Report

TOWER = "Visitors like the Eiffel tower. It opened in 1889, and it stands in Paris."
ITEMS: list[dict[str, Any]] = [
    {
        "id": "none",
        "response": "The Eiffel tower opened in 1889.",
        "question": "When did it open?",
        "more": [1],
    },
    {"id": "blank", "response": "It stands in Paris.", "reference": ""},
    {"id": "own", "response": "Rome is old.", "reference": ["Rome is very old."]},
    {"id": "nothing", "response": "Zebras graze."},
    {
        "id": "claims",
        "response": "x",
        "claims": ["The Eiffel tower is in Paris."],
        "question": "Eiffel tower",
    },
]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    Path("in.jsonl").write_text("\n".join(map(json.dumps, ITEMS)), encoding="utf-8")
    Path("texts").mkdir()
    Path("texts/towers.md").write_text(f"# Towers\n\n{TOWER}\n", encoding="utf-8")


def retrieve(*more: str, command: str = "retrieve", out: str = "out.jsonl") -> int:
    return main([command, "--input_path", "in.jsonl", "--output_path", out, *more])


def written(path: str = "out.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def test_retrieve_fills_in_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--corpus", "texts") == 0
    none, blank, own, nothing, claims = written()
    found = [{"text": f"# Towers\n\n{TOWER}", "source": "towers.md", "start": 0, "title": "Towers"}]
    assert none == ITEMS[0] | {"reference": found, "status": "ok"}
    assert blank["reference"] == claims["reference"] == found
    assert own == ITEMS[2] | {"status": "ok"}
    assert nothing == ITEMS[3] | {"status": "no_reference", "status_note": "no reference was found"}
    said = capsys.readouterr().err
    assert "1 passages of 1 documents in 1 files" in said
    assert "5, 4 of them with references" in said


def test_what_retrieve_writes_can_be_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--corpus", "texts", "--quiet") == 0
    Path("out.jsonl").rename("in.jsonl")
    assert retrieve("--quiet", command="extract-check", out="checked.jsonl") == 0
    Path("in.jsonl").write_text("\n".join(map(json.dumps, ITEMS)), encoding="utf-8")
    assert retrieve("--quiet", "--corpus", "texts", command="extract-check", out="direct.jsonl") == 0
    assert written("checked.jsonl") == written("direct.jsonl")
    for item in written("direct.jsonl"):
        jsonschema.validate(item, output_schema())
    assert [item["status"] for item in written("direct.jsonl")] == ["ok", "ok", "ok", "no_reference", "ok"]


def test_evidence_points_into_the_file(tmp_path: Path) -> None:
    text = "Nothing of it here. " * 60 + TOWER + " And so on." * 60
    Path("texts/towers.md").write_text(text, encoding="utf-8")
    assert retrieve("--quiet", "--use_retrieval", "--corpus", "texts", command="extract-check") == 0
    evidence = [piece for item in written() for verdict in item["verdicts"] for piece in verdict["evidence"]]
    own = [piece for piece in evidence if piece["source"] == "towers.md"]
    assert own
    assert all(text[piece["start"] : piece["end"]] == piece["text"] for piece in own)
    assert any(piece["start"] > 0 for piece in own)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param(["--corpus", "nowhere"], ["nowhere", "no such file or folder"], id="no corpus there"),
        pytest.param(["--retriever_name", "gogle"], ["'gogle'", "Did you mean 'google'"], id="unknown name"),
        pytest.param(["--retriever_name", "corpus"], ["--corpus"], id="corpus without a path"),
        pytest.param(
            ["--retriever_name", "google", "--corpus", "texts"], ["--corpus is for"], id="corpus for google"
        ),
        pytest.param([], ["SERPER_API_KEY"], id="google without a key"),
        pytest.param(
            ["--corpus", "in.jsonl", "--corpus_field", "body"],
            ["in.jsonl line 1", "'body'"],
            id="no such field",
        ),
    ],
)
def test_mistakes_say_what_to_do(
    options: list[str], said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert retrieve("--quiet", *options) == 2
    error = capsys.readouterr().err
    assert all(part in error for part in said)
    assert not Path("out.jsonl").exists()


def test_a_retriever_that_is_not_used_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert retrieve("--retriever_name", "corpus", command="extract-check") == 0
    assert "--retriever_name is of no use without --use_retriever" in capsys.readouterr().err
    assert [item["status"] for item in written()].count("no_reference") == 4


def test_one_file_can_be_the_corpus() -> None:
    assert retrieve("--quiet", "--corpus", "texts/towers.md", "--retriever_top_k", "1") == 0
    assert [len(item.get("reference", [])) for item in written()] == [1, 1, 1, 0, 1]


RETRIEVER = """
from refchecker import Passage
asked = []
class Retriever:
    signature = "{signature}"
    def __call__(self, record):
        asked.append(record.id)
        if record.id == "{broken}": raise ValueError("no luck")
        return [Passage("Paris.", "mine")]
retrieve = Retriever()
"""


def mine(folder: Path, name: str, **values: str) -> Any:
    (folder / f"{name}.py").write_text(RETRIEVER.format(**{"signature": "1", "broken": "", **values}))
    return __import__(name)


def test_a_failure_is_one_record_and_can_be_tried_again(importable: Path) -> None:
    module = mine(importable, "sometimes", broken="blank")
    arguments = ["--retriever_name", "python:sometimes:retrieve"]
    assert retrieve("--quiet", *arguments) == 3
    assert [item["status"] for item in written()] == ["ok", "failed", "ok", "ok", "ok"]
    assert "no luck" in written()[1]["status_note"]
    assert "reference" not in written()[0] or written()[0]["reference"][0]["source"] == "mine"
    module.asked.clear()
    assert retrieve("--quiet", "--retry_failed", *arguments) == 3
    assert module.asked == ["blank"]


def test_the_journal_is_of_one_retriever(importable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = mine(importable, "first_one", broken="blank")
    assert retrieve("--retriever_name", "python:first_one:retrieve") == 3
    module.Retriever.signature = "2"
    assert retrieve("--retriever_name", "python:first_one:retrieve") == 2
    assert "retriever" in capsys.readouterr().err


def test_a_changed_corpus_is_another_run(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.jsonl").write_text('{"response": "It is in Paris.", "claims": ["x"]}\n[]\n', encoding="utf-8")
    assert retrieve("--corpus", "texts") == 3  # one item is no object, so the journal stays
    Path("texts/more.txt").write_text("Paris again.", encoding="utf-8")
    assert retrieve("--corpus", "texts") == 2
    assert "retriever" in capsys.readouterr().err
    assert retrieve("--corpus", "texts", "--restart") == 3
    assert {each["source"] for each in written()[0]["reference"]} == {"towers.md", "more.txt"}


@pytest.mark.parametrize("command", ["check", "extract-check", "retrieve"])
def test_help_shows_how(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    for part in ("--corpus PATH", "--retriever_name NAME", "--corpus_field NAME", "--corpus texts/"):
        assert part.replace("texts/", "") in said


PIECES = st.builds(
    Passage,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    st.sampled_from(["a.txt", "b.jsonl#3", "https://web.example/x"]),
    start=st.integers(0, 5),
    title=st.sampled_from(["", "T"]),
    document=st.sampled_from(["", "7"]),
    time=st.sampled_from(["", "2026-01-01T00:00:00Z"]),
)


@given(PIECES, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), max_size=5))
def test_references_are_read_back_as_they_were_written(
    document: Passage, cuts: list[tuple[int, int]]
) -> None:
    pieces = tuple(piece for at, size in cuts if (piece := document.cut(at, at + size)).text.strip())
    report = Report(Record("1", "x", references=pieces, extra={"response": "x"}), (), {}, "no_claims")
    item = json.loads(json.dumps(to_referenced_item(report)))
    assert to_record(Item(1, item), "in", 0).references == pieces


@pytest.mark.parametrize(
    ("given_references", "expected"),
    [
        pytest.param(
            [{"text": "ab", "source": "s"}, {"text": "xy", "source": "s"}],
            [("ab", "s", 0), ("xy", "s#2", 0)],
            id="two texts under a name",
        ),
        pytest.param(
            [{"text": "ab", "source": "s"}, {"text": "xy", "source": "s", "start": 2}],
            [("ab", "s", 0), ("xy", "s", 2)],
            id="two pieces of a text",
        ),
        pytest.param(
            [{"text": "ab", "source": "s"}, {"text": "xy", "source": "s", "start": 1}],
            [("ab", "s", 0), ("xy", "s#2", 1)],
            id="pieces that cannot be of one text",
        ),
        pytest.param(
            [{"text": "ab", "source": "s", "start": "7", "title": 3}], [("ab", "s", 0)], id="other types"
        ),
        pytest.param([{"text": "ab", "start": -1}], [("ab", "reference[0]", 0)], id="below zero"),
    ],
)
def test_references_with_offsets(given_references: list[Any], expected: list[tuple[str, str, int]]) -> None:
    record = to_record(Item(1, {"response": "x", "reference": given_references}), "in", 0)
    assert [(p.text, p.source, p.start) for p in record.references] == expected


@pytest.mark.parametrize("first", [False, True])
def test_embedder_pools_as_the_model_says(tmp_path: Path, first: bool) -> None:
    from tiny_models import roberta

    folder = roberta(tmp_path / "model")
    if first:
        modules = {"": "Transformer", "1_Pooling": "Pooling"}
        lines = [
            {"idx": at, "name": str(at), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for at, (path, kind) in enumerate(modules.items())
        ]
        (folder / "modules.json").write_text(json.dumps(lines))
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(
            '{"word_embedding_dimension": 32, "pooling_mode_cls_token": true}'
        )
    embed = embedder(str(folder), device="cpu")
    texts = ["one text", "another, rather longer text with more words", "one text"]
    vectors = embed(texts)
    assert vectors.shape[0] == 3
    assert np.allclose(vectors[0], vectors[2], atol=1e-5)
    assert np.allclose(vectors[1], embed(texts[1:2])[0], atol=1e-4)  # what is beside it does not matter
    assert ("first" in embed.signature) is first
    assert np.allclose(vectors[1], pooled(folder, texts[1], first=first), atol=1e-5)


def pooled(folder: Path, text: str, *, first: bool) -> Any:
    """The first or the mean token embedding of a text, without any library but the encoder's own."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    inputs = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**inputs).last_hidden_state[0]
    return (states[0] if first else states.mean(0)).numpy()
