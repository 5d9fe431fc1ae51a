"""What the documents show is run; what they name exists."""

import json
import re
from pathlib import Path

import pytest

from refchecker.cli import main, parser
from refchecker.registry import names
from refchecker.types import Claim, Label, Pair, Passage

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("README.md", "CONTRIBUTING.md")


def blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), re.S)


def test_the_native_door_of_the_readme(capsys):
    exec(blocks("README.md")[0], {})
    assert capsys.readouterr().out == "Entailment Mary Shelley|wrote|Frankenstein\n"


def test_the_upstream_door_of_the_readme(tiny_nli):
    code = blocks("README.md")[1].replace("path/or/name", str(tiny_nli))
    names: dict = {}
    exec(code, names)
    assert names["labels"][0] in set(Label)


@pytest.fixture
def tiny_nli(tmp_path):
    pytest.importorskip("torch")
    tiny_models = pytest.importorskip("tiny_models")
    return tiny_models.roberta(tmp_path / "tiny")


def test_the_checker_in_20_lines():
    names: dict = {}
    exec(blocks("CONTRIBUTING.md")[0], names)

    passage = Passage("So it rains.", "d")
    found, missing = names["verbatim"]([Pair(Claim(text), passage) for text in ("it rains", "it snows")])
    assert (found.label, missing.label) == (Label.ENTAILMENT, Label.NEUTRAL)
    assert len(blocks("CONTRIBUTING.md")[0].splitlines()) <= 21


@pytest.mark.parametrize("name", DOCUMENTS)
def test_options_and_files_that_are_named_exist(name, capsys):
    text = (ROOT / name).read_text("utf-8")
    commands = next(a for a in parser()._actions if a.dest == "command").choices.values()
    known = {flag for sub in commands for action in sub._actions for flag in action.option_strings}
    for step in ("prepare", "run", "report"):  # their options depend on the suite
        for suite in names("suite"):
            with pytest.raises(SystemExit):
                main(["bench", step, suite, "--help"])
    known |= set(re.findall(r"--\w+", capsys.readouterr().out))
    assert set(re.findall(r"`[^`]*?(--[a-z_]+)", text)) <= known
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
    for target in re.findall(r"make ([\w-]+)", text):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), target


def test_the_examples_are_checked_as_they_should_be(tmp_path):
    output = tmp_path / "verdicts.json"
    given = json.loads((ROOT / "examples/responses.json").read_text("utf-8"))
    assert main(["extract-check", "--input_path", str(ROOT / "examples/responses.json"),
                 "--output_path", str(output), "--quiet"]) == 0  # fmt: skip
    items = {item["id"]: item for item in json.loads(output.read_text("utf-8"))}
    assert list(items) == [item["id"] for item in given]
    assert items["zero-refusal"]["status"] == "no_claims"
    assert items["no-reference"]["status"] == "no_reference"
    for name in ("zero-right", "noisy-right", "accurate-right"):
        assert "Contradiction" not in items[name]["ys"], name
        assert "Entailment" in items[name]["ys"], name
    for item in items.values():
        texts = {passage["source"]: passage["text"] for passage in references(item)}
        texts["response"] = item["response"]
        for verdict in item["verdicts"]:
            for span in [*verdict["evidence"], *verdict["spans"]]:
                assert texts[span["source"]][span["start"] : span["end"]] == span["text"] != ""


def references(item: dict) -> list[dict]:
    given = item.get("reference", [])
    return [{"text": given, "source": "reference"}] if isinstance(given, str) else given
