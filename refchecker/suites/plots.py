"""Plots of a report, as PNG files. They need matplotlib; everything else goes without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError, imported
from .folder import slug
from .types import Array, Plot, Series

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
DOTS_PER_INCH = 110


def draw(plots: Sequence[Plot], output: Path) -> tuple[list[Path], str]:
    """Draw each plot to OUTPUT_NAME.png: the paths, and why there are none where matplotlib is missing."""
    try:
        figure = imported("matplotlib.figure", "plots")
        imported("matplotlib.backends.backend_agg", "plots")
    except UsageError as error:
        return [], str(error)
    output.parent.mkdir(parents=True, exist_ok=True)
    paths = []
    for plot in plots:
        path = output.with_name(f"{output.name}_{slug(plot.name)}.png")
        page = figure.Figure(figsize=_size(plot), layout="constrained")
        axes = page.add_subplot()
        {"bars": _bars, "lines": _lines, "dots": _dots, "parts": _parts}[plot.kind](axes, plot)
        axes.set_title(plot.title, fontsize=11)
        axes.set_xlabel(plot.x)
        axes.set_ylabel(plot.y)
        axes.grid(axis="x" if plot.kind == "parts" else "y", alpha=0.3)
        axes.set_axisbelow(True)
        # no software or date: the same numbers give the same file
        page.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
        paths.append(path)
    return paths, ""


def _size(plot: Plot) -> tuple[float, float]:
    """Width and height in inches."""
    if plot.kind == "parts":
        return 8.0, 1.4 + 0.28 * len(plot.places)
    width = 0.0 if plot.kind == "dots" else 0.45 * len(plot.places) * max(1, len(plot.series))
    return min(max(6.4, width), 16.0), 4.4


def _bars(axes: Any, plot: Plot) -> None:
    width = 0.8 / max(1, len(plot.series))
    for index, series in enumerate(plot.series):
        places = [place + (index - (len(plot.series) - 1) / 2) * width for place in range(len(plot.places))]
        heights = [0.0 if value is None else value for value in series.values]
        colour = COLOURS[index % len(COLOURS)]
        axes.bar(places, heights, width, label=series.name, color=colour, yerr=_whiskers(series), capsize=2)
    _places(axes, plot)


def _parts(axes: Any, plot: Plot) -> None:
    """The first place on top."""
    starts = [0.0] * len(plot.places)
    for index, series in enumerate(plot.series):
        widths = [0.0 if value is None else value for value in series.values]
        axes.barh(range(len(widths)), widths, 0.8, starts, label=series.name, color=COLOURS[index])
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    axes.set_yticks(range(len(plot.places)), plot.places, fontsize=8)
    axes.set_ylim(len(plot.places) - 0.4, -0.6)
    axes.set_xlim(0, 1)
    axes.figure.legend(loc="outside lower center", ncols=len(plot.series), fontsize=8)


def _lines(axes: Any, plot: Plot) -> None:
    for index, series in enumerate(plot.series):
        values = [float("nan") if value is None else value for value in series.values]
        axes.errorbar(
            range(len(values)),
            values,
            yerr=_whiskers(series),
            label=series.name,
            color=COLOURS[index % len(COLOURS)],
            marker="o",
            capsize=2,
        )
    _places(axes, plot)


def _dots(axes: Any, plot: Plot) -> None:
    """The first series across, each other one up; a dashed line where both are the same."""
    across = plot.series[0]
    for index, series in enumerate(plot.series[1:]):
        colour = COLOURS[index % len(COLOURS)]
        known = [
            (x, y, place)
            for x, y, place in zip(across.values, series.values, plot.places, strict=True)
            if x is not None and y is not None
        ]
        axes.scatter([x for x, _, _ in known], [y for _, y, _ in known], color=colour, label=series.name)
        for x, y, place in known:
            axes.annotate(place, (x, y), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.margins(x=0.15)  # room for the names
    axes.axline((0, 0), slope=1, linestyle="--", color="grey", linewidth=1)
    axes.legend(fontsize=8)


def _whiskers(series: Series) -> Array | None:
    """How far the interval reaches below and above each value. # [2, places]"""
    import numpy as np

    if not series.lows:
        return None
    reach = [
        (0.0, 0.0) if None in (value, low, high) else (max(value - low, 0.0), max(high - value, 0.0))  # type: ignore[operator]
        for value, low, high in zip(series.values, series.lows, series.highs, strict=True)
    ]
    return np.array(reach, dtype=float).T


def _places(axes: Any, plot: Plot) -> None:
    slanted = sum(map(len, plot.places)) > 60
    axes.set_xticks(range(len(plot.places)), plot.places, rotation=30 if slanted else 0)
    if slanted:
        for label in axes.get_xticklabels():
            label.set_horizontalalignment("right")
    if len(plot.series) > 1:
        axes.legend(fontsize=8)
