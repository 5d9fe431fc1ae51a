"""The speed programs run, and count what they say they count. No time is asserted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


from benchmark.speed import gpu, nli_loop, plain
from refchecker.types import Label


def in_this_process(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    return work(*arguments, **options)


def test_nli_loop_compares_all_contenders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REFCHECKER_DATA", str(tmp_path))
    results = nli_loop.compare("tiny", 24, "cpu", run=in_this_process)
    assert (results["data"], results["pairs"]) == ("seeded", 24)
    assert results["distinct_pairs"] < 24
    assert len([count for count in results["labels_of_the_plain_loop"].values() if count]) > 1
    assert results["nli_fp32"]["agreement"] == 1
    assert {"ratio", "peak_mb", "pairs_per_second"} < set(results["embedded"])
    assert list(results["margins_of_the_plain_loop"].values()) == sorted(
        results["margins_of_the_plain_loop"].values()
    )


def test_agreement_is_of_the_pairs_that_count() -> None:
    e, n = Label.ENTAILMENT, Label.NEUTRAL
    assert nli_loop.agreement([e, n, n], [e, e, n], [0, 1]) == 0.5
    assert nli_loop.agreement([e], [n], []) is None


def test_gpu_program_on_the_cpu() -> None:
    results = gpu.measure("cpu", "tiny", counts={32: 5, 64: 3}, matrix_size=64, compiled=False)
    assert list(results["tokens"]) == ["32", "64"]
    assert "bf16" in results["signatures"]["bf16"]
    for row in results["tokens"].values():
        assert row["bf16"]["ratio"] > 0
        assert row["matrix_tflops"] >= 0


def test_gpu_program_says_that_there_is_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    monkeypatch.setattr(sys, "argv", ["gpu"])
    gpu.main()
    assert "no GPU here: nothing was measured" in capsys.readouterr().out


def test_matrix_work_of_a_shape() -> None:
    hidden, layers, _, feed_forward = plain.SHAPES["tiny"]
    weights = layers * (4 * hidden**2 + 2 * hidden * feed_forward)
    attention = layers * 2 * hidden * 10 * 10
    assert gpu.matrix_flops("tiny", [10]) == 2 * (10 * weights + attention)
    assert gpu.matrix_flops("tiny", [10, 10]) == 2 * gpu.matrix_flops("tiny", [10])


def test_pairs_of_a_length_fill_it() -> None:
    pairs = plain.seeded_pairs(8)
    tokenizer = plain.tokenizer_of([pair.passage.text for pair in pairs])
    lengths = [
        len(tokenizer(p.passage.text, p.claim.text).input_ids) for p in gpu.pairs_of_length(40, 6, tokenizer)
    ]
    assert all(36 <= length <= 40 for length in lengths)
