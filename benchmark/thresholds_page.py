"""The results of benchmark/thresholds.py as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    cells = [["–" if cell is None else str(cell) for cell in row] for row in rows]
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *cells)]


def threshold_rows(sets: dict[str, Any], of: str) -> list[list[Any]]:
    rows = []
    for name, found in sets.items():
        for kind, wanted in (("reached", "share"), ("bound_reached", "lower bound")):
            line = found[of][kind] or dict.fromkeys(("at", "kept", "precision", "recall"))
            values = [line["at"], line["kept"], line["recall"], line["precision"]]
            rows.append([name, wanted, *values, found[of][f"{kind}_held_out"]])
    return rows


def page(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    sets, wanted = results["sets"], f"{results['precision']:.0%}"
    measures = (
        *("claims", "accuracy", "mean_confidence", "ece_15", "ece_10", "ece_15_equal_mass"),
        *("classwise_ece_15", "temperature", "ece_15_tempered_held_out"),
    )
    thresholds = ("set", f"what reaches {wanted}", "threshold", "kept", "recall", "precision", "held out")
    lines = [
        f"# What the scores of {results['checker']} are worth",
        "",
        f"`{results['signature']}`, made by `{results['command']}`.",
        "Held out: fitted on four fifths of the questions, measured on the rest. Lower bound: Wilson, 95 %.",
        "",
        "## Calibration",
        "",
        *table(
            ["set", *(name.replace("_", " ") for name in measures)],
            [[name, *(found["calibration"][m] for m in measures)] for name, found in sets.items()],
        ),
        "",
        f"## The lowest Entailment score at and above which {wanted} are Entailment",
        "",
        *table(thresholds, threshold_rows(sets, "entailment")),
        "",
        f"## The lowest --min_confidence at which {wanted} of the answered claims are right",
        "",
        *table(thresholds, threshold_rows(sets, "any_label")),
        "",
        "## --min_confidence: answered claims, and how many of them are right",
        "",
        *table(
            ["set", *(str(row["at"]) for row in next(iter(sets.values()))["min_confidence"])],
            [
                [name, *(f"{row['answered']:.2f}, {row['accuracy']}" for row in found["min_confidence"])]
                for name, found in sets.items()
            ],
        ),
    ]
    for name, found in sets.items():
        if "cascade" in found:
            own = found["cascade"]
            lines += [
                "",
                f"## Cascade on {name}: {results['checker']}, then {results['then']}",
                "",
                f"--cascade_confidence for an agreement of {own['agreement']}: **{own['confidence']}**; "
                f"held out, it agrees in {own['held_out_agreement']}.",
                "",
                *table(list(own["table"][0]), [list(row.values()) for row in own["table"]]),
            ]
    return "\n".join(lines) + "\n"
