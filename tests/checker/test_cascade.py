"""The cascade, and the rules that may be its first stage."""

import json
import re
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.checker.cascade import Cascade
from refchecker.checker.rules import Rules
from refchecker.cli import main
from refchecker.errors import ComponentError, UsageError
from refchecker.io import output_schema
from refchecker.pipeline import run
from refchecker.protocols import done_future
from refchecker.registry import load
from refchecker.types import Claim, Judgment, Label, Pair, Passage, Record

E, N, C, A = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION, Label.ABSTAIN


def pair(claim: str, passage: str = "Sun.") -> Pair:
    return Pair(Claim(claim), Passage(passage, "doc"))


def by_percent(pairs):
    """As sure of Entailment as the claim's number says, in percent."""
    return [Judgment(E, {E: int(pair.claim.text) / 100}) for pair in pairs]


def contradicts(pairs):
    return [Judgment(C, {C: 0.4}) for _ in pairs]


def fails(pairs):
    return [Judgment(A, note="no answer") for _ in pairs]


def breaks(pairs):
    raise ValueError("broken")


@given(st.lists(st.integers(0, 100).map(str)), st.floats(0, 1))
def test_the_last_stage_answers_exactly_what_the_first_is_unsure_of(claims, confidence):
    pairs = [pair(claim) for claim in claims]
    check = Cascade([("cheap", by_percent), ("costly", contradicts)], confidence=confidence)
    judgments = check(pairs)
    assert [j.label for j in judgments] == [E if int(c) / 100 >= confidence else C for c in claims]
    assert [j.by for j in judgments] == [{E: "cheap", C: "costly"}[j.label] for j in judgments]
    assert +check.answered == Counter(j.by for j in judgments)


def test_each_stage_is_asked_only_what_is_open_and_in_order():
    asked = []

    def costly(pairs):
        asked.append([pair.claim.text for pair in pairs])
        return contradicts(pairs)

    check = Cascade([("cheap", by_percent), ("costly", costly)])
    check([pair(claim) for claim in ("10", "95", "20", "95", "10")])
    check([pair("95")])
    assert asked == [["10", "20", "10"]]


