"""The report of the human benchmark, in the order of its questions.

Does the checker agree with people, claim by claim; response by response; does it rank models as people
do; and do triplets help?
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..tables import cell, comparison_table, coverage_lines, metric_rows, number, table
from ..types import Page
from .data import SETTINGS
from .plots import FORMAT_TITLES, plots_of
from .sheets import POOLED
from .systems import RATES

Results = Mapping[str, Any]
CHECKER = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "f1_entailment": "F1 Entailment",
    "f1_neutral": "F1 Neutral",
    "f1_contradiction": "F1 Contradiction",
    "balanced_accuracy": "balanced accuracy",
}
AGREEMENT = {"kappa": "Cohen's kappa", "uniform_kappa": "(3·p − 1) / 2"}
RESPONSE = {
    "accuracy": "accuracy",
    "fact_f1": "Fact-F1",
    "nonfact_f1": "NonFact-F1",
    "balanced_accuracy": "balanced accuracy",
    "pearson": "Pearson",
    "spearman": "Spearman",
}
RANKING = {
    "spearman_entailment": "Entailment rate",
    "spearman_contradiction": "Contradiction rate",
    "spearman_hallucination": "Neutral + Contradiction",
}
SEEN = {
    "embedded": "The embedded checker learnt from human labels of zero and accurate context, so its "
    "numbers there are in-sample: they are no measure of unseen text. Noisy context is in no part of it."
}


def page(results: Results) -> Page:
    """The page, and plots of agreement, of the models' ranking and of claim formats."""
    systems = results["systems"]
    lines = [
        "# The human benchmark",
        "",
        *(f"- {name}: `{scored['signature']}`" for name, scored in systems.items()),
        "",
        *_how(results),
        *_claims(results),
        *_responses(systems),
        *_tests(results),
        *_models(systems),
        *_formats(results),
        *_left_out(systems),
    ]
    return Page(lines, plots_of(systems))


def _how(results: Results) -> list[str]:
    systems = results["systems"]
    first = next(iter(systems.values()))
    data, boot = first["data"], first["bootstrap"]
    made = f"Made by `{results['command']}`. " if results["command"] else ""
    lines = [
        f"{made}{data['items']:,} responses to {data['groups']:,} questions, data `{data['data']}`. "
        f"In brackets: {boot['level']:.0%} intervals, bootstrapped by question ({boot['draws']:,} samples, "
        f"seed {boot['seed']}). "
        "What each metric is: docs/metrics.md. An answer that is no label is a miss.",
        "",
        *([results["note"], ""] if results["note"] else []),
    ]
    for name, text in SEEN.items():
        if any(f"{name}(" in scored["signature"] for scored in systems.values()):
            lines += [f"**{text}**", ""]
    return lines


