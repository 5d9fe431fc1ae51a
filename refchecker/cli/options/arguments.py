"""Dataclasses of options to arguments of a parser, and what it parsed back to these.

A field made by `protocols.option` says all there is to know of its argument.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Container, Sequence
from dataclasses import MISSING, Field, fields
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from ...registry import names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
Groups = dict[type[Any], str]
FAIL_ON = ("contradiction", "neutral", "abstain", "conflict")


def add_options(
    parser: argparse.ArgumentParser, groups: Groups, without: Container[str] = (), either: Container[str] = ()
) -> None:
    """Arguments for the fields of these dataclasses, under their headings; "" is the parser's own.

    Those `without` are left out; of those in `either` one must be given, and only one.
    """
    by_title: dict[str, list[tuple[Field[Any], Any]]] = {title: [] for title in groups.values()}
    for options, title in groups.items():
        types = get_type_hints(options)
        for field in fields(options):
            if field.name not in without:
                member = field, types[field.name]
                by_title.setdefault(field.metadata["group"] or title, []).append(member)
    exclusive: Any = parser.add_mutually_exclusive_group(required=True) if either else None
    for title, members in by_title.items():
        section: Any = parser.add_argument_group(title) if title else parser
        for field, kind in members:
            flags = field.metadata["flags"] or (f"--{field.name}",)
            (exclusive if field.name in either else section).add_argument(
                *flags, **_argument(field, kind, flags)
            )


def add_command(commands: Any, name: str, about: str, epilog: str, groups: Groups, **chosen: Any) -> None:
    """A sub-command with these options; `chosen` goes to `add_options`."""
    formatter = argparse.RawDescriptionHelpFormatter
    command = commands.add_parser(
        name, help=about, description=about, epilog=epilog, formatter_class=formatter
    )
    add_options(command, groups, **chosen)


def parse(
    prog: str, about: str, groups: Groups, arguments: Sequence[str], without: Container[str] = ()
) -> list[Any]:
    """The options of these dataclasses, in their order, from what stands after `prog`."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=prog, description=about, formatter_class=formatter)
    add_options(parser, groups, without)
    parsed = parser.parse_args(arguments)
    return [read(options, parsed) for options in groups]


def read(options: type[T], parsed: argparse.Namespace) -> T:
    """Those options as they were parsed; the ones that the parser was made without have their defaults."""
    values = vars(parsed)
    present = {field.name: values[field.name] for field in fields(options) if field.name in values}
    return options(**{name: tuple(v) if isinstance(v, list) else v for name, v in present.items()})


def _argument(field: Field[Any], kind: Any, flags: Sequence[str]) -> dict[str, Any]:
    """What argparse is to know of the field."""
    declared = field.metadata
    if kind is bool:
        return {"action": "store_true", "help": declared["about"]}
    if NoneType in get_args(kind):
        [kind] = [part for part in get_args(kind) if part is not NoneType]
    metavar = declared["metavar"] or (None if declared["least"] is None else "N")
    argument = {"help": declared["about"], "metavar": metavar, "choices": declared["choices"]}
    if field.default is not MISSING:
        argument["default"] = field.default
    if not flags[0].startswith("-"):
        argument["nargs"] = None if field.default is MISSING else "?"
    elif field.default is MISSING:
        argument["required"] = True
    if get_origin(kind) is tuple and not declared["parse"]:
        parts = get_args(kind)
        argument["nargs"] = "+" if parts[-1] is Ellipsis else len(parts)
        kind = parts[0]
    least = declared["least"]
    return argument | {"type": declared["parse"] or (kind if least is None else at_least(least))}


def known(kind: str) -> str:
    return ", ".join(sorted(names(kind)))


def at_least(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"{number} is too small, it must be {least} or more")
        return number

    return count


def above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} must be above 0")
    return number


def probability(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no probability, it must be from 0 to 1")
    return number


def fail_on(text: str) -> tuple[str, ...]:
    wanted = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if unknown := [part for part in wanted if part not in FAIL_ON]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(FAIL_ON)}")
    return wanted
