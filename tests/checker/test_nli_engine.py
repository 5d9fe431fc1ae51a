"""Precision, several processes, reading ahead: how the nli checker runs a model, not what it asks."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models
from tiny_models import SENTENCES

from refchecker.checker.nli import NLIChecker
from refchecker.checker.nli import checker as nli
from refchecker.checker.nli.checker import read_ahead
from refchecker.checker.nli.engine import NOISES, Engine, lead
from refchecker.checker.nli.families import Tokens
from refchecker.checker.nli.workers import Workers, turns_of
from refchecker.errors import ComponentError, UsageError
from refchecker.models import devices, precision_on
from refchecker.types import Claim, Pair, Passage

PAIRS = [
    Pair(Claim(" ".join(claim.split()[:5])), Passage(f"{first} {second}", "doc"))
    for claim in SENTENCES
    for first in SENTENCES
    for second in ("Rome.", "It is so.", "They say that the tower was built by an engineer.")
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_models.roberta(tmp_path_factory.mktemp("models") / "roberta"))


@pytest.fixture(scope="module")
def exact(model: str) -> NLIChecker:
    return NLIChecker(model, device="cpu", precision="fp32")


def with_engine(checker: NLIChecker, precision: str) -> Engine:
    return Engine(replace(checker._engine._recipe, precision=precision), "cpu")


def inputs_of(checker: NLIChecker) -> list[Tokens]:
    return list(nli._Call(checker._form).read(PAIRS)[1].values())


def test_bf16_with_what_is_close_asked_again_gives_the_labels_of_fp32(exact: NLIChecker) -> None:
    engine, inputs = with_engine(exact, "bf16+fp32"), inputs_of(exact)
    expected = [row.index(max(row)) for row in exact._engine(inputs)]
    assert len(set(expected)) > 1
    for size in (1, 5, len(inputs)):  # single questions, as a server asks them, first
        assert [row.index(max(row)) for row in engine(inputs[:size])] == expected[:size]


def test_only_the_sample_and_what_is_close_are_asked_again(
    exact: NLIChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, reduced, inputs = with_engine(exact, "bf16+fp32"), with_engine(exact, "bf16"), inputs_of(exact)
    assert reduced.exact is None
    seen: list[int] = []
    forward = engine.exact.forward

    def counted(**tensors: Any) -> Any:
        seen.append(len(tensors["input_ids"]))
        return forward(**tensors)

    monkeypatch.setattr(engine.exact, "forward", counted)
    engine(inputs)
    sample = sum(seen)
    seen.clear()
    engine(inputs)
    least = NOISES * median(engine._errors)
    assert sum(seen) == sum(lead(row) < least for row in reduced(inputs))
    assert sum(seen) < sample < len(inputs)


def test_precision_is_in_the_signature_and_must_be_known(model: str) -> None:
    assert "bf16," in NLIChecker(model, device="cpu", precision="bf16").signature
    with pytest.raises(UsageError, match=r"no precision 'fp16'. There are auto, fp32, bf16"):
        NLIChecker(model, precision="fp16")
    assert precision_on(torch, ["cpu"], "auto") in ("fp32", "bf16+fp32")


def test_compile_without_a_compiler(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs a C\\+\\+ compiler"):
        NLIChecker(model, compile=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cpu", ["cpu"]),
        ("cpu,cpu", ["cpu", "cpu"]),
        ("cuda", ["cuda:0"]),
        ("cuda:1", ["cuda:1"]),
        ("cuda:0,2,0", ["cuda:0", "cuda:2"]),
        ("all", ["cuda:0", "cuda:1", "cuda:2"]),
        ("auto", ["cuda:0"]),
    ],
)
def test_devices(name: str, expected: list[str]) -> None:
    assert devices(_ThreeCards, name) == expected


class _ThreeCards:
    """As much of torch as `devices` asks."""

    class cuda:  # noqa: N801
        is_available = staticmethod(lambda: True)
        device_count = staticmethod(lambda: 3)


def test_all_gpus_where_there_is_none() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(UsageError, match="no device 'all': torch sees no CUDA device"):
        devices(torch, "all")


def test_turns_hold_every_input_once_longest_first_within_their_tokens() -> None:
    inputs = [Tokens([0] * length, []) for length in (3, 50, 1, 7, 7, 120, 2)]
    turns = list(turns_of(inputs, 60))
    assert sorted(index for turn in turns for index in turn) == list(range(len(inputs)))
    assert turns[0] == [5]
    assert all(sum(len(inputs[index].ids) for index in turn) <= 60 for turn in turns[1:])
    assert list(turns_of([], 60)) == []


def test_pools_change_nothing_and_ask_nothing_twice(
    model: str, exact: NLIChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = exact([*PAIRS, *PAIRS])
    asked: list[int] = []
    engine = exact._engine
    monkeypatch.setattr(exact, "_engine", lambda inputs: asked.append(len(inputs)) or engine(inputs))
    monkeypatch.setattr(nli, "_POOL_PAIRS", 7)
    assert [j.label for j in exact([*PAIRS, *PAIRS])] == [j.label for j in expected]
    assert sum(asked) == len(PAIRS)


def test_the_next_pool_is_read_while_this_one_is_used() -> None:
    read = threading.Event()

    def work(item: int) -> int:
        if item == 2:
            read.set()
        return item

    results = read_ahead(work, [1, 2, 3])
    assert next(results) == 1
    assert read.wait(timeout=60)  # 2 is read though nobody has asked for it yet
    assert list(results) == [2, 3]


def test_what_fails_on_the_reading_thread_is_raised_here() -> None:
    def work(item: int) -> int:
        raise KeyError(item)

    with pytest.raises(KeyError):
        list(read_ahead(work, [1, 2]))


@pytest.fixture
def two(model: str) -> Iterator[NLIChecker]:
    checker = NLIChecker(model, device="cpu,cpu", precision="fp32", batch_tokens=100)
    yield checker
    checker._engine._close()


def test_two_processes_answer_as_one_and_one_that_is_killed_is_told(
    two: NLIChecker, exact: NLIChecker
) -> None:
    assert [j.label for j in two(PAIRS)] == [j.label for j in exact(PAIRS)]
    assert two([]) == []

    first, second = two._engine._processes.values()
    os.kill(first.pid, signal.SIGSTOP)  # it has taken its work and will never answer
    killer = threading.Thread(target=lambda: (time.sleep(0.5), os.kill(first.pid, signal.SIGKILL)))
    killer.start()
    with pytest.raises(ComponentError, match=r"the nli checker on cpu has ended \(exit code -9"):
        two(PAIRS)
    killer.join()
    assert not second.is_alive()
    with pytest.raises(ComponentError, match="Make the checker again"):
        two(PAIRS)


def test_an_engine_that_cannot_be_made_in_its_process_says_why(exact: NLIChecker, tmp_path: Path) -> None:
    folder = tiny_models.roberta(tmp_path / "roberta")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UsageError, match="cannot load the model"):
        Workers(replace(exact._engine._recipe, model=str(folder)), ["cpu"])
