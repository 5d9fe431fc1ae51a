import subprocess
import sys

import pytest

from refchecker.errors import UsageError
from refchecker.registry import BUILTIN, find, imported, load, names


def test_an_unknown_name_suggests_the_close_one():
    with pytest.raises(
        UsageError,
        match=r"no checker called 'nil'\. Did you mean 'nli'\? Available: cascade, embedded, .*nli",
    ):
        load("checker", "nil")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in BUILTIN for name in BUILTIN[kind]])
def test_every_built_in_name_can_be_imported(kind, name):
    found = find(kind, name)
    assert callable(found) or (kind == "suite" and found.name == name)
    assert name in names(kind)


def test_options_a_factory_does_not_know_are_left_out():
    assert load("extractor", "sentence", language="de", device="cuda").signature.startswith("sentence(de,")


@pytest.mark.parametrize("path", ["no_such_module:x", "refchecker.types:Nonsense", "refchecker.types", ""])
def test_a_path_that_leads_nowhere(path):
    with pytest.raises(UsageError, match="Write python:MODULE:NAME"):
        imported(path)


def test_an_installed_package_adds_its_own(tmp_path):
    (tmp_path / "plugin.py").write_text("def factory(): return 'mine'\n")
    info = tmp_path / "plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[refchecker.checker]\nmine = plugin:factory\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "from refchecker import load; print(load('checker', 'mine'))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "mine"


def test_a_factory_with_two_stars_gets_every_option(monkeypatch, importable):
    (importable / "open_ended.py").write_text("def factory(**options): return options\n")
    monkeypatch.setitem(BUILTIN["checker"], "open", "open_ended:factory")
    assert load("checker", "open", device="cpu", threads=None) == {"device": "cpu"}


@pytest.mark.parametrize(
    "code",
    ["import refchecker", "from refchecker.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"],
    ids=["import", "--help"],
)
def test_nothing_heavy_is_imported_before_it_is_used(code):
    heavy = {"numpy", "torch", "transformers", "sentence_transformers", "spacy", "onnxruntime", "requests"}
    heavy |= {"openai", "anthropic", "boto3", "bm25s", "trafilatura", "matplotlib", "nltk", "sklearn"}
    code = f"{code}\nimport sys; print({heavy} & set(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "set()"
