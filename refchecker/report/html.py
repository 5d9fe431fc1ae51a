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
from collections.abc import Iterable, Iterator, Mapping
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
    worst = heapq.nsmallest(limit, encoded, key=lambda record: record[:2])
    chosen = sorted(worst, key=lambda record: record.position)
    before, after = _frame(title)
    stream.write(before)
    written, index = 0, []
    for number, block in enumerate(_in_blocks(chosen)):
        texts = b"[" + b",\n".join(record.text for record in block) + b"]"
        written += _write(stream, f"block-{number}", texts, written)
        index += [record.entry | {"at": [number, place]} for place, record in enumerate(block)]
    _write(stream, "overview", json_in_html(_contents(overview, chosen, index, title)), written)
    stream.write(after)
    return overview.tally


def _in_blocks(records: Iterable[_Encoded]) -> Iterator[list[_Encoded]]:
    block: list[_Encoded] = []
    size = 0
    for record in records:
        block.append(record)
        size += len(record.text)
        if size >= BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _write(stream: BinaryIO, name: str, content: bytes, before: int) -> int:
    """Write a block of data, compressed where too much is `before` it; its size."""
    kind = "json"
    if before + len(content) > PLAIN_BYTES:
        kind, content = "gzip", base64.b64encode(gzip.compress(content, 6, mtime=0))
    stream.write(f'<script type="application/{kind}" id="{name}">'.encode() + content + b"</script>\n")
    return len(content)


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


def _contents(
    overview: Overview, chosen: list[_Encoded], index: list[dict[str, Any]], title: str
) -> dict[str, Any]:
    """The counts, and a line for each record with the block and the place in it that has it."""
    tally, grouping = overview.tally, overview.grouping()
    return {
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
        "worst": sorted(range(len(chosen)), key=lambda number: chosen[number][:2]),
        "index": [
            entry | {"groups": [record.fields.get(name, "") for name in grouping]}
            for entry, record in zip(index, chosen, strict=True)
        ],
    }


def _by_letter(labels: Mapping[str, int]) -> dict[str, int]:
    return {LETTERS[name]: count for name, count in labels.items()}
