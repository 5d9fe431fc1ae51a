"""What a run found: as a page, as markdown, for a terminal."""

from __future__ import annotations

from ..io import read_reports
from .choice import IN_PAGE, LISTED
from .html import write_html
from .markdown import markdown_report
from .text import text_report

read_shown = read_reports  # as it was called before
