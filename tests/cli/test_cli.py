import csv
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import jsonschema
import pytest

import refchecker
from refchecker.cli import main, parser
from refchecker.cli.doctor import report
from refchecker.io import output_schema

HERE = Path(__file__).parents[1]
GOOD = {
    "id": "a",
    "response": "x",
    "reference": "the sky is blue",
    "triplets": [["sky", "is", "blue"], "grass"],
}


@pytest.fixture(autouse=True)
def in_tests(monkeypatch, tmp_path):
    (tmp_path / "words.py").write_text(
        "from refchecker import Judgment, Label\n"
        "def check(pairs):\n"
        "    def label(text, claim):\n"
        "        if 'not ' + claim in text: return Label.CONTRADICTION\n"
        "        return Label.ENTAILMENT if claim in text else Label.NEUTRAL\n"
        "    return [Judgment(label(p.passage.text, p.claim.text)) for p in pairs]\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "words", raising=False)
    yield
    sys.modules.pop("words", None)
    if str(tmp_path) in sys.path:
        sys.path.remove(str(tmp_path))


def check(*more: str, given: str = "in.json", out: str = "out.json") -> int:
    return main(
        ["check", "--input_path", given, "--output_path", out, "--checker_name", "python:words:check", *more]
    )


def written(path: str = "out.json"):
    return json.loads(Path(path).read_text("utf-8"))


def test_the_four_records_that_must_not_look_like_a_pass(capsys):
    items = [
        {"id": "all contradicted", "response": "x", "reference": "not a, not b", "triplets": ["a", "b"]},
        {"id": "empty reference", "response": "x", "reference": "", "triplets": ["a"]},
        {"id": "disagreement", "response": "x", "reference": ["a", "not a"], "triplets": ["a"]},
        {"id": "no claims", "response": "x", "reference": "a", "triplets": []},
    ]
    Path("in.json").write_text(json.dumps(items))
    assert check("--aggregator_name", "strict") == 0
    contradicted, empty, disagreement, no_claims = written()
    assert (contradicted["Y"], contradicted["ys"]) == ("Contradiction", ["Contradiction"] * 2)
    assert (empty["Y"], empty["ys"], empty["status"]) == ("Abstain", ["Abstain"], "no_reference")
    assert disagreement["verdicts"][0]["conflict"] is True
    assert [r["label"] for r in disagreement["verdicts"][0]["references"]] == ["Entailment", "Contradiction"]
    assert (no_claims["Y"], no_claims["ys"], no_claims["status"]) == ("Abstain", [], "no_claims")
    assert "references disagree" in capsys.readouterr().err


@pytest.mark.parametrize("rule", ["soft", "strict", "major"])
@pytest.mark.parametrize("command", ["check", "extract-check"])
def test_every_written_item_holds_to_the_schema(rule, command):
    items = [
        GOOD,
        {"response": "It rains in Oslo. Anna lives in Paris.", "reference": ["a", "b"]},
        {"response": "Hello!", "reference": "a"},
        {"response": "It rains in Oslo."},
        {"reference": "a"},
        {"response": "x", "triplets": [["a"]]},
        "text",
    ]
    Path("in.json").write_text(json.dumps(items))
    arguments = ["--input_path", "in.json", "--output_path", "out.json", "--aggregator_name", rule]
    assert main([command, *arguments, "--checker_name", "python:words:check", "--quiet"]) == 3
    for item in written():
        jsonschema.validate(item, output_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(written()[0] | {"ys": ["Maybe"]}, output_schema())


@pytest.mark.parametrize("fmt", ["json", "jsonl", "csv"])
def test_every_format_in_and_out(fmt, capfdbinary):
    rows = {
        "json": json.dumps([GOOD]),
        "jsonl": json.dumps(GOOD) + "\n",
        "csv": "id,response,reference,triplets\n"
        'a,x,the sky is blue,"[[""sky"", ""is"", ""blue""], ""grass""]"\n',
    }
    Path(f"in.{fmt}").write_text(rows[fmt])
    assert check("--quiet", given=f"in.{fmt}", out=f"out.{fmt}") == 0
    assert check("--quiet", given=f"in.{fmt}", out="-") == 0
    data = Path(f"out.{fmt}").read_bytes()
    assert capfdbinary.readouterr().out == data
    if fmt == "csv":
        [item] = csv.DictReader(io.StringIO(data.decode()))
        assert json.loads(item["ys"]) == ["Entailment", "Neutral"]
    else:
        item = json.loads(data)[0] if fmt == "json" else json.loads(data)
        assert item["ys"] == ["Entailment", "Neutral"]
    assert item["id"] == "a"


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        pytest.param(b"", [], "in.json: the file is empty", id="empty file"),
        pytest.param(b"[{}", [], "in.json line 1: the file ends", id="malformed json"),
        pytest.param(b'[{"response": "\xff"}]', [], "in.json line 1: byte 0xff is not UTF-8", id="not utf-8"),
        pytest.param(
            b"[]", ["--checker_name", "nil"], "no checker called 'nil'. Did you mean 'nli'?", id="typo"
        ),
        pytest.param(
            b"[]", ["--output_path", "no/o.json"], "no/o.json.journal: cannot write", id="no folder"
        ),
        pytest.param(b"[]", ["--output_path", "."], ". is a folder", id="output is a folder"),
        pytest.param(
            b"[]", ["--input_path", "gone.json"], "gone.json: cannot read: No such file", id="no input"
        ),
        pytest.param(b"[]", ["--input_path", "x.txt"], "x.txt: cannot tell the format", id="unknown suffix"),
        pytest.param(b"[]", ["--retry_failed"], "no failed records are known", id="nothing to retry"),
        pytest.param(
            b"[{}]", ["--output_path", "/dev/full"], "/dev/full: cannot write: No space left", id="full"
        ),
    ],
)
def test_mistakes_are_one_line_with_the_remedy_and_exit_2(content, arguments, message, capsys):
    Path("in.json").write_bytes(content)
    assert check("--quiet", *arguments) == 2
    talk = capsys.readouterr().err
    assert message in talk
    assert len(talk.splitlines()) == 1


