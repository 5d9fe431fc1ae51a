"""report: what a run found, as a page to open, or as text for a terminal or a CI job."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import UsageError
from ..io import MAX_RECORD_MB, format_of
from ..report import IN_PAGE, LISTED
from .options import at_least

FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".txt": "text"}
SPOOLED_BYTES = 1 << 26

EXAMPLES = """examples:
  refchecker-cli report verdicts.json -o report.html
      one page with everything, to open in a browser; it needs no network
  refchecker-cli report verdicts.jsonl
      what is wrong, the worst first, on this terminal
  refchecker-cli report verdicts.json --format markdown >> "$GITHUB_STEP_SUMMARY"
      the same as the summary of a CI job"""


def add(commands: Any) -> None:
    """The sub-command."""
    text = "Show what extract, check or extract-check found."
    sub = commands.add_parser(
        "report",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    given = sub.add_mutually_exclusive_group(required=True)
    given.add_argument(
        "results", nargs="?", metavar="FILE", help="a file that refchecker-cli has written; - is stdin"
    )
    given.add_argument("--input_path", metavar="FILE", help="the same, as in the other commands")
    sub.add_argument(
        "-o", "--output_path", default="-", metavar="FILE", help="where the report goes (stdout)"
    )
    sub.add_argument(
        "--format",
        choices=("html", "markdown", "text"),
        help="default: by the output's name (.html, .md, .txt), else text",
    )
    sub.add_argument(
        "--input_format",
        choices=("json", "jsonl", "csv"),
        help="format of the input, where its name does not tell",
    )
    sub.add_argument(
        "--limit",
        type=at_least(0),
        metavar="N",
        help=f"show the N worst records, and count all ({IN_PAGE} in a page, {LISTED} in text and markdown)",
    )
    sub.add_argument(
        "--all",
        action="store_true",
        help="in text and markdown: also the records and claims without a problem",
    )
    sub.add_argument("--title", metavar="TEXT", help="default: the name of the file")
    sub.add_argument(
        "--max_record_mb",
        type=float,
        default=MAX_RECORD_MB,
        metavar="MB",
        help="largest record read (%(default)s)",
    )
    sub.add_argument("--quiet", action="store_true", help="only errors on stderr")


def run(options: argparse.Namespace) -> int:
    """Write the report, or nothing where the input cannot be read."""
    fmt = options.format or FORMATS.get(Path(options.output_path).suffix.lower(), "text")
    to_stdout = options.output_path == "-"
    if to_stdout and fmt == "html" and sys.stdout.isatty():
        raise UsageError("a page is for a browser, not for this terminal. Use -o report.html.")
    with tempfile.SpooledTemporaryFile(SPOOLED_BYTES) as report:
        try:
            _write(options, fmt, report)  # type: ignore[arg-type]
        except UsageError as error:  # from what reads the input, elsewhere by --format
            raise UsageError(str(error).replace("--format", "--input_format")) from error
        report.seek(0)
        if to_stdout:
            shutil.copyfileobj(report, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return 0
        try:
            with open(options.output_path, "wb") as output:
                shutil.copyfileobj(report, output)
        except OSError as error:
            raise UsageError(f"{options.output_path}: cannot be written: {error.strerror}.") from error
    if not options.quiet:
        print(f"{options.output_path} written", file=sys.stderr)
    return 0


def _write(options: argparse.Namespace, fmt: str, stream: BinaryIO) -> None:
    from ..report import markdown_report, read_reports, text_report, write_html

    path = options.results or options.input_path
    name = "standard input" if path == "-" else path
    title = options.title or ("refchecker" if path == "-" else Path(path).name)
    input_format = options.input_format or ("jsonl" if path == "-" else format_of(path, None))
    with _opened(path) as given:
        records = read_reports(given, name, input_format, options.max_record_mb)
        if fmt == "html":
            limit = IN_PAGE if options.limit is None else options.limit
            overview = write_html(records, stream, title=title, limit=limit)
            if overview.records > limit and not options.quiet:
                print(
                    f"the page has the {limit:,} worst of {overview.records:,} records, and counts all; "
                    "--limit N for more.",
                    file=sys.stderr,
                )
            return
        chosen = {"limit": LISTED if options.limit is None else options.limit, "everything": options.all}
        if fmt == "markdown":
            text = markdown_report(records, title=title, **chosen)
        else:
            text = text_report(records, title=title, **chosen, **_screen(options.output_path))
    stream.write(text.encode("utf-8", "replace"))


def _opened(path: str) -> BinaryIO:
    if path == "-":
        return sys.stdin.buffer
    try:
        return open(path, "rb")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from error


def _screen(output_path: str) -> dict[str, Any]:
    """How wide the terminal is, and whether it may have colours (https://no-color.org)."""
    terminal = output_path == "-" and sys.stdout.isatty()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return {"width": shutil.get_terminal_size((100, 24)).columns, "colour": terminal and not plain}
