"""Calibration, thresholds, and what --min_confidence does with them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.calibration import (
    LABELS,
    agreement_at,
    calibration_error,
    classwise_error,
    equal_mass,
    equal_width,
    fit_temperature,
    for_agreement,
    for_precision,
    of_label,
    of_top_label,
    sureness,
    tempered,
    wilson_bound,
)
from refchecker.aggregate import any_contradiction, any_support, cautious, merged_label, surest
from refchecker.pipeline import run
from refchecker.types import Claim, Judgment, Label, Passage, Record

E, N, C, A = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION, Label.ABSTAIN

probabilities = st.floats(0, 1)
outcomes_ = st.lists(st.tuples(probabilities, st.booleans()))
scores_ = st.tuples(*[st.floats(0.001, 1)] * 3).map(
    lambda raw: {label: share / sum(raw) for label, share in zip(LABELS, raw, strict=True)}
)
judgments_ = st.lists(
    st.builds(lambda label, p: Judgment(label, {label: p}), st.sampled_from(LABELS), probabilities),
    min_size=1,
)
merges = st.sampled_from([any_support, any_contradiction, surest])


# -- calibration


@given(outcomes_, st.integers(1, 20), st.sampled_from([equal_width, equal_mass]))
def test_the_error_is_a_share_and_bins_hold_every_outcome(outcomes, bins, binned):
    found = binned(outcomes, bins)
    assert sum(each.size for each in found) == len(outcomes)
    assert len(found) <= bins
    assert 0 <= calibration_error(outcomes, bins=bins, binned=binned) <= 1 + 1e-9


@pytest.mark.parametrize("binned", [equal_width, equal_mass])
def test_probabilities_that_come_true_as_often_as_they_say_have_no_error(binned):
    outcomes = [(k / 10, n < k) for k in range(11) for n in range(10)]
    assert calibration_error(outcomes, bins=11, binned=binned) == pytest.approx(0)


@pytest.mark.parametrize(
    ("outcomes", "error"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([(1.0, False)], 1, id="surely wrong"),
        pytest.param([(0.9, True), (0.9, False)], 0.4, id="one bin"),
        pytest.param([(0.1, False)] * 3 + [(0.8, False)], (3 * 0.1 + 0.8) / 4, id="two bins by size"),
    ],
)
def test_calibration_error(outcomes, error):
    assert calibration_error(outcomes) == pytest.approx(error)


def test_top_label_one_label_and_classwise():
    rows = [({E: 0.7, N: 0.2, C: 0.1}, E), ({E: 0.7, N: 0.2, C: 0.1}, N)]
    assert of_top_label(rows) == [(0.7, True), (0.7, False)]
    assert of_label(rows, N) == [(0.2, False), (0.2, True)]
    assert classwise_error(rows) == pytest.approx((0.2 + 0.3 + 0.1) / 3)


@given(scores_, st.floats(0.2, 5))
def test_a_temperature_keeps_the_order_and_the_sum(scores, temperature):
    found = tempered(scores, temperature)
    assert sum(found.values()) == pytest.approx(1)
    assert max(found.values()) == found[max(scores, key=scores.__getitem__)]
    assert tempered(scores, 1) == pytest.approx(scores)


def test_the_temperature_cools_what_is_too_sure():
    rows = [({E: 0.98, N: 0.01, C: 0.01}, label) for label in (E, E, E, N)]
    temperature = fit_temperature(rows)
    assert temperature > 1.5
    cooled = [(tempered(scores, temperature), label) for scores, label in rows]
    assert calibration_error(of_top_label(cooled)) < 0.05 < calibration_error(of_top_label(rows))


# -- thresholds


def slow_for_precision(outcomes, precision):
    """The same, by trying every probability."""
    for at in sorted({p for p, _ in outcomes}):
        kept = [true for p, true in outcomes if p >= at]
        if sum(kept) / len(kept) >= precision:
            return at
    return None


@given(st.lists(st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.booleans())), probabilities)
def test_the_threshold_is_the_lowest_that_reaches_the_precision(outcomes, precision):
    found = for_precision(outcomes, precision)
    assert (found and found.at) == slow_for_precision(outcomes, precision)
    bounded = for_precision(outcomes, precision, z=1.645)
    if bounded:
        assert found is not None
        assert precision <= bounded.bound <= bounded.precision
        assert bounded.at >= found.at


def test_a_precision_that_cannot_be_reached_has_no_threshold():
    assert for_precision([(0.9, False), (0.8, True)], 0.9) is None
    assert for_precision([(0.9, True)] * 5, 0.9, z=1.645) is None  # right, but too few to say so


@pytest.mark.parametrize(
    ("hits", "total", "bound"), [(0, 0, 0), (0, 10, 0), (9, 10, 0.6526), (97, 100, 0.9281)]
)
def test_wilson_bound(hits, total, bound):
    assert wilson_bound(hits, total) == pytest.approx(bound, abs=2e-3)


@given(outcomes_, probabilities)
def test_agreement_grows_with_the_confidence_and_is_reached_at_the_lowest(outcomes, agreement):
    levels = sorted({p for p, _ in outcomes})
    found = [agreement_at(outcomes, level) for level in levels]
    assert found == sorted(found)
    chosen = for_agreement(outcomes, agreement)
    reaching = [level for level, value in zip(levels, found, strict=True) if value >= agreement]
    assert chosen == (reaching[0] if reaching else None)


# -- an abstain band


@given(judgments_, merges, probabilities)
def test_a_verdict_stands_up_to_its_sureness(judgments, merge, asked):
    label, unsure = merged_label([cautious(j, asked) for j in judgments], merge)
    stands = asked <= sureness(judgments, merge)
    assert bool(unsure) is not stands
    surest_first = sorted(judgments, key=lambda j: (-j.confidence, j.label is not E))
    assert label is (merge([j.label for j in surest_first]) if stands else A)


@pytest.mark.parametrize(
    ("given_", "merge", "label"),
    [
        pytest.param([(E, 0.9)], any_support, E, id="sure"),
        pytest.param([(E, 0.7)], any_support, A, id="unsure"),
        pytest.param([(E, 0.9), (C, 0.7)], any_support, E, id="one sure support is enough"),
        pytest.param([(C, 0.9), (E, 0.7)], any_support, A, id="the unsure one might support"),
        pytest.param([(N, 0.9), (N, 0.7)], any_support, A, id="Neutral needs all"),
        pytest.param([(C, 0.9), (E, 0.7)], any_contradiction, C, id="one sure contradiction is enough"),
        pytest.param([(E, 0.9), (C, 0.7)], any_contradiction, A, id="it might contradict"),
        pytest.param([(C, 0.9), (E, 0.7)], surest, C, id="none unsure is surer"),
        pytest.param([(N, 0.9), (E, 0.7)], surest, A, id="the unsure one might be all there is"),
    ],
)
def test_what_an_unsure_judgment_can_still_change_is_unsure(given_, merge, label):
    passages = tuple(Passage(str(n), f"d{n}") for n in range(len(given_)))
    record = Record("r", "x", references=passages, claims=(Claim("c"),))
    judged = [Judgment(each, {each: p}) for each, p in given_]
    [report] = run([record], check=lambda pairs: judged, merge=merge, min_confidence=0.8)
    [verdict] = report.verdicts
    assert (verdict.label, report.status, verdict.note) == (label, "ok", "")
    assert bool(verdict.unsure) is (label is A)


def test_unsure_is_never_a_pass_and_a_fault_stays_a_fault():
    record = Record("r", "x", references=(Passage("t", "d"),), claims=(Claim("a"), Claim("b")))
    unsure, fault = Judgment(E, {E: 0.5}), Judgment(A, note="too long")
    [report] = run([record], check=lambda pairs: [unsure, fault], min_confidence=0.8)
    assert report.shares[E] == 0
    assert (report.status, report.note) == ("failed", "1 of 2 claims undetermined: too long")
    [unscored] = run([record], check=lambda pairs: [Judgment(E), Judgment(E)], min_confidence=0.8)
    assert [v.label for v in unscored.verdicts] == [A, A]


def test_pieces_of_one_reference_hold_to_it_too():
    record = Record("r", "x", references=(Passage("ab", "d"),), claims=(Claim("c"),))
    judged = [Judgment(N, {N: 0.9}), Judgment(N, {N: 0.6})]
    split = lambda passage: [passage.cut(0, 1), passage.cut(1, 2)]  # noqa: E731
    [report] = run([record], check=lambda pairs: judged, split=split, min_confidence=0.8)
    assert (report.verdicts[0].label, report.status) == (A, "ok")
    assert "1 of 2 unsure" in report.verdicts[0].unsure


# -- the program


@pytest.fixture
def labelled(importable, monkeypatch):
    pytest.importorskip("benchmark.thresholds")
    (importable / "sure_of.py").write_text(
        "from refchecker import Judgment, Label\n"
        "E, N = Label.ENTAILMENT, Label.NEUTRAL\n"
        "def first(pairs):\n"
        "    return [Judgment(E, {E: int(p.claim.text) / 100}) for p in pairs]\n"
        "def then(pairs):\n"
        "    return [Judgment(E if int(p.claim.text) >= 50 else N) for p in pairs]\n"
    )
    monkeypatch.chdir(importable)
    rows = [
        {
            "response": "x",
            "question": f"q{n}",
            "reference": "r",
            "triplets": [{"triplet": [str(n), "", ""], "human_label": "Entailment" if n > 60 else "Neutral"}],
        }
        for n in range(100)
    ]
    (importable / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return importable


def test_the_program_finds_the_thresholds_that_were_put_in(labelled, capsys):
    from benchmark.thresholds import main

    checkers = ["--checker", "python:sure_of:first", "--then", "python:sure_of:then"]
    wanted = ["--agreement", "1", "--precision", "1"]
    main(["--input", "mine.jsonl", *checkers, *wanted, "--results", str(labelled), "--name", "found"])
    assert "Cascade on mine" in capsys.readouterr().out
    found = json.loads((labelled / "found.json").read_text())["sets"]["mine"]
    assert found["cascade"]["confidence"] == 0.5
    assert found["cascade"]["held_out_agreement"] > 0.95
    assert found["entailment"]["reached"]["at"] == 0.61
    assert found["entailment"]["reached"]["recall"] == 1
    assert "Entailment score" in (labelled / "found.md").read_text()


def test_the_program_says_which_claim_has_no_label(labelled):
    from benchmark.thresholds import main

    (labelled / "bad.jsonl").write_text(json.dumps({"response": "x", "reference": "r", "triplets": ["1"]}))
    with pytest.raises(SystemExit, match=r"bad.jsonl line 1: a triplet has no human_label"):
        main(["--input", "bad.jsonl", "--checker", "python:sure_of:first", "--results", str(labelled)])
