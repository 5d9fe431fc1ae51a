"""The report of the imaginary suite: the 18 cells, for checkers and for language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..tables import cell, comparison_table, coverage_lines, number, table
from ..types import Page, Plot, Series
from .asking import PROMPTS, SETUPS
from .make import AFFIRMATIVE, CONSTRUCTIONS, SETS
from .sheets import BALANCE, CHECK, EVERY_SET, FORMATS, POOLED

Results = Mapping[str, Any]
Sheets = Mapping[str, Mapping[str, Any]]
TITLES = {
    "affirmative": "affirmative",
    "negation": "negation",
    "unlikely": "unlikely",
    "modal": "modal",
    "if_clause": "if-clause",
    "would_clause": "would-clause",
    POOLED: "the five together",
}
COLUMNS = (*SETS, EVERY_SET)
WORST = 12  # frames that are shown
PROMPT_TITLES = {kind: kind.replace("_", "-") for kind in PROMPTS}


def page(results: Results) -> Page:
    """The page; a plot for each checker, and one for each kind of prompt."""
    systems = results["systems"]
    lines = [
        "# Imaginary worlds",
        "",
        *(f"- {name}: `{scored['signature']}`" for name, scored in systems.items()),
        "",
        *_how(results),
    ]
    for name, scored in systems.items():
        lines += [*_checker(name, scored["sheets"]), *_reader(name, scored["sheets"])]
    lines += [*_tests(results), *_left_out(systems)]
    return Page(lines, list(_plots(systems)))


def _how(results: Results) -> list[str]:
    first = next(iter(results["systems"].values()))
    data, boot = first["data"], first["bootstrap"]
    made = f"Made by `{results['command']}`. " if results["command"] else ""
    return [
        f"{made}{data['items']:,} contexts of {data['groups']:,} statements, data `{data['data']}`. "
        f"In brackets: {boot['level']:.0%} intervals, bootstrapped by statement ({boot['draws']:,} samples, "
        f"seed {boot['seed']}); "
        "in a cell a statement has one context, or very few. What each metric is: docs/metrics_imaginary.md.",
        "",
        *([results["note"], ""] if results["note"] else []),
    ]


def _grid(sheets: Sheets, prefix: str, metric: str, constructions: Sequence[str]) -> list[str]:
    """A table of one metric: constructions down, sets across."""
    sets = [each for each in COLUMNS if any(f"{prefix}/{each}/{c}" in sheets for c in constructions)]
    if len(sets) == 2:  # one set, and all sets, which is the same
        sets = sets[:1]
    rows = []
    for construction in constructions:
        found = [sheets.get(f"{prefix}/{each}/{construction}") for each in sets]
        if any(found):
            sizes = "/".join(str(sheet["n"]) if sheet else "0" for sheet in found)
            values = [cell(sheet["metrics"][metric] if sheet else None) for sheet in found]
            rows.append([TITLES[construction], sizes, *values])
    return table(["", "n", *sets], rows)


# -- checkers ------------------------------------------------------------------------------------


def _checker(name: str, sheets: Sheets) -> list[str]:
    if f"{CHECK}/sentence/{BALANCE}" not in sheets:
        return []
    lines = [
        f"## Checker {name}",
        "",
        "The share of claims that are called Entailment. It should be 1 on affirmative contexts and 0 on all "
        "others.",
        "",
    ]
    for form in FORMATS:
        whole = sheets[f"{CHECK}/{form}/{BALANCE}"]["metrics"]
        lines += [f"### Claims as {form}s", ""]
        lines += [*_grid(sheets, f"{CHECK}/{form}", "entailment", tuple(TITLES)), ""]
        lines += [
            f"Balanced accuracy (the mean of right on affirmative and right on the others): "
            f"{cell(whole['balanced_accuracy'])}.",
            "",
        ]
    return [*lines, *_labels(sheets), *_frames(sheets)]


def _labels(sheets: Sheets) -> list[str]:
    names = ("entailment", "neutral", "contradiction")
    rows = [
        [TITLES[c], number(sheet["n"]), *(cell(sheet["metrics"][label]) for label in names)]
        for c in TITLES
        if (sheet := sheets.get(f"{CHECK}/sentence/{EVERY_SET}/{c}"))
    ]
    return ["### Labels, claims as sentences, all sets", "", *table(["", "n", *names], rows), ""]


def _frames(sheets: Sheets) -> list[str]:
    """The sentence frames that are judged worst."""
    shares = []
    for construction in CONSTRUCTIONS:
        sheet = sheets.get(f"{CHECK}/sentence/{EVERY_SET}/{construction}")
        for frame, (right, count) in (sheet["counts"]["right_by_frame"] if sheet else {}).items():
            shares.append((right / count, construction, frame, count))
    if not shares:
        return []
    worst = sorted(shares)[:WORST]
    rows = [
        [f"`{frame}`", TITLES[construction], number(count), number(share)]
        for share, construction, frame, count in worst
    ]
    return [
        "### Frames that are judged worst",
        "",
        "How contexts are worded (vp: the finite predicate, bare: the infinitive, hyp: the subjunctive), and "
        "the share of claims, as sentences, that is judged rightly.",
        "",
        *table(["frame", "construction", "n", "right"], rows),
        "",
    ]


# -- language models -----------------------------------------------------------------------------


def _ways(sheets: Sheets) -> list[tuple[str, str, str]]:
    """(prompt, set-up, prefix of the sheets) that there are."""
    pairs = [(kind, setup, f"{kind}/{setup}") for kind in PROMPTS for setup in SETUPS]
    return [way for way in pairs if f"{way[2]}/{BALANCE}" in sheets]


def _reader(name: str, sheets: Sheets) -> list[str]:
    ways = _ways(sheets)
    if not ways:
        return []
    lines = [
        f"## Language model {name}",
        "",
        "SQuAD 2.0 F1. On affirmative contexts the answer is words of the text; on all others only "
        "abstaining is right, and F1 and exact match are the same.",
        "",
    ]
    head = ["prompt", "set-up", "affirmative", *(f"not affirmative: {each}" for each in COLUMNS)]
    head += ["wrong as if asserted", "wrong from memory"]
    rows = []
    for kind, setup, prefix in ways:
        asserted = sheets.get(f"{prefix}/{EVERY_SET}/{AFFIRMATIVE}")
        others = [sheets.get(f"{prefix}/{each}/{POOLED}") for each in COLUMNS]
        values = [cell(sheet["metrics"]["f1"] if sheet else None) for sheet in (asserted, *others)]
        errors = [
            cell(sheet["metrics"][error] if sheet else None)
            for sheet, error in ((others[-1], "as_asserted"), (others[1], "from_memory"))
        ]
        rows.append([PROMPT_TITLES[kind], setup, *values, *errors])
    lines += [
        *table(head, rows),
        "",
        "Wrong as if asserted: of the wrong answers on texts that are not affirmative, those that give "
        "what the text would say if it asserted it. Wrong from memory: of the wrong ones on contradicting "
        "texts of that kind, those that give what is true of the world.",
        "",
    ]
    for kind, setup, prefix in ways:
        lines += [f"### {PROMPT_TITLES[kind]}, {setup}: F1", ""]
        lines += [*_grid(sheets, prefix, "f1", tuple(TITLES)), ""]
        exact = _grid(sheets, prefix, "em", (AFFIRMATIVE,))
        if len(exact) > 2:
            lines += ["Exact match:", "", *exact, ""]
    return lines


# -- tests, omissions, plots ---------------------------------------------------------------------


def _tests(results: Results) -> list[str]:
    lines = []
    if results["within"]:
        lines += [
            "## Paired tests of cells",
            "",
            "Each set against the imaginary one shows what knowledge of the world does; each construction "
            "against negation shows what its meaning does. The same statements are compared.",
            "",
            *comparison_table(results["within"], "statements"),
            "",
        ]
    between = [
        one for one in results["comparisons"] if f"/{EVERY_SET}/" in one["sheet"] or BALANCE in one["sheet"]
    ]
    if between:
        lines += ["## Paired tests of systems", "", *comparison_table(between, "statements"), ""]
    return lines


def _left_out(systems: Results) -> list[str]:
    whole = {
        name: {
            "sheets": {place: sheet for place, sheet in scored["sheets"].items() if place.endswith(BALANCE)}
        }
        for name, scored in systems.items()
    }
    found = coverage_lines(whole)
    return ["## Not scored", "", *found, ""] if found else []


def _plots(systems: Results) -> Iterator[Plot]:
    for name, scored in systems.items():
        sheets = scored["sheets"]
        if f"{CHECK}/sentence/{BALANCE}" in sheets:
            title = f"{name}: share of claims (sentences) called Entailment"
            yield _plot(f"{name}_checker", title, sheets, f"{CHECK}/sentence", "entailment")
        for kind, setup, prefix in _ways(sheets):
            if setup == "controlled" or f"{kind}/controlled/{BALANCE}" not in sheets:
                title = f"{name}, {PROMPT_TITLES[kind]}, {setup}: F1"
                yield _plot(f"{name}_{kind}", title, sheets, prefix, "f1")


def _plot(name: str, title: str, sheets: Sheets, prefix: str, metric: str) -> Plot:
    def at(each: str, part: str) -> list[float | None]:
        found = [sheets.get(f"{prefix}/{each}/{construction}") for construction in CONSTRUCTIONS]
        return [sheet["metrics"][metric][part] if sheet else None for sheet in found]

    series = [
        Series(each, at(each, "value"), at(each, "low"), at(each, "high"))
        for each in SETS
        if any(value is not None for value in at(each, "value"))
    ]
    return Plot(name, title, "bars", [TITLES[c] for c in CONSTRUCTIONS], series, y=metric)
