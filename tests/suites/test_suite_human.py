"""The human suite: both layouts, the sheets worked by hand, and the whole way on the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fault_server import FaultServer

from refchecker.cli import main
from refchecker.errors import UsageError
from refchecker.suites.human import SUITE
from refchecker.suites.human import data as human_data
from refchecker.suites.human.plots import plots_of
from refchecker.suites.runner import scored_sheet
from refchecker.suites.types import Answer, Item, Sheet

HERE = Path(__file__).parents[1]
E, N, C, A = "Entailment", "Neutral", "Contradiction", "Abstain"

# model, question, what people say, what the checker says of the same claims
ZERO = [
    ("ada", "q1", [E, E], [E, E]),
    ("ada", "q2", [E, C], [E, N]),
    ("bob", "q1", [E], [N]),
    ("bob", "q2", [N, C, C], [E, C, A]),
    ("cleo", "q1", [], []),
    ("cleo", "q2", [C], [C]),
]
NOISY = [("ada", "q1", [E, N], [E, N]), ("bob", "q1", [E], [E])]


def items() -> list[Item]:
    """The rows above as items."""
    return [
        Item(
            f"{setting}/{model}/{question}",
            f"{setting}/{question}",
            {
                "setting": setting,
                "model": model,
                "question": f"{question}?",
                "references": ["cats sleep"],
                "response": "Cats sleep.",
                "claims": [["cats", "sleep", str(n)] for n in range(len(truth))],
                "labels": truth,
            },
        )
        for setting, rows in (("zero_context", ZERO), ("noisy_context", NOISY))
        for model, question, truth, _ in rows
    ]


def answered(own: list[Item]) -> dict[str, dict[str, Answer]]:
    """The checker's answers above, and two formats in which it finds other claims."""
    labels = {
        f"{setting}/{model}/{question}": given
        for setting, rows in (("zero_context", ZERO), ("noisy_context", NOISY))
        for model, question, _, given in rows
        if given
    }
    return {
        "check-human": {key: Answer({"labels": given}) for key, given in labels.items()},
        "check-triplet": {key: Answer({"labels": [E, N]}) for key in labels},
        "check-sentence": {key: Answer({"labels": []}) for key in labels},
        "check-response": {key: Answer({"labels": [E]}) for key in labels},
    }


def sheets(given: dict[str, dict[str, Answer]] | None = None) -> dict[str, Sheet]:
    own = items()
    return {sheet.name: sheet for sheet in SUITE.score(own, answered(own) if given is None else given)}


def values(sheet: Sheet) -> dict[str, float]:
    return {name: metric(sheet.columns) for name, metric in sheet.metrics.items()}


# -- sheets --------------------------------------------------------------------------------------


def test_claim_by_claim_worked_by_hand() -> None:
    sheet = sheets()["checker/zero_context"]
    found = values(sheet)
    # truth E E E C E N C C C, guess E E E N N E C A C: right are 3 E and 2 C of 9
    assert sheet.counts["gold"] == {E: 4, N: 1, C: 4}
    assert sheet.counts["given"] == {E: 4, N: 2, C: 2, A: 1}
    assert found["accuracy"] == pytest.approx(5 / 9)
    assert found["f1_entailment"] == pytest.approx(2 * 3 / (4 + 4))
    assert found["f1_neutral"] == 0
    assert found["f1_contradiction"] == pytest.approx(2 * 2 / (4 + 2))
    assert found["macro_f1"] == pytest.approx((0.75 + 0 + 2 / 3) / 3)
    assert found["balanced_accuracy"] == pytest.approx((3 / 4 + 4 / 5) / 2)
    chance = (4 * 4 + 1 * 2 + 4 * 2 + 0 * 1) / 81
    assert found["kappa"] == pytest.approx((5 / 9 - chance) / (1 - chance))
    assert sheet.counts["majority_floor"] == pytest.approx(4 / 9, abs=1e-6)
    assert sheet.counts["undetermined"] == {"unsure": 1}
    assert len(set(sheet.ids)) == 9


