"""The LLM mode: replies read by table, prompts as files, set-ups, the second step, scores by hand."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import golden_prompts
import pytest

from refchecker.cli import main
from refchecker.errors import LLMError, UsageError
from refchecker.llms.providers.scripted import Scripted
from refchecker.llms.types import Reply
from refchecker.suites import runner
from refchecker.suites.ask import ClientAsk, request_of
from refchecker.suites.folder import Folder
from refchecker.suites.imaginary import SUITE, asking
from refchecker.suites.imaginary.replies import abstains, acceptable, answer_in, denied, is_span
from refchecker.suites.imaginary.sheets import score, within
from refchecker.suites.types import Answer, Item, Prepared

CONTEXT = "Perhaps Mount Zorg, the highest peak of Lurnia, is cold."


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Oslo", "Oslo"),
        ("  Oslo.\n", "Oslo"),
        ('"Oslo"', "Oslo"),
        ("“Oslo.”", "Oslo"),
        ("**Oslo**", "Oslo"),
        ("Answer: Oslo", "Oslo"),
        ("answer:\nOslo", "Oslo"),
        ("**Answer:** `Oslo`", "Oslo"),
        ("Final answer: Oslo.", "Oslo"),
        ("The answer: Oslo", "The answer: Oslo"),
        ("St. Louis", "St. Louis"),
        ("", ""),
        ("...", ""),
    ],
)
def test_answer_in_a_plain_reply(reply, expected):
    assert answer_in(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("The text says so.\nAnswer: Oslo", "Oslo"),
        ("Answer: Rome?\nNo, it is another one.\nAnswer: Oslo.", "Oslo"),
        ("Step 1: read.\n\n**Final Answer:** None", "None"),
        ("- Answer: Oslo", "Oslo"),
        ("I think the answer is Oslo", "I think the answer is Oslo"),
    ],
)
def test_answer_in_a_reasoned_reply(reply, expected):
    assert answer_in(reply, reasoned=True) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "None",
        "none",
        "None (the text only supposes it)",
        "NONE of the words answer it",
        "N/A",
        "null",
        "No answer",
        "No information is given",
        "Not mentioned",
        "Not specified in the text",
        "Unknown",
        "Unanswerable",
        "Uncertain",
        "It is not stated who did",
        "It is unclear",
        "That is not specified",
        "I don't know",
        "I don’t know",
        "I cannot tell",
        "Sorry, the text is too short",
        "There is no answer in the text",
        "There isn't one",
        "The text does not say.",
        "The passage doesn't explicitly mention it",
        "The context does not provide this",
        "The question cannot be answered from the text",
        "It can't be determined",
        "This is impossible to say",
        "The author is not mentioned",
        "The name was not explicitly stated",
        "Insufficient information",
        "The question is unanswerable",
    ],
)
def test_abstentions(answer):
    assert abstains(answer, CONTEXT)
    assert acceptable(answer, CONTEXT)


@pytest.mark.parametrize(
    "answer",
    [
        "Nonesuch Palace",
        "Nullarbor",
        "Norway",
        "Unknownia",
        "The Unanswered Question",
        "Mount Zorg",
        "Mount Zorg is not cold",
        "No. 5",
        "the highest peak",
        "Not Oslo",
        "",
    ],
)
def test_answers_are_no_abstentions(answer):
    assert not abstains(answer, CONTEXT)


def test_words_of_the_text_are_an_answer_though_they_sound_like_an_abstention():
    context = "It is uncertain that Zorg was born in Lurn."
    assert not abstains("It is uncertain", context)
    assert abstains("It is uncertain", CONTEXT)
    assert acceptable("it is uncertain that Zorg was born in Lurn", context)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Mount Zorg", True),
        ("mount  zorg", True),
        ("Perhaps", True),
        ("is cold", True),
        ("Zor", False),
        ("ount Zorg", False),
        ("Zorg Mount", False),
        ("Mount Zorg the highest", False),
        ("Oslo", False),
        ("", False),
        (".*", False),
    ],
)
def test_spans(answer, expected):
    assert is_span(answer, CONTEXT) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("No", True),
        ("no.", True),
        ("Answer: No", True),
        ("**No**", True),
        ("No, it does not", True),
        ("Yes", False),
        ("yes, no doubt", False),
        ("None", False),
        ("Not sure", False),
        ("", False),
    ],
)
def test_denied(reply, expected):
    assert denied(reply) == expected


# -- prompts -------------------------------------------------------------------------------------


def item(each, construction, context, *, answers=(), number="0000", truth="Ruv"):
    fields = {
        "set": each,
        "construction": construction,
        "context": context,
        "question": "Who wrote Lurn?",
        "answer": "Zorg",
        "answers": list(answers),
        "claim": "Zorg wrote Lurn.",
        "triplet": ["Zorg", "wrote", "Lurn"],
        "truth": truth,
        "relation": "author",
        "frame": "",
    }
    return Item(f"{each}/{construction}/{number}", f"author/{number}", fields)


ASSERTED = item("imaginary", "affirmative", "Zorg wrote Lurn.", answers=["Zorg wrote Lurn", "Zorg"])
MODAL = item("imaginary", "modal", "Zorg might have written Lurn.")
CONTRARY = item("contradicting", "modal", "Zorg might have written Lurn.")
ITEMS = [ASSERTED, MODAL, CONTRARY]


class Script:
    """An `Ask` that gives each context's replies in order, and the last one ever after."""

    signature = "script"

    def __init__(self, replies, verdict="yes"):
        self.replies, self.verdict = replies, verdict
        self.requests = []

    def __call__(self, requests):
        self.requests += requests
        return [self._reply(request) for request in requests]

    def _reply(self, request):
        if "Given answer:" in request.user:
            return Reply(self.verdict)
        replies = next(r for context, r in self.replies.items() if context in request.user)
        said = replies[min(request.sample, len(replies) - 1)]
        return said if isinstance(said, LLMError) else Reply(said)


