"""Asking and scoring of the conflicts suite: prompts, replies, votes, metrics by hand, spans."""

import math
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import golden_prompts
import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

from refchecker.errors import LLMError, UsageError
from refchecker.llms.types import Reply
from refchecker.suites import runner
from refchecker.suites.ask import request_of
from refchecker.suites.conflicts import SUITE, asking, checking
from refchecker.suites.conflicts.replies import majority, says, two_answers, verdict
from refchecker.suites.conflicts.units import TASKS, all_units
from refchecker.suites.folder import Folder
from refchecker.suites.types import Answer, Item, Prepared
from refchecker.types import CLAIM, Element, Judgment, Label, Located, Span


def item(name, domain="Places", method="substitution", **more):
    fields = {
        "domain": domain,
        "field": "towns",
        "entity": name,
        "method": method,
        "kind": "date",
        "original": "1049",
        "substitute": "1535",
        "parametric": f"{name} was founded in 1049. It is large.",
        "conflicting": f"{name} was founded in 1535. It is large.",
        "originals": [[len(name) + 16, len(name) + 20]],
        "edits": [[len(name) + 16, len(name) + 20]],
        "restated": f"Large {name} is of 1049.",
        "about": f"In which year was {name} founded?",
        "other": f"Is {name} large?",
    }
    return Item(f"{domain}/{name}/{method}/1", f"{domain}/{name}", fields | more)


OSLO, LIMA = item("Oslo"), item("Lima", "Art", "shuffling")


class Model:
    """An Ask whose replies a function makes of the prompt and the number of the sample."""

    signature = "model"

    def __init__(self, reply):
        self.reply, self.requests = reply, []

    def __call__(self, requests):
        self.requests += requests
        replies = [self.reply(request.user, request.sample) for request in requests]
        return [LLMError("down") if reply is None else Reply(reply) for reply in replies]


def answered(model, methods, tasks=TASKS, items=(OSLO, LIMA), ways=1):
    """What a run leaves, by stage and key."""
    given = {}
    for stage in asking.stages(items, model, tasks, methods, ways):
        todo = list(stage.tasks(given))
        assert len({task.key for task in todo}) == len(todo)
        given[stage.name] = dict(zip([t.key for t in todo], stage.answer(iter(todo)), strict=True))
    return given


def scored(items, given):
    return {sheet.name: sheet for sheet in SUITE.score(items, given)}


def values(sheet):
    return {name: metric(sheet.columns) for name, metric in sheet.metrics.items()}


# -- prompts and replies -------------------------------------------------------------------------

ASKED = [(name, task) for name, method in asking.METHODS.items() for task in method.tasks]


@pytest.mark.parametrize(("name", "task"), ASKED)
def test_filled_prompt(name, task):
    form = asking.METHODS[name].form
    model = Model(lambda user, sample: "Oslo is a town.")
    *_, stage = asking.stages([OSLO], model, [task], [name], 1)
    unit = list(all_units([OSLO], task))[-1]
    known = {asking.KNOWLEDGE: {asking.knowledge_key(unit): Answer({"reply": "Oslo is a town."})}}
    *_, last = stage.tasks(known)
    version = asking.prompt(f"conflicts_{task}_{form}").version
    golden_prompts.check(f"conflicts_{task}_{form}", asking_request(last, version))
    assert "$" not in last.ask["user"]


@pytest.mark.parametrize("task", ["context", "span"])
def test_filled_prompt_of_knowledge(task):
    [stage, _] = asking.stages([OSLO], Model(lambda user, sample: ""), [task], ["gkp_sc"], 1)
    *_, last = stage.tasks({})
    name = {"context": "knowledge_context", "span": "knowledge_question"}[task]
    version = asking.prompt(f"conflicts_{name}").version
    golden_prompts.check(f"conflicts_{name}", asking_request(last, version))


def asking_request(task, version):
    from dataclasses import replace

    return replace(request_of(task), prompt=version)


def test_a_wording_that_asks_for_agreement_turns_the_examples_round():
    *_, stage = asking.stages([OSLO], Model(lambda user, sample: ""), ["context"], ["few_shot"], 3)
    prompts = {task.key: task.ask["user"] for task in stage.tasks({})}
    plain, turned = (prompts[f"context: {OSLO.id} [{way}.1]"] for way in (1, 3))
    assert plain.index("Answer: Yes") < plain.index("Answer: No")
    assert turned.index("Answer: No") < turned.index("Answer: Yes")


