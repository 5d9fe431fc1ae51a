"""RECALL: building by rules, the inspection, answers, scores and claims against both contexts."""

from __future__ import annotations

import json
import math
import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.suites.recall import SUITE, quality, ratings, scores, tasks, triplets
from refchecker.suites.recall.answers import names_of, normal, says
from refchecker.suites.recall.edits import (
    DATE,
    Edit,
    applied,
    contrasts,
    replace_words,
    shifted_dates,
    word_edits,
)
from refchecker.suites.recall.facts import Event, Term, data_file, load_events, load_terms
from refchecker.suites.recall.inspection import flaw
from refchecker.suites.recall.rules import build, sample
from refchecker.suites.recall.suite import notes_of, sample_of
from refchecker.suites.recall.wording import event_text, question
from refchecker.suites.rows import columns_of
from refchecker.suites.types import Answer, Item

EVENTS, TERMS = load_events(data_file("events.jsonl")), load_terms(data_file("terms.jsonl"))
BUILT = build(EVENTS, TERMS)


# -- the data and what is built of them ------------------------------------------------------------


def test_the_package_has_500_events_and_500_terms() -> None:
    assert len(EVENTS) >= 500
    assert len(TERMS) >= 500
    assert all(event.attributes for event in EVENTS)
    assert all(term.definition and len(term.sentences) >= 3 for term in TERMS)


def test_each_task_has_samples_of_nearly_everything() -> None:
    of = [(fields["set"], fields["task"]) for fields in BUILT.samples]
    assert {pair: of.count(pair) >= 480 for pair in of} == {
        ("events", "QA-A"): True,
        ("events", "QA-NA"): True,
        ("terms", "QA-A"): True,
        ("terms", "QA-NA"): True,
        ("terms", "TG"): True,
    }


def test_every_sample_passes_the_inspection_and_the_dropped_are_counted() -> None:
    assert [flaw(fields) for fields in BUILT.samples if flaw(fields)] == []
    assert sum(sum(why.values()) for why in BUILT.dropped.values()) > 50


def test_building_is_the_same_twice_and_another_seed_makes_other_edits() -> None:
    assert build(EVENTS[:30], TERMS[:30]).samples == build(EVENTS[:30], TERMS[:30]).samples
    assert build(EVENTS[:30], TERMS[:30]).samples != build(EVENTS[:30], TERMS[:30], 1).samples


@pytest.mark.parametrize("task", ["QA-A", "QA-NA", "TG"])
def test_the_edits_are_where_the_task_wants_them(task: str) -> None:
    for fields in (f for f in BUILT.samples if f["task"] == task):
        answered = says(fields["edited"], fields["answers"])
        assert answered == (task == "QA-NA")
        assert all(new and says(fields["edited"], [new]) for _, new in fields["edits"])


LEPANTO = Event(
    "lepanto",
    "the Battle of Lepanto",
    "battle",
    "a battle",
    {"date": "7 October 1571", "country today": "Greece"},
)


def test_an_event_is_said_and_asked() -> None:
    assert event_text(LEPANTO) == (
        "The Battle of Lepanto was a battle. It took place on 7 October 1571. The site lies in Greece today."
    )
    assert question("date", LEPANTO.name) == "When did the Battle of Lepanto take place?"
    assert question("weather", LEPANTO.name) == "What was the weather of the Battle of Lepanto?"


def test_a_when_edit_moves_every_year_alike_and_the_name_with_it() -> None:
    text = "The 1982 final took place on 11 July 1982. Score 1900–2. The year 1990 came later."
    edited, edits = shifted_dates(text, random.Random(3))
    years = [int(year) for year in re.findall(r"\b[12]\d{3}\b", edited)]
    assert years[1] - 1982 == years[0] - 1982 != 0
    assert years[0] - 1982 == next(int(new) - int(old) for old, new in edits if old == "1990")
    assert DATE.search(edited)[0] != "11 July 1982"  # type: ignore[index]


@given(st.integers(0, 10_000))
def test_a_moved_date_is_a_date_of_the_same_form(seed: int) -> None:
    edited, edits = shifted_dates("on 4 July 1954, in 1607", random.Random(seed))
    assert re.fullmatch(r"on \d{1,2} [A-Z]\w+ \d{4}, in \d{4}", edited)
    assert all(old != new for old, new in edits)


