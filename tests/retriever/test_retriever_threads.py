import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from refchecker.retriever.google.threads import Once, Pool


def test_a_pool_does_what_it_is_given_and_carries_errors():
    pool = Pool(3)
    doubled = [pool.submit(lambda n: n * 2, n) for n in range(50)]
    failed = pool.submit(int, "x")
    assert [future.result() for future in doubled] == [n * 2 for n in range(50)]
    with pytest.raises(ValueError, match="invalid literal"):
        failed.result()
    pool.close()


def test_a_pool_has_no_more_threads_than_it_may_and_ends_them():
    before, gate = set(threading.enumerate()), threading.Event()
    pool = Pool(3)
    futures = [pool.submit(gate.wait, 10) for _ in range(9)]
    threads = set(threading.enumerate()) - before
    assert len(threads) == 3
    assert all(thread.daemon for thread in threads)  # an exit does not wait for them
    gate.set()
    assert all(future.result() for future in futures)
    pool.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_what_is_cancelled_before_it_begins_is_not_done():
    gate, done = threading.Event(), []
    pool = Pool(1)
    first = pool.submit(gate.wait, 10)
    second = pool.submit(done.append, "second")
    third = pool.submit(done.append, "third")
    assert second.cancel()
    gate.set()
    assert (first.result(), third.result()) == (True, None)
    assert done == ["third"]


def test_a_value_is_made_once_for_all_who_want_it_and_the_last_few_are_kept():
    made, lock = [], threading.Lock()

    def make(key):
        with lock:
            made.append(key)
        return key * 10

    once = Once(2)
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: once(1, lambda: make(1)), range(40))) == {10}
    for key in (2, 1, 3, 2, 1):
        assert once(key, lambda key=key: make(key)) == key * 10
    assert made == [1, 2, 3, 1]


def test_a_value_that_could_not_be_made_is_tried_again():
    attempts = iter([ValueError("not yet"), 7])

    def make():
        outcome = next(attempts)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    once = Once(5)
    with pytest.raises(ValueError, match="not yet"):
        once("key", make)
    assert once("key", make) == 7
