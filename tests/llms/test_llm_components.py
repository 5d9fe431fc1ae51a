"""The llm components by name and at the command line."""

import json
from pathlib import Path

import jsonschema
import pytest

from refchecker.cli import main
from refchecker.io import output_schema
from refchecker.registry import load

SCRIPTED = """
import json
from refchecker.checker.llm import LLMChecker
from refchecker.extractor.llm import LLMExtractor
from refchecker.llms.providers.scripted import Scripted

CLAIM = {"sentence": 1, "quote": "is in Italy", "subject": "Paris", "predicate": "is in", "object": "Italy"}
LOST = CLAIM | {"quote": "", "subject": "Zorbland", "object": "Zorbia"}
ANSWER = {"quote": "is in France", "reason": "It names another country.", "label": "Contradiction"}

extract = LLMExtractor(Scripted(lambda request: json.dumps({"claims": [CLAIM, LOST]})))
check = LLMChecker(Scripted(lambda request: json.dumps(ANSWER)), reasons=True, quotes=True)
"""


@pytest.fixture
def scripted(importable, monkeypatch) -> Path:
    monkeypatch.chdir(importable)
    Path("scripted_models.py").write_text(SCRIPTED, "utf-8")
    items = [{"response": "Paris is in Italy.", "reference": "As known, Paris is in France."}]
    Path("in.json").write_text(json.dumps(items), "utf-8")
    return importable


def test_from_a_response_to_a_reason_and_a_quote(scripted, capsys):
    arguments = [
        "--extractor_name",
        "python:scripted_models:extract",
        "--checker_name",
        "python:scripted_models:check",
    ]
    assert main(["extract-check", "--input_path", "in.json", "--output_path", "out.json", *arguments]) == 0
    [item] = json.loads(Path("out.json").read_text("utf-8"))
    jsonschema.validate(item, output_schema())
    [verdict] = item["verdicts"]
    assert (verdict["claim"], verdict["label"]) == (["Paris", "is in", "Italy"], "Contradiction")
    assert verdict["references"][0]["reason"] == "It names another country."
    assert [cut["text"] for cut in verdict["evidence"]] == ["is in France"]
    assert [cut["text"] for cut in verdict["spans"]] == ["is in Italy"]
    assert item["status_note"] == "claims that the response does not make, left out: 1"
    assert "claims that the response does not make, left out: 1" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gpt4", "openai/some-model", "llm:openai/some-model", "ollama/tiny:1b"])
def test_the_name_of_a_model_is_an_extractor_and_a_checker(name, monkeypatch):
    pytest.importorskip("openai")
    options = {"api_base": "http://127.0.0.1:1/v1", "device": "cpu", "language": "en", "dry_run": True}
    check = load("checker", name, votes=2, claims_per_prompt=3, **options)
    extract = load("extractor", name, claim_format="subsentence", **options)
    assert check.signature.endswith("claims:3,votes:2,v2)")
    assert "extract_subsentence@" in extract.signature
    assert name.removeprefix("llm:").partition("/")[2] in check.signature


def test_parts_of_sentences_need_a_model(scripted, capsys):
    arguments = [
        "extract",
        "--input_path",
        "in.json",
        "--output_path",
        "out.json",
        "--claim_format",
        "subsentence",
    ]
    assert main(arguments) == 2
    assert "--extractor_name llm:MODEL" in capsys.readouterr().err


def test_a_dry_run_counts_each_request_once(scripted):
    pytest.importorskip("openai")
    from refchecker.llms.asking import Ledger
    from refchecker.types import Claim, Label, Pair, Passage

    ledger = Ledger()
    options = {"api_base": "http://127.0.0.1:1/v1", "dry_run": True, "ledger": ledger, "claims_per_prompt": 3}
    check = load("checker", "openai/some-model", **options)
    found = check([Pair(Claim(text), Passage("Paris is in France.", "doc")) for text in ("a", "b", "c")])
    assert {judgment.label for judgment in found} == {Label.ABSTAIN}
    assert ledger.usage().requests == 1