def answered(script, prompts, attempts=15, items=ITEMS):
    answers = {}
    for stage in asking.stages(items, script, prompts, attempts):
        tasks = list(stage.tasks(answers))
        answers[stage.name] = dict(zip([t.key for t in tasks], stage.answer(tasks), strict=True))
    return answers


@pytest.mark.parametrize("kind", ["basic", "instructed", "chain_of_thought", "verify"])
def test_filled_prompt_imaginary(kind):
    script = Script({"Zorg": ["Zorg"]})
    stages = {stage.name: stage for stage in asking.stages([MODAL], script, asking.PROMPTS, 15)}
    given = {"instructed": {MODAL.id: Answer({"replies": ["Zorg"], "attempts": 15})}}
    [task] = stages[kind].tasks(given)
    version = asking.prompt(f"imaginary_{kind}").version
    golden_prompts.check(f"imaginary_{kind}", asking.replace(request_of(task), prompt=version))


# -- asking --------------------------------------------------------------------------------------


def test_it_asks_again_until_the_reply_is_a_span_or_an_abstention():
    script = Script({"Zorg wrote": ["It was Zorg who wrote it", "Zorg Lurn", "Zorg"], "Zorg might": ["None"]})
    answers = answered(script, ["basic"])["basic"]
    assert answers[ASSERTED.id].value["replies"] == ["It was Zorg who wrote it", "Zorg Lurn", "Zorg"]
    assert answers[MODAL.id].value["replies"] == ["None"]
    warmth = [(r.sample, r.temperature) for r in script.requests if "Zorg wrote" in r.user]
    assert warmth == [(0, 0.0), (1, 1.0), (2, 1.0)]