def test_wordings_are_four_of_each_task():
    assert [len(asking.wordings(task)) for task in TASKS] == [4, 4, 4]
    with pytest.raises(UsageError, match="there are 1 to 4"):
        asking.stages([OSLO], Model(str), TASKS, ["cot"], 5)


@pytest.mark.parametrize(
    ("reply", "reasoned", "expected"),
    [
        ("Yes", False, "yes"),
        (" **No.**\n", False, "no"),
        ("Answer: Yes, it does", False, "yes"),
        ("no\n\nExplanation: yes", False, "no"),
        ("Nothing", False, ""),
        ("Yesterday", False, ""),
        ("It does conflict", False, ""),
        ("", False, ""),
        ("... Final answer: Yes", True, "yes"),
        ("Final answer: Yes\nwait.\n**Final answer:** **No**", True, "no"),
        ("So the final answer is: yes.", True, "yes"),
        ("Yes", True, ""),
        ("Final answer: maybe", True, ""),
    ],
)
def test_verdict(reply, reasoned, expected):
    assert verdict(reply, reasoned=reasoned) == expected


@pytest.mark.parametrize(
    ("votes", "expected"),
    [(["yes", "no", "yes"], "yes"), (["no", "yes"], "no"), (["", "", "yes"], "yes"), ([], "")],
)
def test_majority(votes, expected):
    assert majority(votes) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("From the context: 1535\nFrom my knowledge: 1049", ("1535", "1049")),
        ("- **From the context:** 1535.\n- **From my own knowledge:** 1049.", ("1535", "1049")),
        ("From the context: 1\nso\nFrom the context: 2\nFrom my knowledge: 3", ("2", "3")),
        ("from the context: 1535", ("1535", "")),
        ("1535; 1049", ("", "")),
    ],
)
def test_two_answers(reply, expected):
    assert two_answers(reply) == expected


@pytest.mark.parametrize(
    ("answer", "truth", "other", "expected"),
    [
        ("in 1535", "1535", "1049", True),
        ("1535", "the year 1535", "1049", True),
        ("1535 or 1049", "1535", "1049", False),
        ("15", "1535", "1049", False),
        ("", "1535", "", False),
        ("1535", "", "", False),
        ("The", "the", "", False),
    ],
)
def test_says(answer, truth, other, expected):
    assert says(answer, truth, other) is expected


# -- the tasks, by hand --------------------------------------------------------------------------


def test_methods_that_do_not_fit_task_three_leave_it_out():
    asked = {name: [task for each, task in ASKED if each == name] for name in asking.METHODS}
    assert len(asked) == 8
    assert asked["cot_sc"] == asked["break_down"] == ["context", "span"]
    assert all(own == list(TASKS) for name, own in asked.items() if name not in ("cot_sc", "break_down"))


def test_task_one_by_hand():
    """Both edited passages are positives: one is found, and one unedited passage is taken for edited."""
    replies = {"Oslo was founded in 1535": "Yes", "Lima was founded in 1535": "No"}
    replies |= {"Lima was founded in 1049": "Yes", "Oslo was founded in 1049": "Maybe"}
    model = Model(lambda user, sample: next(reply for text, reply in replies.items() if text in user))
    sheet = scored([OSLO, LIMA], answered(model, ["zero_shot"], ["context"]))["context/zero_shot/all"]
    assert values(sheet) == {
        "precision": 1 / 2,
        "recall": 1 / 2,
        "f1": 1 / 2,
        "accuracy": 1 / 4,
        "said_conflict": 2 / 4,
        "unreadable": 1 / 4,
    }
    assert len(model.requests) == 4


def test_breakdown_by_domain_and_by_way_of_conflict():
    model = Model(lambda user, sample: "Yes" if "Oslo" in user else "No")
    found = scored([OSLO, LIMA], answered(model, ["zero_shot"], ["context"]))
    assert values(found["context/zero_shot/domain/Places"])["recall"] == 1
    assert values(found["context/zero_shot/conflict/shuffling"])["recall"] == 0
    assert math.isnan(values(found["context/zero_shot/domain/Art"])["precision"])


def test_task_two_against_scikit_learn():
    rng = np.random.default_rng(3)
    many = [item(f"Town{i}") for i in range(30)]
    model = Model(lambda user, sample: rng.choice(["Yes", "No"], p=[0.3, 0.7]))
    sheet = scored(many, answered(model, ["few_shot"], ["span"], many))["span/few_shot/all"]
    truth, guess = sheet.columns["truth"], sheet.columns["guess"]
    assert (len(truth), truth.sum()) == (120, 30)
    expected = precision_recall_fscore_support(truth, guess, average="binary")[:3]
    found = values(sheet)
    assert [found["precision"], found["recall"], found["f1"]] == pytest.approx(expected)


