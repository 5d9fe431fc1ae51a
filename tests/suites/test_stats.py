"""Bootstrap, paired tests and sample sizes: against scipy, slow obvious versions and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker.suites import metrics
from refchecker.suites.stats import (
    detectable,
    difference,
    finite,
    groups_needed,
    holm,
    interval,
    mcnemar,
    resampled,
    resamples,
    rows_needed,
)

GROUPS = st.lists(st.sampled_from(["a", "b", "c", "dd"]), min_size=1, max_size=12)


@given(GROUPS)
@settings(max_examples=30)
def test_a_sample_has_whole_groups_as_many_as_there_are(groups: list[str]) -> None:
    members = {name: [i for i, g in enumerate(groups) if g == name] for name in groups}
    for rows in resamples(groups, draws=5):
        left = rows.tolist()
        drawn = 0
        while left:
            own = members[groups[left[0]]]
            assert left[: len(own)] == own
            left = left[len(own) :]
            drawn += 1
        assert drawn == len(members)


def test_samples_are_those_of_a_slow_version() -> None:
    groups = ["q2", "q1", "q2", "q3", "q1", "q2"]
    _, codes = np.unique(np.array(groups), return_inverse=True)
    members = [np.flatnonzero(codes == code) for code in range(3)]
    rng = np.random.default_rng(7)
    for rows in resamples(groups, draws=20, seed=7):
        slow = np.concatenate([members[i] for i in rng.integers(3, size=3)])
        assert rows.tolist() == slow.tolist()


def test_the_same_seed_gives_the_same_samples_and_another_does_not() -> None:
    groups = [str(i) for i in range(30)]
    first, same, other = (
        [rows.tolist() for rows in resamples(groups, draws=3, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == same != other


def test_an_interval_of_a_mean_is_near_that_of_theory() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(0).normal(size=400)
    drawn = resampled(
        {"x": values}, [str(i) for i in range(400)], {"m": metrics.of(metrics.share, "x")}, draws=2000
    )
    expected = stats.norm.interval(0.95, values.mean(), values.std(ddof=1) / 20)
    assert interval(drawn["m"]) == pytest.approx(expected, abs=0.02)


def test_rows_that_stand_or_fall_together_make_a_wider_interval() -> None:
    right = np.repeat(np.random.default_rng(0).integers(2, size=20), 10)
    together = [str(i // 10) for i in range(200)]
    alone = [str(i) for i in range(200)]
    metric = {"accuracy": metrics.of(metrics.share, "right")}
    wide, narrow = (
        np.subtract(*interval(resampled({"right": right}, groups, metric)["accuracy"])[::-1])
        for groups in (together, alone)
    )
    assert wide > 2 * narrow


def test_samples_without_a_value_are_left_out() -> None:
    assert interval(np.array([1.0, np.nan, 3.0]), level=0.5) == (1.5, 2.5)
    assert all(math.isnan(end) for end in interval(np.array([np.nan])))
    assert np.isnan(resampled({"x": np.array([])}, [], {"m": metrics.of(metrics.share, "x")})["m"]).all()


# -- McNemar -------------------------------------------------------------------------------------


def columns(only_a: int, only_b: int, both: int) -> tuple[np.ndarray, np.ndarray]:
    a = np.array([1] * only_a + [0] * only_b + [1] * both)
    b = np.array([0] * only_a + [1] * only_b + [1] * both)
    return a, b


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (3, 3), (5, 12), (40, 60), (700, 801)])
def test_mcnemar_against_scipy(only_a: int, only_b: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    a, b = columns(only_a, only_b, 10)
    found = mcnemar(a, b, [str(i) for i in range(len(a))])
    n = only_a + only_b
    assert (found.only_a, found.only_b) == (only_a, only_b)
    assert found.p_exact == pytest.approx(stats.binomtest(only_a, n).pvalue if n else 1.0)
    corrected = max(abs(only_a - only_b) - 1, 0) ** 2 / n if n else 0
    assert found.p_chi2 == pytest.approx(stats.chi2.sf(corrected, 1))
    if n:  # groups of one row: the chi-square without correction
        assert found.p_clustered == pytest.approx(stats.chi2.sf((only_a - only_b) ** 2 / n, 1))
    else:
        assert math.isnan(found.p_clustered)


def test_clustered_mcnemar_worked_by_hand() -> None:
    # groups of 2, 2 and 4 rows with b - c = 2, 1, -1: d = 1, 1/2, -1/4; (5/4)^2 / (21/16) = 25/21
    a = np.array([1, 1, 1, 0, 0, 1, 0, 0])
    b = np.array([0, 0, 0, 0, 1, 1, 0, 0])
    found = mcnemar(a, b, list("ppqqrrrr"))
    assert found.p_clustered == pytest.approx(math.erfc(math.sqrt(25 / 21 / 2)))


def test_one_question_copied_many_times_convinces_only_the_test_that_ignores_questions() -> None:
    a, b = columns(20, 0, 0)
    found = mcnemar(a, b, ["q"] * 20)
    assert found.p_exact < 0.001
    assert found.p_clustered > 0.3


def test_mcnemar_of_nothing() -> None:
    none = np.array([], dtype=int)
    assert mcnemar(none, none, [])[:4] == (0, 0, 1.0, 1.0)


# -- paired bootstrap ----------------------------------------------------------------------------


def test_difference_worked_by_hand() -> None:
    found = difference(0.2, np.array([0.1, 0.2, 0.3, 0.5, -0.1, 0.2, 0.25, 0.15, 0.2, 0.2]))
    assert found.p == pytest.approx(3 / 11)  # 0.5 and -0.1 are 0.3 away
    assert found.error == pytest.approx(np.std([0.1, 0.2, 0.3, 0.5, -0.1, 0.2, 0.25, 0.15, 0.2, 0.2], ddof=1))


def test_no_difference_has_a_p_of_one_and_no_value_has_none() -> None:
    assert difference(0.0, np.zeros(50)).p == 1
    assert math.isnan(difference(math.nan, np.zeros(50)).p)
    assert math.isnan(difference(0.1, np.full(50, np.nan)).p)


def test_p_values_are_even_where_nothing_differs() -> None:
    """Under no difference about 5 % of tests say p < .05; 200 simulated studies of 60 rows."""
    rng = np.random.default_rng(3)
    groups = [str(i) for i in range(60)]
    hits = 0
    for study in range(200):
        gaps = rng.normal(size=60)
        drawn = resampled(
            {"gap": gaps}, groups, {"m": metrics.of(metrics.share, "gap")}, draws=199, seed=study
        )
        hits += difference(float(gaps.mean()), drawn["m"]).p < 0.05
    assert 2 <= hits <= 22  # binomial(200, .05) is in there with a probability of .999


# -- several tests, and sizes --------------------------------------------------------------------


def slow_holm(p_values: list[float]) -> list[float]:
    """Each p with the largest (m - rank) * p of those not above it."""
    m = len(p_values)
    ranked = sorted(range(m), key=lambda i: p_values[i])
    scaled = [(m - rank) * p_values[i] for rank, i in enumerate(ranked)]
    return [min(1.0, max(scaled[: ranked.index(i) + 1])) for i in range(m)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_a_slow_version(p_values: list[float]) -> None:
    found = holm(p_values)
    assert found == pytest.approx(slow_holm(p_values))
    assert all(p <= q <= 1 for p, q in zip(p_values, found, strict=True))


def test_holm_passes_over_what_is_no_test() -> None:
    assert holm([0.02, math.nan, 0.04])[0] == 0.04
    assert math.isnan(holm([0.02, math.nan])[1])
    assert holm([]) == []


def test_rows_needed_reach_the_power_in_a_simulation() -> None:
    only_a, only_b, rows = 12, 24, 100
    needed = rows_needed(only_a, only_b, rows)
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(400):
        b, c, _ = rng.multinomial(int(needed), [only_a / rows, only_b / rows, 1 - (only_a + only_b) / rows])
        found += math.erfc(math.sqrt((b - c) ** 2 / (b + c) / 2)) < 0.05
    assert found / 400 == pytest.approx(0.8, abs=0.07)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (rows_needed(5, 45, 100), 23),  # the example of the sample size calculators that cite Connor
        (rows_needed(7, 7, 100), math.inf),
        (rows_needed(0, 0, 0), math.inf),
        (groups_needed(0.0, 0.1, 50), math.inf),
        (groups_needed(math.nan, 0.1, 50), math.inf),
        (groups_needed(detectable(0.03), 0.03, 50), 50),  # what is just detectable needs what there is
    ],
)
def test_sizes(found: float, expected: float) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.12345678, 0.123457), (math.nan, None), (math.inf, None), (7, 7), (np.float64(0.5), 0.5)],
)
def test_finite(value: float, expected: float | None) -> None:
    assert finite(value) == expected