def test_after_so_many_attempts_the_question_is_skipped_in_the_controlled_set_up():
    script = Script({"Zorg wrote": ["Zorg"], "Zorg might": ["Probably Ruv"]})
    answers = answered(script, ["basic"], attempts=4)
    assert len(answers["basic"][MODAL.id].value["replies"]) == 4
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    skipped = sheets["basic/controlled/imaginary/modal"]
    assert (len(skipped.ids), dict(skipped.missing)) == (
        0,
        {"skipped: no acceptable reply in all attempts": 1},
    )
    assert sheets["basic/uncontrolled/imaginary/modal"].columns["f1"].tolist() == [0.0]


def client(script):
    """The script behind a client: questions then go through their attempts side by side."""

    def say(request):
        [outcome] = script([request])
        if isinstance(outcome, LLMError):
            raise outcome
        return outcome

    return ClientAsk(Scripted(say))


def test_a_client_gives_the_answers_of_a_function_in_order():
    replies = {"Zorg wrote": ["It was Zorg who wrote it", "Zorg"], "Zorg might": [LLMError("timeout")]}
    items = [
        item("imaginary", kind, each.fields["context"], number=f"{n}")
        for n in range(40)
        for kind, each in (("affirmative", ASSERTED), ("modal", MODAL))
    ]
    one, other = Script(replies), Script(replies)
    answers = answered(one, asking.PROMPTS, items=items)
    assert answered(client(other), asking.PROMPTS, items=items) == answers
    assert len(one.requests) == len(other.requests)
    assert answers["basic"][items[1].id].fault == "timeout"


def test_who_stops_listening_stops_the_asking():
    """The second question would be asked a million times, were it not told to stop."""
    script = Script({"Zorg wrote": ["Zorg"], "Zorg might": ["Probably Ruv"]})
    [stage] = asking.stages(ITEMS, client(script), ["basic"], 1_000_000)
    answers = stage.answer(stage.tasks({}))
    assert next(answers).value["replies"] == ["Zorg"]
    answers.close()
    assert len(script.requests) < 1_000_000


def test_no_attempt_is_too_few():
    with pytest.raises(UsageError, match="--attempts 0: at least one is needed"):
        asking.stages(ITEMS, Script({}), ["basic"], 0)


def test_with_one_attempt_there_is_no_controlled_set_up():
    names = [s.name for s in score(ITEMS, answered(Script({"Zorg": ["Zorg"]}), ["basic"], attempts=1))]
    assert names
    assert not [name for name in names if "/controlled/" in name]


def test_a_failed_request_concerns_its_question_alone():
    script = Script({"Zorg wrote": [LLMError("timeout")], "Zorg might": ["None"]})
    answers = answered(script, ["basic"])
    assert answers["basic"][ASSERTED.id] == Answer({"replies": [], "attempts": 15}, "timeout")
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    assert dict(sheets["basic/controlled/imaginary/affirmative"].missing) == {"timeout": 1}
    assert sheets["basic/controlled/imaginary/modal"].columns["em"].tolist() == [1]


def test_what_fails_when_asked_again_has_its_first_reply_in_the_uncontrolled_set_up():
    script = Script({"Zorg wrote": ["It was Zorg", LLMError("timeout")], "Zorg might": ["None"]})
    answers = answered(script, ["basic"])
    assert answers["basic"][ASSERTED.id] == Answer({"replies": ["It was Zorg"], "attempts": 15}, "timeout")
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    assert dict(sheets["basic/controlled/imaginary/affirmative"].missing) == {"timeout": 1}
    assert sheets["basic/uncontrolled/imaginary/affirmative"].columns["f1"].tolist() == [pytest.approx(0.5)]


@pytest.mark.parametrize(("verdict", "expected"), [("yes", 0), ("No.", 1), ("perhaps", 0)])
def test_in_two_steps_a_denied_answer_becomes_an_abstention(verdict, expected):
    script = Script({"Zorg": ["Zorg"]}, verdict)
    answers = answered(script, ["two_step"])
    assert set(answers) == {"instructed", "verify"}
    assert set(answers["verify"]) == {f"{each.id}: Zorg" for each in ITEMS}
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    assert sheets["two_step/controlled/imaginary/modal"].columns["em"].tolist() == [expected]
    assert sheets["instructed/controlled/imaginary/modal"].columns["em"].tolist() == [0]


