"""The border to files: plain items to `Record`s and `Report`s to items; formats, journal, session, summary, SQLite."""

from __future__ import annotations

from .formats import MAX_RECORD_MB, Broken, Item, dump, format_of, read_items
from .journal import Journal, digest_of
from .records import to_item, to_record, to_referenced_item
from .session import Pipeline, Session, journal_of
from .sqlite import Database, connected
from .summary import Tally

__all__ = [
    "MAX_RECORD_MB",
    "Broken",
    "Database",
    "Item",
    "Journal",
    "Pipeline",
    "Session",
    "Tally",
    "connected",
    "digest_of",
    "dump",
    "format_of",
    "journal_of",
    "read_items",
    "to_item",
    "to_record",
    "to_referenced_item",
]