def test_one_bad_line_does_not_stop_the_others(capsys):
    lines = [json.dumps(GOOD), "{oops", json.dumps({"id": "b", "reference": "a"}), json.dumps(GOOD)]
    big = json.dumps({"response": "x" * 50_000_000})
    Path("in.jsonl").write_bytes("\n".join([*lines, big, ""]).encode() + b'{"response": "\xff"}\n')
    assert check(given="in.jsonl") == 3
    statuses = [item["status"] for item in written()]
    assert statuses == ["ok", "failed", "failed", "ok", "failed", "failed"]
    talk = capsys.readouterr().err
    assert "in.jsonl line 2: not JSON" in talk
    assert "in.jsonl line 5: the record takes 50.0 MB" in talk
    assert "in.jsonl line 6: byte 0xff" in talk
    assert written()[1]["input"] == "{oops"


@pytest.mark.parametrize(
    ("wanted", "code"), [("contradiction", 0), ("neutral", 1), ("contradiction,neutral", 1), ("conflict", 0)]
)
def test_fail_on(wanted, code):
    Path("in.json").write_text(json.dumps([GOOD]))
    assert check("--quiet", "--fail_on", wanted) == code


def test_a_link_as_output_stays_a_link(tmp_path):
    Path("in.json").write_text(json.dumps([GOOD]))
    Path("far").mkdir()
    Path("out.json").symlink_to("far/real.json")
    assert check("--quiet") == 0
    assert Path("out.json").is_symlink()
    assert written("far/real.json")[0]["ys"] == ["Entailment", "Neutral"]
    assert sorted(path.name for path in Path("far").iterdir()) == ["real.json"]


def test_dev_stdout_redirected_to_a_file_is_written_not_replaced(tmp_path):
    Path("in.json").write_text(json.dumps([GOOD]))
    command = [sys.executable, "-m", "refchecker.cli", "check", "--input_path", "in.json"]
    command += ["--output_path", "/dev/stdout", "--checker_name", "python:words:check", "--quiet"]
    with open("redirected.json", "wb") as stdout:
        subprocess.run(command, stdout=stdout, env={"PYTHONPATH": str(HERE.parent), "PATH": ""}, check=True)
    assert written("redirected.json")[0]["ys"] == ["Entailment", "Neutral"]
    assert Path("/dev/stdout").is_symlink()


def test_limit_and_merge():
    items = [{"response": "x", "reference": ["a", "not a"], "triplets": ["a"]}] * 5
    Path("in.json").write_text(json.dumps(items))
    assert check("--limit", "2", "--merge", "any_contradiction") == 0
    assert [item["ys"] for item in written()] == [["Contradiction"]] * 2


def test_extract_writes_claims_with_their_place_in_the_response():
    response = "Anna lives in Paris. Bob was born in 1950."
    Path("in.json").write_text(json.dumps([{"response": response}]))
    assert main(["extract", "--input_path", "in.json", "--output_path", "out.json", "--quiet"]) == 0
    [item] = written()
    assert ["Anna", "lives in", "Paris"] in item["triplets"]
    assert item["status"] == "ok"
    assert "ys" not in item
    for [[start, end]] in item["triplet_spans"]:
        assert response[start:end]
    assert len(item["triplet_spans"]) == len(item["triplets"])