def test_an_abstention_is_not_asked_about_and_each_set_up_has_its_answer_verified():
    script = Script({"Zorg wrote": ["None"], "Zorg might": ["It is Zorg", "Zorg"]})
    answers = answered(script, ["two_step"])
    assert set(answers["verify"]) == {
        f"{x.id}: {a}" for x in (MODAL, CONTRARY) for a in ("Zorg", "It is Zorg")
    }


# -- scores --------------------------------------------------------------------------------------


def test_scores_worked_by_hand():
    """Affirmative: "Zorg then" against "Zorg": F1 2·1/(2+1). Modal: one as if asserted, one from memory."""
    replies = {
        ASSERTED.id: "Zorg then",
        MODAL.id: "Zorg",
        CONTRARY.id: "It was Ruv",
    }
    answers = {"basic": {key: Answer({"replies": [r], "attempts": 1}) for key, r in replies.items()}}
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}

    def metric(place, name):
        sheet = sheets[f"basic/uncontrolled/{place}"]
        return sheet.metrics[name](sheet.columns)

    assert metric("imaginary/affirmative", "f1") == pytest.approx(2 / 3)
    assert metric("imaginary/affirmative", "em") == 0
    assert metric("all/non_affirmative", "f1") == 0
    assert metric("all/non_affirmative", "as_asserted") == 0.5
    assert metric("contradicting/non_affirmative", "from_memory") == 1
    assert metric("balance", "balanced_accuracy") == 0


@pytest.mark.parametrize(
    ("reply", "expected"), [("", 1), ("None", 1), ("The text does not say", 1), ("the", 1), ("Zorg", 0)]
)
def test_what_abstains_is_right_where_the_text_does_not_answer(reply, expected):
    answers = {"basic": {MODAL.id: Answer({"replies": [reply], "attempts": 1})}}
    [sheet] = [s for s in score([MODAL], answers) if s.name == "basic/uncontrolled/imaginary/modal"]
    assert sheet.columns["f1"].tolist() == [expected]
    assert sheet.columns["abstained"].tolist() == [expected]


def labelled(*labels):
    return Answer({"labels": list(labels)})


def test_checker_scores_worked_by_hand():
    answers = {
        "check": {
            ASSERTED.id: labelled("Entailment", "Neutral"),
            MODAL.id: labelled("Entailment", "Contradiction"),
            CONTRARY.id: labelled("Neutral"),
        }
    }
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    values = {
        name: {
            metric: sheets[name].metrics[metric](sheets[name].columns)
            for metric in ("entailment", "accuracy")
        }
        for name in sheets
        if not name.endswith("balance")
    }
    assert values["check/sentence/imaginary/affirmative"] == {"entailment": 1, "accuracy": 1}
    assert values["check/sentence/imaginary/modal"] == {"entailment": 1, "accuracy": 0}
    assert values["check/sentence/all/modal"] == {"entailment": 0.5, "accuracy": 0.5}
    assert values["check/triplet/all/modal"] == {"entailment": 0, "accuracy": 1}
    assert dict(sheets["check/triplet/all/modal"].missing) == {"its claim has no triplet": 1}
    balance = sheets["check/sentence/balance"]
    assert balance.metrics["balanced_accuracy"](balance.columns) == pytest.approx((1 + 0.5) / 2)


def test_cells_are_compared_on_the_same_statements():
    answers = {"check": {each.id: labelled("Entailment", "Entailment") for each in ITEMS}}
    sheets = {sheet.name: sheet for sheet in score(ITEMS, answers)}
    [pair] = [p for p in within(list(sheets)) if "/modal" in p[0]]
    assert pair == ("check/sentence/contradicting/modal", "check/sentence/imaginary/modal")
    assert list(sheets[pair[0]].ids) == list(sheets[pair[1]].ids) == ["0000"]


