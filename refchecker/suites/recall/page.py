"""The report: answers by condition, methods, definitions, claims against both contexts, and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..metrics import pearson
from ..tables import comparison_table, metric_rows, number, table
from ..types import Page, Plot, Series
from .tasks import CONDITIONS
from .triplets import KINDS

Sheets = Mapping[str, Any]


def page(results: Mapping[str, Any]) -> Page:
    """Tables and plots of all systems of a report."""
    systems: Mapping[str, Sheets] = {name: found["sheets"] for name, found in results["systems"].items()}
    lines = ["# RECALL", ""]
    lines += [f"`{results['command']}`", ""] if results.get("command") else []
    lines += [results["note"], ""] if results.get("note") else []
    lines += [f"- {line}" for line in results["prepared"].get("notes", [])]
    lines += ["", "Each cell is a value with its 95 % interval, bootstrapped by event and term.", ""]
    for system, sheets in systems.items():
        lines += [f"## {system}", "", f"`{results['systems'][system]['signature']}`", ""]
        lines += _questions(sheets) + _influence(sheets) + _definitions(sheets)
        lines += _claims(sheets) + _relations(sheets) + _probe(sheets) + _coverage(sheets)
    lines += _across(systems) + _methods(results.get("within", []))
    return Page(lines, [plot for name, sheets in systems.items() for plot in _plots(name, sheets)])


def within(names: Sequence[str]) -> list[tuple[str, str]]:
    """The baseline against each other method, on the same samples."""
    pairs = []
    for name in names:
        head, _, method = name.rpartition("/")
        if (
            method != "baseline"
            and f"{head}/baseline" in names
            and not name.startswith(("triplets/", "relation/"))
        ):
            pairs.append((f"{head}/baseline", name))
    return pairs


def _of(sheets: Sheets, *tasks: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The sheets of answers of those tasks, which are SET/TASK/METHOD."""
    return [(n, s) for n, s in sheets.items() if n.count("/") == 2 and n.split("/")[1] in tasks]


def _section(title: str, about: str, rows: list[str]) -> list[str]:
    return [f"### {title}", "", about, "", *rows, ""] if len(rows) > 2 else []


def _questions(sheets: Sheets) -> list[str]:
    columns = {f"accuracy_{c}": f"accuracy, {c}" for c in CONDITIONS}
    columns |= {
        "fall": "original − edited",
        "m_rate": "M-Rate",
        "r_rate": "R-Rate",
        "r_rate_all": "R-Rate, all edits",
    }
    columns |= {"repeats_edit": "says the false answer", "says_both": "says both"}
    about = (
        "Without a context of its own a method has the baseline's answers for original and none. R-Rate "
        "counts edits whose original word is in the output with the original context; the next column "
        "counts all."
    )
    return _section("Questions", about, metric_rows(_of(sheets, "QA-A", "QA-NA"), columns))


def _influence(sheets: Sheets) -> list[str]:
    columns = {
        f"{m}_{k}": f"{title}, {k.replace('_', ' ')}"
        for m, title in (("accuracy_edited", "accuracy"), ("m_rate", "M-Rate"))
        for k in ("no_influence", "influence")
    }
    own = [(n, s) for n, s in _of(sheets, "QA-NA") if "m_rate_influence" in s["metrics"]]
    about = "An edit of the name makes the context one about another event."
    return _section("QA-NA by whether the edit touches the event's name", about, metric_rows(own, columns))


def _definitions(sheets: Sheets) -> list[str]:
    own = _of(sheets, "TG")
    columns = {
        f"{kind}_{c}": f"{title}, {c}"
        for c in CONDITIONS
        for kind, title in (("bleu", "BLEU"), ("meteor", "METEOR"), ("rouge_l", "ROUGE-L"))
    }
    robust = {
        "rating_original": "rating, original",
        "rating_edited": "rating, edited",
        "d_rate": "D-Rate",
        "r_rate": "R-Rate",
        "r_rate_all": "R-Rate, all edits",
    }
    about = "BLEU: 0 to 100. METEOR (exact and stem matches, no WordNet) and ROUGE-L: 0 to 1."
    return [
        *_section("Definitions", about, metric_rows(own, columns)),
        *_section(
            "Definitions: robustness", "Ratings are a language model's, 1 to 5.", metric_rows(own, robust)
        ),
    ]


