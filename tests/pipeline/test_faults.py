"""The whole way, through the real SDKs, to a server on loopback that fails on purpose."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fault_server import FAULTS, FaultServer

from refchecker import llms
from refchecker.checker.llm import LLMChecker
from refchecker.cli import main
from refchecker.llms.asking import Ledger
from refchecker.llms.providers import provider_of
from refchecker.pipeline import run
from refchecker.types import Claim, Label, Passage, Record

RECORDS = int(os.environ.get("FAULT_RECORDS", "1000"))  # of each of the two wire formats
QUICK_FAULTS = ("500", "529", "reset", "truncated body", "empty content", "prose around JSON")
COLOURS = ("blue", "red", "green")
KEY = "sk-planted-5e1f0c8a77d24b"


def label_of(number: int, colour: str) -> Label:
    return Label.ENTAILMENT if COLOURS[number % 3] == colour else Label.CONTRADICTION


def answer(system: str, user: str) -> str:
    """What a model would say to the checker's prompts, about one claim or several with ids."""
    asked = re.findall(r"^(?:\[(\w+)\] )?widget (\d+) looks (\w+)$", user, re.MULTILINE)
    labels = [(name, str(label_of(int(number), colour))) for name, number, colour in asked]
    if len(labels) == 1 and not labels[0][0]:
        return json.dumps({"label": labels[0][1]})
    return json.dumps({"answers": [{"id": name, "label": label} for name, label in labels]})


def records(count: int, claims: int) -> list[Record]:
    return [
        Record(
            str(number),
            "",
            references=(Passage(f"The widget number {number} is {COLOURS[number % 3]}.", "doc"),),
            claims=tuple(Claim(f"widget {number} looks {colour}") for colour in COLOURS[:claims]),
        )
        for number in range(count)
    ]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


@pytest.mark.parametrize(
    ("model", "claims"), [("openai/m", 1), ("anthropic/claude-m", 3)], ids=["openai", "anthropic, joint"]
)
def test_every_record_ends_judged_or_failed_with_its_cause_and_no_answer_is_paid_twice(
    model, claims, tmp_path
):
    def check(server: FaultServer, ledger: Ledger, **options) -> list:
        base = server.openai_base if model.startswith("openai") else server.anthropic_base
        provider = provider_of(model, api_base=base, timeout_seconds=5.0)
        # patience beyond that for one attempt, as the machine that tests may be busy
        client = llms.client_of(
            provider, cache_dir=str(tmp_path), request_timeout=60.0, ledger=ledger, **options
        )
        return list(run(records(RECORDS, claims), check=LLMChecker(client, claims_per_prompt=claims)))

    with FaultServer(answer, share=0.3, seed=7) as server:
        ledger = Ledger()
        reports = check(server, ledger)
        asked = len(server.log)
        assert server.asked_after_a_good_answer() == []
        assert {attempt.fault for attempt in server.log} >= set(FAULTS if RECORDS >= 500 else ())
        again = check(server, Ledger(), cache_only=True)
        assert len(server.log) == asked, "--cache_only asked the server"
    assert [report.record.id for report in reports] == [str(i) for i in range(RECORDS)]
    judged = failed = 0
    for report, replayed in zip(reports, again, strict=True):
        for verdict in report.verdicts:
            number, colour = re.findall(r"widget (\d+) looks (\w+)", verdict.claim.text)[0]
            if verdict.label is Label.ABSTAIN:
                failed += 1
                assert verdict.note
                assert report.status == "failed"
            else:
                judged += 1
                assert verdict.label is label_of(int(number), colour)
        if report.status == "ok":
            assert [v.label for v in replayed.verdicts] == [v.label for v in report.verdicts]
    assert judged + failed == RECORDS * claims
    notes = {report.note for report in reports if report.status == "failed"}
    assert failed <= 0.01 * judged, f"what can be asked again is asked again: {notes}"
    usage = ledger.usage()
    assert usage.retries > 0.1 * RECORDS
    assert usage.causes.keys() <= {
        "rate_limit",
        "server",
        "overloaded",
        "timeout",
        "connection",
        "unreadable",
    }


