from refchecker.io import Item, Tally, from_item
from refchecker.io.summary import SHOWN


def item(label: str, status: str = "ok", **more) -> dict:
    empty = {"conflict": False, "evidence": [], "references": [], "unsure": ""}
    verdict = {"claim": ["a", "b", "c"], "label": label} | empty | more
    return {"id": "q", "response": "a b c", "status": status, "verdicts": [verdict]}


def tallied(*items: dict) -> Tally:
    tally = Tally()
    for position, each in enumerate(items):
        tally.add(from_item(Item(1, each), "v.jsonl", position))
    return tally


def test_what_was_not_judged_is_counted_and_said():
    failed = item("Abstain", "failed") | {"status_note": "the claim is\ntoo long"}
    text = tallied(item("Entailment"), failed).text()
    assert "records  2 (1 failed)" in text
    assert "claims   2, judged 1 (50.0%)" in text
    assert "  q: the claim is too long" in text


def test_contradicted_claims_are_shown_with_the_words_against_them():
    evidence = [{"source": "wiki", "start": 0, "end": 5, "text": "not\n so"}]
    text = tallied(item("Contradiction", evidence=evidence)).text()
    assert "contradicted by a reference:\n  q: a | b | c\n      not so [wiki]" in text


def test_long_lists_are_cut_and_say_so():
    text = tallied(*[item("Neutral")] * 25).text()
    assert f"in no reference, the first {SHOWN} of 25:" in text
    assert text.count("a | b | c") == SHOWN


def test_hits():
    tally = tallied(item("Neutral", conflict=True), item("Contradiction"))
    assert [tally.hits([name]) for name in ("neutral", "contradiction", "conflict", "abstain")] == [
        1,
        1,
        1,
        0,
    ]


def test_nothing_at_all():
    assert "records  0" in Tally().text()


def test_want_of_confidence_is_told_from_a_fault():
    text = tallied(item("Abstain", unsure="Neutral at 0.6, asked for 0.8"), item("Abstain")).text()
    assert "1 of the Abstain are for want of confidence, not for a fault" in text
    assert "not sure enough:\n  q: a | b | c: Neutral at 0.6, asked for 0.8" in text


def test_pairs_by_the_stage_that_answered():
    names = ("embedded", "nli:large", "embedded")
    stages = [{"source": "reference", "label": "Neutral", "by": name} for name in names]
    text = tallied(item("Neutral", references=stages), item("Neutral", references=stages[:1])).text()
    assert "pairs    4 of claim and reference, answered by" in text
    assert "  embedded         3    (75.0%)\n  nli:large        1    (25.0%)" in text
    assert "answered by" not in tallied(item("Neutral")).text()
