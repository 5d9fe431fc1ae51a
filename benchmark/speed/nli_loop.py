"""The plain loop, the nli checker and the embedded model on the same pairs, in one run.

    python -m benchmark.speed.nli_loop --shape base --pairs 192 --out benchmark/results/nli_loop_base.json

Random weights cost what trained ones do; `plain.py` says what the plain loop does and why. Each
contender runs in a process of its own, one after the other, so that its peak memory is its own.
The pairs that warm it up are not timed. Agreement is counted over the pairs that the plain loop does
not cut. Figures count only on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from benchmark.speed.plain import MAX_TOKENS, SHAPES, PlainLoop, build, pairs_of
from refchecker.checker.nli import NLIChecker
from refchecker.types import Label, Pair

WARM_UP = 16


@dataclass(frozen=True)
class Measured:
    labels: list[Label]
    seconds: float
    peak_mb: float
    signature: str
    scores: list[list[float]]  # of the plain loop


def plain(folder: str, device: str, pairs: Sequence[Pair]) -> Measured:
    loop = PlainLoop(folder, device)
    loop(pairs[:WARM_UP])
    rows, seconds, peak = timed(lambda: loop.scores(pairs), device)
    labels = [loop.order[row.index(max(row))] for row in rows]
    return Measured(labels, seconds, peak, "plain loop", rows)


def nli(folder: str, device: str, pairs: Sequence[Pair], **options: Any) -> Measured:
    return _checker(NLIChecker(folder, device=device, **options), device, pairs)


def embedded(pairs: Sequence[Pair]) -> Measured:
    """The embedded model, in a process that never imports torch."""
    rows = [json.dumps([pair.claim.triplet, pair.claim.text, pair.passage.text]) for pair in pairs]
    done = subprocess.run(
        [sys.executable, "-m", "benchmark.speed.embedded_alone", str(WARM_UP)],
        input="\n".join(rows),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    found = json.loads(done.stdout)
    labels = [Label(name) for name in found.pop("labels")]
    return Measured(labels, scores=[], **found)


def _checker(checker: Any, device: str, pairs: Sequence[Pair]) -> Measured:
    checker(pairs[:: max(1, len(pairs) // WARM_UP)])
    judgments, seconds, peak = timed(lambda: checker(pairs), device)
    return Measured([judgment.label for judgment in judgments], seconds, peak, checker.signature, [])


def timed(work: Callable[[], Any], device: str) -> tuple[Any, float, float]:
    """(what it gives, seconds, peak MB of the card or of this process since its start)."""
    on_card = device.startswith("cuda")
    if on_card:
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.synchronize()
    started = time.perf_counter()
    result = work()
    if on_card:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    peak = torch.cuda.max_memory_allocated() / 2**20 if on_card else _peak_mb()
    return result, seconds, peak


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(work: Callable[..., Measured], *arguments: Any, **options: Any) -> Measured:
    """The measurement, made in a fresh process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as process:
        return process.submit(work, *arguments, **options).result()


def agreement(one: Sequence[Label], other: Sequence[Label], indices: Sequence[int]) -> float | None:
    if not indices:
        return None
    return round(sum(one[index] is other[index] for index in indices) / len(indices), 4)


def margins(scores: Sequence[Sequence[float]]) -> dict[str, float]:
    """Quantiles of the distance in probability between the two best outputs of the plain loop."""
    gaps = sorted(best - second for best, second, *_ in (sorted(row, reverse=True) for row in scores))
    return {f"p{q}": round(gaps[min(len(gaps) - 1, len(gaps) * q // 100)], 4) for q in (1, 5, 25, 50, 75)}


def compare(shape: str, count: int, device: str, *, run: Callable[..., Measured] = alone) -> dict[str, Any]:
    """All contenders on the same weights and pairs; ratios are to the plain loop."""
    data, pairs = pairs_of(count)
    with tempfile.TemporaryDirectory() as home:
        folder = build(Path(home, "model"), shape, pairs)
        base = run(plain, folder, device, pairs)
        contenders = {
            "nli": run(nli, folder, device, pairs),
            "nli_bf16": run(nli, folder, device, pairs, precision="bf16"),
            "nli_fp32": run(nli, folder, device, pairs, precision="fp32"),
            "embedded": embedded(pairs),
        }
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        lengths = [len(tokenizer(pair.passage.text, pair.claim.text).input_ids) for pair in pairs]
    whole = [index for index, length in enumerate(lengths) if length <= MAX_TOKENS]
    results: dict[str, Any] = {
        "shape": shape,
        "data": data,
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else platform.machine(),
        "threads": torch.get_num_threads(),
        "pairs": len(pairs),
        "distinct_pairs": len({(pair.claim.text, pair.passage.text) for pair in pairs}),
        "pairs_cut_by_the_plain_loop": len(pairs) - len(whole),
        "mean_tokens": round(sum(lengths) / len(lengths), 1),
        "labels_of_the_plain_loop": {label.value: base.labels.count(label) for label in Label},
        "margins_of_the_plain_loop": margins(base.scores),
        "plain": _figures(base, len(pairs)),
    }
    for name, found in contenders.items():
        results[name] = _figures(found, len(pairs)) | {"ratio": round(base.seconds / found.seconds, 2)}
        if name != "embedded":  # another model, whose labels are its own
            results[name]["agreement"] = agreement(base.labels, found.labels, whole)
    return results


def _figures(measured: Measured, pairs: int) -> dict[str, Any]:
    return {
        "signature": measured.signature,
        "pairs_per_second": round(pairs / measured.seconds, 2),
        "peak_mb": round(measured.peak_mb),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="base")
    parser.add_argument("--pairs", type=int, default=192)
    parser.add_argument("--device", default="cuda:0" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON")
    options = parser.parse_args()
    command = " ".join(["python -m benchmark.speed.nli_loop", *sys.argv[1:]])
    results = {"command": command} | compare(options.shape, options.pairs, options.device)
    print(json.dumps(results, indent=2))
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