def writer_and_judge(system: str, user: str) -> str:
    """A model that is asked for the triplets of "widget 7 looks red." and about them."""
    sentence = re.search(r"^\[1\] (widget \d+) (looks) (\w+)\.$", user, re.MULTILINE)
    if sentence is None:
        return answer(system, user.replace(" | ", " "))
    parts = dict(zip(("subject", "predicate", "object"), sentence.groups(), strict=True))
    return json.dumps({"claims": [{"sentence": 1, "quote": " ".join(sentence.groups()), **parts}]})


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_extract_check_through_faults_asks_nothing_twice(folder, capfd, wire):
    count = 120
    items = [
        {
            "id": str(number),
            "response": f"widget {number} looks red.",
            "reference": f"The widget number {number} is {COLOURS[number % 3]}.",
        }
        for number in range(count)
    ]
    Path("in.json").write_text(json.dumps(items))
    with FaultServer(writer_and_judge, share=0.3, faults=QUICK_FAULTS, seed=3) as server:
        base = server.openai_base if wire == "openai" else server.anthropic_base
        files = ["--input_path", "in.json", "--output_path", "out.json", "--cache_dir", "cache"]
        models = ["--extractor_name", f"{wire}/m", "--extractor_api_base", base]
        models += ["--checker_name", f"{wire}/m", "--checker_api_base", base]
        code = main(["extract-check", *files, *models])
        assert server.asked_after_a_good_answer() == []
        found = json.loads(Path("out.json").read_text())
        assert code == (3 if any(item["status"] == "failed" for item in found) else 0)
    assert [item["id"] for item in found] == [str(number) for number in range(count)]
    done = [item for item in found if item["status"] == "ok"]
    assert all(item["status_note"] for item in found if item["status"] != "ok")
    assert len(done) >= 0.97 * count, "what can be asked again is asked again"
    for item in done:
        assert item["triplets"] == [[f"widget {item['id']}", "looks", "red"]]
        assert item["ys"] == [label_of(int(item["id"]), "red")]
    assert re.search(r"\d+ asked again \(", capfd.readouterr().err)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, count: int, claims: int = 1) -> None:
    items = [
        {
            "id": record.id,
            "response": record.references[0].text,
            "reference": record.references[0].text,
            "triplets": [claim.text for claim in record.claims or ()],
        }
        for record in records(count, claims)
    ]
    (folder / "in.json").write_text(json.dumps(items))


def command(base: str, *more: str, model: str = "openai/m") -> list[str]:
    files = ["--input_path", "in.json", "--output_path", "out.json", "--cache_dir", "cache"]
    return ["check", *files, "--checker_name", model, "--checker_api_base", base, *more]


def start(base: str) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "refchecker.cli", *command(base, "--concurrency", "8")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kept() -> int:
    """How many answers are in the cache."""
    try:
        base = sqlite3.connect("file:cache/llm.sqlite?mode=ro", uri=True)
        try:
            return base.execute("SELECT count(*) FROM replies").fetchone()[0]
        finally:
            base.close()
    except sqlite3.Error:
        return 0


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, 130)]
)
def test_stopped_in_the_middle_no_paid_answer_is_asked_again(folder, how, code):
    count = 150
    written(folder, count)
    with FaultServer(answer, share=0.3, faults=QUICK_FAULTS, hold_after=60) as server:
        process = start(server.openai_base)
        deadline = time.monotonic() + 300
        while not (server.held and server.under_way and kept() == server.good):
            assert time.monotonic() < deadline, process.kill() or process.communicate()[0]
            time.sleep(0.05)
        process.send_signal(how)
        talk, _ = process.communicate(timeout=300)
        assert process.returncode == code, talk
        assert "Traceback" not in talk
        assert how == signal.SIGKILL or "run the same command again to go on" in talk
        server.release()
        process = start(server.openai_base)
        talk, _ = process.communicate(timeout=300)
        assert process.returncode == 0, talk
        assert server.asked_after_a_good_answer() == []
        assert len(server.good_answers()) == count
    assert {item["status"] for item in json.loads(Path("out.json").read_text())} == {"ok"}


@pytest.mark.parametrize(
    ("refuse", "says"),
    [
        pytest.param((401, "Incorrect API key provided"), "the key was refused", id="wrong key"),
        pytest.param(
            (404, "The model `m` does not exist"), "check the name of the model", id="unknown model"
        ),
        pytest.param((429, "You exceeded your quota: insufficient_quota"), "no credit left", id="no credit"),
    ],
)
@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_what_ends_the_run_is_one_line_with_the_remedy(folder, capfd, refuse, says, wire):
    written(folder, 30)
    with FaultServer(answer, refuse=refuse) as server:
        base = server.openai_base if wire == "openai" else server.anthropic_base
        assert main(command(base, "--quiet", model=f"{wire}/m")) == 2
        assert len(server.log) <= 64
    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("RunEnds: ")
    assert says in line


def test_no_server_ends_the_run_at_once(folder, capfd):
    written(folder, 30)
    with FaultServer(answer) as server:
        base = server.openai_base
    assert main(command(base, "--quiet")) == 2
    [line] = capfd.readouterr().err.splitlines()
    assert "cannot connect" in line
    assert "Check the network" in line