def test_self_consistency_takes_the_majority_of_five():
    model = Model(lambda user, sample: f"Final answer: {'Yes' if sample % 2 == 0 else 'No'}")
    given = answered(model, ["cot_sc"], ["context"])
    assert {request.temperature for request in model.requests} == {asking.WARMTH}
    assert sorted({request.sample for request in model.requests}) == [0, 1, 2, 3, 4]
    assert values(scored([OSLO, LIMA], given)["context/cot_sc/all"])["said_conflict"] == 1


def test_generated_knowledge_is_asked_for_and_given():
    model = Model(lambda user, sample: "It began in 1049." if user.endswith("Knowledge:") else "No")
    given = answered(model, ["gkp_sc"], ["context"], [OSLO])
    assert len(given["knowledge"]) == 2
    assert all("Knowledge: It began in 1049." in r.user for r in model.requests[2:])


def test_without_knowledge_a_unit_is_counted_with_the_reason():
    silent = Model(lambda user, sample: None if user.endswith("1049. It is large.\nKnowledge:") else "No")
    sheet = scored([OSLO], answered(silent, ["gkp_sc"], ["context"], [OSLO]))["context/gkp_sc/all"]
    assert (len(sheet.ids), sheet.missing) == (1, {"down": 1})


def test_task_three_by_hand():
    """Oslo: both right. Lima: the line of the context only."""

    def reply(user, sample):
        if user.startswith("In which year"):
            return "In 1049"
        own = "1049" if "Oslo was" in user else "1535"
        return f"From the context: 1535\nFrom my knowledge: {own}"

    sheet = scored([OSLO, LIMA], answered(Model(reply), ["few_shot"], ["answers"]))["answers/few_shot/all"]
    assert values(sheet) == {"parametric": 0.5, "conflicting": 1.0, "both": 0.5}


@pytest.mark.parametrize(
    ("own", "why"),
    [
        ("1535", "the model's own answer is the one that was put in"),
        (" ", "the model has no answer of its own"),
        (None, "down"),
    ],
)
def test_task_three_leaves_out_what_cannot_be_told_apart(own, why):
    model = Model(lambda user, sample: own if user.startswith("In which year") else "From the context: 1535")
    sheet = scored([OSLO], answered(model, ["cot"], ["answers"], [OSLO]))["answers/cot/all"]
    assert (len(sheet.ids), sheet.missing) == (0, {why: 1})


def test_wordings_side_by_side():
    """Conflict is said of everything in wordings 1 and 2, of nothing in 3 (where yes means no) and 4."""

    def reply(user, sample):
        return "No" if "Judging by" in user else "Yes"

    found = scored([OSLO, LIMA], answered(Model(reply), ["zero_shot"], ["context"], ways=4))
    f1 = [values(found[f"context/zero_shot/wording/{way}"])["f1"] for way in (1, 2, 3, 4)]
    assert f1 == [2 / 3, 2 / 3, 0, 0]
    assert values(found["context/zero_shot/wordings"]) == {"spread": pytest.approx(1 / 3), "same": 0}


def test_the_papers_spread_is_a_populations():
    assert round(float(np.std([0.529, 0.529, 0.734, 0.616])), 3) == 0.084


def test_failed_requests_are_counted():
    model = Model(lambda user, sample: None if "1535" in user else "No")
    sheet = scored([OSLO, LIMA], answered(model, ["zero_shot"], ["context"]))["context/zero_shot/all"]
    assert (len(sheet.ids), sheet.missing) == (2, {"down": 2})


# -- the checker ---------------------------------------------------------------------------------


def by_sentence(records):
    from refchecker.types import RESPONSE, Claim, Extraction

    found = []
    for record in records:
        cut = record.response.index(".") + 1
        places = [(0, cut), (cut + 1, len(record.response))]
        claims = tuple(Claim(record.response[a:b], None, (Span(RESPONSE, a, b),)) for a, b in places)
        found.append(Extraction(claims))
    return found


def same_year(pairs):
    """Contradiction where the claim has a year that the passage has not."""
    labels = [
        Label.CONTRADICTION
        if "1535" in pair.claim.text and "1535" not in pair.passage.text
        else Label.ENTAILMENT
        for pair in pairs
    ]
    return [Judgment(label) for label in labels]