def test_what_extract_writes_check_reads():
    Path("in.json").write_text(
        json.dumps([{"response": "Anna lives in Paris.", "reference": "Anna lives in Paris."}])
    )
    assert main(["extract", "--input_path", "in.json", "--output_path", "claims.json", "--quiet"]) == 0
    assert check("--quiet", given="claims.json") == 0
    assert main(["extract-check", "--input_path", "in.json", "--output_path", "both.json",
                 "--checker_name", "python:words:check", "--quiet"]) == 0  # fmt: skip
    assert written() == written("both.json")
    assert written()[0]["verdicts"][0]["spans"][0]["text"].startswith("Anna")


def test_sentence_claims_and_other_languages():
    Path("in.json").write_text(json.dumps([{"response": "Anna wohnt in Paris. Es regnet."}]))
    common = ["extract", "--input_path", "in.json", "--output_path", "out.json", "--quiet"]
    for flags in (["--claim_format", "sentence"], ["--language", "de"]):
        assert main([*common, *flags]) == 0
        assert written()[0]["triplets"] == ["Anna wohnt in Paris.", "Es regnet."]
    assert main([*common, "--language", "de", "--claim_format", "triplet"]) == 2


def test_upstreams_order_of_arguments():
    Path("in.json").write_text(json.dumps([GOOD]))
    flags = [
        "--input_path",
        "in.json",
        "--output_path",
        "out.json",
        "--checker_name",
        "python:words:check",
        "--quiet",
    ]
    assert main([*flags, "check"]) == 0
    assert written()[0]["ys"]
    assert main(flags) == 0


def test_standard_input_to_standard_output_is_a_live_stream(tmp_path):
    command = [
        sys.executable,
        "-m",
        "refchecker.cli",
        "check",
        "--input_path",
        "-",
        "--output_path",
        "-",
        "--quiet",
    ]
    process = subprocess.Popen(
        [*command, "--checker_name", "python:words:check"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={"PYTHONPATH": str(HERE.parent), "PATH": ""},
    )
    for name in "ab":
        process.stdin.write(json.dumps(GOOD | {"id": name}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == name
    process.stdin.close()
    assert process.wait(timeout=10) == 0
    process.stdout.close()


def test_standard_input_to_a_file(tmp_path):
    command = [
        sys.executable,
        "-m",
        "refchecker.cli",
        "check",
        "--input_path",
        "-",
        "--output_path",
        "o.csv",
        "--quiet",
    ]
    subprocess.run(
        [*command, "--checker_name", "python:words:check", "--format", "json"],
        input=json.dumps([GOOD]).encode(),
        cwd=tmp_path,
        env={"PYTHONPATH": str(HERE.parent), "PATH": ""},
        check=True,
    )
    assert (tmp_path / "o.csv").read_text().startswith("id,response,reference,triplets,Y,ys")


def test_a_pipe_by_name_is_read_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    writer = threading.Thread(target=(tmp_path / "pipe.jsonl").write_text, args=(json.dumps(GOOD),))
    writer.start()
    assert check("--quiet", given="pipe.jsonl") == 0
    writer.join(10)
    assert written()[0]["ys"] == ["Entailment", "Neutral"]


@pytest.mark.parametrize("code", ["import refchecker", "from refchecker import Record, run, load", "HELP"])
def test_importing_and_help_load_nothing_heavy(code):
    if code == "HELP":
        code = "from refchecker.cli import parser; parser().format_help()"
    heavy = {"torch", "transformers", "spacy", "onnxruntime", "numpy", "requests", "openai", "anthropic"}
    script = f"import sys\n{code}\nprint(sorted({heavy!r} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=HERE.parent
    )
    assert result.stdout.strip() == "[]"


def test_help_has_examples_and_every_flag_says_something():
    assert "examples:" in parser().format_help()
    subparsers = next(a for a in parser()._actions if a.dest == "command").choices
    for name, sub in subparsers.items():
        assert all(action.help for action in sub._actions), name


def test_doctor_says_that_the_defaults_run_here(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    text, usable = report()
    assert usable, text
    assert "models of openai" in text
    assert "planted" not in text
    assert main(["doctor"]) == 0
    assert "checker 'embedded'" in capsys.readouterr().out


def test_every_public_name_resolves():
    for name in refchecker.__all__:
        assert getattr(refchecker, name)
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = refchecker.Nonsense
