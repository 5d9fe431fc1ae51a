"""The border to files: plain items to `Record`s, `Report`s to items and back; formats, journal, session."""

from __future__ import annotations

from .formats import MAX_RECORD_MB, Broken, Item, dump, format_of, read_items
from .items import output_schema, to_item, to_referenced_item
from .journal import Journal, digest_of
from .records import to_record
from .reports import FIELDS, from_item, read_report, read_reports
from .session import Pipeline, Session, journal_of
from .sqlite import Database, connected
from .summary import UNCHECKED, Tally, labels_of, verdicts_of
from .texts import text_index, texts_of, words_of
