"""Real processes, really killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
RECORDS = 200
CLAIMS = 3  # of each record
AHEAD = 12  # records that may be checked and not yet be journalled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = [
        {
            "id": f"q{i}",
            "response": f"claim {i}. other {i}.",
            "reference": f"It says claim {i} and no more.",
            "triplets": [["claim", "number", str(i)], f"claim {i}", f"other {i}"],
            "kept": {"é": i},
        }
        for i in range(RECORDS)
    ]
    (tmp_path / "in.json").write_text(json.dumps(items), "utf-8")
    return tmp_path


def start(folder: Path, output: str, *more: str, limit_bytes: int = 0, hold: int = 0) -> subprocess.Popen:
    """hold: the pair of this process at which its checker stands still until `let_go`."""
    if hold:
        (folder / "hold").touch()
    else:
        let_go(folder)
    environment = os.environ | {
        "SLOW_CHECKER_LOG": str(folder / f"{output}.log"),
        "SLOW_CHECKER_HOLD": str(folder / "hold"),
        "SLOW_CHECKER_HOLD_AT": str(hold),
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)]),
    }

    def limit() -> None:
        if limit_bytes:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = ["check", "--input_path", "in.json", "--output_path", output, *more]
    checker = ["--checker_name", "python:slow_checker:check", "--batch_size_checker", "7"]
    return subprocess.Popen(
        [sys.executable, "-m", "refchecker.cli", *command, *checker],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
    )


def let_go(folder: Path) -> None:
    (folder / "hold").unlink(missing_ok=True)


def finish(folder: Path, output: str, *more: str, **options: int) -> tuple[int, str]:
    process = start(folder, output, *more, **options)
    _, talk = process.communicate(timeout=120)
    return process.returncode, talk


def journal_lines(folder: Path, output: str) -> list[bytes]:
    """The whole lines of the journal, header left out."""
    path = folder / f"{output}.journal"
    return path.read_bytes().split(b"\n")[1:-1] if path.exists() else []


def journalled(folder: Path, output: str) -> list[dict]:
    return [json.loads(line) for line in journal_lines(folder, output)]


def claims_of(entries: list[dict]) -> set[str]:
    return {" ".join(c) if isinstance(c, list) else c for entry in entries for c in entry["item"]["triplets"]}


def checked(folder: Path, output: str) -> Counter[str]:
    log = folder / f"{output}.log"
    return Counter(log.read_text().splitlines() if log.exists() else [])


def wait_for(condition, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_killed_ten_times_the_output_is_that_of_an_undisturbed_run(folder, suffix):
    whole, broken = f"whole.{suffix}", f"broken.{suffix}"
    assert finish(folder, whole)[0] == 0
    chance = random.Random(suffix)
    safe: set[str] = set()
    for stop in sorted(chance.sample(range(3, RECORDS // 2), 10)):
        before = checked(folder, broken)
        left = stop - len(journal_lines(folder, broken))
        process = start(folder, broken, hold=CLAIMS * (left + AHEAD))
        wait_for(lambda stop=stop: len(journal_lines(folder, broken)) >= stop)
        time.sleep(chance.random() * 0.02)
        process.kill()
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        again = checked(folder, broken) - before
        assert not safe & set(again), "a journalled record was checked again"
        safe = claims_of(journalled(folder, broken))
        assert not (folder / broken).exists()
    before = checked(folder, broken)
    code, talk = finish(folder, broken)
    assert (code, "going on from" in talk) == (0, True)
    assert not safe & set(checked(folder, broken) - before)
    assert (folder / broken).read_bytes() == (folder / whole).read_bytes()
    assert not (folder / f"{broken}.journal").exists()


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(folder):
    process = start(folder, "out.json", hold=CLAIMS * (5 + AHEAD))
    wait_for(lambda: len(journal_lines(folder, "out.json")) >= 5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    let_go(folder)
    _, talk = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "run the same command again to go on" in talk
    assert "Traceback" not in talk
    assert finish(folder, "out.json")[0] == 0
    assert len(json.loads((folder / "out.json").read_text())) == RECORDS


def test_a_full_disk_loses_nothing(folder):
    code, talk = finish(folder, "out.json", limit_bytes=20_000)
    assert code == 2
    assert "cannot write: File too large" in talk
    assert "Traceback" not in talk
    safe = claims_of(journalled(folder, "out.json"))
    assert len(safe) > 10
    before = checked(folder, "out.json")
    assert finish(folder, "out.json")[0] == 0
    assert not safe & set(checked(folder, "out.json") - before)
    finish(folder, "whole.json")
    assert (folder / "out.json").read_bytes() == (folder / "whole.json").read_bytes()


def test_a_disk_that_fills_while_the_output_is_put_together_loses_nothing(folder):
    finish(folder, "whole.json")
    size = (folder / "whole.json").stat().st_size
    process = start(folder, "out.json", "--output_format", "jsonl", hold=CLAIMS * (RECORDS - 40 + AHEAD))
    wait_for(lambda: len(journal_lines(folder, "out.json")) >= RECORDS - 40)
    process.kill()
    process.communicate()
    journal = (folder / "out.json.journal").stat().st_size
    assert size > journal * 1.3, "the indented output is the larger file"
    code, talk = finish(folder, "out.json", limit_bytes=int(size * 0.95))
    assert (code, "safe in out.json.journal" in talk) == (2, True)
    assert not (folder / "out.json").exists()
    assert finish(folder, "out.json")[0] == 0
    assert (folder / "out.json").read_bytes() == (folder / "whole.json").read_bytes()


def test_two_runs_on_one_output_do_not_mix(folder):
    first = start(folder, "out.json", hold=CLAIMS * (2 + AHEAD))
    wait_for(lambda: len(journal_lines(folder, "out.json")) >= 2)
    second = start(folder, "out.json", hold=1)
    _, talk = second.communicate(timeout=120)
    assert (second.returncode, "another run is writing this output" in talk) == (2, True)
    let_go(folder)
    first.communicate(timeout=120)
    assert first.returncode == 0


def interrupted(folder: Path) -> set[str]:
    """Stop a run on the way; the claims that are in its journal."""
    process = start(folder, "out.json", hold=CLAIMS * (20 + AHEAD))
    wait_for(lambda: len(journal_lines(folder, "out.json")) >= 20)
    process.kill()
    process.communicate()
    return claims_of(journalled(folder, "out.json"))


def test_changed_settings_are_refused_and_restart_drops_them(folder):
    interrupted(folder)
    code, talk = finish(folder, "out.json", "--aggregator_name", "strict")
    assert code == 2
    assert "aggregator: soft -> strict" in talk
    assert "--restart" in talk
    assert finish(folder, "out.json", "--aggregator_name", "strict", "--restart")[0] == 0
    assert {item["Y"] for item in json.loads((folder / "out.json").read_text())} == {"Contradiction"}


def test_a_changed_record_is_noticed_and_checked_again(folder):
    safe = interrupted(folder)
    items = json.loads((folder / "in.json").read_text())
    items[3]["reference"] = "It says other 3 only."
    (folder / "in.json").write_text(json.dumps(items))
    before = checked(folder, "out.json")
    code, talk = finish(folder, "out.json")
    assert (code, "1 finished records are checked again" in talk) == (0, True)
    assert safe & set(checked(folder, "out.json") - before) == {"claim number 3", "claim 3", "other 3"}
    assert json.loads((folder / "out.json").read_text())[3]["ys"][1:] == ["Contradiction", "Entailment"]


def test_retry_failed_takes_only_the_failed(folder):
    items = json.loads((folder / "in.json").read_text())
    good = items[7].pop("triplets")
    (folder / "in.json").write_text(json.dumps(items))
    code, talk = finish(folder, "out.json")
    assert (code, "1 failed" in talk) == (3, True)
    before = checked(folder, "out.json")
    assert finish(folder, "out.json")[0] == 3, "the same command again changes nothing"
    assert checked(folder, "out.json") == before
    items[7]["triplets"] = good
    (folder / "in.json").write_text(json.dumps(items))
    assert finish(folder, "out.json", "--retry_failed")[0] == 0
    assert set(checked(folder, "out.json") - before) == {"claim number 7", "claim 7", "other 7"}


def test_a_foreign_file_in_the_journals_place_is_left_alone(folder):
    (folder / "out.json.journal").write_text("my diary\n")
    code, talk = finish(folder, "out.json")
    assert (code, "not a journal of refchecker" in talk) == (2, True)
    assert (folder / "out.json.journal").read_text() == "my diary\n"
