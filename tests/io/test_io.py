import pytest

from refchecker.io import Broken, Item, output_schema, to_item, to_record
from refchecker.types import RESPONSE, Claim, Judgment, Label, Passage, Record, Report, Span, Triplet, Verdict

E, C = Label.ENTAILMENT, Label.CONTRADICTION


def record(**fields) -> Record:
    return to_record(Item(7, {"response": "It rains.", **fields}), "in.jsonl", 0)


def test_every_shape_of_a_reference():
    assert record(reference="a").references == (Passage("a", "reference"),)
    assert record(reference=["a", " ", "b"]).references == (
        Passage("a", "reference[0]"),
        Passage("b", "reference[2]"),
    )
    assert record(reference=[{"text": "a", "source": "wiki"}, {"text": "b"}]).references == (
        Passage("a", "wiki"),
        Passage("b", "reference[1]"),
    )
    assert record(reference=None).references == record().references == record(reference="  ").references == ()


def test_a_source_named_twice_gets_a_number():
    given = record(reference=[{"text": t, "source": "wiki"} for t in "abc"])
    assert [p.source for p in given.references] == ["wiki", "wiki#2", "wiki#3"]


def test_every_shape_of_a_claim():
    claims = record(triplets=[["it", "is", "raining"], "It rains.", {"triplet": ["a", "b", "c"]}]).claims
    assert [c.text for c in claims] == ["it is raining", "It rains.", "a b c"]
    assert claims[0].triplet == Triplet("it", "is", "raining")
    assert claims[1].triplet is None
    assert record(claims=["It rains."]).claims == (Claim("It rains."),)
    assert record().claims is None
    assert record(triplets=[]).claims == ()


def test_half_characters_are_replaced_inside_and_kept_outside():
    given = record(response="It \ud800 rains.", reference=["a \udfff"], triplets=["\ud800"])
    assert (given.response, given.references[0].text, given.claims[0].text) == (
        "It \ufffd rains.",
        "a \ufffd",
        "\ufffd",
    )
    assert given.extra["response"] == "It \ud800 rains."


def test_spans_of_claims_come_back():
    given = record(triplets=["It rains."], triplet_spans=[[[0, 9]]])
    assert given.claims[0].spans == (Span(RESPONSE, 0, 9),)
    assert record(triplets=["It rains."], triplet_spans=[[[0, 99]]]).claims[0].spans == ()


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        ({"id": "q7"}, "in.jsonl line 7: record 'q7' has no \"response\". Every record needs one, a string."),
        ({"response": 3}, 'has a number as "response"'),
        ({"response": "x", "question": ["a"]}, 'has a list as "question"'),
        ({"response": "x", "reference": 3}, 'has a number as "reference"'),
        ({"response": "x", "reference": ["a", 3]}, "has a number as reference 2"),
        ({"response": "x", "reference": [{"source": "a"}]}, "has an object as reference 1"),
        ({"response": "x", "triplets": "a"}, 'has a string as "triplets"'),
        (
            {"response": "x", "triplets": [["a", "b"]]},
            "has 2 elements in entry 1 of 'triplets'. A triplet is three",
        ),
        ({"response": "x", "claims": ["a", ["a", "b", 3]]}, "entry 2 of 'claims'"),
        ({"response": "x", "triplets": [["", " ", ""]]}, "has an empty triplet as entry 1"),
        ({"response": "x", "triplets": [""]}, "has an empty string as entry 1"),
        ("text", "in.jsonl line 7: found a string where a record must be an object"),
        (Broken("not JSON", "{oops"), "in.jsonl line 7: not JSON"),
    ],
    ids=str,
)
def test_faults_name_the_file_the_line_and_the_remedy(item, fault):
    given = to_record(Item(7, item), "in.jsonl", 0)
    assert fault in given.fault
    report = Report(
        given, (), {label: float(label is Label.ABSTAIN) for label in Label}, "failed", given.fault
    )
    kept = to_item(report)
    assert kept["status"] == "failed"
    assert kept["status_note"] == given.fault
    if isinstance(item, dict):
        assert {key: kept[key] for key in item} == item
    else:
        assert kept["input"]


def test_an_item_keeps_what_it_came_with_and_cuts_its_evidence():
    reference = "Today it rains."
    given = record(id="q", triplets=["It rains."], reference=reference, mine={"a": 1}, status_note="old")
    verdict = Verdict(
        given.claims[0],
        E,
        {E: 0.98765},
        given.references,
        (Judgment(E, {E: 0.98765}),),
        evidence=(Span("reference", 6, 14),),
    )
    item = to_item(Report(given, (verdict,), {E: 1.0, Label.NEUTRAL: 0.0, C: 0.0, Label.ABSTAIN: 0.0}, "ok"))
    assert item["mine"] == {"a": 1}
    assert "status_note" not in item
    assert item["ys"] == ["Entailment"]
    assert item["Y"]["Entailment"] == 1.0
    assert item["verdicts"][0]["evidence"] == [
        {"source": "reference", "start": 6, "end": 14, "text": "it rains"}
    ]
    assert item["verdicts"][0]["scores"] == {"Entailment": 0.9877}


def test_the_schema_is_in_the_package():
    assert output_schema()["$schema"].startswith("https://json-schema.org/")
