"""refchecker-cli: what is wrong in a file of model responses.

stdout is data, stderr is talk. Exit codes: 0 all judged, 1 --fail_on hit, 2 usage,
3 some records failed and were written as such, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from .. import __version__
from ..errors import RefCheckerError
from . import bench, check, doctor, report, retrieve
from .progress import how_to_go_on

MODULES: dict[str, ModuleType] = {
    "extract": check,
    "check": check,
    "extract-check": check,
    "retrieve": retrieve,
    "report": report,
    "bench": bench.commands,
    "recall": bench.recall,
    "doctor": doctor,
}  # the sub-commands in the order of `--help`: each module has `add(commands)` and `run(parsed) -> exit code`

EXAMPLES = f"""{check.EXAMPLES}
  refchecker-cli doctor
      what is installed here, and what to install for the rest

{check.EXIT_CODES}"""


def parser() -> argparse.ArgumentParser:
    """The command line, one sub-command for each name in `MODULES`."""
    top = argparse.ArgumentParser(
        prog="refchecker-cli",
        description="Find what is wrong in text that a language model wrote.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"refchecker {__version__}")
    commands = top.add_subparsers(dest="command", metavar=f"{{{','.join(MODULES)}}}", required=True)
    for module in dict.fromkeys(MODULES.values()):
        module.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    parsed = parser().parse_args(_command_first(sys.argv[1:] if argv is None else argv))
    return exit_code(lambda: MODULES[parsed.command].run(parsed), vars(parsed).get("output_path"))


def exit_code(run: Callable[[], int], output_path: str | None = None) -> int:
    """What `run` gives; its errors are told, and are a code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run()
    except RefCheckerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(how_to_go_on(output_path), file=sys.stderr)
        return 130


def _command_first(arguments: Sequence[str]) -> list[str]:
    """Upstream takes its command after the options too, and none means extract-check."""
    if not arguments or not arguments[0].startswith("--") or arguments[0] in ("--help", "--version"):
        return list(arguments)
    command = next((a for a in arguments if a in check.ABOUT), None)
    if command is None:
        return ["extract-check", *arguments]
    position = arguments.index(command)
    return [command, *arguments[:position], *arguments[position + 1 :]]
