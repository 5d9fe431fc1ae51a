"""Replies to claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.extractor.llm.parse import ParsedClaim, read_claims

PARIS = ("Paris", "is in", "France")
ROME = ("Rome", "is in", "Italy")

TRIPLETS = [
    ('{"claims": [{"sentence": 1, "subject": "Paris", "predicate": "is in", "object": "France"}]}', [PARIS]),
    ('Here you go:\n```json\n[{"subject": "Paris", "relation": "is in", "object": "France"}]\n```', [PARIS]),
    ('[["Paris", "is in", "France"], ["Rome", "is in", "Italy"]]', [PARIS, ROME]),
    ('("Paris", "is in", "France")\n("Rome", "is in", "Italy")', [PARIS, ROME]),
    ("(Paris, is in, France)\n- (Rome, is in, Italy)", [PARIS, ROME]),
    ("Paris | is in | France\nRome | is in | Italy", [PARIS, ROME]),
    ("| subject | predicate | object |\n|---|---|---|\n| Paris | is in | France |", [PARIS]),
    ("| # | subject | predicate | object |\n|---|---|---|---|\n| 1 | Paris | is in | France |", [PARIS]),
    ('{"triplets": [{"triplet": ["Paris", "is in", "France"]}]}', [PARIS]),
    ("{'claims': [{'head': 'Paris', 'relation': 'is in', 'tail': 'France'},]}", [PARIS]),
    ('{"claims": [["Paris", "is in", "France"], ["Paris", "is in", "france"]]}', [PARIS]),
    ('{"claims": [{"subject": "Rome", "predicate": "hills", "object": 7}]}', [("Rome", "hills", "7")]),
    ('{"claims": [{"subject": "It", "predicate": "rains", "object": ""}]}', [("It", "rains", "")]),
    ('{"claims": []}', []),
    ("[]", []),
    ("No claims.", []),
    ("None", []),
]  # fmt: skip

UNREADABLE = [
    "",
    "I'm sorry, but I cannot help with that.",
    "Paris is in France.",
    "{}",
    '{"label": "Neutral"}',
    "[1, 2, 3]",
]


@pytest.mark.parametrize(("reply", "expected"), TRIPLETS)
def test_triplets(reply, expected):
    reading = read_claims(reply, triplets=True)
    assert reading is not None
    assert reading.whole
    assert [found.parts for found in reading.claims] == expected


@pytest.mark.parametrize("reply", UNREADABLE)
def test_what_cannot_be_read_is_not_an_empty_list(reply):
    assert read_claims(reply, triplets=True) is None


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"claims": [{"sentence": 2, "quote": "q", "claim": "Paris is in France."}]}',
         ParsedClaim(("Paris is in France.",), (2,), "q")),
        ('{"claims": ["Paris is in France. [1, 2]"]}', ParsedClaim(("Paris is in France.",), (1, 2))),
        ("- Paris is in France. [3]", ParsedClaim(("Paris is in France.",), (3,))),
        ("1. Paris is in France.", ParsedClaim(("Paris is in France.",))),
        ('{"claims": [{"sentence_ids": ["[4]"], "text": "Paris is in France."}]}',
         ParsedClaim(("Paris is in France.",), (4,))),
    ],
)  # fmt: skip
def test_sentence_claims(reply, expected):
    reading = read_claims(reply, triplets=False)
    assert reading is not None
    assert reading.claims == (expected,)


def test_of_a_reply_that_is_cut_off_the_whole_claims_stay():
    reply = (
        '{"claims": [{"subject": "Paris", "predicate": "is in", "object": "France"}, {"subject": "Rome", "pre'
    )
    reading = read_claims(reply, triplets=True)
    assert reading is not None
    assert ([found.parts for found in reading.claims], reading.whole) == ([PARIS], False)


def test_a_list_that_is_cut_off_before_its_first_claim_is_not_an_empty_list():
    reading = read_claims('{"claims": [{"subject": "Pa', triplets=True)
    assert reading is not None
    assert not reading.whole


PIECES = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    '"',
    "|",
    ",",
    ":",
    "\n",
    "claims",
    "subject",
    "predicate",
    "object",
    "claim",
    "a",
    "1",
    "- ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60), st.booleans())
def test_no_reply_is_an_error(reply, triplets):
    reading = read_claims(reply, triplets=triplets)
    for found in reading.claims if reading else ():
        assert len(found.parts) == (3 if triplets else 1)
        assert all(part in " ".join(reply.split()) for part in found.parts)
