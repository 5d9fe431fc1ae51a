"""People's labels and a checker's: the metrics that `benchmark.human` reports."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmark import human, labels


@pytest.mark.parametrize("seed", range(5))
def test_metrics_against_sklearn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(3, size=200), rng.integers(3, size=200)
    found = labels.metrics(truth, guess)
    assert found["accuracy"] == pytest.approx(sklearn.accuracy_score(truth, guess))
    assert found["macro_f1"] == pytest.approx(sklearn.f1_score(truth, guess, average="macro"))
    assert found["balanced_accuracy"] == pytest.approx(
        sklearn.balanced_accuracy_score(truth == 0, guess == 0)
    )


def test_abstaining_is_a_miss_in_every_metric() -> None:
    truth, guess = np.array([0, 0, 1, 2]), np.array([0, 3, 1, 2])
    found = labels.metrics(truth, guess)
    assert found["accuracy"] == 0.75
    assert found["f1_entailment"] == pytest.approx(2 / 3)


def test_an_interval_holds_its_value() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=300)
    guess = np.where(rng.random(300) < 0.7, truth, rng.integers(3, size=300))
    ranges = labels.intervals(truth, guess, [str(i // 6) for i in range(300)], draws=200)
    for name, value in labels.metrics(truth, guess).items():
        low, high = ranges[name]
        assert low <= value <= high


@pytest.mark.parametrize("name", ["human", "human_surest"])
def test_the_page_in_the_repository_is_that_of_its_figures(name: str) -> None:
    figures = json.loads((labels.RESULTS / f"{name}.json").read_text("utf-8"))
    assert human.page(figures) == (labels.RESULTS / f"{name}.md").read_text("utf-8")