def _sheets(systems: Results, pattern: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """(place, system, sheet) of `pattern` with each setting, setting by setting."""
    return [
        (setting, name, scored["sheets"][pattern.format(setting)])
        for setting in (*SETTINGS, POOLED)
        for name, scored in systems.items()
        if pattern.format(setting) in scored["sheets"]
    ]


def _titled(setting: str, name: str) -> str:
    return f"{setting.replace('_', ' ')}, {name}"


# -- claim by claim ------------------------------------------------------------------------------


def _claims(results: Results) -> list[str]:
    systems = results["systems"]
    rows = _sheets(systems, "checker/{}")
    if not rows:
        return []
    lines = ["## Claim by claim", "", "The annotators' triplets, labelled by the checker.", ""]
    head = ["", "n", *CHECKER.values(), "majority floor"]
    lines += table(
        head,
        [
            [_titled(setting, name), number(sheet["n"])]
            + [cell(sheet["metrics"][metric]) for metric in CHECKER]
            + [number(sheet["counts"]["majority_floor"])]
            for setting, name, sheet in rows
        ],
    )
    lines += ["", "Agreement with people beyond chance, and beyond an even spread of labels:", ""]
    lines += metric_rows([(_titled(setting, name), sheet) for setting, name, sheet in rows], AGREEMENT)
    return [*lines, "", *_between_checkers(results)]


def _between_checkers(results: Results) -> list[str]:
    rows = [
        [
            _titled(one["sheet"].partition("/")[2], f"{one['a']} : {one['b']}"),
            number(one["n"]),
            number(one["agreement"]["same"]),
            number(one["agreement"]["kappa"]),
        ]
        for one in results["comparisons"]
        if "agreement" in one
    ]
    head = ["", "n", "same label", "Cohen's kappa"]
    return ["Agreement of two checkers with each other:", "", *table(head, rows), ""] if rows else []


# -- paired tests --------------------------------------------------------------------------------


def _tests(results: Results) -> list[str]:
    found = results["comparisons"]
    return ["## Paired tests", "", *_about_tests(results), "", *comparison_table(found), ""] if found else []


def _about_tests(results: Results) -> list[str]:
    return [
        f"p is of the paired bootstrap by question ({results['test_draws']:,} samples); McNemar's, on the "
        "rows that only one has right, takes questions as clusters. Holm's correction is over all tests of "
        "its kind in this table. Needed: for such a difference to show at p < .05 in four of five studies, "
        "by the bootstrap (questions) and by McNemar's test (rows, as if independent)."
    ]


# -- response by response ------------------------------------------------------------------------


def _responses(systems: Results) -> list[str]:
    rows = _sheets(systems, "response/{}/human")
    if not rows:
        return []
    return [
        "## Response by response",
        "",
        "A response is factual when all its triplets are Entailment; its hallucination rate is the share "
        "that is not. Claims are the annotators' triplets.",
        "",
        *metric_rows([(_titled(setting, name), sheet) for setting, name, sheet in rows], RESPONSE),
        "",
    ]


# -- model by model ------------------------------------------------------------------------------


def _models(systems: Results) -> list[str]:
    lines = ["## Model by model", "", "Rates averaged over responses; one without claims is Abstain.", ""]
    ranked = [
        (f"{_titled(setting, name)}, {FORMAT_TITLES[form]}", sheet)
        for form in ("human", "triplet")
        for setting, name, sheet in _sheets(systems, f"ranking/{{}}/{form}")
    ]
    if ranked:
        lines += ["Spearman's correlation of the models' rates with those by people:", ""]
        lines += [*metric_rows(ranked, RANKING), ""]
    for setting in SETTINGS:
        lines += _rates(systems, setting)
    return lines if len(lines) > 4 else []


def _rates(systems: Results, setting: str) -> list[str]:
    """The rates of every model of a setting: by people, once, and by each system."""
    rows: list[list[str]] = []
    by_people: set[str] = set()
    for name, scored in systems.items():
        for path, sheet in scored["sheets"].items():
            kind, *rest = path.split("/")
            if kind != "system" or rest[0] != setting:
                continue
            _, model, form = rest
            if "entailment_people" in sheet["metrics"] and model not in by_people:
                by_people.add(model)
                rows.append([model, "people", *(cell(sheet["metrics"][f"{rate}_people"]) for rate in RATES)])
            shown = name if model == "own" else model
            by = f"{name}, {FORMAT_TITLES[form]}"
            rows.append([shown, by, *(cell(sheet["metrics"].get(rate)) for rate in RATES)])
    if not rows:
        return []
    rows.sort(key=lambda row: row[0])
    head = ["model", "by", "Abstain", "Entailment", "Neutral", "Contradiction"]
    return [f"### {setting.replace('_', ' ').capitalize()}", "", *table(head, rows), ""]


# -- do triplets help? ---------------------------------------------------------------------------


def _formats(results: Results) -> list[str]:
    rows = [
        (f"{_titled(setting, name)}, {title}", sheet)
        for setting in (*SETTINGS, POOLED)
        for form, title in FORMAT_TITLES.items()
        for place, name, sheet in _sheets(results["systems"], f"response/{{}}/{form}")
        if place == setting and f"response/{setting}/sentence" in results["systems"][name]["sheets"]
    ]
    if not rows:
        return []
    lines = [
        "## Do triplets help?",
        "",
        "The same responses and the same checker; what changes is what it is given as claims. The target is "
        "people's label of the response: factual, when every annotated triplet is Entailment. A response in "
        "which nothing was judged, as no claim was found or it is too long for the checker as one claim, is "
        "a miss and has no rate.",
        "",
        *table(
            ["", "n", "nothing judged", *RESPONSE.values()],
            [
                [title, number(sheet["n"]), number(sheet["counts"]["nothing_judged"])]
                + [cell(sheet["metrics"][metric]) for metric in RESPONSE]
                for title, sheet in rows
            ],
        ),
        "",
    ]
    if results["within"]:
        lines += [*_about_tests(results), "", *comparison_table(results["within"]), ""]
    return lines


def _left_out(systems: Results) -> list[str]:
    chosen = {
        name: {
            "sheets": {
                path: sheet
                for path, sheet in scored["sheets"].items()
                if path.startswith(("checker/", "response/", "system/")) and "/all" not in path
            }
        }
        for name, scored in systems.items()
    }
    lines = coverage_lines(chosen)
    return ["## Not scored", "", *lines] if lines else []