def test_response_by_response_worked_by_hand() -> None:
    sheet = sheets()["response/zero_context/human"]
    found = values(sheet)
    # factual by people: ada q1, bob q1; by the checker: ada q1
    assert sheet.counts["factual"] == 2
    assert sheet.missing == {"people found no claim in it": 1}
    assert found["accuracy"] == pytest.approx(4 / 5)
    assert found["fact_f1"] == pytest.approx(2 * 1 / (2 + 1))
    assert found["nonfact_f1"] == pytest.approx(2 * 3 / (3 + 4))
    assert sheet.columns["rate"].tolist() == [0, 0.5, 0, 1, 1]
    assert sheet.columns["guessed_rate"].tolist() == pytest.approx([0, 0.5, 1, 2 / 3, 1])
    stats = pytest.importorskip("scipy.stats")
    pair = sheet.columns["rate"], sheet.columns["guessed_rate"]
    assert found["pearson"] == pytest.approx(stats.pearsonr(*pair).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(*pair).statistic)


def test_a_response_without_claims_is_a_miss_and_has_no_rate() -> None:
    sheet = sheets()["response/zero_context/sentence"]
    assert values(sheet)["accuracy"] == 0
    assert sheet.counts["nothing_judged"] == 5
    assert values(sheet)["pearson"] != values(sheet)["pearson"]


def test_rates_of_a_model_sum_to_one_and_no_claims_is_abstain() -> None:
    found = values(sheets()["system/zero_context/cleo/human"])
    assert (found["abstain"], found["contradiction"]) == (0.5, 0.5)
    assert found["abstain_people"] == 0.5
    bob = values(sheets()["system/zero_context/bob/human"])
    assert bob["entailment_people"] == 0.5
    assert bob["entailment"] == pytest.approx((0 + 1 / 3) / 2)
    assert sum(bob[rate] for rate in ("abstain", "entailment", "neutral", "contradiction")) == pytest.approx(
        1
    )


def test_models_are_ranked_by_their_mean_rates() -> None:
    sheet = sheets()["ranking/zero_context/human"]
    # Entailment by people: ada .75, bob .5, cleo 0; by the checker: ada .75, bob 1/6, cleo 0
    assert values(sheet)["spearman_entailment"] == pytest.approx(1)
    # not entailed: people ada .25, bob .5, cleo .5; checker ada .25, bob (1 + 1/3)/2, cleo .5
    assert values(sheet)["spearman_hallucination"] == pytest.approx(0.866, abs=1e-3)
    assert "ranking/noisy_context/human" not in sheets()  # two models make no ranking


def test_what_was_not_asked_or_failed_has_no_row_but_a_reason() -> None:
    given = answered(items())
    del given["check-human"]["zero_context/ada/q1"]
    given["check-human"]["zero_context/bob/q2"] = Answer(fault="the server is down")
    sheet = sheets(given)["checker/zero_context"]
    assert sheet.missing == {"not asked yet: the run is not finished": 2, "the server is down": 3}
    assert len(sheet.ids) == 4


def test_claims_that_could_not_be_judged_are_misses_with_their_reason() -> None:
    given = answered(items())
    given["check-human"]["zero_context/bob/q2"] = Answer({"labels": [A, C, C]}, "1 of 3: too long")
    sheet = sheets(given)["checker/zero_context"]
    assert len(sheet.ids) == 9
    assert sheet.counts["undetermined"] == {"1 of 3: too long": 1}


def test_formats_are_compared_on_the_same_responses() -> None:
    pairs = SUITE.within(list(sheets()))
    assert ("response/all/triplet", "response/all/sentence") in pairs
    assert all(a.rpartition("/")[0] == b.rpartition("/")[0] for a, b in pairs)


# -- data ----------------------------------------------------------------------------------------