class Together:
    """A last stage that answers when `wanted` requests are under way, and after five seconds in any case."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.waiting, self.most = wanted, [], 0

    def __call__(self, pairs):
        return contradicts(pairs)

    def begin(self, pairs):
        future = Future()
        self.waiting.append((future, pairs))
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == self.wanted:
            self.answer()
        elif len(self.waiting) == 1:
            threading.Timer(5, self.answer).start()
        return future

    def answer(self):
        while self.waiting:
            future, pairs = self.waiting.pop()
            if not future.done():
                future.set_result(contradicts(pairs))


def test_a_last_stage_that_does_not_wait_has_many_records_under_way():
    last = Together(wanted=3)
    check = Cascade([("cheap", by_percent), ("costly", last)], confidence=0.9)
    passage = Passage("Sun.", "doc")
    numbers = ["10", "95", "20", "30", "99"]
    records = [Record(n, "", references=(passage,), claims=(Claim(n), Claim("97"))) for n in numbers]
    reports = list(run(records, check=check))
    assert last.most == 3
    assert [report.record.id for report in reports] == numbers
    assert [[v.label for v in report.verdicts] for report in reports] == [
        [C if int(n) < 90 else E, E] for n in numbers
    ]
    assert +check.answered == Counter(cheap=7, costly=3)


def test_what_goes_wrong_in_the_last_stage_is_carried():
    class Short(Together):
        def begin(self, pairs):
            return done_future([])

    class Broken(Together):
        def begin(self, pairs):
            future = Future()
            future.set_exception(ValueError("broken"))
            return future

    for last, error in ((Short(1), ComponentError), (Broken(1), ValueError)):
        check = Cascade([("cheap", by_percent), ("costly", last)])
        with pytest.raises(error):
            check.begin([pair("10")]).result()


def test_a_cancelled_cascade_cancels_its_last_stage():
    last = Together(wanted=9)
    future = Cascade([("cheap", by_percent), ("costly", last)]).begin([pair("10")])
    assert future.cancel()
    assert last.waiting[0][0].cancelled()


def test_a_fault_goes_on_to_the_next_stage_and_the_last_one_stands():
    check = Cascade([("first", fails), ("second", contradicts), ("third", fails)], confidence=0.9)
    [judgment] = check([pair("1")])
    assert (judgment.label, judgment.note, judgment.by) == (A, "no answer", "third")


def test_a_stage_that_raises_fails_only_the_pairs_it_cannot_do():
    def picky(pairs):
        return breaks(pairs) if any(pair.claim.text == "5" for pair in pairs) else contradicts(pairs)

    check = Cascade([("cheap", by_percent), ("picky", picky)])
    records = [
        Record(c, "x", references=(Passage("Sun.", "d"),), claims=(Claim(c),)) for c in ("4", "5", "99")
    ]
    reports = list(run(records, check=check))
    assert [report.status for report in reports] == ["ok", "failed", "ok"]
    assert "broken" in reports[1].note


def test_a_stage_with_too_few_answers_ends_the_run():
    check = Cascade([("cheap", lambda pairs: []), ("costly", contradicts)])
    with pytest.raises(ComponentError, match="cheap returned 0 answers for 1"):
        check([pair("1")])


def test_counts_from_many_threads():
    check = Cascade([("cheap", by_percent), ("costly", contradicts)])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, [[pair("95"), pair("1")]] * 500))
    assert check.answered == {"cheap": 500, "costly": 500}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param("cascade", "two checkers or more", id="no stages"),
        pytest.param("cascade:rules", "two checkers or more", id="one stage"),
        pytest.param("cascade:rules,,embedded", "two checkers or more", id="an empty stage"),
        pytest.param("cascade:rules,rulse", "Did you mean 'rules'", id="an unknown stage"),
        pytest.param("cascade:rules,rules", "twice", id="the same twice"),
        pytest.param("cascade:rules,python:no_such:thing", "cannot load 'no_such:thing'", id="nested"),
    ],
)
def test_what_is_wrong_with_a_spec_is_said(spec, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        load("checker", spec)


@pytest.mark.usefixtures("importable")
def test_a_spec_with_colons_in_its_stages(monkeypatch, tmp_path):
    (tmp_path / "always_no.py").write_text(
        "from refchecker import Judgment, Label\n"
        "def check(pairs):\n"
        "    return [Judgment(Label.CONTRADICTION, {Label.CONTRADICTION: 0.5}) for _ in pairs]\n"
    )
    monkeypatch.chdir(tmp_path)
    check = load(
        "checker", "cascade:rules, python:always_no:check", cascade_confidence=0.95, language="en", threads=1
    )
    judgments = check([pair("it rains here", "It rains here."), pair("it rains here", "It may rain here.")])
    assert [(j.label, j.by) for j in judgments] == [(E, "rules"), (C, "python:always_no:check")]
    assert "rules(" in check.signature
    assert "0.95" in check.signature


def test_what_a_stage_has_to_tell_is_told_with_its_name():
    class Telling:
        def __call__(self, pairs):
            return contradicts(pairs)

        def remarks(self):
            return ["2 requests refused"]

    assert Cascade([("cheap", by_percent), ("llm", Telling())]).remarks() == ["llm: 2 requests refused"]


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_a_confidence_is_a_probability(confidence):
    with pytest.raises(UsageError, match="from 0 to 1"):
        Cascade([("a", by_percent), ("b", by_percent)], confidence=confidence)


@pytest.mark.parametrize(
    ("claim", "passage", "sure"),
    [
        pytest.param(
            "Paris is capital of France", "Paris is the capital of France.", True, id="whole sentence"
        ),
        pytest.param("Ann was born in Oslo.", "Rain. Ann was born in Oslo in 1920.", True, id="and more"),
        pytest.param("Ann was born in Oslo", "Ann (1920-1999) was born in Oslo.", True, id="parenthesis"),
        pytest.param("Ann was born", "Ann was not born.", False, id="negation"),
        pytest.param("Ann will go", "Ann will go if it rains.", False, id="condition"),
        pytest.param("Ann is in Oslo", "Ann is in Oslo, according to Bob.", False, id="attribution"),
        pytest.param("Ann is in Oslo", "Ann is in Oslo?", False, id="question"),
        pytest.param("Ann is in Oslo", "Ann is in Oslo or in Rome.", False, id="alternative"),
        pytest.param("Ann is in Oslo", "“Rome burns. Ann is in Oslo.” So Bob.", False, id="quotation"),
        pytest.param("Paul Revere was born", "The son of Paul Revere was born.", False, id="another subject"),
        pytest.param("Tom is a dog", "Tom is a dog trainer.", False, id="the noun goes on"),
        pytest.param("Tom is", "Tom is.", False, id="too short"),
        pytest.param("Tom is a dog", "", False, id="empty reference"),
    ],
)
def test_rules(claim, passage, sure):
    [judgment] = Rules()([pair(claim, passage)])
    assert judgment.label is (E if sure else A)
    assert bool(judgment.unsure) is not sure
    for span in judgment.spans:
        assert passage[span.start : span.end].startswith(("Paris", "Ann"))


def test_rules_are_for_english():
    assert Rules(language="de")([pair("it rains here", "It rains here.")])[0].label is A


@pytest.mark.usefixtures("importable")
def test_the_command_line_counts_the_stages_and_says_what_is_unsure(monkeypatch, tmp_path, capsys):
    (tmp_path / "leaning.py").write_text(
        "from refchecker import Judgment, Label\n"
        "def check(pairs):\n"
        "    return [Judgment(Label.NEUTRAL, {Label.NEUTRAL: 0.7}) for _ in pairs]\n"
    )
    monkeypatch.chdir(tmp_path)
    item = {"response": "x", "reference": "It rains here.", "triplets": ["it rains here", "it snows there"]}
    (tmp_path / "in.json").write_text(json.dumps([item]))
    files = ["--input_path", "in.json", "--output_path", "out.json"]
    checker = ["--checker_name", "cascade:rules,python:leaning:check"]

    assert main(["check", *files, *checker, "--min_confidence", "0.8"]) == 0
    [written] = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(written, output_schema())
    assert (written["ys"], written["status"]) == (["Entailment", "Abstain"], "ok")
    assert written["verdicts"][1]["unsure"] == "Neutral at 0.7, asked for 0.8"
    assert [v["references"][0]["by"] for v in written["verdicts"]] == ["rules", "python:leaning:check"]
    told = capsys.readouterr().err
    assert "pairs    2 of claim and reference, answered by" in told
    assert "1 of the Abstain are for want of confidence" in told

    assert main(["check", *files, *checker, "--cascade_confidence", "0.99", "--quiet"]) == 0
    [written] = json.loads((tmp_path / "out.json").read_text())
    assert written["ys"] == ["Neutral", "Neutral"]
    with pytest.raises(SystemExit):
        main(["check", *files, "--min_confidence", "80"])