def test_what_was_not_asked_is_missing():
    sheets = {sheet.name: sheet for sheet in score(ITEMS, {"check": {}})}
    assert dict(sheets["check/sentence/balance"].missing) == {"not asked yet: the run is not finished": 3}


# -- the whole way -------------------------------------------------------------------------------

OPTIONS = SUITE.run_options(attempts=3)


def test_a_run_that_is_interrupted_goes_on(tmp_path):
    folder = Folder(tmp_path, "imaginary")
    folder.write(Prepared(ITEMS), {"version": "0"})
    script = Script({"Zorg": ["Zorg"]})
    tools = SimpleNamespace(has_llm=True, llm=lambda: script)
    first = runner.run(SUITE, folder, "script", OPTIONS, tools, runner.Resuming(limit=2))
    asked = len(script.requests)
    again = runner.run(SUITE, folder, "script", OPTIONS, tools)
    assert first.asked == asked == 2 * 4
    assert again.asked == len(script.requests) - asked == 4
    assert runner.score(SUITE, folder, "script")["sheets"]["chain_of_thought/controlled/balance"]["n"] == 3


CHECKS = """
from refchecker.types import Judgment, Label

class Literal:
    signature = "literal"
    def __call__(self, pairs):
        said = [pair.claim.text.rstrip(".").casefold() in pair.passage.text.casefold() for pair in pairs]
        return [Judgment(Label.ENTAILMENT if yes else Label.NEUTRAL) for yes in said]

check = Literal()
"""


def test_from_the_command_line(tmp_path: Path, monkeypatch, capsys):
    """A checker that looks for the claim's words is right on what is asserted, wrong on "unlikely that"."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "literal_check.py").write_text(CHECKS)
    assert main(["bench", "prepare", "imaginary", "--per_cell", "6"]) == 0
    assert "108 items in 6 groups" in capsys.readouterr().err
    assert (
        main(["bench", "run", "imaginary", "--checker_name", "python:literal_check:check", "--name", "words"])
        == 0
    )
    assert main(["bench", "score", "imaginary", "--draws", "100"]) == 0
    assert main(["bench", "report", "imaginary", "--no_plots"]) == 0
    text = (tmp_path / "bench" / "imaginary" / "report.md").read_text("utf-8")
    assert "| affirmative | 6/6/6/18 | 1.000 (1.00–1.00) |" in text
    for construction in ("negation", "unlikely", "modal", "if-clause", "would-clause", "the five together"):
        assert f"| {construction} | " in text
    assert "that {s} {vp}.` | unlikely | 3 | 0.000 |" in text


def test_scoring_loads_no_model_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "literal_check.py").write_text(CHECKS)
    assert main(["bench", "prepare", "imaginary", "--per_cell", "2", "--quiet"]) == 0
    run = ["bench", "run", "imaginary", "--checker_name", "python:literal_check:check", "--name", "words"]
    assert main([*run, "--quiet"]) == 0
    code = (
        "import socket, sys\n"
        "socket.socket.connect = None\n"
        "from refchecker.cli import main\n"
        "assert main(['bench', 'score', 'imaginary', '--draws', '10']) == 0\n"
        "heavy = {'torch', 'transformers', 'spacy', 'onnxruntime', 'openai', 'scipy', 'sklearn'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    root = str(Path(__file__).parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": root}, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["prepare", "imaginary", "--per_cell", "9999"], "the word lists hold"),
        (
            ["prepare", "imaginary", "--published", "nowhere"],
            "nowhere: no file of the published sets is here",
        ),
        (["prepare", "imaginary", "--per_cell", "0"], "--per_cell 0: the word lists hold"),
        (["run", "imaginary"], "Run first: refchecker-cli bench prepare imaginary"),
    ],
)
def test_mistakes_are_said_with_what_to_do(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["bench", *arguments])
    except SystemExit as stopped:
        code = stopped.code
    assert code == 2
    assert says in capsys.readouterr().err
