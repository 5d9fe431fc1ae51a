"""A report as one HTML file that needs nothing else: no network, no server, no library.

The records are inside it as JSON, in blocks that the page reads when it shows one of their
records; blocks after the first megabytes are compressed. Text reaches the page as text nodes
only, and its Content-Security-Policy allows nothing but its own script and style.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import heapq
import html
from collections.abc import Iterable, Mapping
from importlib.resources import files
from string import Template
from typing import Any, BinaryIO, NamedTuple

from .. import __version__
from ..io import Tally
from ..types import Report
from .choice import badness
from .overview import MEANING, Overview, fields_of
from .page_data import LETTERS, entry_json, json_in_html, record_json

BLOCK_BYTES = 1 << 18
PLAIN_BYTES = 2 << 20  # so much is left readable
SCRIPTS = ("data.js", "marks.js", "record.js", "paper.js", "page.js")
SLOT = "<!-- data -->"


class _Encoded(NamedTuple):
    """One record as the page has it. Its first two fields sort the worst first."""

    badness: tuple[int, int, float]
    position: int
    entry: dict[str, Any]
    fields: Mapping[str, str]
    text: bytes


def write_html(records: Iterable[Report], stream: BinaryIO, *, title: str, limit: int) -> Tally:
    """Write the page; the counts over all records, of which it shows the `limit` worst."""
    overview = Overview()
    encoded = (
        _Encoded(
            badness(report),
            position,
            entry_json(report),
            fields_of(report.record),
            json_in_html(record_json(report)),
        )
        for position, report in enumerate(overview.counted(records))
    )
    chosen = heapq.nsmallest(limit, encoded, key=lambda each: each[:2])
    before, after = _frame(title)
    stream.write(before)
    data = _Data(stream)
    for each in sorted(chosen, key=lambda each: each.position):
        data.add(each)
    data.finish(overview, title)
    stream.write(after)
    return overview.tally


def _frame(title: str) -> tuple[bytes, bytes]:
    """What stands before and after the data."""
    folder = files("refchecker.report").joinpath("page")
    style = folder.joinpath("page.css").read_text("utf-8")
    script = "\n".join(folder.joinpath(name).read_text("utf-8") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}}})();\n'
    page = Template(folder.joinpath("page.html").read_text("utf-8")).substitute(
        title=html.escape(title.replace("\0", "")),
        version=__version__,
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
    )
    before, after = page.rsplit(SLOT, 1)
    return before.encode("utf-8", "replace"), after.encode()


def _policy_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class _Data:
    """The data of the page: blocks of records, then an overview with a line for each of them."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.block: list[bytes] = []
        self.blocks = self.block_bytes = self.written = 0
        self.index: list[dict[str, Any]] = []
        self.shown: list[_Encoded] = []

    def add(self, each: _Encoded) -> None:
        self.shown.append(each._replace(text=b""))
        self.index.append(each.entry | {"at": [self.blocks, len(self.block)]})
        self.block.append(each.text)
        self.block_bytes += len(each.text)
        if self.block_bytes >= BLOCK_BYTES:
            self._end_block()

    def _end_block(self) -> None:
        self._write(f"block-{self.blocks}", b"[" + b",\n".join(self.block) + b"]")
        self.block, self.block_bytes, self.blocks = [], 0, self.blocks + 1

    def _write(self, name: str, content: bytes) -> None:
        kind = "json"
        if self.written + len(content) > PLAIN_BYTES:
            kind, content = "gzip", base64.b64encode(gzip.compress(content, 6, mtime=0))
        self.written += len(content)
        self.stream.write(
            f'<script type="application/{kind}" id="{name}">'.encode() + content + b"</script>\n"
        )

    def finish(self, overview: Overview, title: str) -> None:
        if self.block:
            self._end_block()
        tally, grouping = overview.tally, overview.grouping()
        groups = ([fields.get(name, "") for name in grouping] for _, _, _, fields, _ in self.shown)
        content = {
            "title": title,
            "headline": overview.headline(),
            "records": tally.records,
            "claims": tally.claims,
            "labels": [[LETTERS[name], count] for name, count, _ in overview.shares()],
            "meaning": {LETTERS[name]: text for name, text in MEANING.items()},
            "statuses": dict(tally.statuses),
            "conflicts": tally.conflicts,
            "unsure": tally.unsure,
            "groups": [
                {
                    "name": name,
                    "values": [[value, _by_letter(labels)] for value, labels in sorted(group.items())],
                }
                for name, group in grouping.items()
            ],
            "worst": sorted(range(len(self.shown)), key=lambda place: self.shown[place][:2]),
            "index": [entry | {"groups": each} for entry, each in zip(self.index, groups, strict=True)],
        }
        self._write("overview", json_in_html(content))


def _by_letter(labels: Mapping[str, int]) -> dict[str, int]:
    return {LETTERS[name]: count for name, count in labels.items()}
