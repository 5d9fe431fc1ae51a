"""Components with `begin`: records overlap, pass each other, and come out in order."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from simple_parts import A, Begun, E, by_sentence, ids, record, says

from refchecker.errors import ComponentError, LLMError, UsageError
from refchecker.pipeline import run


@pytest.fixture
def pool():
    with ThreadPoolExecutor(16) as pool:
        yield pool


def given(count: int):
    return (record("rain", claims=None, id=str(i)) for i in range(count))


def test_all_records_come_out_in_order_however_long_each_takes(pool):
    def slow(work):
        def component(items):
            time.sleep(0.001 * (hash(str(items)) % 7))
            return work(items)

        return Begun(pool, component)

    reports = list(run(given(300), extract=slow(by_sentence), check=slow(says), in_flight=64))
    assert ids(reports) == [str(i) for i in range(300)]
    assert {verdict.label for report in reports for verdict in report.verdicts} == {E}


@pytest.mark.parametrize("begun", ["extract", "check"])
def test_one_component_with_begin_goes_with_one_without(pool, begun):
    components = {"extract": by_sentence, "check": says}
    components[begun] = Begun(pool, components[begun])
    assert ids(run(given(40), **components)) == [str(i) for i in range(40)]


def test_a_record_goes_on_to_the_checker_while_the_one_before_is_still_extracted(pool):
    checked = threading.Event()

    def extract(records):
        if records[0].id == "0":
            assert checked.wait(10), "record 1 was not checked while record 0 was extracted"
        return by_sentence(records)

    def check(pairs):
        checked.set()
        return says(pairs)

    assert ids(run(given(2), extract=Begun(pool, extract), check=Begun(pool, check))) == ["0", "1"]


def test_no_more_records_are_read_than_may_be_in_flight(pool):
    read = 0
    gate = threading.Event()

    def records():
        nonlocal read
        for one in given(100):
            read += 1
            yield one

    def extract(records):
        gate.wait(10)
        return by_sentence(records)

    reports = run(records(), extract=Begun(pool, extract), in_flight=5)
    threading.Timer(0.2, gate.set).start()
    assert next(reports).record.id == "0"
    assert read <= 5 + 1
    assert len(list(reports)) == 99


@pytest.mark.parametrize(("in_flight", "most"), [(400, 100), (100, 64)])
def test_a_quarter_of_the_records_in_flight_is_begun(in_flight, most):
    waiting: list[tuple[Future, list]] = []
    enough = threading.Event()

    class Held:
        def begin(self, items) -> Future:
            waiting.append((Future(), items))
            if len(waiting) == most:
                enough.set()
            return waiting[-1][0]

    reports = run(given(500), extract=Held(), in_flight=in_flight)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.extend(ids(reports)))
    reader.start()
    assert enough.wait(30)
    time.sleep(0.1)
    assert len(waiting) == most, "more were begun than may be under way"
    for future, items in waiting:  # it grows meanwhile
        future.set_result(by_sentence(items))
        deadline = time.monotonic() + 30
        while future is waiting[-1][0] and len(waiting) < 500 and time.monotonic() < deadline:
            time.sleep(0.001)
    reader.join(30)
    assert found == [str(i) for i in range(500)]


@pytest.mark.parametrize("error", [ValueError("boom"), LLMError("boom")])
@pytest.mark.parametrize("where", ["extract", "check"])
@pytest.mark.parametrize("at_once", [True, False], ids=["begin raises", "the future has it"])
def test_a_record_that_breaks_a_component_fails_alone(pool, error, where, at_once):
    components = {"extract": by_sentence, "check": says}
    calls = iter(range(100))

    class Breaks(Begun):
        def begin(self, items):
            if next(calls) != 3:
                return super().begin(items)
            if at_once:
                raise error
            future: Future = Future()
            future.set_exception(error)
            return future

    components[where] = Breaks(pool, components[where])
    reports = list(run(given(9), extract_batch=1, **components))
    [failed] = [report for report in reports if report.status == "failed"]
    assert "boom" in failed.note
    assert failed.record.id == "3"
    assert failed.shares[A] == 1


@pytest.mark.parametrize("where", ["extract", "check"])
def test_what_ends_the_run_comes_after_all_that_was_finished_before(pool, where):
    others = threading.Barrier(4)

    def breaks(work):
        calls = iter(range(100))

        def component(items):
            call = next(calls)
            if call == 3:
                time.sleep(0.05)
                others.wait(10)
                raise UsageError("wrong key")
            if call < 3:
                others.wait(10)
                time.sleep(0.05)  # finished only after the error
            return work(items)

        return component

    components = {"extract": by_sentence, "check": says}
    components[where] = Begun(pool, breaks(components[where]))
    reports = run(given(1000), in_flight=4, extract_batch=1, **components)
    assert [next(reports).record.id for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(UsageError, match="wrong key"):
        next(reports)


def test_a_component_that_loses_an_answer_is_caught(pool):
    with pytest.raises(ComponentError, match="returned 0 answers for 1 inputs"):
        list(run(given(3), extract=by_sentence, check=Begun(pool, lambda pairs: [])))


def test_an_error_while_reading_comes_after_what_was_read(pool):
    def records():
        yield from given(3)
        raise UsageError("line 4 is broken")

    reports = run(records(), extract=Begun(pool, by_sentence), check=Begun(pool, says))
    assert [next(reports).record.id for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(UsageError, match="line 4"):
        next(reports)


def test_leaving_early_cancels_what_is_under_way_and_stops_the_threads(pool):
    before = threading.active_count() + 16
    waiting: list[Future] = []

    class Never(Begun):
        def begin(self, items):
            if len(waiting) < 1:
                waiting.append(super().begin(items))
            else:
                waiting.append(Future())
            return waiting[-1]

    reports = run(given(100), extract=by_sentence, check=Never(pool, says), in_flight=8)
    next(reports)
    reports.close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and not (
        threading.active_count() <= before and all(future.done() for future in waiting)
    ):
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert [future.cancelled() for future in waiting[1:]] == [True] * len(waiting[1:])
