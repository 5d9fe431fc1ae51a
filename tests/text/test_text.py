import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.text import sentences, windows
from refchecker.types import Passage

ANY_TEXT = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "Dr. ",
                "U.S. ",
                "3.14",
                ". ",
                "! ",
                "? ",
                '."',
                "\n",
                "\n\n",
                "\r\n",
                "- ",
                "1. ",
                "。",
                "！",
                "」",
                "۔",
                "你好",
                "مرحبا",
                "हिन्दी।",
                "👩\u200d👩\u200d👧",
                "é",
                "\u2028",
                "\u200f",
                "The end",
                "...",
                "…",
                "x" * 30,
            ]
        ),
    ),
    max_size=40,
).map("".join)


def cut(text: str, language: str = "en") -> list[str]:
    return [piece.text for piece in sentences(Passage(text, "doc"), language=language)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith and Mr. Jones met Mrs. Brown on Mt. Everest.",
        "He moved to the U.S. in 1990 and to the U.K. later.",
        "Some fruit, e.g. Apples, i.e. Golden Delicious, was sold.",
        "It was Ali vs. Frazier.",
        "Chanel No. 5 is a perfume of approx. 80 notes.",
        "Smith et al. Found it in Fig. 2 and Eq. 3.",
        "He was born in St. Louis.",
        "Apple Inc. CEO Tim Cook spoke to Acme Co. Ltd. Staff.",
        "J. R. R. Tolkien wrote it with C. S. Lewis.",
        "Pi is 3.14 and it costs $1.5 million.",
        "It opens at 10 a.m. Monday and closes at 5 p.m. daily.",
        "She has a Ph.D. in physics.",
        "Use v1.2.3 of the tool.",
        "See https://example.org/a.b?c=d.e#f for more.",
        "Well... maybe it is… who knows.",
        '"Why?" he asked.',
        "Yahoo! is a company.",
        "Open file.txt or Node.JS or java.util.List now.",
        "Martin Luther King Jr. Day is a holiday.",
        "On Jan. 5 it rained.",
        "Hard-wrapped prose of some length goes on and on over the\n"
        "End of a line and then it goes on for a good while again\nThere it ends.",
        "The list goes\non here.",
    ],
)
def test_one_sentence_stays_one(text):
    assert cut(text) == [text]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("It rained. We left.", "en", ["It rained.", "We left."], id="plain"),
        pytest.param("it rained. we left.", "en", ["it rained.", "we left."], id="lower case"),
        pytest.param(
            "He went to the U.S. The trip was long.",
            "en",
            ["He went to the U.S.", "The trip was long."],
            id="abbreviation ends it",
        ),
        pytest.param('He said "Go." Then he left.', "en", ['He said "Go."', "Then he left."], id="quote"),
        pytest.param("(It rained.) We left.", "en", ["(It rained.)", "We left."], id="bracket"),
        pytest.param(
            "It is known.[1] It is new.[2]", "en", ["It is known.[1]", "It is new.[2]"], id="citation"
        ),
        pytest.param("It rained.We left.", "en", ["It rained.", "We left."], id="no space"),
        pytest.param("Really?! Yes... No.", "en", ["Really?!", "Yes...", "No."], id="runs of marks"),
        pytest.param(
            "It was 1990. Then came 3.5. Next", "en", ["It was 1990.", "Then came 3.5.", "Next"], id="numbers"
        ),
        pytest.param("One\n\ntwo", "en", ["One", "two"], id="blank line"),
        pytest.param("One\r\n \r\ntwo", "en", ["One", "two"], id="blank line, CRLF"),
        pytest.param(
            "Such as:\n- red\n- green\n* blue", "en", ["Such as:", "- red", "- green", "* blue"], id="bullets"
        ),
        pytest.param("1. Foo\n2. Bar\n10) Baz", "en", ["1. Foo", "2. Bar", "10) Baz"], id="numbered"),
        pytest.param(
            "Grand Canary (1934)\nFiesta (1941)\nGilda (1946)",
            "en",
            ["Grand Canary (1934)", "Fiesta (1941)", "Gilda (1946)"],
            id="titles",
        ),
        pytest.param("# Head\ntext goes here", "en", ["# Head", "text goes here"], id="heading"),
        pytest.param(
            "Am 3. Oktober war frei. Er kam.", "de", ["Am 3. Oktober war frei.", "Er kam."], id="de ordinal"
        ),
        pytest.param(
            "Il dit « Bonjour. » Il part.", "fr", ["Il dit « Bonjour. »", "Il part."], id="fr quotes"
        ),
        pytest.param("你好。我是学生！你呢？", "zh", ["你好。", "我是学生！", "你呢？"], id="zh"),
        pytest.param(
            "今日は雨です。「はい。」と言った。終わり。",
            "ja",
            ["今日は雨です。", "「はい。」と言った。", "終わり。"],
            id="ja",
        ),
        pytest.param("مرحبا. كيف حالك؟ أنا بخير.", "ar", ["مرحبا.", "كيف حالك؟", "أنا بخير."], id="ar"),
        pytest.param("यह एक है। वह दो है।", "hi", ["यह एक है।", "वह दो है।"], id="hi"),
        pytest.param(
            "Das ist z.B. Herr Dr. Kohl. Er kam.", "de", ["Das ist z.B. Herr Dr. Kohl.", "Er kam."], id="de"
        ),
        pytest.param("你好。Good day. 再见。", "en", ["你好。", "Good day.", "再见。"], id="mixed"),
        pytest.param("สวัสดี", "th", ["สวัสดี"], id="a tokenizer that is not installed"),
        pytest.param("", "en", [], id="empty"),
        pytest.param(" \n\t ", "en", [], id="white"),
    ],
)
def test_sentences(text, language, expected):
    assert cut(text, language) == expected


