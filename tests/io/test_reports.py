"""What is written of a report is read as the same report: `from_item` undoes `to_item`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.aggregate import major, soft, strict, winner
from refchecker.io import Item, from_item, texts_of, to_item, to_record, words_of
from refchecker.types import (
    CLAIM,
    RESPONSE,
    Claim,
    Element,
    Judgment,
    Label,
    Passage,
    Record,
    Report,
    Span,
    Verdict,
)

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
FILLED = WORDS.filter(str.strip)
LABELS = st.sampled_from(Label)
PROBABILITIES = st.integers(0, 10_000).map(lambda n: n / 10_000)  # as precise as they are written
SCORES = st.dictionaries(LABELS, PROBABILITIES)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS, lambda inner: st.lists(inner), max_leaves=4
)
OURS = {"id", "response", "question", "reference", "claims", "triplets", "triplet_spans", "input"}
OURS |= {"Y", "ys", "verdicts", "status", "status_note"}


@st.composite
def spans(draw, *texts: Passage):
    text = draw(st.sampled_from(texts))
    start = draw(st.integers(0, len(text.text)))
    return text.span(start, draw(st.integers(start, len(text.text))))


@st.composite
def claims(draw, response: Passage):
    where = tuple(draw(st.lists(spans(response), max_size=2)))
    if draw(st.booleans()):
        return Claim(draw(FILLED), spans=where)
    return Claim.of_triplet(draw(FILLED), draw(WORDS), draw(WORDS), where)


@st.composite
def verdicts(draw, claim: Claim, record: Record):
    references, label = record.references, draw(LABELS)
    judgment = st.builds(
        Judgment, LABELS, SCORES, note=WORDS, unsure=WORDS, by=WORDS, reason=WORDS, spans=st.just(())
    )
    part = st.sampled_from(["subject", "predicate", "object", "claim"])
    there = spans(*references, Passage(record.response, RESPONSE))
    anywhere = spans(Passage(claim.text, CLAIM), Passage(record.response, RESPONSE))
    element = st.builds(
        Element, part, st.sampled_from(["said", "found", "contradicted"]), there, PROBABILITIES
    ) | st.builds(Element, part, st.just("missing"), anywhere, PROBABILITIES)
    return Verdict(
        claim,
        label,
        draw(SCORES),
        references,
        tuple(draw(judgment) for _ in references),
        tuple(draw(st.lists(spans(*references), max_size=3, unique=True))) if references else (),
        conflict=draw(st.booleans()),
        note=draw(WORDS),
        unsure=draw(WORDS),
        elements=tuple(draw(st.lists(element, max_size=3))),
    )


@st.composite
def references(draw):
    """As a file has them: one text, several, or pieces of sources, of which two may be one source's."""
    if draw(st.booleans()):
        return draw(FILLED)
    piece = {"text": FILLED, "source": st.sampled_from(["doc", "a", CLAIM]) | FILLED}
    known = {"start": st.integers(0, 9), "title": WORDS, "document": WORDS, "time": WORDS}
    return draw(st.lists(FILLED | st.fixed_dictionaries(piece, optional=known), max_size=3))


@st.composite
def reports(draw):
    """Any report of a record that came with its references and claims."""
    fields = draw(st.dictionaries(FILLED.filter(lambda key: key not in OURS), JSON, max_size=2))
    fields |= {"response": draw(WORDS), "reference": draw(references())}
    fields |= draw(st.fixed_dictionaries({}, optional={"id": WORDS | st.integers(), "question": WORDS}))
    response = Passage(fields["response"], RESPONSE)
    of_record = draw(st.lists(claims(response), max_size=3))
    fields["triplets"] = [list(claim.triplet) if claim.triplet else claim.text for claim in of_record]
    fields["triplet_spans"] = [[[span.start, span.end] for span in claim.spans] for claim in of_record]
    record = to_record(Item(3, fields), "in.jsonl", 2)
    assert not record.fault
    judged = tuple(draw(verdicts(claim, record)) for claim in record.claims)
    status = draw(st.sampled_from(["ok", "no_claims", "no_reference", "failed"]))
    shares = draw(st.sampled_from([soft, strict, major]))([verdict.label for verdict in judged])
    shares = {label: round(share, 6) for label, share in shares.items()}
    return Report(record, judged, shares, status, draw(WORDS))


