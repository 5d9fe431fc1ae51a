"""The runner: a toy suite through all steps, and what goes wrong on the way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from refchecker.errors import ComponentError, LLMError, UsageError
from refchecker.llms.providers.scripted import Scripted
from refchecker.llms.types import GaveUp, Reply, Request, RunEnds
from refchecker.suites import compare, find, metrics, plots, runner, tables
from refchecker.suites.ask import AHEAD, ClientAsk, FunctionAsk, check_stage, prompt_stage
from refchecker.suites.folder import Folder, read_answers
from refchecker.suites.types import (
    Answer,
    Item,
    NoOptions,
    Page,
    Plot,
    Prepared,
    Series,
    Sheet,
    Stage,
    Suite,
    Task,
)
from refchecker.types import Judgment, Label

NO_OPTIONS = NoOptions()


def toy(
    count: int = 6, answer: Any = None, signature: str = "say:v1", asked: list[str] | None = None
) -> Suite:
    """Each item asks for its number; the answer is right where it is that. `asked` collects the keys."""

    def right(tasks: Iterable[Task]) -> Iterator[Answer]:
        for task in tasks:
            if asked is not None:
                asked.append(task.key)
            yield answer(task) if answer else Answer({"n": task.ask["n"]})

    def stages(items: Any, options: Any, tools: Any) -> list[Stage]:
        return [Stage("say", signature, lambda _: [Task(i.id, {"n": i.fields["n"]}) for i in items], right)]

    def score(items: Any, answers: Any) -> list[Sheet]:
        rows = [item for item in items if not answers["say"].get(item.id, Answer(fault="open")).fault]
        right = np.array([answers["say"][row.id].value["n"] == row.fields["n"] for row in rows], dtype=int)
        missing = {"open": len(items) - len(rows)} if len(rows) < len(items) else {}
        ids, groups = [row.id for row in rows], [row.group for row in rows]
        measured = {"accuracy": metrics.of(metrics.share, "right")}
        return [Sheet("all", ids, groups, {"right": right}, measured, right="right", missing=missing)]

    def page(results: Any) -> Page:
        lines = [
            f"{name}: {s['sheets']['all']['metrics']['accuracy']}" for name, s in results["systems"].items()
        ]
        return Page(lines, [Plot("plot", "Toy", "bars", ["a"], [Series("s", [0.5], [0.4], [0.6])])])

    def prepare(options: Any, tools: Any) -> Prepared:
        return Prepared([Item(f"i{n}", f"q{n // 2}", {"n": n}) for n in range(count)], {"made up": count})

    return Suite("toy", "A toy.", prepare, stages, score, page)


def prepared(tmp_path: Path, suite: Suite) -> Folder:
    folder = Folder(tmp_path / "toy", "toy")
    runner.prepare(suite, folder, NO_OPTIONS, SimpleNamespace())
    return folder


def ran(suite: Suite, folder: Folder, name: str = "mine", **options: Any) -> runner.Ran:
    return runner.run(suite, folder, name, NO_OPTIONS, SimpleNamespace(), runner.Resuming(**options))


def test_prepare_keeps_items_their_hash_and_where_they_are_from(tmp_path: Path) -> None:
    folder = prepared(tmp_path, toy())
    assert folder.prepared()["items"] == 6
    assert folder.prepared()["groups"] == 3
    assert folder.prepared()["sources"] == {"made up": 6}
    assert folder.items()[1] == Item("i1", "q0", {"n": 1})
    again = Folder(tmp_path / "again", "toy")
    runner.prepare(toy(), again, NO_OPTIONS, SimpleNamespace())
    assert again.prepared()["data"] == folder.prepared()["data"]


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    asked: list[str] = []
    suite = toy(asked=asked)
    folder = prepared(tmp_path, suite)
    assert ran(suite, folder) == runner.Ran(6, 6, 0)
    assert ran(suite, folder) == runner.Ran(6, 0, 0)
    assert len(asked) == 6


def test_what_broke_off_goes_on(tmp_path: Path) -> None:
    def breaks(task: Task) -> Answer:
        if task.key == "i3":
            raise RunEnds("no credit left")
        return Answer({"n": task.ask["n"]})

    suite = toy(answer=breaks)
    folder = prepared(tmp_path, suite)
    with pytest.raises(RunEnds):
        ran(suite, folder)
    path = folder.system("mine") / "say.jsonl"
    with path.open("ab") as journal:
        journal.write(b'{"position": 3, "di')  # what a kill leaves of a line
    assert sorted(read_answers(path)) == ["i0", "i1", "i2"]
    asked: list[str] = []
    assert ran(toy(asked=asked), folder) == runner.Ran(6, 3, 0)
    assert asked == ["i3", "i4", "i5"]
    assert sorted(read_answers(path)) == ["i0", "i1", "i2", "i3", "i4", "i5"]


def test_a_limited_run_is_the_first_part_of_the_whole(tmp_path: Path) -> None:
    suite = toy()
    folder = prepared(tmp_path, suite)
    assert ran(suite, folder, limit=2).tasks == 2
    scored = runner.score(suite, folder, "mine")["sheets"]["all"]
    assert (scored["coverage"], scored["missing"]) == (round(2 / 6, 6), {"open": 4})
    assert ran(suite, folder) == runner.Ran(6, 4, 0)


def test_a_task_keeps_its_answer_wherever_it_stands(tmp_path: Path) -> None:
    """As when an earlier stage answers more than before, and its tasks move."""
    asked: list[str] = []
    suite = toy(asked=asked)
    folder = prepared(tmp_path, suite)

    def only(*wanted: str) -> Suite:
        def stages(items: Any, options: Any, tools: Any) -> list[Stage]:
            by_id = {item.id: item for item in items}
            return list(suite.stages([by_id[name] for name in wanted], options, tools))

        return replace(suite, stages=stages)

    ran(only("i0", "i2", "i3"), folder)
    assert ran(only("i3", "i1", "i2", "i0"), folder) == runner.Ran(4, 1, 0)
    assert asked == ["i0", "i2", "i3", "i1"]
    found = read_answers(folder.system("mine") / "say.jsonl")
    assert {key: answer.value["n"] for key, answer in found.items()} == {"i0": 0, "i1": 1, "i2": 2, "i3": 3}


def test_what_failed_is_counted_and_asked_again_on_request(tmp_path: Path) -> None:
    suite = toy(answer=lambda task: Answer(fault="busy") if task.key == "i1" else Answer(task.ask))
    folder = prepared(tmp_path, suite)
    assert ran(suite, folder) == runner.Ran(6, 6, 1)
    assert runner.score(suite, folder, "mine")["sheets"]["all"]["missing"] == {"open": 1}
    asked: list[str] = []
    mended = toy(asked=asked)
    assert ran(mended, folder) == runner.Ran(6, 0, 1)
    assert ran(mended, folder, retry_failed=True) == runner.Ran(6, 1, 0)
    assert asked == ["i1"]
    assert runner.score(suite, folder, "mine")["sheets"]["all"]["coverage"] == 1


def test_other_settings_need_another_name_or_a_restart(tmp_path: Path) -> None:
    suite = toy()
    folder = prepared(tmp_path, suite)
    ran(suite, folder)
    other = toy(signature="say:v2")
    with pytest.raises(UsageError, match=r"say:v1 -> say:v2.*another --name.*--restart"):
        ran(other, folder)
    assert ran(other, folder, restart=True) == runner.Ran(6, 6, 0)


def test_changed_data_is_never_scored_with_old_answers(tmp_path: Path) -> None:
    suite = toy()
    folder = prepared(tmp_path, suite)
    ran(suite, folder)
    runner.prepare(toy(4), folder, NO_OPTIONS, SimpleNamespace())
    with pytest.raises(UsageError, match="its answers are to the data"):
        runner.score(suite, folder, "mine")
    items = folder.path / "items.jsonl"
    items.write_bytes(items.read_bytes().replace(b'"n": 3', b'"n": 9'))
    with pytest.raises(UsageError, match="it was changed after it was prepared"):
        folder.items()


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: toy(0), UsageError, "nothing in the data"),
        (lambda: _doubled(), UsageError, "two items of toy have the id 'i0'"),
    ],
    ids=["empty", "same id twice"],
)
def test_prepare_refuses(tmp_path: Path, make: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        prepared(tmp_path, make())


def _doubled() -> Suite:
    return replace(toy(), prepare=lambda options, tools: Prepared([Item("i0", "q", {"n": 0})] * 2))


@pytest.mark.parametrize("answers", [[Answer()], [Answer()] * 9], ids=["too few", "too many"])
def test_a_stage_gives_one_answer_per_task(tmp_path: Path, answers: list[Answer]) -> None:
    suite = toy()
    folder = prepared(tmp_path, suite)
    stage = Stage("say", "x", lambda _: [Task(str(n), {}) for n in range(6)], lambda tasks: iter(answers))
    suite = replace(suite, stages=lambda *_: [stage])
    with pytest.raises(ComponentError, match="not one answer per task"):
        ran(suite, folder)


def test_later_stages_see_earlier_answers(tmp_path: Path) -> None:
    suite = toy(3)
    folder = prepared(tmp_path, suite)
    first = suite.stages(folder.items(), NO_OPTIONS, SimpleNamespace())[0]

    def doubled(answers: Any) -> list[Task]:
        return [Task(key, {"n": 2 * answer.value["n"]}) for key, answer in answers["say"].items()]

    second = Stage("double", "d", doubled, lambda tasks: (Answer(task.ask) for task in tasks))
    suite = replace(suite, stages=lambda *_: [first, second])
    assert ran(suite, folder) == runner.Ran(6, 6, 0)
    assert [a.value["n"] for a in folder.answers("mine")["double"].values()] == [0, 2, 4]


@pytest.mark.parametrize("name", ["../out", "a/b", "", ".hidden", "a b"])
def test_names_of_systems_stay_in_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a system"):
        Folder(tmp_path, "toy").system(name)


def test_steps_say_which_step_comes_first(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "none", "toy")
    with pytest.raises(UsageError, match="bench prepare toy"):
        ran(toy(), folder)
    folder = prepared(tmp_path, toy())
    with pytest.raises(UsageError, match=r"Systems of this folder: none.*bench run toy --name mine"):
        runner.score(toy(), folder, "mine")
    with pytest.raises(UsageError, match="no system has answers here"):
        runner.report(toy(), folder)
    with pytest.raises(UsageError, match="Did you mean 'human'"):
        find("humans")


# -- scores, comparisons, reports ----------------------------------------------------------------


def test_a_score_carries_its_signature_and_what_it_is_made_of(tmp_path: Path) -> None:
    suite = toy(answer=lambda task: Answer({"n": 0}))
    folder = prepared(tmp_path, suite)
    ran(suite, folder)
    scored = runner.score(suite, folder, "mine", draws=100, seed=3)
    data = folder.prepared()["data"]
    assert scored["signature"].startswith(f"toy|say:v1|data:{data}|v:")
    assert scored["bootstrap"] == {"draws": 100, "seed": 3, "level": 0.95, "unit": "group"}
    accuracy = scored["sheets"]["all"]["metrics"]["accuracy"]
    assert accuracy["value"] == round(1 / 6, 6)
    assert 0 == accuracy["low"] < accuracy["value"] < accuracy["high"] <= 0.5
    assert json.loads((folder.system("mine") / "score.json").read_text()) == scored
    assert runner.score(suite, folder, "mine", draws=100, seed=3) == scored


def two_systems(tmp_path: Path) -> tuple[Suite, Folder]:
    suite = toy(40)
    folder = prepared(tmp_path, suite)
    ran(suite, folder, "good")
    half = toy(40, answer=lambda task: Answer({"n": task.ask["n"] if task.ask["n"] % 4 < 2 else -1}))
    ran(half, folder, "half")
    return suite, folder


def test_compare_is_paired_and_says_what_would_be_needed(tmp_path: Path) -> None:
    suite, folder = two_systems(tmp_path)
    own, other = (runner.sheets(suite, folder, name) for name in ("good", "half"))
    [found] = compare.comparisons([("good", own, "half", other)], draws=200)
    accuracy = found["metrics"]["accuracy"]
    assert (found["n"], found["groups"], accuracy["difference"]) == (40, 20, 0.5)
    assert accuracy["low"] > 0.2
    assert accuracy["p"] == accuracy["p_holm"] < 0.02
    assert found["mcnemar"]["only_a"] == 20
    assert found["mcnemar"]["only_b"] == 0
    assert found["mcnemar"]["rows_needed"] < 40
    assert accuracy["groups_needed"] < 20


def test_compare_takes_only_units_that_both_have(tmp_path: Path) -> None:
    suite, folder = two_systems(tmp_path)
    ran(suite, folder, "part", limit=10)
    own, other = (runner.sheets(suite, folder, name) for name in ("half", "part"))
    [found] = compare.comparisons([("half", own, "part", other)], draws=50)
    assert (found["n"], found["only_in_a"], found["only_in_b"]) == (10, 30, 0)


def test_p_values_are_adjusted_over_all_comparisons(tmp_path: Path) -> None:
    suite, folder = two_systems(tmp_path)
    own, other = (runner.sheets(suite, folder, name) for name in ("good", "half"))
    once, twice = (
        compare.comparisons([("a", own, "b", other)] * times, draws=200)[0]["metrics"]["accuracy"]
        for times in (1, 2)
    )
    assert twice["p_holm"] == pytest.approx(2 * once["p_holm"])


def test_within_compares_sheets_of_one_system(tmp_path: Path) -> None:
    suite, folder = two_systems(tmp_path)
    own = {"x": runner.sheets(suite, folder, "good")["all"], "y": runner.sheets(suite, folder, "half")["all"]}
    [found] = compare.comparisons_within([("mine", own, "x", "y")], draws=50)
    assert found["metrics"]["accuracy"]["difference"] == 0.5


def test_report_writes_tables_and_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    suite, folder = two_systems(tmp_path)
    written, lacking = runner.report(
        suite, folder, against="half", draws=50, test_draws=50, output=tmp_path / "out" / "toy"
    )
    assert [path.name for path in written] == ["toy.json", "toy.md", "toy_plot.png"]
    assert not lacking
    assert written[2].read_bytes().startswith(b"\x89PNG")
    assert "![Toy](toy_plot.png)" in written[1].read_text()
    results = json.loads(written[0].read_text())
    assert list(results["systems"]) == ["good", "half"]
    assert len(results["comparisons"]) == 1
    first = written[2].read_bytes()
    runner.report(suite, folder, draws=50, test_draws=50, output=tmp_path / "out" / "toy")
    assert written[2].read_bytes() == first


def test_without_matplotlib_there_is_everything_but_plots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    suite, folder = two_systems(tmp_path)
    written, lacking = runner.report(suite, folder, draws=50, test_draws=50)
    assert [path.name for path in written] == ["report.json", "report.md"]
    assert "pip install 'refchecker[bench]'" in lacking


@pytest.mark.parametrize("kind", ["bars", "lines", "dots", "parts"])
def test_plots_take_gaps_and_long_names(tmp_path: Path, kind: Any) -> None:
    pytest.importorskip("matplotlib")
    places = [f"a rather long name {n}" for n in range(9)]
    series = [
        Series("one", [0.1 * n for n in range(9)], [None] * 9, [0.5] * 9),
        Series("two", [None, *([0.5] * 8)]),
    ]
    [path], _ = plots.draw([Plot("p", "t", kind, places, series)], tmp_path / "x")
    assert path.stat().st_size > 5000


def test_table_cells_are_escaped() -> None:
    assert tables.table(["a|b"], [["x\ny"]]) == ["| a\\|b |", "| --- |", "| x y |"]


# -- asking --------------------------------------------------------------------------------------


def say(request: Request) -> str | Reply:
    if "down" in request.user:
        raise GaveUp("the server is down")
    if "broke" in request.user:
        raise RunEnds("no credit left")
    return f"{request.system}:{request.user}:{request.sample}"


def answers(stage: Stage, *asks: dict[str, Any]) -> list[Answer]:
    return list(stage.answer(Task(str(n), ask) for n, ask in enumerate(asks)))


def test_prompts_are_answered_in_order_and_one_that_fails_fails_alone() -> None:
    stage = prompt_stage("p", ClientAsk(Scripted(say)), lambda _: [], prompts=["b@2", "a@1"])
    assert stage.signature == "llm:scripted|prompts:a@1,b@2"
    found = answers(stage, {"user": "one", "system": "s"}, {"user": "down"}, {"user": "two", "sample": 3})
    assert [answer.value.get("reply") for answer in found] == ["s:one:0", None, ":two:3"]
    assert found[1].fault == "the server is down"


def test_what_ends_the_run_is_not_swallowed() -> None:
    stage = prompt_stage("p", ClientAsk(Scripted(say)), lambda _: [])
    with pytest.raises(RunEnds):
        answers(stage, {"user": "one"}, {"user": "broke"})


def test_a_client_is_kept_busy_ahead_of_the_answers() -> None:
    client = Scripted(say)
    stage = prompt_stage("p", ClientAsk(client), lambda _: [])
    stream = stage.answer(Task(str(n), {"user": str(n)}) for n in range(500))
    next(stream)
    patience = time.monotonic() + 60
    while len(client.asked) <= AHEAD and time.monotonic() < patience:
        time.sleep(0.01)
    assert len(client.asked) == AHEAD + 1
    assert [answer.value["reply"] for answer in stream] == [f":{n}:0" for n in range(1, 500)]


def test_a_function_from_prompts_to_replies_will_do() -> None:
    seen: list[int] = []

    def echo(prompts: list[str]) -> list[str]:
        seen.append(len(prompts))
        return [prompt.upper() for prompt in prompts]

    stage = prompt_stage("p", FunctionAsk(echo, "mine"), lambda _: [])
    found = answers(stage, *[{"user": f"q{n}", "system": "be short"} for n in range(40)])
    assert found[0].value["reply"] == "BE SHORT\n\nQ0"
    assert len(found) == 40
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda prompts: 1 / 0, "ZeroDivisionError"),
        (lambda prompts: ["only one"], "1 replies to 2 prompts"),
    ],
)
def test_a_function_that_breaks_is_a_fault_of_its_batch(function: Any, says: str) -> None:
    stage = prompt_stage("p", FunctionAsk(function, "mine"), lambda _: [])
    assert all(says in answer.fault for answer in answers(stage, {"user": "a"}, {"user": "b"}))


def test_a_task_without_prompt_is_a_mistake_of_the_suite() -> None:
    with pytest.raises(UsageError, match="task '0' has no prompt"):
        answers(prompt_stage("p", ClientAsk(Scripted(say)), lambda _: []), {"text": "x"})


def test_ask_gives_errors_as_values() -> None:
    found = ClientAsk(Scripted(say))([Request("", "fine", 9), Request("", "down", 9)])
    assert isinstance(found[0], Reply)
    assert isinstance(found[1], LLMError)


def contains(pairs: Any) -> list[Judgment]:
    return [
        Judgment(Label.ABSTAIN, note="cannot read it")
        if "odd" in pair.claim.text
        else Judgment(Label.ENTAILMENT if pair.claim.text in pair.passage.text else Label.NEUTRAL)
        for pair in pairs
    ]


def test_claims_are_checked_through_the_pipeline() -> None:
    stage = check_stage("c", contains, lambda _: [])
    assert stage.signature == "check:contains|merge:any_support"
    ask = {
        "references": ["cats sleep", "dogs bark"],
        "claims": [["dogs", "bark", ""], "cats bark", "odd one"],
    }
    whole, bare, none = answers(stage, ask, {**ask, "references": []}, {**ask, "claims": []})
    assert whole.value["labels"] == ["Entailment", "Neutral", "Abstain"]
    assert whole.value["by_reference"][0] == ["Neutral", "Entailment"]
    assert whole.value["claims"][0] == ["dogs", "bark", ""]
    assert "1 of 3 claims undetermined: cannot read it" in whole.fault
    assert "no reference" in bare.fault
    assert (none.value["labels"], none.fault) == ([], "")


def test_the_suite_in_the_documentation_runs(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "suites.md").read_text("utf-8")
    scope: dict[str, Any] = {}
    for block in text.split("```python\n")[1:]:
        exec(block.split("```")[0], scope)
    suite: Suite = scope["SUITE"]
    options = suite.run_options()
    assert options.attempts == 1
    client = Scripted(lambda request: "It is 5, or 50." if "2" in request.user else "Who knows?")
    tools = SimpleNamespace(llm=lambda: ClientAsk(client))
    folder = Folder(tmp_path / "sums", "sums")
    runner.prepare(suite, folder, NO_OPTIONS, tools)
    runner.run(suite, folder, "scripted", options, tools)
    written, _ = runner.report(suite, folder, draws=20, plots=False)
    assert "| scripted | 3 | 0.667 (" in written[1].read_text("utf-8")