def test_the_words_of_the_file_of_contrasts_are_words() -> None:
    assert len(contrasts()) > 150
    assert all(old != new and old.strip() and new.strip() for old, new in contrasts().items())


@pytest.mark.parametrize(
    ("text", "keep", "expected"),
    [
        ("It is a stable sort.", "", "It is an unstable sort."),
        ("Larger keys are in the right subtree.", "", "Larger keys are in the left subtree."),
        ("It is faster, much faster.", "", None),
        ("A stable matching is stable.", "stable matching", None),
        ("Nothing to see.", "", None),
    ],
    ids=["article", "pair", "twice is left alone", "kept word", "no word known"],
)
def test_a_word_edit(text: str, keep: str, expected: str | None) -> None:
    edit = next(word_edits(text, keep), None)
    assert (edit and applied(text, edit)) == expected


def test_whole_words_are_replaced() -> None:
    assert replace_words("France, Anatole France, Frances", "France", "Peru") == "Peru, Anatole Peru, Frances"


GOOD: dict[str, Any] = sample(
    "events",
    "QA-A",
    {
        "question": "Where was it held?",
        "answers": ["Rome"],
        "edited_answers": ["Paris"],
        "original": "It was held in Rome in the year 1960.",
        "edited": "It was held in Paris in the year 1960.",
        "edits": [("Rome", "Paris")],
    },
)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, ""),
        ({"edited": GOOD["original"]}, "nothing was edited"),
        ({"edits": []}, "nothing was edited"),
        ({"edits": [("Rome", "Oslo")]}, "an edit is not in the edited text"),
        (
            {"edited": "Paris. Paris was the town of that year, as far as one knows, and of others."},
            "the text was rewritten",
        ),
        ({"answers": ["Lima"]}, "the answer is not in the text"),
        ({"question": "Was Rome the place?"}, "the question gives the answer away"),
        (
            {"edited": "It was held in Paris, Rome, in the year 1960."},
            "the answer is still in the edited text",
        ),
        ({"edited_answers": ["1960"]}, "the edited answer is in the original text"),
        ({"task": "QA-NA"}, "the answer was edited too"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_inspection(change: dict[str, Any], why: str) -> None:
    assert flaw({**GOOD, **change}) == why


def test_a_smaller_set_is_part_of_the_larger_one() -> None:
    items = [
        Item(f"e/{n}", f"e/{n}", {"set": "events", "task": "QA-A", "original": "a b", "edit": "answer"})
        for n in range(40)
    ]
    small, large = ({item.id for item in sample_of(items, n)} for n in (5, 20))
    assert len(small) == 5
    assert small < large
    assert notes_of(items) == ["events/QA-A: 40 samples, 80 words in the original contexts (40 answer)"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "line 1: found list"),
        ('{"id": "a", "name": "b", "type": "c", "description": "d"}', "'attributes' must be an object"),
        ('{"id": "a", "name": "", "type": "c", "attributes": {"a": "b"}}', "found '' under 'name'"),
        ('{"id": "a", "name": "b", "type": "c", "description": "d", "attributes": {}}', "is empty"),
    ],
)
def test_events_that_are_none(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "events.jsonl").write_text(line + "\n")
    with pytest.raises(UsageError, match=re.escape(message)):
        load_events(tmp_path / "events.jsonl")


# -- answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "answer", "person", "right"),
    [
        ("It was held on July 4, 1954.", "4 July 1954", False, True),
        ("on the 4th of July 1954", "4 July 1954", False, True),
        ("in 1954", "4 July 1954", False, False),
        ("Herberger did.", "Sepp Herberger", True, True),
        ("It was a great king", "Alexander the Great", True, False),
        ("William the third", "William III", True, False),
        ("4-2", "4–2", False, True),
        ("Solna, at Rasunda", "Råsunda", False, True),
        ("nonlinear", "linear", False, False),
        ("The victory was Greece's.", "Greece", False, True),
        ("about 1,000 times", "1000", False, True),
        ("1.5", "5", False, False),
    ],
)
def test_an_answer_is_right_in_whole_words(prediction: str, answer: str, person: bool, right: bool) -> None:
    assert says(prediction, names_of(answer, person=person)) is right


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normal(text)
    assert normal(once) == once or any(word in once.split() for word in ("a", "an", "the"))


