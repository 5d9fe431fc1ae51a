"""What a run found: as a page, as markdown, for a terminal."""

from __future__ import annotations

from .choice import IN_PAGE, LISTED
from .html import write_html
from .markdown import markdown_report
from .reading import read_shown
from .text import text_report

__all__ = [
    "IN_PAGE",
    "LISTED",
    "markdown_report",
    "read_shown",
    "text_report",
    "write_html",
]
