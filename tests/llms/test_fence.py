"""Nothing in a text can pass for the prompt around it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from refchecker.llms.fence import fence_for, fenced, identifiers, one_line


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
def test_a_fence_is_in_no_text_and_equal_for_equal_texts(texts):
    fence = fence_for(*texts)
    assert re.fullmatch("[0-9a-f]{12}", fence)
    assert not any(fence in text for text in texts)
    assert fence == fence_for(*texts)


def test_another_fence_is_taken_where_a_text_has_the_first():
    taken = fence_for("The sky is blue.")
    hidden = "\u200b".join(taken.upper())
    wide = "".join(chr(ord(char) + 0xFEE0) for char in taken)
    for guess in (taken, taken.upper(), hidden, wide, fenced("claim", "x", taken)):
        assert fence_for("The sky is blue.", guess) != taken


def test_questions_about_the_same_reference_begin_alike():
    assert fence_for("a reference", "claim 1") == fence_for("a reference", "claim 2")


def test_ids_are_in_no_text_even_where_one_holds_all_short_ones():
    letters = "abcdefghijklmnop"
    every = " ".join(f"{a}{b}{c}1" for a in letters for b in letters for c in letters)
    names = identifiers(12, every)
    assert len(set(names)) == 12
    assert not any(name in every for name in names)


@given(st.text())
def test_one_line_is_one_line(text):
    assert len(one_line(text).splitlines()) <= 1
