"""refchecker-cli: what is wrong in a file of model responses.

stdout is data, stderr is talk. Exit codes: 0 all judged, 1 --fail_on hit, 2 usage,
3 some records failed and were written as such, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence

from .. import __version__
from ..errors import RefCheckerError
from ..io import journal_of
from . import check
from .commands import ALL

EXAMPLES = f"""{check.EXAMPLES}
  refchecker-cli doctor
      what is installed here, and what to install for the rest

{check.EXIT_CODES}"""


def parser() -> argparse.ArgumentParser:
    """The command line, one sub-command for each name in `commands.ALL`."""
    top = argparse.ArgumentParser(
        prog="refchecker-cli",
        description="Find what is wrong in text that a language model wrote.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"refchecker {__version__}")
    commands = top.add_subparsers(dest="command", metavar=f"{{{','.join(ALL)}}}", required=True)
    for module in dict.fromkeys(ALL.values()):
        module.add(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = parser().parse_args(_command_first(sys.argv[1:] if argv is None else argv))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code: int = ALL[options.command].run(options)
        return code
    except RefCheckerError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        print(_how_to_go_on(getattr(options, "output_path", None)), file=sys.stderr)
        return 130


def _command_first(arguments: Sequence[str]) -> list[str]:
    """Upstream takes its command after the options too, and none means extract-check."""
    if not arguments or not arguments[0].startswith("--") or arguments[0] in ("--help", "--version"):
        return list(arguments)
    command = next((a for a in arguments if a in check.ABOUT), None)
    if command is None:
        return ["extract-check", *arguments]
    place = arguments.index(command)
    return [command, *arguments[:place], *arguments[place + 1 :]]


def _how_to_go_on(output_path: str | None) -> str:
    journal = journal_of(output_path) if output_path else None
    if journal and journal.exists():
        return (
            f"interrupted. What is done is kept in {journal}; run the same command again to go on from there."
        )
    return "interrupted."


if __name__ == "__main__":
    sys.exit(main())