# -- scores against hand-worked and independent ones -----------------------------------------------


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_m_rate_against_the_loop_of_equation_1(rows: list[tuple[bool, bool]]) -> None:
    above = below = 0
    for wrong, right in rows:
        above += wrong and right
        below += right
    found = scores.m_rate(*np.array(rows, dtype=float).T)
    assert math.isnan(found) if not below else found == pytest.approx(above / below)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30))
def test_d_rate_against_the_loop_of_equation_2(rows: list[tuple[int, int]]) -> None:
    original, edited = np.array(rows, dtype=float).T
    assert scores.d_rate(original, edited) == pytest.approx(1 - sum(edited) / sum(original))


TEXTS = [
    ("A sorting algorithm that swaps neighbours.", "A sorting algorithm that repeatedly swaps neighbours."),
    ("It is a tree whose nodes are balanced.", "A search tree that keeps its subtrees balanced."),
    ("Heat flows from hot to cold bodies.", "Energy that moves because of a difference in temperature."),
]


def test_bleu_of_counts_is_sacrebleus_and_close_to_nltks() -> None:
    from nltk.translate.bleu_score import corpus_bleu
    from sacrebleu.metrics import BLEU

    rows = [quality.bleu_counts(said, wanted) for said, wanted in TEXTS]
    found = quality.bleu(columns_of(rows))
    assert found == pytest.approx(BLEU().corpus_score([s for s, _ in TEXTS], [[w for _, w in TEXTS]]).score)
    tokens = [re.findall(r"\w+|[^\w\s]", text) for pair in TEXTS for text in pair]
    assert found == pytest.approx(100 * corpus_bleu([[w] for w in tokens[1::2]], tokens[::2]), abs=1e-6)


def meteor_plainly(said: list[str], wanted: list[str]) -> float:
    """METEOR of texts whose equal words are in the same order and occur once: matches, chunks, formula."""
    pairs = [(i, wanted.index(word)) for i, word in enumerate(said) if word in wanted]
    if not pairs:
        return 0.0
    chunks = 1 + sum((i + 1, j + 1) != pair for (i, j), pair in pairwise(pairs))
    p, r = len(pairs) / len(said), len(pairs) / len(wanted)
    return p * r / (0.9 * p + 0.1 * r) * (1 - 0.5 * (chunks / len(pairs)) ** 3)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("red green blue", "red green blue"), ("red white blue", "red green blue"), ("one two", "three four")],
)
def test_meteor_against_its_formula(said: str, wanted: str) -> None:
    assert quality.meteor(said, wanted) == pytest.approx(meteor_plainly(said.split(), wanted.split()))
    assert quality.meteor("", wanted) == 0


def longest_common(a: list[str], b: list[str]) -> int:
    if not a or not b:
        return 0
    if a[-1] == b[-1]:
        return 1 + longest_common(a[:-1], b[:-1])
    return max(longest_common(a[:-1], b), longest_common(a, b[:-1]))


@given(
    st.lists(st.sampled_from(["red", "green", "blue"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["red", "green", "blue"]), min_size=1, max_size=6),
)
def test_rouge_l_against_the_recursion(said: list[str], wanted: list[str]) -> None:
    common = longest_common(said, wanted)
    expected = 2 * common / (len(said) + len(wanted))
    assert quality.rouge_l(" ".join(said), " ".join(wanted)) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_agreement_against_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    pairs = rng.integers(1, 6, size=(2, 40, 2)).astype(float)
    model, person = ({str(i): (float(o), float(e)) for i, (o, e) in enumerate(own)} for own in pairs)
    found = ratings.agreement(model, person)
    declines = [1 - own[:, 1] / own[:, 0] for own in pairs]
    assert found.r == pytest.approx(stats.pearsonr(*declines).statistic)
    moves = [decline >= 0 for decline in declines]
    table = [[int((moves[0] == x)[moves[1] == y].sum()) for y in (True, False)] for x in (True, False)]
    chi2 = stats.chi2_contingency(table)
    assert (found.chi2, found.p) == (pytest.approx(chi2.statistic), pytest.approx(chi2.pvalue))


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("4", 4), ("Rating: 2.", 2), ("4/5", 4), ("3.5", None), ("six", None), ("2 or 3", None), ("15", None)],
)
def test_a_rating_is_one_digit(reply: str, expected: int | None) -> None:
    found = scores.rating(Answer({"reply": reply}))
    assert found == expected if expected else math.isnan(found)


