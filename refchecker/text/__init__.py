"""Text: sentences and windows with offsets; words, quotes and values that compare; what states nothing."""

from __future__ import annotations

from .quotes import find_quote
from .splitting import sentences, windows
from .statements import DECLINES, NOTHING, Kind, declines, kind
from .stems import NAN, NEGATIONS, STOP, content, share, stem, trigrams, word_set, words_of
from .values import Value, agreement, comparable
from .words import ReadText, Word, read, whole_characters
