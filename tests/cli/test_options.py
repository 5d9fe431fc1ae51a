"""Dataclasses of options as arguments of a parser, and back."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path

import pytest

import refchecker
from refchecker.cli.bench import steps
from refchecker.cli.bench.commands import options_of
from refchecker.cli.options import LLMOptions, parse
from refchecker.cli.options.bench import FolderOptions, MeasureOptions, ModelOptions, PageOptions
from refchecker.protocols import REQUIRED, option
from refchecker.suites import find
from refchecker.suites.runner import GO_ON

PACKAGE = Path(refchecker.__file__).parent


@dataclass(frozen=True, kw_only=True)
class Trip:
    goal: str = option(REQUIRED, "where to", flags=["goal"])
    legs: tuple[str, ...] = option(("rail", "foot"), "by what", choices=("rail", "foot", "sea"))
    box: tuple[int, int] | None = option(None, "a map's corner", ("X", "Y"))
    days: int = option(2, "how long (%(default)s)", least=1)
    price: float | None = option(None, "at most", "EUR", group="money")
    quiet: bool = option(False, "say nothing", flags=["-q", "--quiet"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(["Oslo"], Trip(goal="Oslo"), id="defaults"),
        pytest.param(["Oslo", "--legs", "sea"], Trip(goal="Oslo", legs=("sea",)), id="one or more"),
        pytest.param(["--box", "3", "4", "Oslo"], Trip(goal="Oslo", box=(3, 4)), id="a pair"),
        pytest.param(["Oslo", "--days", "9", "-q"], Trip(goal="Oslo", days=9, quiet=True), id="a switch"),
        pytest.param(["Oslo", "--price", "1.5"], Trip(goal="Oslo", price=1.5), id="a number or nothing"),
    ],
)
def test_fields_are_arguments(arguments: list[str], expected: Trip) -> None:
    [trip] = parse("trip", "A trip.", {Trip: ""}, arguments)
    assert trip == expected
    with pytest.raises(FrozenInstanceError):
        trip.days = 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "the following arguments are required: goal"),
        (["Oslo", "--days", "0"], "argument --days: 0 is too small, it must be 1 or more"),
        (["Oslo", "--days", "x"], "argument --days: invalid count value: 'x'"),
        (["Oslo", "--legs", "air"], "argument --legs: invalid choice: 'air'"),
        (["Oslo", "--box", "1"], "argument --box: expected 2 arguments"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse("trip", "A trip.", {Trip: ""}, arguments)
    assert says in capsys.readouterr().err


def test_a_field_left_out_has_its_default_and_one_of_another_group_its_heading(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Purse:
        card: bool = option(False, "pay by card")

    trip, purse = parse("trip", "A trip.", {Trip: "", Purse: "money"}, ["Oslo", "--card"], ["days"])
    assert (trip, purse) == (Trip(goal="Oslo"), Purse(card=True))
    with pytest.raises(SystemExit, match="0"):
        parse("trip", "A trip.", {Trip: "", Purse: "money"}, ["--help"])
    shown = capsys.readouterr().out
    assert re.search(r"^money:\n +--price EUR +at most\n +--card +pay by card$", shown, re.M)
    assert "how long (2)" in shown


def test_options_of_a_step_are_those_of_its_suite_too() -> None:
    suite = find("recall")
    where, resuming, models, llm, own = options_of(
        "run", suite, ["--llm", "openai/m", "--limit", "3", "--rate", "--methods", "dola"]
    )
    assert (where, llm) == (FolderOptions(), LLMOptions())
    assert (resuming.limit, models.llm) == (3, "openai/m")
    assert own == suite.run_options(rate=True, methods=("dola",))


def test_steps_are_called_without_a_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite, where = find("imaginary"), FolderOptions(folder=str(tmp_path / "made"), name="rules")
    models = ModelOptions(checker_name="rules", quiet=True)
    assert steps.prepare(suite, where, models, LLMOptions(), suite.prepare_options(per_cell=1)) == 0
    assert steps.run(suite, where, GO_ON, models, LLMOptions(), suite.run_options()) == 0
    measure, page = MeasureOptions(draws=10, test_draws=10), PageOptions(no_plots=True)
    assert steps.score(suite, where, measure) == 0
    assert steps.report(suite, where, measure, page, "as told") == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [path.name for path in written] == ["report.json", "report.md"]
    assert '"command": "as told"' in written[0].read_text("utf-8")


def test_only_the_command_line_knows_argparse() -> None:
    outside = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "cli" not in path.parents]
    assert [path.name for path in outside if "argparse" in path.read_text("utf-8")] == []
