"""The report: answers by condition, methods, definitions, claims against both contexts, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..metrics import pearson
from ..plots import series_of
from ..tables import (
    Results,
    Sheets,
    comparison_table,
    lines_of,
    metric_rows,
    number,
    section,
    sheets_of,
    table,
)
from ..types import Page, Plot
from .tasks import CONDITIONS
from .triplets import KINDS


class Section(NamedTuple):
    """A table of one kind of sheet: which they are, and what is shown of them."""

    title: str
    about: str
    sheets: str  # a pattern of their names; its group is what a line is called
    columns: Mapping[str, str]


SECTIONS = (
    Section(
        "Questions",
        "Without a context of its own a method has the baseline's answers for original and none. R-Rate "
        "counts edits whose original word is in the output with the original context; the next column "
        "counts all.",
        r"([^/]+/QA-N?A/[^/]+)",
        {
            **{f"accuracy_{c}": f"accuracy, {c}" for c in CONDITIONS},
            "fall": "original − edited",
            "m_rate": "M-Rate",
            "r_rate": "R-Rate",
            "r_rate_all": "R-Rate, all edits",
            "repeats_edit": "says the false answer",
            "says_both": "says both",
        },
    ),
    Section(
        "QA-NA by whether the edit touches the event's name",
        "An edit of the name makes the context one about another event.",
        "(events/QA-NA/[^/]+)",
        {
            f"{metric}_{kind}": f"{title}, {kind.replace('_', ' ')}"
            for metric, title in (("accuracy_edited", "accuracy"), ("m_rate", "M-Rate"))
            for kind in ("no_influence", "influence")
        },
    ),
    Section(
        "Definitions",
        "BLEU: 0 to 100. METEOR (exact and stem matches, no WordNet) and ROUGE-L: 0 to 1.",
        r"([^/]+/TG/[^/]+)",
        {
            f"{kind}_{c}": f"{title}, {c}"
            for c in CONDITIONS
            for kind, title in (("bleu", "BLEU"), ("meteor", "METEOR"), ("rouge_l", "ROUGE-L"))
        },
    ),
    Section(
        "Definitions: robustness",
        "Ratings are a language model's, 1 to 5.",
        r"([^/]+/TG/[^/]+)",
        {
            "rating_original": "rating, original",
            "rating_edited": "rating, edited",
            "d_rate": "D-Rate",
            "r_rate": "R-Rate",
            "r_rate_all": "R-Rate, all edits",
        },
    ),
    Section(
        "Claims",
        "Claims of the outputs against both contexts: kept (the original alone entails it), misled (the "
        "edited alone), both, own (neither).",
        "triplets/(.*)",
        {kind: kind for kind in KINDS},
    ),
    Section(
        "Claims and M-Rate",
        "Per question with claims under the edited context.",
        "relation/(.*)",
        {
            "misled_share": "misled share",
            "misled_share_where_wrong": "where the answer is wrong",
            "misled_share_where_right": "where it is right",
            "right_but_misled": "right answers with a misled claim",
            "r_with_wrong": "r with being wrong",
            "r_with_m_rate": "r with it among M-Rate's questions",
        },
    ),
    Section(
        "Time-sensitive knowledge",
        "Made-up news of the future. Whether an answer warns is told by a list of phrases: read them too.",
        r"([^/]+/probe/[^/]+)",
        {"ideal": "warns", "follows_text": "follows the text"},
    ),
)


def page(results: Results) -> Page:
    """Tables and plots of all systems of a report."""
    systems = sheets_of(results)
    lines = ["# RECALL", ""]
    lines += [f"`{results['command']}`", ""] if results.get("command") else []
    lines += [results["note"], ""] if results.get("note") else []
    lines += [f"- {line}" for line in results["prepared"].get("notes", [])]
    lines += ["", "Each cell is a value with its 95 % interval, bootstrapped by event and term.", ""]
    for system, sheets in systems.items():
        lines += [f"## {system}", "", f"`{results['systems'][system]['signature']}`", ""]
        for title, about, pattern, columns in SECTIONS:
            lines += section(f"### {title}", about, metric_rows(lines_of(sheets, pattern), columns))
        lines += _coverage(sheets)
    lines += _across(systems)
    lines += section("## Methods, in pairs", "", comparison_table(results.get("within", [])))
    return Page(lines, [plot for name, sheets in systems.items() for plot in _plots(name, sheets)])


def within(names: Sequence[str]) -> list[tuple[str, str]]:
    """The baseline against each other method, on the same samples."""
    answered = [name for name in names if not name.startswith(("triplets/", "relation/"))]
    pairs = [(f"{name.rpartition('/')[0]}/baseline", name) for name in answered]
    return [(baseline, name) for baseline, name in pairs if name != baseline and baseline in names]


def _coverage(sheets: Sheets) -> list[str]:
    lacking = [
        [name, number(sheet["n"]), number(sheet["coverage"]), "; ".join(f"{k}: {v}" for k, v in why.items())]
        for name, sheet in sheets.items()
        if (why := {**sheet["missing"], **{k: v for k, v in sheet["counts"].items() if v}})
    ]
    return section(
        "### Not scored, and other counts",
        "Rows that are not there, and answers that were not given.",
        table(["sheet", "rows", "coverage", "why"], lacking),
    )


def _across(systems: Mapping[str, Sheets]) -> list[str]:
    """Whether systems with a higher M-Rate have more misled claims."""
    rows = []
    for task in ("events/QA-A", "events/QA-NA", "terms/QA-A", "terms/QA-NA"):
        points = [
            (rate, misled)
            for sheets in systems.values()
            for method, sheet in lines_of(sheets, f"{task}/([^/]+)")
            if (rate := sheet["metrics"]["m_rate"]["value"]) is not None
            and (claims := sheets.get(f"triplets/{task}/edited/{method}"))
            and (misled := claims["metrics"]["misled"]["value"]) is not None
        ]
        if len(points) > 2:
            rows.append([task, str(len(points)), number(pearson(*np.array(points, dtype=float).T))])
    return section(
        "## Systems: M-Rate and misled claims",
        "M-Rate and the share of misled claims under the edited context; a point is a system with a method.",
        table(["task", "points", "Pearson's r"], rows),
    )


def _plots(system: str, sheets: Sheets) -> list[Plot]:
    plots = []
    if questions := dict(lines_of(sheets, "([^/]+/QA-N?A)/baseline")):
        series = [series_of(c, list(questions.values()), f"accuracy_{c}") for c in CONDITIONS]
        title = f"{system}: accuracy by context"
        plots.append(Plot(f"{system}_accuracy", title, "bars", list(questions), series, y="accuracy"))
    if claims := {name: sheet for name, sheet in lines_of(sheets, "triplets/(.*)") if sheet["n"]}:
        places = [name.removesuffix("/baseline") for name in claims]
        series = [series_of(kind, list(claims.values()), kind) for kind in KINDS]
        title = f"{system}: claims against both contexts"
        plots.append(Plot(f"{system}_claims", title, "parts", places, series, x="share of claims"))
    return plots
