"""The plots of the human benchmark: agreement, the models' rates, formats of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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


def _series(name: str, metrics: Sequence[Mapping[str, Any] | None]) -> Series:
    def column(key: str) -> list[float | None]:
        return [metric[key] if metric else None for metric in metrics]

    return Series(name, column("value"), column("low"), column("high"))


def _agreement(systems: Systems) -> list[Plot]:
    def of(scored: Mapping[str, Any], metric: str) -> list[Mapping[str, Any] | None]:
        sheets = [scored["sheets"].get(f"checker/{setting}") for setting in SETTINGS]
        return [sheet["metrics"][metric] if sheet else None for sheet in sheets]

    chosen = {
        name: scored
        for name, scored in systems.items()
        if any(path.startswith("checker/") for path in scored["sheets"])
    }
    places = [setting.replace("_", " ") for setting in SETTINGS]
    return [
        Plot(
            metric,
            f"{title} on human labels",
            "bars",
            places,
            [_series(name, of(scored, metric)) for name, scored in chosen.items()],
            y=title,
        )
        for metric, title in AGREEMENT.items()
        if chosen
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
            for path, sheet in scored["sheets"].items():
                if path.startswith(f"system/{setting}/") and path.endswith("/human"):
                    model = path.split("/")[2]
                    people[model] = sheet["metrics"]["hallucination_people"]["value"]
                    by_checker.setdefault(name, {})[model] = sheet["metrics"]["hallucination"]["value"]
        if people:
            series = [Series("people", list(people.values()))]
            series += [Series(name, [own.get(model) for model in people]) for name, own in by_checker.items()]
            title = f"Hallucination rate of each model, {setting.replace('_', ' ')}"
            plots.append(
                Plot(f"models_{setting}", title, "dots", list(people), series, "by people", "by the checker")
            )
    return plots


def _formats(systems: Systems) -> list[Plot]:
    plots = []
    for name, scored in systems.items():
        sheets = scored["sheets"]
        places = [setting for setting in (*SETTINGS, POOLED) if f"response/{setting}/sentence" in sheets]
        paths = {form: [f"response/{place}/{form}" for place in places] for form in FORMAT_TITLES}
        series = [
            _series(title, [sheets[path]["metrics"]["balanced_accuracy"] for path in paths[form]])
            for form, title in FORMAT_TITLES.items()
            if places and all(path in sheets for path in paths[form])
        ]
        if series:
            labels = [place.replace("_", " ") for place in places]
            title = f"Is the response factual? {name}, by format of the claims"
            plots.append(Plot(f"formats_{name}", title, "bars", labels, series, y="balanced accuracy"))
    return plots
