import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.text import find_quote

TEXT = (
    "Marie  Curie — born “Skłodowska” — won *two* Nobel Prizes;\nshe was the first woman to. Ünï 北京是首都。"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Marie Curie", ["Marie  Curie"]),
        ('born "Skłodowska"', ["born “Skłodowska"]),
        ("MARIE CURIE - born", ["Marie  Curie — born"]),
        ("won two Nobel Prizes; she was", ["won *two* Nobel Prizes;\nshe was"]),
        ("Marie Curie ... the first woman", ["Marie  Curie", "the first woman"]),
        ("“Marie Curie.”", ["Marie  Curie"]),
        ("北京", ["北京"]),
        ("ünï", ["Ünï"]),
        ("the first woman ... Marie Curie", []),
        ("arie Cur", []),
        ("won three Nobel Prizes", []),
        ("", []),
        ("...", []),
    ],
)
def test_where_the_text_has_the_quote(quote, found):
    assert [TEXT[start:end] for start, end in find_quote(quote, TEXT)] == found


@given(st.text(max_size=60), st.text(max_size=60))
def test_spans_are_inside_the_text(quote, text):
    for start, end in find_quote(quote, text):
        assert 0 <= start < end <= len(text)
