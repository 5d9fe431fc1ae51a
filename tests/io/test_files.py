import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.io import Broken, format_of, read_items
from refchecker.io import formats as files
from refchecker.io.formats import write_items


def read(data: bytes, fmt: str, **options):
    return [item.value for item in read_items(io.BytesIO(data), "f", fmt, **options)]


def lines(data: bytes, fmt: str):
    return [item.line for item in read_items(io.BytesIO(data), "f", fmt)]


def written(items, fmt: str) -> bytes:
    stream = io.BytesIO()
    write_items(lambda: items, stream, fmt)
    return stream.getvalue()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
items = st.lists(st.dictionaries(st.text(), values, max_size=4), max_size=5)


@settings(max_examples=60)
@given(items, st.integers(1, 40))
def test_json_comes_back_as_it_was_whatever_the_chunks(given_items, chunk):
    files.CHUNK_BYTES, kept = chunk, files.CHUNK_BYTES
    try:
        assert read(written(given_items, "json"), "json") == given_items
    finally:
        files.CHUNK_BYTES = kept


@settings(max_examples=60)
@given(items.filter(bool))
def test_json_lines_come_back_as_they_were(given_items):
    assert read(written(given_items, "jsonl"), "jsonl") == given_items


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)


@settings(max_examples=60)
@given(st.lists(text, min_size=1), st.lists(st.lists(text, min_size=3, max_size=3), min_size=1))
def test_csv_comes_back_as_it_was(extras, triplets):
    given_items = [{"response": extra, "note": extra, "triplets": triplets} for extra in extras]
    assert read(written(given_items, "csv"), "csv") == given_items


def test_a_lone_surrogate_survives():
    assert read(written([{"response": "\ud800 é"}], "jsonl"), "jsonl") == [{"response": "\ud800 é"}]


def test_line_numbers():
    assert lines(b'[\n {"a": 1},\n\n {"a":\n 2}, {"a": 3}\n]', "json") == [2, 4, 5]
    assert lines(b'{"a": 1}\n\n{"a": 2}\n', "jsonl") == [1, 3]


def test_a_byte_order_mark_is_no_part_of_the_text():
    for fmt, data in (("json", b'[{"a": 1}]'), ("jsonl", b'{"a": 1}')):
        assert read(b"\xef\xbb\xbf" + data, fmt) == [{"a": 1}]
    assert read(b"\xef\xbb\xbfresponse\nx\n", "csv") == [{"response": "x"}]


@pytest.mark.parametrize(
    ("fmt", "data", "message"),
    [
        pytest.param("json", b"", r"f: the file is empty", id="json empty"),
        pytest.param("json", b"  \n", r"f: the file is empty", id="json blank"),
        pytest.param("json", b'{"a": 1}', r"line 1: found '\{' .* --format jsonl", id="not an array"),
        pytest.param(
            "json", b'[\n{"a": 1},\n{"a": }\n]', r"line 3: not JSON: Expecting value", id="bad value"
        ),
        pytest.param("json", b'[{"a": 1}\n{"a": 2}]', r"line 2: found '\{' where ',' or '\]'", id="no comma"),
        pytest.param(
            "json", b'[{"a": 1},\n]', r"line 2: the array breaks off after a comma", id="extra comma"
        ),
        pytest.param(
            "json", b'[{"a": 1}', r"line 1: the file ends where ',' or '\]'", id="cut after a record"
        ),
        pytest.param("json", b'[\n{"a": 1', r"line 2: not JSON", id="cut inside a record"),
        pytest.param("json", b"[] []", r"line 1: found '\[' after the end", id="two arrays"),
        pytest.param(
            "json", b'[{"a": "x"},\n{"a": "\xff"}]', r"line 2: byte 0xff is not UTF-8", id="json not utf-8"
        ),
        pytest.param("json", b"[" * 100_000, r"line 1: nested too deeply", id="json too deep"),
        pytest.param("jsonl", b"", r"f: there are no records", id="jsonl empty"),
        pytest.param("csv", b"", r"f: the file is empty", id="csv empty"),
        pytest.param("csv", b"response\n", r"f: there are no records", id="csv only a header"),
        pytest.param(
            "csv", b"a,b\n1,2\n", r"line 1: no column 'response'. Found: a, b", id="csv no response"
        ),
        pytest.param("csv", b'response\n"x\n', r"f line \d: .*unexpected end of data", id="csv open quote"),
        pytest.param("csv", b"response\n\xff\n", r"0xff is not UTF-8", id="csv not utf-8"),
    ],
)
def test_a_file_that_is_broken_as_a_whole(fmt, data, message):
    with pytest.raises(UsageError, match=message):
        read(data, fmt)


@pytest.mark.parametrize(
    ("fmt", "data", "why"),
    [
        pytest.param("jsonl", b"{oops}\n", "not JSON: Expecting property name", id="not json"),
        pytest.param("jsonl", b'{"a": "\xff"}\n', "byte 0xff at column 8 is not UTF-8", id="not utf-8"),
        pytest.param("jsonl", b"[" * 100_000 + b"\n", "nested too deeply", id="too deep"),
        pytest.param(
            "csv", b"response\na,b\n", "more cells than the header has columns", id="too many cells"
        ),
    ],
)
def test_one_broken_line_among_good_ones(fmt, data, why):
    good = b'{"response": "x"}\n' if fmt == "jsonl" else b"y\n"
    broken, fine = read(data + good, fmt)
    assert isinstance(broken, Broken)
    assert broken.why.startswith(why)
    assert broken.raw
    assert fine["response"] in "xy"


def test_a_line_over_the_limit_is_passed_over_without_being_kept():
    data = b'{"response": "' + b"x" * 3_000_000 + b'"}\n{"response": "y"}\n'
    broken, fine = read(data, "jsonl", max_mb=1)
    assert "takes 3.0 MB, over the limit of 1 MB" in broken.why
    assert len(broken.raw) <= 200
    assert fine == {"response": "y"}


def test_many_records_on_one_long_line_are_fine():
    many = [{"response": "x" * 1000, "id": i} for i in range(2000)]
    assert read(json.dumps(many).encode(), "json", max_mb=1) == many


def test_a_json_record_over_the_limit_is_an_error_with_the_remedy():
    with pytest.raises(UsageError, match=r"over the limit of 0.5 MB\. Split it, or raise --max_record_mb"):
        read(json.dumps([{"response": "x" * 1_500_000}]).encode(), "json", max_mb=0.5)


def test_the_format_comes_from_the_name_unless_given():
    assert [format_of(p, None) for p in ("a.json", "a.JSONL", "b.ndjson", "c.csv")] == [
        "json",
        "jsonl",
        "jsonl",
        "csv",
    ]
    assert format_of("a.txt", "csv") == "csv"
    with pytest.raises(UsageError, match=r"a.txt: cannot tell the format"):
        format_of("a.txt", None)


def test_csv_writes_the_union_of_all_fields():
    assert written([{"a": "1"}, {"b": [1]}], "csv") == b"a,b\r\n1,\r\n,[1]\r\n"


def test_an_empty_array_is_written_as_one():
    assert written([], "json") == b"[]\n"
    assert read(b"[]", "json") == []
