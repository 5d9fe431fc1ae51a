"""The plots of the human benchmark: agreement, the models' rates, formats of claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..plots import series_of
from ..tables import lines_of
from ..types import Plot, Series
from .data import SETTINGS
from .sheets import POOLED

Systems = Mapping[str, Any]
AGREEMENT = {"macro_f1": "macro-F1", "balanced_accuracy": "balanced accuracy"}
FORMAT_TITLES = {
    "human": "annotators' triplets",
    "triplet": "extracted triplets",
    "sentence": "sentences",
    "response": "whole response",
}


def plots_of(systems: Systems) -> list[Plot]:
    """All plots that these systems have the sheets for."""
    return [*_agreement(systems), *_rates(systems), *_formats(systems)]


def _agreement(systems: Systems) -> list[Plot]:
    checked = {
        name: [scored["sheets"].get(f"checker/{setting}") for setting in SETTINGS]
        for name, scored in systems.items()
        if lines_of(scored["sheets"], "checker/(.*)")
    }
    settings = [setting.replace("_", " ") for setting in SETTINGS]
    return [
        Plot(
            metric,
            f"{title} on human labels",
            "bars",
            settings,
            [series_of(name, sheets, metric) for name, sheets in checked.items()],
            y=title,
        )
        for metric, title in AGREEMENT.items()
        if checked
    ]


def _rates(systems: Systems) -> list[Plot]:
    """The models' hallucination rates by people and by each checker.

    The majority label is left out: it does not tell models apart.
    """
    checkers = {n: scored for n, scored in systems.items() if "check:majority" not in scored["signature"]}
    plots = []
    for setting in SETTINGS:
        people: dict[str, float | None] = {}
        by_checker: dict[str, dict[str, float | None]] = {}
        for name, scored in checkers.items():
            for model, sheet in lines_of(scored["sheets"], f"system/{setting}/([^/]*)/human"):
                people[model] = sheet["metrics"]["hallucination_people"]["value"]
                by_checker.setdefault(name, {})[model] = sheet["metrics"]["hallucination"]["value"]
        if people:
            series = [Series("people", list(people.values()))]
            series += [Series(name, [rates.get(m) for m in people]) for name, rates in by_checker.items()]
            title = f"Hallucination rate of each model, {setting.replace('_', ' ')}"
            plots.append(
                Plot(f"models_{setting}", title, "dots", list(people), series, "by people", "by the checker")
            )
    return plots


def _formats(systems: Systems) -> list[Plot]:
    plots = []
    for name, scored in systems.items():
        sheets = scored["sheets"]
        settings = [setting for setting in (*SETTINGS, POOLED) if f"response/{setting}/sentence" in sheets]
        by_form = {
            title: [sheets.get(f"response/{setting}/{form}") for setting in settings]
            for form, title in FORMAT_TITLES.items()
        }
        series = [
            series_of(title, responses, "balanced_accuracy")
            for title, responses in by_form.items()
            if settings and all(responses)
        ]
        if series:
            labels = [setting.replace("_", " ") for setting in settings]
            title = f"Is the response factual? {name}, by format of the claims"
            plots.append(Plot(f"formats_{name}", title, "bars", labels, series, y="balanced accuracy"))
    return plots