@pytest.mark.parametrize("language", ["qq", "english", "", "en.foo", "../en"])
def test_an_unknown_language_says_what_to_use(language):
    with pytest.raises(UsageError, match="'xx' for any other"):
        cut("Hello.", language)


@settings(deadline=None)
@given(ANY_TEXT, st.integers(0, 1000), st.sampled_from(["en", "zh", "xx"]))
def test_sentences_cut_out_their_own_text(text, start, language):
    source = " " * start + text
    pieces = sentences(Passage(text, "doc", start), language=language)
    covered = set()
    end = 0
    for piece in pieces:
        assert piece.source == "doc"
        assert source[piece.start : piece.start + len(piece.text)] == piece.text == piece.text.strip() != ""
        assert piece.start >= end
        end = piece.start + len(piece.text)
        covered.update(range(piece.start, end))
    assert covered >= {i for i, char in enumerate(source) if not char.isspace()}


def test_longer_than_any_pipeline_takes():
    assert len(sentences(Passage("It rained. " * 100_000, "doc"))) == 100_000


def words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w{1,4}|[^\w\s]", text)]


@pytest.mark.parametrize(
    ("text", "max_tokens", "overlap_tokens", "expected"),
    [
        pytest.param("a b. c d.", 6, 0, ["a b. c d."], id="fits"),
        pytest.param(" a b. ", 3, 0, [" a b. "], id="fits, untouched"),
        pytest.param("Aa bb. Cc dd. Ee ff.", 6, 0, ["Aa bb. Cc dd.", "Ee ff."], id="packed"),
        pytest.param("Aa bb. Cc dd. Ee ff.", 6, 3, ["Aa bb. Cc dd.", "Cc dd. Ee ff."], id="overlap"),
        pytest.param(
            "Aa bb. Cc dd. Ee ff.", 6, 2, ["Aa bb. Cc dd.", "Ee ff."], id="no sentence fits the overlap"
        ),
        pytest.param(
            "Aa bb. Cc dd. Ee ff.", 3, 9, ["Aa bb.", "Cc dd.", "Ee ff."], id="overlap above the budget"
        ),
        pytest.param("aa bb cc dd ee", 2, 0, ["aa bb", "cc dd", "ee"], id="a long sentence"),
        pytest.param("aa bb cc dd", 2, 1, ["aa bb", "bb cc", "cc dd"], id="a long sentence, overlap"),
        pytest.param("", 1, 0, [""], id="empty"),
    ],
)
def test_windows(text, max_tokens, overlap_tokens, expected):
    pieces = windows(Passage(text, "doc"), words(text), max_tokens=max_tokens, overlap_tokens=overlap_tokens)
    assert [piece.text for piece in pieces] == expected


def test_tokens_that_share_a_character_stay_together():
    pieces = windows(Passage("👍a", "doc"), [(0, 1)] * 4 + [(1, 2)], max_tokens=2)
    assert [(piece.text, piece.start) for piece in pieces] == [("👍", 0), ("a", 1)]


def test_a_window_needs_a_token():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        windows(Passage("a", "doc"), [(0, 1)], max_tokens=0)


@settings(deadline=None)
@given(ANY_TEXT, st.integers(0, 100), st.integers(1, 20), st.integers(0, 25))
def test_windows_cover_the_tokens_within_the_budget(text, start, max_tokens, overlap_tokens):
    passage = Passage(text, "doc", start)
    tokens = words(text)
    pieces = windows(passage, tokens, max_tokens=max_tokens, overlap_tokens=overlap_tokens)
    covered = set()
    for piece in pieces:
        left, right = piece.start - start, piece.start - start + len(piece.text)
        assert text[left:right] == piece.text
        assert sum(a < right and b > left for a, b in tokens) <= max_tokens
        covered.update(range(left, right))
    assert covered >= {i for a, b in tokens for i in range(a, b)}
    assert all(left.start < right.start for left, right in pairwise(pieces))