def own_layout(root: Path) -> Path:
    """The rows of the settings in one file each, with references that a checker can read."""
    (root / "human").mkdir(parents=True)
    for setting, rows in (("zero_context", ZERO), ("noisy_context", NOISY)):
        lines = [
            {
                "id": question,
                "setting": setting,
                "model": model,
                "question": f"Which cats of {question}?",
                "reference": ["cat 0 sleeps", "cat 1 sleeps"],
                "response": "Cat 0 sleeps. Cat 1 sleeps. Cat 2 sleeps."[: 14 * len(truth)],
                "triplets": [
                    {"triplet": [f"cat {n}", "sleeps", ""], "human_label": label}
                    for n, label in enumerate(truth)
                ],
            }
            for model, question, truth, _ in rows
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (root / "human" / f"{setting}.jsonl").write_text(text, "utf-8")
    return root


def published_layout(root: Path, *, documents: bool) -> Path:
    """The same rows as RefChecker publishes them."""
    folder = root / "human_annotations_v1" / "zero_context"
    folder.mkdir(parents=True)
    for model in ("ada", "bob_7B", "cleo"):
        rows = [row for row in ZERO if row[0] == model.partition("_")[0]]
        answers: list[dict[str, Any]] = [
            {
                "id": question,
                "response": "Cats.",
                "claude2_response_kg": [
                    {"triplet": [f"cat {n}", "sleeps", ""], "human_label": label}
                    for n, label in enumerate(truth)
                ],
            }
            for _, question, truth, _ in rows
        ]
        if model == "cleo":
            del answers[0]["claude2_response_kg"]  # so it is where no claim was extracted
        (folder / f"nq_{model}_answers.json").write_text(json.dumps(answers), "utf-8")
    if documents:
        (root / "data" / "zero_context").mkdir(parents=True)
        found = [
            {"id": question, "question": f"Which {question}?", "context": ["cat 0 sleeps", "cat 1 sleeps"]}
            for question in ("q1", "q2")
        ]
        (root / "data" / "zero_context" / "nq.json").write_text(json.dumps(found), "utf-8")
    return root


def test_the_published_files_load_as_they_are(tmp_path: Path) -> None:
    found = human_data.load(published_layout(tmp_path, documents=True))
    by_id = {item.id: item for item in found.items}
    assert len(by_id) == 6
    bob = by_id["zero_context/bob_7B/q2"]
    assert bob.group == "zero_context/q2"
    assert bob.fields["labels"] == [N, C, C]
    assert bob.fields["claims"][1] == ["cat 1", "sleeps", ""]
    assert (bob.fields["question"], bob.fields["references"]) == (
        "Which q2?",
        ["cat 0 sleeps", "cat 1 sleeps"],
    )
    assert by_id["zero_context/cleo/q1"].fields["claims"] == []
    assert set(found.sources) == {f"nq_{m}_answers.json" for m in ("ada", "bob_7B", "cleo")} | {"nq.json"}
    assert found.notes == ["zero_context: 6 responses of 3 models to 2 questions, 9 claims"]


def test_annotations_alone_load_and_say_what_they_lack(tmp_path: Path) -> None:
    found = human_data.load(published_layout(tmp_path, documents=False))
    assert found.items[0].fields["references"] == []
    assert "6 responses have no reference" in found.notes[1]
    assert "data/zero_context/nq.json" in found.notes[1]


@pytest.mark.parametrize("inside", ["human_annotations_v1", "."])
def test_the_folder_of_annotations_may_be_given_itself(tmp_path: Path, inside: str) -> None:
    root = published_layout(tmp_path, documents=True)
    assert human_data.load(root / inside).items[0].fields["references"] == ["cat 0 sleeps", "cat 1 sleeps"]


def test_both_layouts_give_the_same_labels(tmp_path: Path) -> None:
    own = human_data.load(own_layout(tmp_path / "a"), ["zero_context"]).items
    published = human_data.load(published_layout(tmp_path / "b", documents=True)).items
    assert sorted(i.id.replace("_7B", "") for i in published) == sorted(i.id for i in own)
    assert {i.id.replace("_7B", ""): i.fields["labels"] for i in published} == {
        i.id: i.fields["labels"] for i in own
    }


GOOD = {"id": "1", "model": "m", "response": "r", "triplets": []}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        pytest.param('{"id": "1"', "line 2: not JSON", id="broken"),
        pytest.param([], 'line 2: expected an object with "model"', id="no object"),
        pytest.param({**GOOD, "model": None}, 'line 2: expected an object with "model"', id="no model"),
        pytest.param({**GOOD, "id": 5}, "line 2: found 5 under 'id'", id="id"),
        pytest.param({**GOOD, "response": None}, "line 2: found None under 'response'", id="response"),
        pytest.param({**GOOD, "triplets": None}, "its triplets are NoneType", id="triplets"),
        pytest.param({**GOOD, "triplets": [["a", "b", "c"]]}, 'triplet 0: found ["a", "b", "c"]', id="bare"),
        pytest.param(
            {**GOOD, "triplets": [{"triplet": ["a", "b", "c"], "human_label": "True"}]},
            "triplet 0: 'True' is no label. Labels are Entailment, Neutral, Contradiction",
            id="label",
        ),
        pytest.param({**GOOD, "reference": [1]}, "its reference is no text", id="reference"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_its_place(tmp_path: Path, row: Any, says: str) -> None:
    path = tmp_path / "zero_context.jsonl"
    path.write_text(f"{json.dumps(GOOD)}\n{row if isinstance(row, str) else json.dumps(row)}\n", "utf-8")
    with pytest.raises(UsageError, match=re.escape(says)) as caught:
        human_data.load(tmp_path)
    assert "zero_context.jsonl line 2" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [("{}", "found dict, expected an array"), ("[1]", "element 0: found int"), ("[", "not JSON")],
)
def test_what_is_wrong_in_a_published_file(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "zero_context" / "nq_ada_answers.json"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(UsageError, match=says):
        human_data.load(tmp_path)


def test_a_folder_without_annotations_is_told_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="human_annotations_v1/SETTING/SOURCE_MODEL_answers"):
        human_data.load(tmp_path)


def test_a_claim_without_label_is_counted_and_not_scored(tmp_path: Path) -> None:
    row = {**GOOD, "triplets": [{"triplet": ["a", "b", "c"]}, {"triplet": ["a", "b", "d"], "human_label": E}]}
    (tmp_path / "zero_context.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    found = human_data.load(tmp_path)
    assert "1 claims have no human label" in found.notes[2]
    key = found.items[0].id
    [sheet, response, *_] = SUITE.score(found.items, {"check-human": {key: Answer({"labels": [E, E]})}})
    assert (len(sheet.ids), sheet.missing) == (1, {"it has no human label": 1})
    assert response.missing == {"a claim of it has no human label": 1}


# -- the command line ----------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SLOW_CHECKER_LOG", str(tmp_path / "log"))
    own_layout(tmp_path / "data")
    assert main(["bench", "prepare", "human", "--data", "data", "--quiet"]) == 0
    return tmp_path


def bench(*arguments: str) -> int:
    return main(["bench", *arguments])


def test_the_whole_way(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = ["--checker_name", "python:slow_checker:check", "--name", "slow"]
    assert bench("run", "human", *check) == 0
    assert bench("run", "human", "--majority") == 0
    predictions = [
        {"setting": s, "model": m, "id": q, "claim_index": n, "label": label}
        for s, rows in (("zero_context", ZERO), ("noisy_context", NOISY))
        for m, q, _, given in rows
        for n, label in enumerate(given)
    ]
    Path("other.jsonl").write_text("".join(json.dumps(p) + "\n" for p in predictions))
    assert bench("run", "human", "--predictions", "other.jsonl") == 0
    assert bench("score", "human", "--draws", "20") == 0
    scored = json.loads(Path("bench/human/other/score.json").read_text())
    assert scored["sheets"]["checker/zero_context"]["metrics"]["accuracy"]["value"] == round(5 / 9, 6)
    assert scored["sheets"]["checker/zero_context"]["coverage"] == 1
    capsys.readouterr()
    assert (
        bench(
            "report", "human", "--draws", "20", "--test_draws", "50", "--against", "slow", "--note", "A note."
        )
        == 0
    )
    text = Path("bench/human/report.md").read_text()
    for words in ("## Claim by claim", "## Do triplets help?", "majority floor", "A note.", "Cohen's kappa"):
        assert words in text
    assert "people found no claim in it" in text
    assert (
        bench(
            "compare", "bench/human/slow", "bench/human/other", "--sheets", "checker/*", "--test_draws", "50"
        )
        == 0
    )
    assert "slow : other, checker/zero_context" in capsys.readouterr().out
    results = json.loads(Path("bench/human/report.json").read_text())
    assert set(results["systems"]) == {"slow", "majority", "other"}
    assert results["within"]
    formats = results["systems"]["slow"]["sheets"]["response/zero_context/triplet"]
    assert formats["counts"]["claims_checked"] > 0


def test_plots_are_made_of_what_the_systems_have() -> None:
    scored = {"sheets": {name: scored_sheet(sheet, draws=10) for name, sheet in sheets().items()}}
    found = {plot.name: plot for plot in plots_of({"mine": {**scored, "signature": "check:mine"}})}
    assert {"macro_f1", "models_zero_context", "formats_mine"} <= set(found)
    formats = found["formats_mine"]
    assert formats.places == ["zero context", "noisy context", "all"]
    assert [len(series.values) for series in formats.series] == [3, 3, 3, 3]
    assert found["models_zero_context"].series[1].name == "mine"


def test_scoring_loads_no_model_library_and_needs_no_network(place: Path) -> None:
    assert bench("run", "human", "--majority", "--quiet") == 0
    code = (
        "import socket, sys\n"
        "socket.socket.connect = None\n"
        "from refchecker.cli import main\n"
        "assert main(['bench', 'score', 'human', '--draws', '10']) == 0\n"
        "heavy = {'torch', 'transformers', 'spacy', 'onnxruntime', 'openai', 'scipy', 'sklearn'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], env=_environment(place), capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


def _environment(place: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(HERE), str(HERE.parent)])
    return os.environ | {"PYTHONPATH": paths, "SLOW_CHECKER_LOG": str(place / "log"), "OMP_NUM_THREADS": "1"}


def test_killed_in_the_middle_it_goes_on_where_it_was(place: Path) -> None:
    lines = [
        {
            "id": f"q{n}",
            "model": "ada",
            "question": "Which?",
            "reference": [f"cat {n} sleeps"],
            "response": "Cats.",
            "triplets": [{"triplet": [f"cat {n}", "sleeps", str(i)], "human_label": E} for i in range(8)],
        }
        for n in range(300)
    ]
    Path("data/human/zero_context.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert bench("prepare", "human", "--data", "data", "--settings", "zero_context", "--quiet") == 0
    command = [sys.executable, "-m", "refchecker.cli", "bench", "run", "human", "--claims", "human"]
    command += ["--checker_name", "python:slow_checker:check", "--name", "slow", "--quiet"]
    journal = Path("bench/human/slow/check-human.jsonl")
    process = subprocess.Popen(command, env=_environment(place))
    patience = time.monotonic() + 300
    while not journal.exists() or journal.read_bytes().count(b"\n") < 40:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < patience
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = [json.loads(line)["item"]["key"] for line in journal.read_bytes().split(b"\n")[1:-1]]
    assert 0 < len(done) < 300
    subprocess.run(command, env=_environment(place), check=True)
    asked = Counter(Path("log").read_text().splitlines())
    kept = {f"cat {key.rpartition('q')[2]} sleeps {i}" for key in done for i in range(8)}
    assert all(asked[claim] == 1 for claim in kept)
    assert len(asked) == 2400
    keys = [json.loads(line)["item"]["key"] for line in journal.read_bytes().splitlines()[1:]]
    assert len(keys) == len(set(keys)) == 300


def test_a_model_is_asked_the_questions_and_its_responses_are_checked(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    prompts: list[str] = []

    def answer(system: str, user: str) -> str:
        prompts.append(user)
        return "Rex chases the ball. The cat sleeps."

    run = ["run", "human", "--checker_name", "python:slow_checker:check", "--quiet"]
    with FaultServer(answer, share=0.3, faults=("429", "500")) as server:
        llm = ["--llm", "openai/m", "--llm_api_base", server.openai_base, "--name", "m"]
        assert bench(*run, *llm) == 0
        assert server.asked_after_a_good_answer() == []
    assert bench(*run, *llm) == 0  # everything is known: the server is gone
    assert sum("Passage 1: cat 0 sleeps" in prompt for prompt in set(prompts)) == 1  # noisy only
    assert len(set(prompts)) == 3
    assert bench("score", "human", "--draws", "10") == 0
    scored = json.loads(Path("bench/human/m/score.json").read_text())
    assert re.search(
        r"llm:openai/m@127.*prompts:respond_question@\w{6},respond_references@", scored["signature"]
    )
    sheet = scored["sheets"]["system/zero_context/own/triplet"]
    assert (sheet["n"], sheet["coverage"]) == (2, 1)
    assert bench("report", "human", "--draws", "10", "--test_draws", "50", "--no_plots") == 0
    assert "| m | m, extracted triplets |" in Path("bench/human/report.md").read_text()


def test_dry_run_asks_and_keeps_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    llm = ["--llm", "openai/m", "--llm_api_base", "http://127.0.0.1:9/v1", "--name", "m"]
    assert bench("run", "human", *llm, "--dry_run") == 0
    talk = capsys.readouterr().err
    assert "3 answered" in talk
    assert "nothing was asked" in talk
    assert not Path("bench/human/m").exists()


def test_collect_makes_an_input_of_extract_check(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    questions = [{"id": f"{n}", "question": f"Who is {n}?", "kept": n} for n in range(5)]
    questions[2]["reference"] = ["Two is Bob."]
    Path("questions.json").write_text(json.dumps(questions))
    command = ["collect", "--input_path", "questions.json", "--output_path", "responses.jsonl", "--quiet"]
    with FaultServer(lambda system, user: f"It is {user[-3]}, I say.") as server:
        command += ["--llm", "openai/m", "--llm_api_base", server.openai_base]
        assert bench(*command, "--limit", "2") == 0
        assert bench(*command) == 0
        assert len(server.good_answers()) == 5
    rows = [json.loads(line) for line in Path("responses.jsonl").read_text().splitlines()]
    assert [row["kept"] for row in rows] == list(range(5))
    assert all(row["response"].startswith("It is") and row["model"].startswith("openai/m") for row in rows)
    assert rows[2]["reference"] == ["Two is Bob."]
    assert not Path("responses.jsonl.journal").exists()
    extract = ["extract", "--input_path", "responses.jsonl", "--output_path", "out.json", "--quiet"]
    assert main([*extract, "--extractor_name", "sentence"]) == 0


def test_collect_keeps_what_it_has_and_tries_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    Path("questions.jsonl").write_text('{"question": "fine?"}\n{"question": "odd?"}\n')
    command = ["collect", "--input_path", "questions.jsonl", "--output_path", "responses.jsonl", "--quiet"]

    def answer(system: str, user: str) -> str | tuple[int, str]:
        return (400, "the content was filtered") if "odd" in user else "Yes."

    with FaultServer(answer) as server:
        assert bench(*command, "--llm", "openai/m", "--llm_api_base", server.openai_base) == 3
    rows = [json.loads(line) for line in Path("responses.jsonl").read_text().splitlines()]
    assert rows[0]["response"] == "Yes."
    assert rows[1]["response"] == ""
    assert "filtered" in rows[1]["response_note"]
    assert Path("responses.jsonl.journal").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "name the suite first: bench run SUITE. Suites: "),
        (["run", "--majority"], "name the suite first: bench run SUITE"),
        (["prepare", "human", "--data", "nowhere"], "nowhere: there is no such folder. It needs"),
        (["run", "humna"], "no suite called 'humna'. Did you mean 'human'?"),
        (["run", "human", "--majority", "--llm", "gpt4"], "give one of --llm, --predictions and --majority"),
        (["run", "human", "--predictions", "none.jsonl"], "none.jsonl: there is no such file"),
        (["run", "human", "--folder", "elsewhere"], "bench prepare human"),
        (["run", "human", "--majority", "--provider_batch"], "leave out --provider_batch"),
        (["score", "human", "--systems", "nobody"], "no answers here. Systems of this folder: none"),
        (["report", "human"], "no system has answers here"),
        (["compare", "bench/human/x", "bench/human/y"], "Give the folder of a system"),
        (["collect", "--input_path", "no.jsonl", "--output_path", "o"], "a language model is needed: --llm"),
        (
            ["collect", "--input_path", "no.jsonl", "--output_path", "o", "--llm", "openai/m"],
            "no.jsonl: cannot read",
        ),
    ],
)
def test_mistakes_are_said_with_what_to_do(
    place: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: Any,
    says: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    assert bench(*arguments) == 2
    assert says in capsys.readouterr().err


def test_bad_predictions_are_said_with_their_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("p.jsonl").write_text('{"setting": "zero_context", "model": "ada", "id": "q1"}\n')
    assert bench("run", "human", "--predictions", "p.jsonl") == 2
    assert "p.jsonl line 1: KeyError: 'claim_index'. Each line needs" in capsys.readouterr().err


def test_predictions_that_lack_claims_are_counted(place: Path) -> None:
    row = {"setting": "zero_context", "model": "ada", "id": "q1", "claim_index": 0, "label": E}
    Path("p.jsonl").write_text(json.dumps(row) + "\n")
    assert bench("run", "human", "--predictions", "p.jsonl", "--quiet") == 3
    assert bench("score", "human", "--draws", "10") == 0
    sheet = json.loads(Path("bench/human/p/score.json").read_text())["sheets"]["checker/zero_context"]
    assert sheet["counts"]["given"][A] == 8
    assert sheet["counts"]["undetermined"]["1 of its claims are not in the file"] >= 1


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["run", "human", "--help"]])
def test_help_is_there_for_every_step(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        bench(*arguments)
    assert caught.value.code == 0
    assert "human" in capsys.readouterr().out


def test_a_response_of_which_nothing_was_judged_is_a_miss_and_one_partly_judged_is_no_support() -> None:
    given = answered(items())
    given["check-response"]["zero_context/ada/q1"] = Answer({"labels": [A]}, "the claim is too long")
    given["check-triplet"]["zero_context/ada/q1"] = Answer({"labels": [A, E]}, "the claim is too long")
    whole, partly = (sheets(given)[f"response/zero_context/{form}"] for form in ("response", "triplet"))
    assert whole.counts["nothing_judged"] == 1
    assert whole.columns["guess"][0] == -1
    assert (partly.columns["guess"][0], partly.columns["guessed_rate"][0]) == (0, 0.5)


def test_a_written_prediction_is_read_again(tmp_path: Path) -> None:
    item = "noisy_context/some/model/17"  # an id may have a slash
    path = tmp_path / "labels.jsonl"
    path.write_text(human_data.prediction(item, 0, "Neutral") + human_data.prediction(item, 1, "Entailment"))
    assert human_data.predictions(path) == {(item, 0): "Neutral", (item, 1): "Entailment"}


def test_every_metric_has_a_card() -> None:
    cards = (Path(__file__).parents[2] / "docs").glob("metrics*.md")
    lines = [line for path in cards for line in path.read_text(encoding="utf-8").splitlines()]
    documented = {
        name.strip() for line in lines if line.startswith("names: ") for name in line[7:].split(",")
    }
    sheets = SUITE.score(items(), answered(items()))
    assert {name for sheet in sheets for name in sheet.metrics} <= documented
