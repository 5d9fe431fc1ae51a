"""The nli checker on a GPU: pairs a second by length, against the plain loop and the card's own matrix rate.

    python -m benchmark.speed.gpu --out benchmark/results/gpu.json

For inputs of 64, 256 and 512 tokens: the plain loop (see `plain.py`) and the checker in bf16 and in
its default precision, on a RoBERTa-large with random weights. `share_of_matrix_rate` is the matrix
work of the checker's forward passes, counted from the model's shape, per second, over what the card
does in the same minute on one large bf16 product. Without a GPU it says so and ends; `--device cpu
--shape tiny` runs the same code anywhere.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from benchmark.speed.plain import MAX_TOKENS, SENTENCES, SHAPES, PlainLoop, build
from refchecker.checker.nli import NLIChecker
from refchecker.types import Claim, Pair, Passage

LENGTHS = (64, 256, MAX_TOKENS)
CLAIM_WORDS = 8
WARM_UP_PAIRS = 64


def pairs_of_length(tokens: int, count: int, tokenizer: Any) -> list[Pair]:
    """Distinct pairs that are each as long as fits into so many tokens."""
    rng = random.Random(tokens)
    words = [word for sentence in SENTENCES for word in sentence.split()]
    pairs = []
    for index in range(count):
        claim = " ".join(rng.choices(words, k=CLAIM_WORDS))
        premise = [str(index), *rng.choices(words, k=tokens)]
        while len(tokenizer(" ".join(premise), claim).input_ids) > tokens:
            premise.pop()
        pairs.append(Pair(Claim(claim), Passage(" ".join(premise), f"{tokens}:{index}")))
    return pairs


def matrix_flops(shape: str, lengths: Sequence[int]) -> float:
    """Multiplications and additions of the matrix products for inputs of these lengths, without padding."""
    hidden, layers, _, feed_forward = SHAPES[shape]
    per_token = 2 * (4 * hidden * hidden + 2 * hidden * feed_forward)
    return sum(layers * (n * per_token + 2 * 2 * n * n * hidden) for n in lengths)


def matrix_rate(device: str, size: int, repeats: int = 20) -> float:
    """Operations a second of `size` x `size` bf16 products of random matrices, after a warm-up."""
    a, b = (torch.randn(size, size, device=device).bfloat16() for _ in range(2))
    for _ in range(3):
        a @ b

    def products() -> None:
        for _ in range(repeats):
            a @ b

    return repeats * 2 * size**3 / seconds_of(products, device)


def seconds_of(work: Callable[[], Any], device: str) -> float:
    synchronize = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    synchronize()
    started = time.perf_counter()
    work()
    synchronize()
    return time.perf_counter() - started


def measure(
    device: str, shape: str, *, counts: dict[int, int], matrix_size: int, compiled: bool
) -> dict[str, Any]:
    """Figures by length: pairs a second, the ratio to the plain loop, the share of the matrix rate."""
    by_length: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        words = [Pair(Claim(text), Passage(text, "doc")) for text in SENTENCES]
        folder = build(Path(home, "model"), shape, words)
        loop = PlainLoop(folder, device)
        precisions = {"bf16": "bf16", "auto": "auto"}
        checkers = {
            name: NLIChecker(folder, device=device, precision=precision, compile=compiled)
            for name, precision in precisions.items()
        }
        for tokens, count in counts.items():
            pairs = pairs_of_length(tokens, count, loop.tokenizer)
            loop(pairs[:WARM_UP_PAIRS])
            plain = seconds_of(lambda pairs=pairs: loop(pairs), device)
            lengths = [len(loop.tokenizer(pair.passage.text, pair.claim.text).input_ids) for pair in pairs]
            rate = matrix_rate(device, matrix_size)
            row: dict[str, Any] = {"pairs": count, "plain_pairs_per_second": round(count / plain, 1)}
            row["matrix_tflops"] = round(rate / 1e12, 3)
            for name, checker in checkers.items():
                checker(pairs)  # warms up the allocator, the compiler, the measure of bf16's error
                seconds = seconds_of(lambda checker=checker, pairs=pairs: checker(pairs), device)
                row[name] = {
                    "pairs_per_second": round(count / seconds, 1),
                    "ratio": round(plain / seconds, 2),
                    "share_of_matrix_rate": round(matrix_flops(shape, lengths) / seconds / rate, 3),
                }
            by_length[str(tokens)] = row
        signatures = {name: checker.signature for name, checker in checkers.items()}
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else "cpu"
    return {"device": name, "shape": shape, "signatures": signatures, "tokens": by_length}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--shape", choices=SHAPES, default="large")
    parser.add_argument("--pairs", type=int, default=8192, help="at 64 tokens; fewer where inputs are longer")
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--matrix_size", type=int, default=8192)
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON")
    options = parser.parse_args()
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        print("no GPU here: nothing was measured (--device cpu --shape tiny only tries the program)")
        return
    counts = {tokens: max(1, options.pairs * LENGTHS[0] // tokens) for tokens in LENGTHS}
    results = {"command": " ".join(["python -m benchmark.speed.gpu", *sys.argv[1:]])} | measure(
        options.device,
        options.shape,
        counts=counts,
        matrix_size=options.matrix_size,
        compiled=options.compile,
    )
    print(json.dumps(results, indent=2))
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
