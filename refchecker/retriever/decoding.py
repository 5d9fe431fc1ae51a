"""Bytes of unknown encoding as text."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 1 << 16


def decoded(data: bytes, charset: str = "") -> str | None:
    """The text: by its byte order mark, by `charset`, as UTF-8, or by what its bytes look like.

    None for what is no text. Line ends stay as they are, so offsets count the file's own characters.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding)
    if charset and (text := _strictly(data, charset)) is not None:
        return text
    if b"\0" in data[:_SAMPLE_BYTES]:
        return None
    text = _strictly(data, "utf-8")
    return text if text is not None else _guessed(data)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _guessed(data: bytes) -> str | None:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE_BYTES]).best()
    return data.decode(best.encoding, "replace") if best else None
