"""`--localize` from the command line: what is in the output, and that every offset cuts out its own text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from refchecker.cli import main
from refchecker.io import output_schema

REFERENCES = [
    "🚀 Apollo 11 was the first crewed mission to the Moon. It landed on 20 July 1969. "
    "Neil Armstrong commanded the mission.",
    "東京は日本の首都。 Apollo 11 launched from Kennedy Space Center.",
]
RESPONSE = "Apollo 11 landed on 24 July 1969. Neil Armstrong commanded the mission. Buzz Aldrin hated cheese."
TRIPLETS = [
    ["Neil Armstrong", "commanded", "the mission"],
    ["Apollo 11", "landed on", "24 July 1969"],
    ["Buzz Aldrin", "hated", "cheese"],
]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    item = {"id": "1", "response": RESPONSE, "reference": REFERENCES, "triplets": TRIPLETS}
    Path("in.json").write_text(json.dumps([item]), "utf-8")

    def run(mode: str, *more: str) -> dict[str, Any]:
        output = f"{mode}.json"
        command = ["check", "--input_path", "in.json", "--output_path", output, "--quiet"]
        assert main([*command, "--localize", mode, *more]) == 0
        [found] = json.loads(Path(output).read_text("utf-8"))
        jsonschema.validate(found, output_schema())
        return found

    return run


def words(verdict: dict[str, Any], role: str) -> set[str]:
    return {each["text"] for each in verdict["elements"] if each["role"] == role}


@pytest.mark.parametrize("mode", ["exact", "embedding", "auto"])
def test_every_span_in_the_output_cuts_out_its_text(ran, mode):
    found = ran(mode)
    sources = {"response": RESPONSE} | dict(zip(_names(found), REFERENCES, strict=True))
    for verdict in found["verdicts"]:
        own = sources | {"claim": _text(verdict["claim"])}
        spans = [*verdict["evidence"], *verdict["elements"]]
        assert spans
        for span in spans:
            assert own[span["source"]][span["start"] : span["end"]] == span["text"]


def _names(found: dict[str, Any]) -> list[str]:
    return [each["source"] for each in found["verdicts"][0]["references"]]


def _text(claim: Any) -> str:
    return claim if isinstance(claim, str) else " ".join(claim)


def test_what_is_found_contradicted_and_missing_is_told(ran):
    armstrong, landed, cheese = ran("exact")["verdicts"]
    assert (armstrong["label"], landed["label"]) == ("Entailment", "Contradiction")
    assert words(armstrong, "found") >= {"Neil Armstrong", "commanded", "the mission"}
    assert words(landed, "contradicted") == {"20 July 1969"}
    assert "24 July 1969" in words(landed, "missing")
    assert words(cheese, "found") == set()
    assert words(cheese, "missing")


def test_labels_do_not_depend_on_it_and_without_it_there_are_no_elements(ran):
    plain, located = ran("none"), ran("auto")
    assert plain["ys"] == located["ys"]
    assert all(not verdict.get("elements") for verdict in plain["verdicts"])


def test_an_unknown_way_is_named_with_those_there_are(ran, capsys):
    with pytest.raises(AssertionError):
        ran("by magic")
    said = capsys.readouterr().err
    assert "by magic" in said
    assert "exact" in said