def test_a_record_that_is_too_long_fails_alone(folder, capfd):
    written(folder, 6)

    def limited(system: str, user: str):
        if "widget 4 looks" in user:
            return 400, "This model's maximum context length is 10 tokens"
        return answer(system, user)

    with FaultServer(limited) as server:
        assert main(command(server.openai_base)) == 3
        assert len(server.log) == 6
    items = json.loads(Path("out.json").read_text())
    assert [item["status"] for item in items] == ["failed" if i == 4 else "ok" for i in range(6)]
    assert "too long for this model" in items[4]["status_note"]
    talk = capfd.readouterr().err
    assert "requests 5 answered, 1 given up" in talk


def test_money_ends_a_run_and_more_money_goes_on(folder, capfd):
    written(folder, 12)
    Path("prices.json").write_text(json.dumps({"openai/m": {"input": 1000.0, "output": 1000.0}}))
    with FaultServer(answer) as server:
        limited = command(server.openai_base, "--prices", "prices.json", "--concurrency", "1")
        assert main([*limited, "--max_cost", "5"]) == 2
        talk = capfd.readouterr().err
        assert "--max_cost of $5 would be passed" in talk
        spent = re.search(r"\$([\d.]+) is spent", talk)
        assert spent
        assert 0 < float(spent[1]) <= 5
        assert 0 < len(server.log) < 12
        assert main([*limited, "--max_cost", "500"]) == 0
        assert server.asked_after_a_good_answer() == []
        assert len(server.log) == 12


def test_an_option_that_is_no_number_is_named(folder, capfd):
    with pytest.raises(SystemExit):
        main(command("http://127.0.0.1:9/v1", "--deadline", "soon"))
    assert "--deadline: 'soon' is not a number" in capfd.readouterr().err


def test_money_needs_a_price(folder, capfd):
    written(folder, 1)
    assert main(command("http://127.0.0.1:9/v1", "--max_cost", "5")) == 2
    assert "--prices FILE" in capfd.readouterr().err


def test_a_dry_run_asks_nothing_and_counts_what_would_be_asked(folder, capfd):
    written(folder, 5, claims=3)
    with FaultServer(answer) as server:
        assert main(command(server.openai_base, "--dry_run")) == 0
        assert server.log == []
        assert [path.name for path in folder.iterdir()] == ["in.json"]
        talk = capfd.readouterr().err
        assert "requests 15, beside 0 that the cache answers" in talk
        assert "the cost is not known" in talk
        assert main(command(server.openai_base, "--limit", "2")) == 0
        capfd.readouterr()
        Path("prices.json").write_text(json.dumps({"openai/m": {"input": 1.0, "output": 2.0}}))
        assert main(command(server.openai_base, "--dry_run", "--prices", "prices.json")) == 0
        talk = capfd.readouterr().err
        assert "requests 9, beside 6 that the cache answers" in talk
        assert re.search(r"at most \$0\.00\d\d", talk)


def test_cache_only_names_the_record_that_is_not_there(folder, capfd):
    written(folder, 4)
    with FaultServer(answer) as server:
        assert main(command(server.openai_base, "--limit", "2", "--quiet")) == 0
        assert main(command(server.openai_base, "--cache_only")) == 3
        assert len(server.log) == 2
    assert "2: 1 of 1 claims undetermined: its answer is not in the cache" in capfd.readouterr().err


def test_no_secret_is_written_anywhere(folder, capfd, caplog):
    caplog.set_level("DEBUG")
    written(folder, 8)
    Path("key").write_text(KEY + "\n")

    def tells(system: str, user: str):
        return (400, f"Bad request with key {KEY}") if "widget 3" in user else answer(system, user)

    with FaultServer(tells, share=0.5) as server:
        os.environ.pop("OPENAI_API_KEY")
        assert main(command(server.openai_base, "--openai_key", "key", "--request_timeout", "2")) == 3
        assert {dict(attempt.headers)["authorization"] for attempt in server.log} == {f"Bearer {KEY}"}
    with FaultServer(answer, refuse=(401, f"Incorrect API key provided: {KEY}")) as server:
        again = command(server.openai_base, "--openai_key", "key", "--restart", "--cache_dir", "other")
        assert main(again) == 2
    Path("key").unlink()
    talk = capfd.readouterr()
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("refchecker")]
    assert KEY not in talk.err + talk.out + "".join(ours)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"out.json", "out.json.journal", "llm.sqlite"} <= {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