def _claims(sheets: Sheets) -> list[str]:
    own = [(n.removeprefix("triplets/"), s) for n, s in sheets.items() if n.startswith("triplets/")]
    about = (
        "Claims of the outputs against both contexts: kept (the original alone entails it), misled (the "
        "edited alone), both, own (neither)."
    )
    return _section("Claims", about, metric_rows(own, {kind: kind for kind in KINDS}))


def _relations(sheets: Sheets) -> list[str]:
    own = [(n.removeprefix("relation/"), s) for n, s in sheets.items() if n.startswith("relation/")]
    columns = {
        "misled_share": "misled share",
        "misled_share_where_wrong": "where the answer is wrong",
        "misled_share_where_right": "where it is right",
        "right_but_misled": "right answers with a misled claim",
        "r_with_wrong": "r with being wrong",
        "r_with_m_rate": "r with it among M-Rate's questions",
    }
    about = "Per question with claims under the edited context."
    return _section("Claims and M-Rate", about, metric_rows(own, columns))


def _probe(sheets: Sheets) -> list[str]:
    columns = {"ideal": "warns", "follows_text": "follows the text"}
    about = "Made-up news of the future. Whether an answer warns is told by a list of phrases: read them too."
    return _section("Time-sensitive knowledge", about, metric_rows(_of(sheets, "probe"), columns))


def _coverage(sheets: Sheets) -> list[str]:
    lacking = [
        [name, number(sheet["n"]), number(sheet["coverage"]), "; ".join(f"{k}: {v}" for k, v in why.items())]
        for name, sheet in sheets.items()
        if (why := {**sheet["missing"], **{k: v for k, v in sheet["counts"].items() if v}})
    ]
    return _section(
        "Not scored, and other counts",
        "Rows that are not there, and answers that were not given.",
        table(["sheet", "rows", "coverage", "why"], lacking),
    )


def _across(systems: Mapping[str, Sheets]) -> list[str]:
    """Whether systems with a higher M-Rate have more misled claims."""
    rows = []
    for of in ("events/QA-A", "events/QA-NA", "terms/QA-A", "terms/QA-NA"):
        both = [
            (rate, misled)
            for sheets in systems.values()
            for name, sheet in sheets.items()
            if name.startswith(f"{of}/")
            and (rate := sheet["metrics"]["m_rate"]["value"]) is not None
            and (claims := sheets.get(f"triplets/{of}/edited/{name.split('/')[-1]}"))
            and (misled := claims["metrics"]["misled"]["value"]) is not None
        ]
        if len(both) > 2:
            rows.append([of, str(len(both)), number(_correlation(both))])
    about = (
        "M-Rate and the share of misled claims under the edited context; a point is a system with a method."
    )
    head = ["task", "points", "Pearson's r"]
    found = _section("Systems: M-Rate and misled claims", about, table(head, rows))
    return [line.removeprefix("#") if line.startswith("###") else line for line in found]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    x, y = np.array(pairs, dtype=float).T
    return pearson(x, y)


def _methods(found: Sequence[Mapping[str, Any]]) -> list[str]:
    return ["## Methods, in pairs", "", *comparison_table(found), ""] if found else []


def _plots(system: str, sheets: Sheets) -> list[Plot]:
    plots = []
    asked = [
        (n.removesuffix("/baseline"), s) for n, s in _of(sheets, "QA-A", "QA-NA") if n.endswith("/baseline")
    ]
    if asked:
        series = [_series(c, [s["metrics"][f"accuracy_{c}"] for _, s in asked]) for c in CONDITIONS]
        title = f"{system}: accuracy by context"
        plots.append(Plot(f"{system}_accuracy", title, "bars", [n for n, _ in asked], series, y="accuracy"))
    claims = [(n, s) for n, s in sheets.items() if n.startswith("triplets/") and s["n"]]
    if claims:
        places = [n.removeprefix("triplets/").removesuffix("/baseline") for n, _ in claims]
        series = [_series(kind, [s["metrics"][kind] for _, s in claims]) for kind in KINDS]
        title = f"{system}: claims against both contexts"
        plots.append(Plot(f"{system}_claims", title, "parts", places, series, x="share of claims"))
    return plots


def _series(name: str, metrics: Sequence[Mapping[str, Any]]) -> Series:
    columns = ([m[part] for m in metrics] for part in ("value", "low", "high"))
    return Series(name, *columns)
