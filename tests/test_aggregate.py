import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.aggregate import (
    any_contradiction,
    any_support,
    conflicts,
    deciding,
    major,
    merged_label,
    soft,
    strict,
    surest,
    winner,
)
from refchecker.types import Judgment, Label

E, N, C, A = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION, Label.ABSTAIN
label_lists = st.lists(st.sampled_from(list(Label)), max_size=12)


@pytest.mark.parametrize("rule", [soft, strict, major])
@given(labels=label_lists, data=st.data())
def test_shares_sum_to_one_and_ignore_order_and_leave_the_input_alone(rule, labels, data):
    before = copy.copy(labels)
    shares = rule(labels)
    assert sum(shares.values()) == pytest.approx(1)
    assert shares == rule(data.draw(st.permutations(labels)))
    assert labels == before


@pytest.mark.parametrize("rule", [any_support, any_contradiction])
@given(labels=label_lists, data=st.data())
def test_merging_ignores_order(rule, labels, data):
    assert rule(labels) is rule(data.draw(st.permutations(labels)))


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param([], A, id="no claims"),
        pytest.param([E, E], E, id="all entailed"),
        pytest.param([C, C], C, id="all contradicted"),
        pytest.param([E, N], N, id="one unsupported"),
        pytest.param([E, A], N, id="an unjudged claim is not support"),
        pytest.param([E, N, A, C], C, id="one contradicted"),
        pytest.param([A, A], A, id="nothing judged"),
        pytest.param([A, N], N, id="unjudged and unsupported"),
    ],
)
def test_strict(labels, expected):
    assert winner(strict(labels)) is expected


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param([], A, id="no claims"),
        pytest.param([E, E, C], E, id="most votes"),
        pytest.param([E, C], C, id="a tie goes to the worse"),
        pytest.param([E, N], N, id="neutral is worse than entailed"),
        pytest.param([E, A], A, id="unjudged is worse than entailed"),
        pytest.param([C, C, C], C, id="all contradicted"),
    ],
)
def test_major(labels, expected):
    assert winner(major(labels)) is expected


def test_soft_counts_what_was_not_judged():
    assert soft([E, E, C, A]) == {E: 0.5, N: 0.0, C: 0.25, A: 0.25}
    assert soft([]) == {E: 0.0, N: 0.0, C: 0.0, A: 1.0}


@pytest.mark.parametrize(
    ("labels", "support", "contradiction", "conflict"),
    [
        pytest.param([], A, A, False, id="no reference"),
        pytest.param([E, C, N], E, C, True, id="references disagree"),
        pytest.param([N, C], C, C, False, id="one contradicts"),
        pytest.param([N, A], N, N, False, id="one not judged"),
        pytest.param([A, A], A, A, False, id="none judged"),
        pytest.param([N, E], E, E, False, id="one entails"),
    ],
)
def test_merging_references(labels, support, contradiction, conflict):
    assert (any_support(labels), any_contradiction(labels), conflicts(labels)) == (
        support,
        contradiction,
        conflict,
    )


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        pytest.param([(E, 0.47), (C, 0.9)], C, id="the contradiction is surer"),
        pytest.param([(C, 0.6), (E, 0.9)], E, id="the support is surer"),
        pytest.param([(C, 0.6), (E, 0.6)], E, id="equally sure: support"),
        pytest.param([(C, 0.0), (E, 0.0)], E, id="no scores: support"),
        pytest.param([(N, 0.99), (C, 0.4)], C, id="Neutral does not count against them"),
        pytest.param([(N, 0.5), (A, 0.0)], N, id="one not judged"),
        pytest.param([(A, 0.0)], A, id="none judged"),
        pytest.param([], A, id="no reference"),
    ],
)
def test_where_references_disagree_the_surer_one_may_decide(judged, expected):
    judgments = [Judgment(label, {label: p} if p else {}) for label, p in judged]
    for order in (judgments, judgments[::-1]):
        assert merged_label(order, surest) == (expected, "")


def test_the_surest_judgment_decides():
    weak, sure = Judgment(C, {C: 0.6}), Judgment(C, {C: 0.9})
    assert deciding(C, [weak, Judgment(E, {E: 1.0}), sure]) is sure
    assert deciding(N, [weak]) is None