def to_the_year(record, verdicts):
    found = []
    for each in verdicts:
        at = record.response.find("1535")
        there = record.references[0].text.find("1049")
        wrong = (
            Element("claim", "missing", Span("response", at, at + 4), 1.0),
            Element("claim", "missing", Span(CLAIM, 0, 4), 1.0),
            Element("claim", "contradicted", Span("reference", there, there + 4), 1.0),
        )
        found.append(Located((), wrong if each.label is Label.CONTRADICTION else ()))
    return found


def checked(locate, items=(OSLO, LIMA), check=same_year):
    stage = checking.check_stage(items, "sentence", by_sentence, check, locate, checking.REFERENCES)
    todo = list(stage.tasks({}))
    return {stage.name: dict(zip([t.key for t in todo], stage.answer(iter(todo)), strict=True))}


def test_a_checker_that_points_to_the_edit():
    found = scored([OSLO, LIMA], checked(to_the_year))
    for reference in checking.REFERENCES:
        passages = found[f"check/sentence/{reference}/all"]
        assert len(passages.ids) == 4
        assert values(passages)["f1"] == values(passages)["f1_unsupported"] == 1
        claims = found[f"sentences/sentence/{reference}/all"]
        assert (len(claims.ids), values(claims)["f1"]) == (4, 1)
        assert set(values(found[f"spans/sentence/{reference}/all"]).values()) == {1.0}


def test_without_localizer_the_whole_claim_is_flagged():
    """One word of five is the edited one: Oslo, was, founded, in, 1535."""
    words = values(scored([OSLO], checked(None, [OSLO]))["spans/sentence/verbatim/all"])
    assert (words["precision"], words["recall"], words["f1"]) == (1 / 5, 1, 2 / 6)
    assert words["pointed"] == 1
    assert math.isnan(words["against_pointed"])


def test_a_checker_that_flags_nothing():
    found = scored([OSLO], checked(None, [OSLO], lambda pairs: [Judgment(Label.NEUTRAL) for _ in pairs]))
    passages, words = (
        values(found["check/sentence/verbatim/all"]),
        values(found["spans/sentence/verbatim/all"]),
    )
    assert (passages["recall"], passages["recall_unsupported"], passages["precision_unsupported"]) == (
        0,
        1,
        0.5,
    )
    assert (words["recall"], words["f1"]) == (0, 0)
    assert math.isnan(words["pointed"])


def test_pairs_of_an_entity_share_the_check_of_the_unedited_passage():
    twin = item("Oslo", method="shuffling")
    [answers] = checked(None, [OSLO, twin]).values()
    assert len(answers) == 2 * (1 + 2)
    sheet = scored([OSLO, twin], {"check_sentence": answers})["check/sentence/verbatim/conflict/shuffling"]
    assert len(sheet.ids) == 2


def test_a_passage_that_is_not_restated_has_no_such_row():
    bare = item("Rome", restated="")
    assert not any("restated" in name for name in scored([bare], checked(None, [bare])))


# -- the whole way -------------------------------------------------------------------------------


def test_report_of_a_model_and_a_checker_and_scores_without_models(tmp_path):
    """Stopped, gone on with, scored in a process where spaCy, torch and the network cannot be had."""
    folder = Folder(tmp_path, "conflicts")
    folder.write(Prepared([OSLO, LIMA], {"made": {"pairs": {"substitution/date": 2}}}), {})
    options = SUITE.run_options(wordings=2)
    tools = SimpleNamespace(has_llm=True, llm=lambda: Model(lambda user, sample: "Yes"))
    first = runner.run(SUITE, folder, "model", options, tools, runner.Resuming(limit=1))
    again = runner.run(SUITE, folder, "model", options, tools)
    assert (again.failed, again.tasks > first.tasks) == (0, True)
    assert runner.run(SUITE, folder, "model", options, tools).asked == 0
    code = (
        "import sys\n"
        "for name in ('torch', 'spacy', 'onnxruntime', 'openai', 'requests'): sys.modules[name] = None\n"
        "from refchecker.cli import main\n"
        f"sys.exit(main(['bench', 'report', 'conflicts', '--folder', {str(tmp_path)!r}, '--draws', '20']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert done.returncode == 0, done.stderr
    page = Path(tmp_path, "report.md").read_text("utf-8")
    for title in ("Task 1", "Task 2", "Task 3", "by domain", "Wordings", "self-ask", "the paper's own"):
        assert title in page
