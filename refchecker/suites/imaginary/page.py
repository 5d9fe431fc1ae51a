"""The report of the imaginary suite: the 18 cells, for checkers and for language models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..plots import series_of
from ..tables import (
    Results,
    Sheets,
    comparison_table,
    metric_rows,
    not_scored,
    number,
    opening,
    section,
    sheets_of,
    table,
    value,
)
from ..types import Page, Plot
from .asking import PROMPTS, SETUPS
from .make import AFFIRMATIVE, CONSTRUCTIONS, SETS
from .sheets import BALANCE, CHECK, EVERY_SET, FORMATS, POOLED

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
LABELS = {label: label for label in ("entailment", "neutral", "contradiction")}


def page(results: Results) -> Page:
    """The page; a plot for each checker, and one for each kind of prompt."""
    systems = sheets_of(results)
    lines = opening(
        results,
        "Imaginary worlds",
        "{items:,} contexts of {groups:,} statements",
        by="statement",
        more="; in a cell a statement has one context, or very few. "
        "What each metric is: docs/metrics_imaginary.md.",
    )
    for name, sheets in systems.items():
        lines += [*_checker(name, sheets), *_language_model(name, sheets)]
    between = [
        pair
        for pair in results["comparisons"]
        if f"/{EVERY_SET}/" in pair["sheet"] or BALANCE in pair["sheet"]
    ]
    lines += section(
        "## Paired tests of cells",
        "Each set against the imaginary one shows what knowledge of the world does; each construction "
        "against negation shows what its meaning does. The same statements are compared.",
        comparison_table(results["within"], "statements"),
    )
    lines += section("## Paired tests of systems", "", comparison_table(between, "statements"))
    lines += not_scored(systems, lambda name: name.endswith(BALANCE))
    return Page(lines, list(_plots(systems)))


def _grid(
    sheets: Sheets, prefix: str, metric: str, constructions: Sequence[str] = tuple(TITLES)
) -> list[str]:
    """A table of one metric: constructions down, sets across."""
    sets = [name for name in COLUMNS if any(f"{prefix}/{name}/{c}" in sheets for c in constructions)]
    if len(sets) == 2:  # one set, and all sets, which is the same
        sets = sets[:1]
    rows = []
    for construction in constructions:
        cells = [sheets.get(f"{prefix}/{name}/{construction}") for name in sets]
        if any(cells):
            sizes = "/".join(str(sheet["n"]) if sheet else "0" for sheet in cells)
            rows.append([TITLES[construction], sizes, *(value(sheet, metric) for sheet in cells)])
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
        balance = value(sheets[f"{CHECK}/{form}/{BALANCE}"], "balanced_accuracy")
        lines += [
            f"### Claims as {form}s",
            "",
            *_grid(sheets, f"{CHECK}/{form}", "entailment"),
            "",
            f"Balanced accuracy (the mean of right on affirmative and right on the others): {balance}.",
            "",
        ]
    every_set = [
        (title, sheet)
        for construction, title in TITLES.items()
        if (sheet := sheets.get(f"{CHECK}/sentence/{EVERY_SET}/{construction}"))
    ]
    title = "### Labels, claims as sentences, all sets"
    return [*lines, title, "", *metric_rows(every_set, LABELS), "", *_frames(sheets)]


def _frames(sheets: Sheets) -> list[str]:
    """The sentence frames that are judged worst."""
    shares = []
    for construction in CONSTRUCTIONS:
        sheet = sheets.get(f"{CHECK}/sentence/{EVERY_SET}/{construction}")
        for frame, (right, count) in (sheet["counts"]["right_by_frame"] if sheet else {}).items():
            shares.append((right / count, construction, frame, count))
    rows = [
        [f"`{frame}`", TITLES[construction], number(count), number(share)]
        for share, construction, frame, count in sorted(shares)[:WORST]
    ]
    return section(
        "### Frames that are judged worst",
        "How contexts are worded (vp: the finite predicate, bare: the infinitive, hyp: the subjunctive), and "
        "the share of claims, as sentences, that is judged rightly.",
        table(["frame", "construction", "n", "right"], rows),
    )


# -- language models -----------------------------------------------------------------------------


def _ways(sheets: Sheets) -> list[tuple[str, str, str]]:
    """(prompt, set-up, prefix of the sheets) that there are."""
    pairs = [(kind, setup, f"{kind}/{setup}") for kind in PROMPTS for setup in SETUPS]
    return [way for way in pairs if f"{way[2]}/{BALANCE}" in sheets]


def _language_model(name: str, sheets: Sheets) -> list[str]:
    ways = _ways(sheets)
    head = ["prompt", "set-up", "affirmative", *(f"not affirmative: {of}" for of in COLUMNS)]
    head += ["wrong as if asserted", "wrong from memory"]
    rows = []
    for kind, setup, prefix in ways:
        asserted = sheets.get(f"{prefix}/{EVERY_SET}/{AFFIRMATIVE}")
        others = [sheets.get(f"{prefix}/{of}/{POOLED}") for of in COLUMNS]
        errors = [value(others[-1], "as_asserted"), value(others[1], "from_memory")]
        f1 = [value(sheet, "f1") for sheet in (asserted, *others)]
        rows.append([PROMPT_TITLES[kind], setup, *f1, *errors])
    lines = section(
        f"## Language model {name}",
        "SQuAD 2.0 F1. On affirmative contexts the answer is words of the text; on all others only "
        "abstaining is right, and F1 and exact match are the same.",
        table(head, rows),
    )
    if ways:
        lines += [
            "Wrong as if asserted: of the wrong answers on texts that are not affirmative, those that give "
            "what the text would say if it asserted it. Wrong from memory: of the wrong ones on "
            "contradicting texts of that kind, those that give what is true of the world.",
            "",
        ]
    for kind, setup, prefix in ways:
        lines += [f"### {PROMPT_TITLES[kind]}, {setup}: F1", "", *_grid(sheets, prefix, "f1"), ""]
        lines += section("", "Exact match:", _grid(sheets, prefix, "em", (AFFIRMATIVE,)))
    return lines


def _plots(systems: Mapping[str, Sheets]) -> Iterator[Plot]:
    for name, sheets in systems.items():
        if f"{CHECK}/sentence/{BALANCE}" in sheets:
            title = f"{name}: share of claims (sentences) called Entailment"
            yield _plot(f"{name}_checker", title, sheets, f"{CHECK}/sentence", "entailment")
        for kind, setup, prefix in _ways(sheets):
            if setup == "controlled" or f"{kind}/controlled/{BALANCE}" not in sheets:
                title = f"{name}, {PROMPT_TITLES[kind]}, {setup}: F1"
                yield _plot(f"{name}_{kind}", title, sheets, prefix, "f1")


def _plot(name: str, title: str, sheets: Sheets, prefix: str, metric: str) -> Plot:
    series = [series_of(of, [sheets.get(f"{prefix}/{of}/{c}") for c in CONSTRUCTIONS], metric) for of in SETS]
    shown = [one for one in series if any(share is not None for share in one.values)]
    return Plot(name, title, "bars", [TITLES[c] for c in CONSTRUCTIONS], shown, y=metric)
