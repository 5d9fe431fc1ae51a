"""Retrievers in the pipeline: records that wait for the network wait together."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from simple_parts import Begun, E, by_sentence, ids, record, says

from refchecker.errors import LLMError, RetrievalError, UsageError
from refchecker.pipeline import run
from refchecker.types import Extraction, Passage


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


def bare(count):
    return (record(claims=None, id=str(i)) for i in range(count))


def rain(record):
    return [Passage("rain", f"web/{record.id}")]


def test_records_are_retrieved_together_and_come_out_in_order(pool):
    together = threading.Barrier(8)

    def retrieve(record):
        together.wait(10)  # none of the eight is done before all have begun
        return rain(record)

    reports = list(run(bare(40), extract=by_sentence, check=says, retrieve=Begun(pool, retrieve)))
    assert ids(reports) == [str(i) for i in range(40)]
    assert [report.record.references[0].source for report in reports] == [f"web/{i}" for i in range(40)]
    assert {report.verdicts[0].label for report in reports} == {E}


def test_a_retriever_without_begin_is_called_for_one_record_after_another():
    inside = threading.Lock()

    def retrieve(record):
        assert inside.acquire(blocking=False), "two records at once"
        try:
            return rain(record)
        finally:
            inside.release()

    assert [r.status for r in run(bare(30), extract=by_sentence, check=says, retrieve=retrieve)] == [
        "ok"
    ] * 30


@pytest.mark.parametrize("begun", [True, False], ids=["begin", "plain"])
@pytest.mark.parametrize("error", [RetrievalError("no answer"), LLMError("no answer"), OSError("no answer")])
def test_a_record_whose_retrieval_fails_fails_alone(pool, error, begun):
    def retrieve(record):
        if record.id == "3":
            raise error
        return rain(record)

    component = Begun(pool, retrieve) if begun else retrieve
    reports = list(run(bare(9), extract=by_sentence, check=says, retrieve=component))
    assert [r.status for r in reports] == ["failed" if i == 3 else "ok" for i in range(9)]
    assert reports[3].note == f"retriever: {type(error).__name__}: no answer"


@pytest.mark.parametrize("begun", [True, False], ids=["begin", "plain"])
def test_a_bad_key_ends_the_run(pool, begun):
    def retrieve(record):
        raise UsageError("the key was refused")

    component = Begun(pool, retrieve) if begun else retrieve
    with pytest.raises(UsageError, match="the key was refused"):
        list(run(bare(9), extract=by_sentence, check=says, retrieve=component))


def test_nothing_is_looked_for_where_it_would_not_be_used(pool):
    def extract(records):
        return [Extraction((), "says nothing") for _ in records]

    looked_for = []
    own = [record("rain", claims=None, id="has a reference"), record(claims=[], id="has no claims")]
    broken = [record(claims=None, id="says nothing")]
    reports = list(run([*own, *broken], extract=extract, check=says, retrieve=looked_for.append))
    assert (looked_for, [r.status for r in reports]) == ([], ["no_claims"] * 3)


def test_nothing_found_is_no_reference():
    [report] = run([record()], check=says, retrieve=lambda record: [])
    assert report.status == "no_reference"


def test_leaving_early_stops_the_stages(pool):
    before = set(threading.enumerate())
    gate = threading.Event()

    def retrieve(record):
        if record.id != "0":
            gate.wait(10)
        return rain(record)

    reports = run(bare(100), extract=by_sentence, check=says, retrieve=Begun(pool, retrieve), in_flight=20)
    assert next(reports).record.id == "0"
    reports.close()
    gate.set()
    for thread in set(threading.enumerate()) - before:
        if "ThreadPool" not in thread.name:
            thread.join(10)
            assert not thread.is_alive()
