"""report: what a run found, as a page to open, or as text for a terminal or a CI job."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import UsageError
from ..io import MAX_RECORD_MB, format_of
from ..protocols import option
from ..report import IN_PAGE, LISTED
from .options import add_command, read

FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".txt": "text"}
SPOOLED_BYTES = 1 << 26

EXAMPLES = """examples:
  refchecker-cli report verdicts.json -o report.html
      one page with everything, to open in a browser; it needs no network
  refchecker-cli report verdicts.jsonl
      what is wrong, the worst first, on this terminal
  refchecker-cli report verdicts.json --format markdown >> "$GITHUB_STEP_SUMMARY"
      the same as the summary of a CI job"""


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """What is shown, and where."""

    results: str | None = option(
        None, "a file that refchecker-cli has written; - is stdin", "FILE", flags=["results"]
    )
    input_path: str | None = option(None, "the same, as in the other commands", "FILE")
    output_path: str = option("-", "where the report goes (stdout)", "FILE", flags=["-o", "--output_path"])
    format: str | None = option(
        None,
        "default: by the output's name (.html, .md, .txt), else text",
        choices=("html", "markdown", "text"),
    )
    input_format: str | None = option(
        None, "format of the input, where its name does not tell", choices=("json", "jsonl", "csv")
    )
    limit: int | None = option(
        None,
        f"show the N worst records, and count all ({IN_PAGE} in a page, {LISTED} in text and markdown)",
        least=0,
    )
    all: bool = option(False, "in text and markdown: also the records and claims without a problem")
    title: str | None = option(None, "default: the name of the file", "TEXT")
    max_record_mb: float = option(MAX_RECORD_MB, "largest record read (%(default)s)", "MB")
    quiet: bool = option(False, "only errors on stderr")


def add(commands: Any) -> None:
    """The sub-command."""
    about, groups = "Show what extract, check or extract-check found.", {ReportOptions: ""}
    add_command(commands, "report", about, EXAMPLES, groups, either=["results", "input_path"])


def run(parsed: argparse.Namespace) -> int:
    """Write the report, or nothing where the input cannot be read."""
    options = read(ReportOptions, parsed)
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


def _write(options: ReportOptions, fmt: str, stream: BinaryIO) -> None:
    from ..report import markdown_report, read_reports, text_report, write_html

    path = options.results or options.input_path or "-"
    name = "standard input" if path == "-" else path
    title = options.title or ("refchecker" if path == "-" else Path(path).name)
    input_format = options.input_format or ("jsonl" if path == "-" else format_of(path, None))
    with _opened(path) as results:
        records = read_reports(results, name, input_format, options.max_record_mb)
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
        limit = LISTED if options.limit is None else options.limit
        if fmt == "markdown":
            text = markdown_report(records, title=title, limit=limit, everything=options.all)
        else:
            screen = _screen(options.output_path)
            text = text_report(records, title=title, limit=limit, everything=options.all, **screen)
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
