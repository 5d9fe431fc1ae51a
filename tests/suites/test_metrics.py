"""Metrics against their cards, against scikit-learn and scipy, and their laws."""

from __future__ import annotations

import doctest
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.suites import metrics

CARDS = sorted(Path(__file__).parents[2].glob("docs/metrics*.md"))
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def sections(path: Path) -> dict[str, str]:
    """The text under each heading; "" is what stands before the first."""
    parts = SECTION.split(path.read_text(encoding="utf-8"))
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


EVERY = [(path.name, title) for path in CARDS for title in sections(path) if title]


def card(name: str, title: str) -> tuple[str, str]:
    """What stands before the first card of a file, and the card."""
    parts = sections(next(path for path in CARDS if path.name == name))
    return parts[""], parts[title]


@pytest.mark.parametrize(("name", "title"), EVERY, ids=[title for _, title in EVERY])
def test_a_card_is_complete_and_its_example_is_right(name: str, title: str) -> None:
    before, text = card(name, title)
    for field in ("names", "formula", "denominator", "empty"):
        assert re.search(rf"^{field}: \S", text, re.MULTILINE), f"{title} has no line '{field}:'"
    parser = doctest.DocTestParser()
    scope: dict[str, object] = {}
    runner = doctest.DocTestRunner()
    for part in (before, text):
        # a doctest's own output ends at the fence of its block
        example = parser.get_doctest(part.replace("```", ""), scope, title, name, 0)
        runner.run(example, clear_globs=False)
        scope = example.globs
    assert example.examples, f"{title} has no example"
    assert runner.summarize(verbose=False).failed == 0


def documented() -> set[str]:
    lines = [line for path in CARDS for line in path.read_text(encoding="utf-8").splitlines()]
    return {name.strip() for line in lines if line.startswith("names: ") for name in line[7:].split(",")}


# -- against other implementations ---------------------------------------------------------------

LABELS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=40)


def columns(rows: list[tuple[int, ...]]) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("seed", range(8))
def test_label_metrics_against_sklearn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(3, size=60), rng.integers(4 if seed % 2 else 3, size=60)
    found = metrics.label_metrics(truth, guess)
    assert found["accuracy"] == pytest.approx(sklearn.accuracy_score(truth, guess))
    each = sklearn.f1_score(truth, guess, average=None, labels=[0, 1, 2], zero_division=0)
    assert metrics.f1_by_label(truth, guess) == pytest.approx(each)
    assert found["macro_f1"] == pytest.approx(each.mean())
    assert found["balanced_accuracy"] == pytest.approx(
        sklearn.balanced_accuracy_score(truth == 0, guess == 0)
    )
    assert metrics.kappa(truth, guess) == pytest.approx(sklearn.cohen_kappa_score(truth, guess))
    for label in range(3):
        precision, recall, f1, _ = sklearn.precision_recall_fscore_support(truth, guess, labels=[label])
        assert metrics.precision(truth, guess, label) == pytest.approx(precision[0])
        assert metrics.recall(truth, guess, label) == pytest.approx(recall[0])
        assert metrics.f1(truth, guess, label) == pytest.approx(f1[0])


@pytest.mark.parametrize("seed", range(8))
def test_correlations_against_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(seed)
    x = rng.integers(6, size=30).astype(float)  # with ties
    y = x + rng.normal(size=30).round(int(rng.integers(3)))
    assert metrics.pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert metrics.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    assert metrics.ranks(x) == pytest.approx(stats.rankdata(x))


# -- empty cases and laws ------------------------------------------------------------------------

NONE = np.array([], dtype=int)


@pytest.mark.parametrize(
    "value",
    [
        metrics.accuracy(NONE, NONE),
        metrics.macro_f1(NONE, NONE),
        metrics.balanced_accuracy(NONE, NONE),
        metrics.kappa(NONE, NONE),
        metrics.uniform_kappa(NONE, NONE, 3),
        metrics.f1(NONE, NONE),
        metrics.precision(np.array([1]), np.array([0])),
        metrics.recall(np.array([0]), np.array([1])),
        metrics.kappa(np.array([1, 1]), np.array([1, 1])),
        metrics.pearson(np.array([1.0]), np.array([2.0])),
        metrics.pearson(np.array([1.0, 1.0]), np.array([2.0, 3.0])),
        metrics.spearman(np.array([1.0, np.nan]), np.array([2.0, 3.0])),
        metrics.share(np.array([0]), np.array([0])),
    ],
)
def test_where_there_is_nothing_to_divide_by_there_is_no_value(value: float) -> None:
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["Entailment", "Neutral", "Contradiction", "Abstain"], [0, 1, 2, 3]),
        (["nonsense", ""], [3, 3]),
        ([], []),
    ],
)
def test_codes(labels: list[str], expected: list[int]) -> None:
    assert metrics.codes(labels).tolist() == expected


def test_abstain_is_a_miss() -> None:
    truth, guess = np.array([0, 0, 1, 2]), np.array([0, 3, 1, 2])
    assert metrics.accuracy(truth, guess) == 0.75
    assert metrics.f1_by_label(truth, guess)[0] == pytest.approx(2 / 3)


@given(LABELS)
def test_metrics_stay_in_their_range_and_order_does_not_matter(rows: list[tuple[int, int]]) -> None:
    truth, guess = columns(rows)
    found = metrics.label_metrics(truth, guess)
    assert all(0 <= value <= 1 for value in found.values())
    assert metrics.label_metrics(truth[::-1], guess[::-1]) == pytest.approx(found)


@given(LABELS)
def test_kappa_is_symmetric_and_at_most_one(rows: list[tuple[int, int]]) -> None:
    a, b = columns(rows)
    assert metrics.kappa(a, b) == pytest.approx(metrics.kappa(b, a), nan_ok=True)
    assert not metrics.kappa(a, b) > 1
    assert math.isnan(metrics.kappa(a, a)) or metrics.kappa(a, a) == pytest.approx(1)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20))
def test_spearman_does_not_change_with_scale(values: list[float]) -> None:
    x = np.array(values)
    y = np.arange(len(x), dtype=float)
    assert metrics.spearman(x, y) == pytest.approx(metrics.spearman(x, np.exp(y / 10)), nan_ok=True)
    assert not abs(metrics.spearman(x, y)) > 1