# -- sheets ----------------------------------------------------------------------------------------


def item(name: str, task: str = "QA-A", **fields: Any) -> Item:
    of = "terms" if task == "TG" else "events"
    blank = sample(
        of,
        task,
        {"source": name, "answers": ["Rome"], "edited_answers": ["Paris"], "edits": [("Rome", "Paris")]},
    )
    return Item(f"{of}/{task}/{name}", f"{of}/{name}", blank | fields)


def said(of: Item, method: str = "baseline", **texts: str) -> dict[str, Answer]:
    return {tasks.key(of.id, c, method): Answer({"reply": text}) for c, text in texts.items()}


def sheet_of(items: list[Item], answers: dict[str, dict[str, Answer]], name: str) -> dict[str, float]:
    sheet = {sheet.name: sheet for sheet in SUITE.score(items, answers)}[name]
    return {metric: value(sheet.columns) for metric, value in sheet.metrics.items()}


def test_a_sheet_of_questions_by_hand() -> None:
    items = [item("a"), item("b"), item("c"), item("d")]
    replies = {
        **said(items[0], original="Rome", edited="Paris", none="Rome"),  # misled
        **said(items[1], original="Rome", edited="Rome, not Paris", none="Rome"),  # stands firm, says both
        **said(items[2], original="Rome", edited="Oslo", none="Oslo"),  # never knew
        **said(items[3], original="Rome", none="Rome"),  # not asked
    }
    found = sheet_of(items, {"answers": replies}, "events/QA-A/baseline")
    assert found["accuracy_original"] == 1
    assert found["accuracy_edited"] == pytest.approx(1 / 3)
    assert found["accuracy_none"] == pytest.approx(2 / 3)
    assert found["m_rate"] == pytest.approx(1 / 2)
    assert found["fall"] == pytest.approx(2 / 3)
    assert found["r_rate"] == pytest.approx(2 / 3)
    assert (found["repeats_edit"], found["says_both"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_what_was_not_answered_is_counted() -> None:
    items = [item("a"), item("b")]
    replies = {
        **said(items[0], edited="Rome"),
        tasks.key(items[1].id, "edited", "baseline"): Answer(fault="no"),
    }
    [sheet] = SUITE.score(items, {"answers": replies})
    assert sheet.ids == [items[0].id]
    assert sheet.missing == {"no answer with the edited context": 1}
    assert sheet.counts == {"without original": 2, "without none": 2, "without edited": 1}
    assert math.isnan(sheet.metrics["m_rate"](sheet.columns))


def test_another_method_borrows_the_baselines_answers_without_context() -> None:
    one = item("a")
    replies = {
        **said(one, original="Rome", edited="Rome", none="Rome"),
        **said(one, "prompting", edited="Paris"),
    }
    assert sheet_of([one], {"answers": replies}, "events/QA-A/prompting")["m_rate"] == 1
    assert sheet_of([one], {"answers": replies}, "events/QA-A/baseline")["m_rate"] == 0


def test_the_split_by_influence() -> None:
    items = [item("a", "QA-NA", touches_name=True), item("b", "QA-NA")]
    replies = {**said(items[0], edited="Oslo", none="Rome"), **said(items[1], edited="Rome", none="Rome")}
    found = sheet_of(items, {"answers": replies}, "events/QA-NA/baseline")
    assert (found["m_rate_influence"], found["m_rate_no_influence"]) == (1, 0)
    assert (found["accuracy_edited_influence"], found["accuracy_edited_no_influence"]) == (0, 1)


def test_a_sheet_of_definitions() -> None:
    one = item("sort", "TG", target="It sorts a list.")
    replies = said(one, original="It sorts a list.", edited="It breaks Paris.")
    rated = {
        tasks.key(one.id, c, "baseline"): Answer({"reply": r})
        for c, r in (("original", "5"), ("edited", "2"))
    }
    found = sheet_of([one], {"answers": replies, "ratings": rated}, "terms/TG/baseline")
    assert found["bleu_original"] == pytest.approx(100)
    assert found["rouge_l_original"] == 1 > found["rouge_l_edited"]
    assert found["d_rate"] == pytest.approx(0.6)
    assert math.isnan(found["bleu_none"])


CLAIMS = [
    ["Entailment", "Neutral"],
    ["Contradiction", "Entailment"],
    ["Entailment", "Entailment"],
    ["Neutral", "Abstain"],
]


def test_claims_against_both_contexts_by_hand() -> None:
    one, other = item("a"), item("b")
    name = tasks.key(one.id, "edited", "baseline")
    checked = {name: Answer({"claims": ["w", "x", "y", "z"], "by_reference": CLAIMS})}
    checked |= {tasks.key(other.id, "edited", "baseline"): Answer({"claims": [], "by_reference": []})}
    replies = {**said(one, edited="Rome", none="Rome"), **said(other, edited="Paris", none="Rome")}
    answers = {"answers": replies, "triplets": checked}
    found = sheet_of([one, other], answers, "triplets/events/QA-A/edited/baseline")
    assert found == {
        "kept": pytest.approx(1 / 3),
        "misled": pytest.approx(1 / 3),
        "own": 0,
        "both": pytest.approx(1 / 3),
    }
    sheet = {s.name: s for s in SUITE.score([one, other], answers)}["triplets/events/QA-A/edited/baseline"]
    assert sheet.missing == {"claims that were not judged": 1}
    assert sheet.counts == {"outputs_without_claims": 1}
    relation = sheet_of([one, other], answers, "relation/events/QA-A/baseline")
    assert relation["right_but_misled"] == 1  # a right answer with a copied error
    assert relation["misled_share"] == pytest.approx(1 / 3)


@given(
    st.sampled_from(["Entailment", "Neutral", "Contradiction"]),
    st.sampled_from(["Entailment", "Neutral", "Contradiction"]),
)
def test_every_judged_claim_is_of_one_kind_and_swapping_contexts_swaps_it(original: str, edited: str) -> None:
    swapped = {"kept": "misled", "misled": "kept", "own": "own", "both": "both"}
    assert triplets.kind_of([edited, original]) == swapped[triplets.kind_of([original, edited])]


def test_every_metric_has_a_card() -> None:
    cards = (Path(__file__).parents[2] / "docs" / "metrics_recall.md").read_text("utf-8")
    documented = {
        n.strip() for line in cards.splitlines() if line.startswith("names: ") for n in line[7:].split(",")
    }
    items = [item("a"), item("b", "QA-NA"), item("c", "TG", target="t")]
    replies = {key: a for i in items for key, a in said(i, original="x", edited="y", none="z").items()}
    checked = {key: Answer({"claims": ["w"], "by_reference": [CLAIMS[0]]}) for key in replies}
    names = {n for s in SUITE.score(items, {"answers": replies, "triplets": checked}) for n in s.metrics}
    assert names <= documented


def test_asked_under_the_conditions_of_the_paper() -> None:
    one = Item("events/QA-A/x", "x", {**GOOD, "subject": "it"})
    asked = {task.key: task.ask["user"] for task in tasks.all_tasks([one], ["baseline", "prompting"])}
    assert [key.split("|", 1)[1] for key in asked] == [
        "original|baseline",
        "edited|baseline",
        "none|baseline",
        "edited|prompting",
    ]
    assert "Rome" in asked["events/QA-A/x|original|baseline"]
    assert "Paris" in asked["events/QA-A/x|edited|baseline"]
    assert "held in" not in asked["events/QA-A/x|none|baseline"]
    assert asked["events/QA-A/x|edited|prompting"].endswith("trust your own knowledge.")


def test_terms_and_edits_are_named() -> None:
    term = Term("x/y", "y", "x", "A y.", ["It is stable.", "It is fast.", "It was made in 1990."])
    built = build([], [term, *TERMS[:60]])
    own = [fields for fields in built.samples if fields["source"] == "x/y"]
    assert {fields["task"] for fields in own} == {"QA-A", "QA-NA", "TG"}
    assert all(fields["original"].startswith("Y. It is stable.") for fields in own)
    assert json.loads(json.dumps(own[0]))["edits"] == [list(Edit(*edit)) for edit in own[0]["edits"]]
