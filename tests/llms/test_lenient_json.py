"""JSON as language models write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.llms.lenient_json import values, without_thoughts

UGLY = [
    ('{"a": "b"}', [{"a": "b"}]),
    ('Sure, here it is:\n```json\n{"a": "b"}\n```\nHope it helps!', [{"a": "b"}]),
    ('{"a": ["b", "c",],}', [{"a": ["b", "c"]}]),
    ("{'a': 'Mary\\'s', 'b': 'it's'}", [{"a": "Mary's", "b": "it's"}]),
    ('{"a": "he said "hi" to me"}', [{"a": 'he said "hi" to me'}]),
    ("{“a”: “b”}", [{"a": "b"}]),
    ("{a: b, c: None}", [{"a": "b", "c": None}]),
    ('{"a": "b"\n"c": "d"}', [{"a": "b", "c": "d"}]),
    ('{"a": true, "b": false, "c": null}', [{"a": True, "b": False, "c": None}]),
    ('{"a": 1, "b": -2.5e1}', [{"a": 1, "b": -25.0}]),
    ('[("a", "b", "c"), ("d", "e", "f")]', [[["a", "b", "c"], ["d", "e", "f"]]]),
    ('{"a": "line one\nline two"}', [{"a": "line one\nline two"}]),
    (r'{"a": "\u00e9\ud83d\ude00\n"}', [{"a": "é😀\n"}]),
    ('{"a": 1} and {"b": 2}', [{"a": 1}, {"b": 2}]),
    ('{"a": "b"} // done', [{"a": "b"}]),
    ('{"list": ["x", ...]}', [{"list": ["x"]}]),
    ('see [this] {"a": "b"}', [{"a": "b"}]),
    ("no braces at all", []),
    ("", []),
]

CUT = [
    ('{"a": [{"x": "1"}, {"x": "2', {"a": [{"x": "1"}]}),
    ('{"a": [{"x": "1"}, {"x": "2"', {"a": [{"x": "1"}]}),
    ('{"a": "Entailment", "b": "Neut', {"a": "Entailment"}),
    ('{"a": "Entailment", "b"', {"a": "Entailment"}),
    ('{"a": "Entailment", "b":', {"a": "Entailment"}),
    ('{"a": Entail', {}),
    ('{"a": 12', {}),
    ("[1, 2", [1]),
    ("{", {}),
]


@pytest.mark.parametrize(("text", "expected"), UGLY)
def test_what_is_there_is_read(text, expected):
    assert [each.value for each in values(text)] == expected
    assert all(each.whole for each in values(text))


@pytest.mark.parametrize(("text", "expected"), CUT)
def test_of_what_is_cut_off_the_whole_stays(text, expected):
    assert values(text) == [(expected, False)]


@given(st.text(alphabet="{}[]()\"'“”:,\\ab1u.-/ \n", max_size=80))
def test_no_text_is_an_error(text):
    values(text)


def test_depth_and_length_are_no_error():
    values("[" * 5_000)
    values('{"a":' * 5_000)
    values("[" + "9" * 6_000 + "]")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=4), st.booleans())
def test_real_json_is_read_as_json(value, ascii_only):
    assert values(f"So: {json.dumps(value, ensure_ascii=ascii_only)}") == [(value, True)]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("<think>Neutral?</think>\nEntailment", "Entailment"),
        ("<think>Neutral? {", ""),
        ("Entailment", "Entailment"),
    ],
)
def test_thoughts_are_not_the_answer(reply, said):
    assert without_thoughts(reply) == said
