"""Replies to labels: what is there is read, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.checker.llm.answers import SYNONYMS, ClaimAnswer, label_of, read_answers
from refchecker.types import Label

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION

ONE = [
    ('{"label": "Entailment"}', E),
    ('{"label": "CONTRADICTION."}', C),
    ('```json\n{"label": "neutral"}\n```', N),
    ("Entailment", E),
    ("**Entailment**", E),
    ("Label: Neutral", N),
    ("The answer is Contradiction.", C),
    ("Entailment\n\nThe reference says so in its first line.", E),
    ("The reference says so in its first line.\n\nNeutral", N),
    ('{"label": "Entailment"', E),
    ("{'label': 'Supported',}", E),
    ('{"verdict": "not enough information"}', N),
    ('{"label": "refuted", "reason": "It was 1905."}', C),
    ('{"kq1": "Neutral"}', N),
    ('{"id": "kq1", "label": "Neutral"}', N),
    ('[{"label": "Neutral"}]', N),
    ('{"answers": [{"id": "kq1", "label": "Entailment"}]}', E),
    ('<think>{"label": "Neutral"}</think>{"label": "Entailment"}', E),
    ('{"label": "Entailment"} As said: {"label": "Entailment"}', E),
    # what must not be read
    ('{"label": "Entailment"} or rather {"label": "Neutral"}', None),
    ('{"label": "Entailment or Neutral"}', None),
    ('{"label": ["Entailment"]}', None),
    ('{"label": "Entail', None),
    ('{"label": null}', None),
    ('{"label": true}', None),
    ('{"id": "zz9", "label": "Entailment"}', None),
    ("This is not an Entailment.", None),
    ("Entailment: no", None),
    ("Label: Entailment - no, that is wrong", None),
    ("Entailment\n\nOr rather:\n\nNeutral, on second thoughts", None),
    ("The answer is not Entailment.", None),
    ("It could be Entailment or Neutral.", None),
    ("Label: Entailment or Neutral", None),
    ("I cannot help with that.", None),
    ("yes", None),
    ("", None),
    ("{}", None),
    ("[]", None),
]

JOINT = [
    (
        '{"answers": [{"id": "kq2", "label": "Neutral"}, {"id": "kq1", "label": "Entailment"}]}',
        {"kq1": E, "kq2": N},
    ),
    ('[{"id": "kq1", "label": "Entailment"}, {"id": "kq2", "label": "Neut', {"kq1": E}),
    ('{"kq1": "Entailment", "kq2": {"label": "Contradiction"}}', {"kq1": E, "kq2": C}),
    ('{"answers": {"kq1": "Entailment"}}', {"kq1": E}),
    ('{"id": "kq1", "label": "Entailment"}\n{"id": "kq2", "label": "Neutral"}', {"kq1": E, "kq2": N}),
    ('[["kq1", "Entailment"], ["kq2", "Neutral"]]', {"kq1": E, "kq2": N}),
    ("[kq1] Entailment\n[kq2] Neutral", {"kq1": E, "kq2": N}),
    ("- kq1: Entailment\n- kq2: Neutral - it is silent", {"kq1": E, "kq2": N}),
    ("| id | label |\n|---|---|\n| kq1 | Entailment |\n| kq2 | Neutral |", {"kq1": E, "kq2": N}),
    ("1. **kq1**: Contradiction\n2. **kq2**: Neutral", {"kq1": C, "kq2": N}),
    ('{"answers": [{"id": "[KQ1]", "label": "Entailment"}]}', {"kq1": E}),
    # what must not be read
    ('{"answers": [{"id": "c1", "label": "Entailment"}, {"id": "c2", "label": "Entailment"}]}', {}),
    ('{"answers": [{"label": "Entailment"}, {"label": "Neutral"}]}', {}),
    ('["Entailment", "Neutral"]', {}),
    ('{"kq1": "Entailment", "kq2": "Neutral"} {"kq1": "Neutral"}', {"kq2": N}),
    ("Entailment", {}),
    ("Label: Entailment", {}),
    ("[kq1] Entailment or Neutral", {}),
    ("kq1: Entailment: no\nkq2: Neutral", {"kq2": N}),
]


@pytest.mark.parametrize(("reply", "label"), ONE)
def test_one_claim(reply, label):
    found = read_answers(reply, ["kq1"])
    assert {name: answer.label for name, answer in found.items()} == ({"kq1": label} if label else {})


@pytest.mark.parametrize(("reply", "labels"), JOINT)
def test_several_claims(reply, labels):
    found = read_answers(reply, ["kq1", "kq2"])
    assert {name: answer.label for name, answer in found.items()} == labels


def test_reasons_and_quotes():
    reply = '{"quote": "born in 1867", "reason": "The year differs.", "label": "Contradiction"}'
    assert read_answers(reply, ["kq1"])["kq1"] == ClaimAnswer(C, "The year differs.", "born in 1867")


IDS = ["kq1", "kq2"]
PIECES = st.sampled_from(
    [
        "kq1",
        "kq2",
        "kq9",
        '"',
        "'",
        ":",
        ",",
        "{",
        "}",
        "[",
        "]",
        "label",
        "answers",
        "id",
        "not ",
        "or ",
        "\n",
        "Label: ",
    ]
    + [word for words in SYNONYMS.values() for word in words.split("|")[:2]]
)


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60))
def test_no_reply_is_an_error_and_no_label_is_made_up(reply):
    for name, answer in read_answers(reply, IDS).items():
        assert name in IDS
        assert name in reply.lower()
        assert any(word in reply.lower() for word in SYNONYMS[answer.label].split("|"))


@given(st.permutations(["kq1", "kq2", "kq3"]), st.lists(st.sampled_from([E, N, C]), min_size=3, max_size=3))
def test_the_order_of_the_answers_does_not_matter(order, labels):
    wanted = dict(zip(order, labels, strict=True))
    entries = ", ".join(f'{{"id": "{name}", "label": "{wanted[name]}"}}' for name in order)
    found = read_answers(f'{{"answers": [{entries}]}}', sorted(order))
    assert {name: answer.label for name, answer in found.items()} == wanted


@pytest.mark.parametrize(
    "said", ["not an Entailment", "Entailment/Neutral", "maybe", "", None, 1, ["Neutral"]]
)
def test_what_names_no_label(said):
    assert label_of(said) is None
