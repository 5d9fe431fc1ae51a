"""SQuAD 2.0 scores: worked by hand, and against the official rules written a second time, step by step."""

import re
import string
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.suites.squad import exact_match, f1, normalised


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The Euro", "euro", id="article and case"),
        pytest.param("An apple, a day", "apple day", id="articles inside"),
        pytest.param("theatre", "theatre", id="an article is a whole word"),
        pytest.param("U.S.A.", "usa", id="full stops leave no gap"),
        pytest.param("a.m.", "am", id="punctuation goes before articles"),
        pytest.param("A.", "", id="an article that punctuation hides"),
        pytest.param("the-the", "thethe", id="hyphens leave no gap"),
        pytest.param("  two \t\n words ", "two words", id="white space"),
        pytest.param("women's “rights”", "womens “rights”", id="only ASCII punctuation"),
        pytest.param("Málaga's", "málagas", id="accents stay"),
        pytest.param("the", "", id="nothing but an article"),
        pytest.param("", "", id="empty"),
    ],
)
def test_normalised(text, expected):
    assert normalised(text) == expected


@pytest.mark.parametrize(
    ("prediction", "golds", "em", "expected_f1"),
    [
        pytest.param("the Euro", ["Euro"], 1, 1.0, id="same but for the article"),
        pytest.param("French franc", ["the French franc", "franc"], 1, 1.0, id="the best of several"),
        pytest.param("in New York City", ["New York"], 0, 2 * 2 / (4 + 2), id="two words in common"),
        pytest.param("York York", ["New York"], 0, 2 * 1 / (2 + 2), id="a word counts as often as in both"),
        pytest.param("Oslo", ["Rome"], 0, 0.0, id="nothing in common"),
        pytest.param("", ["Rome"], 0, 0.0, id="abstained, and there is an answer"),
        pytest.param("", [], 1, 1.0, id="abstained, rightly"),
        pytest.param("the", [], 1, 1.0, id="an article alone is no answer"),
        pytest.param("...", [], 1, 1.0, id="punctuation alone is no answer"),
        pytest.param("Rome", [], 0, 0.0, id="an answer where there is none"),
        pytest.param("", ["The", "..."], 1, 1.0, id="golds without a word are no golds"),
        pytest.param("Rome", ["the", "Rome"], 1, 1.0, id="a gold without a word beside one with"),
        pytest.param("", ["the", "Rome"], 0, 0.0, id="then abstaining is wrong"),
        pytest.param("Rome and Oslo", ["Rome", "Oslo and Bergen"], 0, 2 * 2 / 6, id="best F1 of two"),
    ],
)
def test_scores(prediction, golds, em, expected_f1):
    assert exact_match(prediction, golds) == em
    assert f1(prediction, golds) == pytest.approx(expected_f1)


def slow_scores(prediction, golds):
    """The rules once more: lower, punctuation, articles, white space; precision and recall of words."""

    def plain(text):
        kept = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
        return " ".join(re.sub(re.compile(r"\b(a|an|the)\b", re.UNICODE), " ", kept).split())

    usable = [gold for gold in golds if plain(gold)] or [""]
    exact = max(int(plain(gold) == plain(prediction)) for gold in usable)
    best = 0.0
    for gold in usable:
        wanted, given_words = plain(gold).split(), plain(prediction).split()
        if not wanted or not given_words:
            best = max(best, int(wanted == given_words))
            continue
        same = sum((Counter(wanted) & Counter(given_words)).values())
        if same:
            precision, recall = same / len(given_words), same / len(wanted)
            best = max(best, 2 * precision * recall / (precision + recall))
    return exact, best


TEXTS = st.lists(
    st.sampled_from(
        ["the", "a", "An", "Rome", "rome", "U.S.", "-", "new", "York's", "“x”", "İzmir", "a-the"]
    ),
    max_size=5,
).map(" ".join)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_agrees_with_the_slow_version(prediction, golds):
    exact, overlap = slow_scores(prediction, golds)
    assert exact_match(prediction, golds) == exact
    assert f1(prediction, golds) == pytest.approx(overlap)


@given(TEXTS)
def test_without_a_gold_both_scores_are_whether_one_abstains(prediction):
    assert exact_match(prediction, []) == f1(prediction, []) == int(not normalised(prediction))
