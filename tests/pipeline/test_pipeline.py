import threading
import time
from dataclasses import replace

import pytest
from simple_parts import A, C, E, N, by_sentence, record, says

from refchecker.aggregate import any_contradiction
from refchecker.errors import ComponentError, UsageError
from refchecker.pipeline import run
from refchecker.types import Judgment, Passage, Record


@pytest.mark.parametrize(
    ("given", "label", "conflict", "status"),
    [
        pytest.param(record("rain today"), E, False, "ok", id="entailed"),
        pytest.param(record("not rain"), C, False, "ok", id="contradicted"),
        pytest.param(record("sun"), N, False, "ok", id="neither"),
        pytest.param(record("not rain", "rain"), E, True, "ok", id="two references that disagree"),
        pytest.param(record("sun", "not rain"), C, False, "ok", id="the second contradicts"),
        pytest.param(record(), A, False, "no_reference", id="no reference"),
    ],
)
def test_verdicts(given, label, conflict, status):
    [report] = run([given], check=says)
    [verdict] = report.verdicts
    assert (verdict.label, verdict.conflict, report.status) == (label, conflict, status)
    assert report.shares[label] == 1


def test_per_reference_labels_stay_under_either_rule():
    for merge, label in ((None, E), (any_contradiction, C)):
        rules = {"merge": merge} if merge else {}
        [report] = run([record("rain", "not rain", "sun")], check=says, **rules)
        [verdict] = report.verdicts
        assert verdict.label is label
        assert [judgment.label for judgment in verdict.judgments] == [E, C, N]
        assert verdict.scores[label] in (0.8, 0.9)


def test_no_claims_abstains():
    [report] = run([record("rain", claims=None, response="...")], extract=by_sentence, check=says)
    assert (report.status, report.shares[A], report.verdicts) == ("no_claims", 1, ())


def test_pieces_of_one_reference_are_merged_before_references_are():
    def halves(passage: Passage) -> list[Passage]:
        middle = len(passage.text) // 2
        return [passage.cut(0, middle), passage.cut(middle, len(passage.text))]

    text = "rain here|not rain"
    [report] = run([record(text)], check=says, split=halves)
    [verdict] = report.verdicts
    assert (verdict.label, verdict.conflict, len(verdict.judgments)) == (E, False, 1)
    [span] = verdict.evidence
    assert text[span.start : span.end] == "rain"


def test_given_claims_are_not_extracted_again():
    [report] = run([record("rain")], extract=lambda records: pytest.fail("extracted"), check=says)
    assert report.shares[E] == 1


def test_without_checker_reports_carry_the_claims():
    [report] = run([record(claims=None, response="a. b.")], extract=by_sentence)
    assert [claim.text for claim in report.record.claims] == ["a", "b"]
    assert (report.verdicts, report.status) == ((), "ok")


def test_order_is_kept_and_records_are_read_as_they_are_needed():
    read = 0

    def records():
        nonlocal read
        for i in range(500):
            read += 1
            yield record("rain", id=str(i))

    reports = run(records(), check=says, in_flight=8, check_batch=3)
    seen = []
    for report in reports:
        seen.append(report.record.id)
        assert read <= len(seen) + 9  # what is in flight, and the one that waits for a place
    assert seen == [str(i) for i in range(500)]


def test_a_finished_record_comes_out_while_the_next_ones_are_still_to_be_read():
    gate = threading.Event()

    def records():
        yield record("rain", id="first")
        assert gate.wait(10), "the first report never came"
        yield record("rain", id="second")

    reports = run(records(), check=says, extract_batch=16, check_batch=64)
    assert next(reports).record.id == "first"
    gate.set()
    assert [report.record.id for report in reports] == ["second"]


def test_extraction_and_checking_overlap():
    inside = {"extract": threading.Event(), "check": threading.Event()}
    met = threading.Event()

    def enter(me: str, other: str) -> None:
        inside[me].set()
        if inside[other].wait(0.2):
            met.set()
        time.sleep(0.001)
        inside[me].clear()

    def extract(records):
        enter("extract", "check")
        return by_sentence(records)

    def check(pairs):
        enter("check", "extract")
        return says(pairs)

    given = [record("rain", claims=None, id=str(i)) for i in range(20)]
    assert len(list(run(given, extract=extract, check=check, extract_batch=1, check_batch=1))) == 20
    assert met.is_set()


def test_a_record_that_breaks_the_checker_fails_alone():
    def check(pairs):
        if any(pair.claim.text == "bomb" for pair in pairs):
            raise ValueError("boom")
        return says(pairs)

    given = [record("rain", claims=["bomb" if i == 5 else "rain"], id=str(i)) for i in range(9)]
    reports = list(run(given, check=check))
    assert [r.status for r in reports] == ["failed" if i == 5 else "ok" for i in range(9)]
    assert reports[5].verdicts[0].label is A
    assert "ValueError: boom" in reports[5].note


def test_a_record_that_breaks_the_extractor_fails_alone():
    def extract(records):
        if any(r.response == "bomb" for r in records):
            raise ValueError("boom")
        return by_sentence(records)

    given = [record("rain", claims=None, response=text) for text in ("rain", "bomb", "rain")]
    reports = list(run(given, extract=extract, check=says))
    assert [r.status for r in reports] == ["ok", "failed", "ok"]
    assert reports[1].note == "extractor: ValueError: boom"


def test_an_undetermined_claim_never_looks_like_a_pass():
    def check(pairs):
        return [
            Judgment(A, note="too long") if p.claim.text == "long" else j
            for p, j in zip(pairs, says(pairs), strict=True)
        ]

    [report] = run([record("rain", claims=["rain", "long"])], check=check)
    assert report.status == "failed"
    assert report.note == "1 of 2 claims undetermined: too long"
    assert report.shares == {E: 0.5, N: 0.0, C: 0.0, A: 0.5}


def test_a_faulty_record_goes_through_untouched():
    [report] = run([replace(record("rain"), fault="line 3 is broken")], check=says)
    assert (report.status, report.note, report.shares[A]) == ("failed", "line 3 is broken", 1)


def test_a_usage_error_of_a_component_ends_the_run():
    def check(pairs):
        raise UsageError("wrong key")

    with pytest.raises(UsageError, match="wrong key"):
        list(run([record("rain")], check=check))


def test_an_error_while_reading_comes_after_what_was_read():
    def records():
        yield record("rain", id="1")
        raise UsageError("line 2 is broken")

    reports = run(records(), check=says)
    assert next(reports).record.id == "1"
    with pytest.raises(UsageError, match="line 2"):
        next(reports)


def test_a_checker_that_loses_a_pair_is_caught():
    with pytest.raises(ComponentError, match="returned 0 answers for 2 inputs"):
        list(run([record("rain", claims=["a", "b"])], check=lambda pairs: []))


def test_retrieved_references_are_used_where_there_are_none():
    def retrieve(given: Record) -> list[Passage]:
        if given.id == "broken":
            raise OSError("no network")
        return [Passage("rain", "web")]

    given = [record(id="empty"), record("sun", id="has one"), record(id="broken")]
    reports = list(run(given, check=says, retrieve=retrieve))
    assert [r.verdicts[0].label for r in reports] == [E, N, A]
    assert [r.status for r in reports] == ["ok", "ok", "failed"]


def test_leaving_early_stops_the_threads():
    before = threading.active_count()
    reports = run((record("rain", id=str(i)) for i in range(10_000)), check=says, in_flight=4)
    next(reports)
    reports.close()
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