def read_back(item, line=3):
    return from_item(Item(line, json.loads(json.dumps(item))), "v.jsonl", line - 1)


@given(reports())
def test_a_report_is_read_as_it_was_written(report):
    assert read_back(to_item(report)) == report


@given(reports())
def test_of_the_winning_label_alone_the_rest_is_read(report):
    again = read_back(to_item(report, soft=False))
    assert winner(again.shares) == winner(report.shares)
    assert again.verdicts == report.verdicts
    assert to_item(again, soft=False) == to_item(report, soft=False)


@given(reports())
def test_claims_that_are_not_checked_are_read(report):
    again = read_back(to_item(report, checked=False))
    assert (again.record, again.verdicts, again.status) == (report.record, (), report.status)


@given(reports(), st.booleans(), st.booleans())
def test_what_a_run_found_is_written_the_same_again(report, retrieved, extracted):
    """Of a record that came without claims or references, the item does not tell what it came with."""
    left_out = ["reference"] * retrieved + ["triplets", "triplet_spans"] * extracted
    extra = {key: value for key, value in report.record.extra.items() if key not in left_out}
    record = Record(
        **{name: getattr(report.record, name) for name in report.record.__slots__} | {"extra": extra}
    )
    item = to_item(Report(record, report.verdicts, report.shares, report.status, report.note))
    again = read_back(item)
    assert to_item(again) == item
    assert (again.verdicts, again.record.references) == (report.verdicts, report.record.references)


@pytest.mark.parametrize(
    "item",
    [
        {"input": [1, "a"]},
        {"response": 3, "mine": 1},
        {"response": "r", "reference": 3, "id": 7},
        {"id": "x"},
    ],
    ids=str,
)
def test_a_record_that_could_not_be_read_is_read_as_that(item):
    value = item.get("input", item)
    record = to_record(Item(3, value), "in.jsonl", 2)
    report = Report(record, (), soft(()), "failed", record.fault)
    again = read_back(to_item(report))
    assert (again.record.fault, again.record.id) == (record.fault, record.id)
    assert (again.verdicts, again.shares, again.status, again.note) == ((), soft(()), "failed", record.fault)


def test_words_that_have_moved_are_kept_as_a_quote():
    cut = {"source": "reference", "start": 3, "end": 7, "text": "rain"}
    verdict = {"claim": "a", "label": "Neutral", "evidence": [cut], "spans": [cut | {"source": "response"}]}
    report = read_back({"response": "It pours.", "reference": "It pours.", "verdicts": [verdict]})
    [quote] = report.verdicts[0].evidence
    assert words_of(quote, texts_of(report.record)) == "rain"
    assert report.verdicts[0].claim.spans == ()
    assert to_item(report)["verdicts"][0]["evidence"] == [cut]


@pytest.mark.parametrize(
    ("written", "shares"),
    [
        ({"Entailment": 0.5, "Neutral": 0.5, "Contradiction": 0, "Abstain": 0}, (0.5, 0.5, 0, 0)),
        ("Contradiction", (0, 0, 1, 0)),
        ({"Entailment": 0.5}, (0, 1, 0, 0)),
        ("of another kind", (0, 1, 0, 0)),
        (None, (0, 1, 0, 0)),
    ],
)
def test_shares_are_read_or_made_anew(written, shares):
    report = read_back({"response": "r", "triplets": ["a"], "ys": ["neutral"], "Y": written})
    assert tuple(report.shares.values()) == shares


def test_a_judgment_of_no_reference_of_the_record_keeps_its_name():
    answers = [{"source": name, "label": "Neutral"} for name in ("b", "gone")]
    references = [{"text": "x", "source": "a"}, {"text": "y", "source": "b"}]
    item = {"response": "r", "reference": references, "verdicts": [{"claim": "a", "label": "Neutral"}]}
    item["verdicts"][0]["references"] = answers
    assert read_back(item).verdicts[0].passages == (Passage("y", "b"), Passage("", "gone"))


def test_an_offset_is_no_word():
    assert words_of(Span("nowhere", 0, 3), ()) == ""
