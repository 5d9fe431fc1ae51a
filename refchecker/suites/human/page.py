"""The report of the human benchmark, in the order of its questions.

Does the checker agree with people, claim by claim; response by response; does it rank models as people
do; and do triplets help?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..tables import (
    Line,
    Results,
    Sheets,
    comparison_table,
    lines_of,
    metric_rows,
    not_scored,
    number,
    opening,
    section,
    sheets_of,
    table,
    value,
)
from ..types import Page
from .data import SETTINGS
from .plots import FORMAT_TITLES, plots_of
from .sheets import POOLED
from .systems import RATES

CHECKER = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "f1_entailment": "F1 Entailment",
    "f1_neutral": "F1 Neutral",
    "f1_contradiction": "F1 Contradiction",
    "balanced_accuracy": "balanced accuracy",
    "majority_floor": "majority floor",
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
SEEN = (
    "**The embedded checker learnt from human labels of zero and accurate context, so its numbers there are "
    "in-sample: they are no measure of unseen text. Noisy context is in no part of it.**"
)


def page(results: Results) -> Page:
    """The page, and plots of agreement, of the models' ranking and of claim formats."""
    systems = sheets_of(results)
    lines = [
        *opening(
            results,
            "The human benchmark",
            "{items:,} responses to {groups:,} questions",
            by="question",
            more=". What each metric is: docs/metrics.md. An answer that is no label is a miss.",
        ),
        *([SEEN, ""] if any("embedded(" in s["signature"] for s in results["systems"].values()) else []),
        *_claims(results, systems),
        *section(
            "## Response by response",
            "A response is factual when all its triplets are Entailment; its hallucination rate is the share "
            "that is not. Claims are the annotators' triplets.",
            metric_rows(_titled(systems, "response/{}/human"), RESPONSE),
        ),
        *section("## Paired tests", _about_tests(results), comparison_table(results["comparisons"])),
        *_models(systems),
        *_formats(results, systems),
        *not_scored(systems, _shown)[:-1],
    ]
    return Page(lines, plots_of(results["systems"]))


def _titled(
    systems: Mapping[str, Sheets], name: str, settings: Sequence[str] = (*SETTINGS, POOLED), form: str = ""
) -> list[Line]:
    """The sheets of that name, setting by setting, system by system."""
    return [
        (", ".join(filter(None, (setting.replace("_", " "), system, form))), sheets[name.format(setting)])
        for setting in settings
        for system, sheets in systems.items()
        if name.format(setting) in sheets
    ]


def _shown(name: str) -> bool:
    return name.startswith(("checker/", "response/", "system/")) and "/all" not in name


def _claims(results: Results, systems: Mapping[str, Sheets]) -> list[str]:
    sheets = _titled(systems, "checker/{}")
    checkers = [
        [
            f"{pair['sheet'].partition('/')[2].replace('_', ' ')}, {pair['a']} : {pair['b']}",
            *map(number, (pair["n"], pair["agreement"]["same"], pair["agreement"]["kappa"])),
        ]
        for pair in results["comparisons"]
        if "agreement" in pair
    ]
    beyond = "Agreement with people beyond chance, and beyond an even spread of labels:"
    return [
        *section(
            "## Claim by claim",
            "The annotators' triplets, labelled by the checker.",
            metric_rows(sheets, CHECKER),
        ),
        *section("", beyond, metric_rows(sheets, AGREEMENT)),
        *section(
            "",
            "Agreement of two checkers with each other:",
            table(["", "n", "same label", "Cohen's kappa"], checkers),
        ),
    ]


def _about_tests(results: Results) -> str:
    return (
        f"p is of the paired bootstrap by question ({results['test_draws']:,} samples); McNemar's, on the "
        "rows that only one has right, takes questions as clusters. Holm's correction is over all tests of "
        "its kind in this table. Needed: for such a difference to show at p < .05 in four of five studies, "
        "by the bootstrap (questions) and by McNemar's test (rows, as if independent)."
    )


def _models(systems: Mapping[str, Sheets]) -> list[str]:
    ranked = [
        line
        for form in ("human", "triplet")
        for line in _titled(systems, f"ranking/{{}}/{form}", form=FORMAT_TITLES[form])
    ]
    lines = section(
        "", "Spearman's correlation of the models' rates with those by people:", metric_rows(ranked, RANKING)
    )
    for setting in SETTINGS:
        head = ["model", "by", "Abstain", "Entailment", "Neutral", "Contradiction"]
        title = f"### {setting.replace('_', ' ').capitalize()}"
        lines += section(title, "", table(head, _rates(systems, setting)))
    about = "Rates averaged over responses; one without claims is Abstain."
    return ["## Model by model", "", about, "", *lines] if lines else []


def _rates(systems: Mapping[str, Sheets], setting: str) -> list[list[str]]:
    """The rates of every model of a setting: by people, once, and by each system."""
    rows: list[list[str]] = []
    by_people: set[str] = set()
    for system, sheets in systems.items():
        for name, sheet in lines_of(sheets, f"system/{setting}/(.*)"):
            model, form = name.split("/")
            if "entailment_people" in sheet["metrics"] and model not in by_people:
                by_people.add(model)
                rows.append([model, "people", *(value(sheet, f"{rate}_people") for rate in RATES)])
            shown = system if model == "own" else model
            rows.append([shown, f"{system}, {FORMAT_TITLES[form]}", *(value(sheet, rate) for rate in RATES)])
    return sorted(rows, key=lambda row: row[0])


def _formats(results: Results, systems: Mapping[str, Sheets]) -> list[str]:
    """Do triplets help?"""
    lines = [
        line
        for setting in (*SETTINGS, POOLED)
        for form, title in FORMAT_TITLES.items()
        for line in _titled(
            {name: sheets for name, sheets in systems.items() if f"response/{setting}/sentence" in sheets},
            f"response/{{}}/{form}",
            [setting],
            title,
        )
    ]
    if not lines:
        return []
    return [
        *section(
            "## Do triplets help?",
            "The same responses and the same checker; what changes is what it is given as claims. The target "
            "is people's label of the response: factual, when every annotated triplet is Entailment. A "
            "response in which nothing was judged, as no claim was found or it is too long for the checker "
            "as one claim, is a miss and has no rate.",
            metric_rows(lines, {"nothing_judged": "nothing judged", **RESPONSE}),
        ),
        *section("", _about_tests(results), comparison_table(results["within"])),
    ]
