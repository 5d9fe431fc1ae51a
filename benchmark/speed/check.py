"""`refchecker-cli check` with the embedded model on the human files: its speed, and what takes the time.

    python -m benchmark.speed.check --out benchmark/results/check.json

The command line runs in a process of its own, once per file: its time and peak memory are what a user
sees. Then the same pairs go through the checker in this process, in the pipeline's batches, with a clock
around each part; parts that run on several threads count their time on all of them. Figures count only
on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmark.data import data_root
from benchmark.labels import SETTINGS, human_items
from refchecker.checker.embedded import EmbeddedChecker, reading
from refchecker.types import Pair

BATCH_PAIRS = 256
COMMAND = "import sys; from refchecker.cli import main; sys.exit(main())"


def by_command_line(path: Path) -> dict[str, Any]:
    """Records, wall seconds and peak memory of one `refchecker-cli check`, start-up included."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        output = Path(folder, "verdicts.jsonl")
        arguments = ["check", "--input_path", str(path), "--output_path", str(output), "--quiet"]
        child = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-c", COMMAND, *arguments])
        _, status, usage = os.wait4(child, 0)
        seconds = time.perf_counter() - started
        if os.waitstatus_to_exitcode(status) not in (0, 3):
            raise SystemExit(f"refchecker-cli check {path} ended with {os.waitstatus_to_exitcode(status)}")
        records = sum(1 for _ in output.open(encoding="utf-8"))
    return {
        "records": records,
        "seconds": round(seconds, 2),
        "records_per_second": round(records / seconds, 1),
        "peak_mb": round(usage.ru_maxrss / 1024),
    }


class Clocks:
    """Seconds spent inside functions, by name, over all threads."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return work(*arguments, **options)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started

        return timed


def in_parts(pairs: list[Pair], threads: int) -> dict[str, Any]:
    """Where a checker on `threads` threads spends its time."""
    clocks, check = Clocks(), EmbeddedChecker(threads=threads)
    check._read._network.logits = clocks.around("network", check._read._network.logits)
    check._weigh = clocks.around("trees", check._weigh)
    plain = reading.features, reading._Call.plan
    reading.features = clocks.around("evidence", reading.features)
    reading._Call.plan = clocks.around("cutting and tokens", reading._Call.plan)
    try:
        started = time.perf_counter()
        for batch in _batches(pairs):
            check(batch)
        wall = time.perf_counter() - started
    finally:
        reading.features, reading._Call.plan = plain
    return {
        "pairs": len(pairs),
        "wall_seconds": round(wall, 2),
        "pairs_per_second": round(len(pairs) / wall, 1),
        "seconds_by_part": {name: round(seconds, 2) for name, seconds in sorted(clocks.seconds.items())},
    }


def _batches(pairs: list[Pair]) -> Iterator[list[Pair]]:
    for start in range(0, len(pairs), BATCH_PAIRS):
        yield pairs[start : start + BATCH_PAIRS]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON")
    parser.add_argument("--limit", type=int, help="pairs of each setting in the second half (default: all)")
    options = parser.parse_args()
    root = data_root("human")
    threads = len(os.sched_getaffinity(0))
    results: dict[str, Any] = {
        "command": " ".join(["python -m benchmark.speed.check", *sys.argv[1:]]),
        "signature": EmbeddedChecker().signature,
        "threads": threads,
        "command_line": {s: by_command_line(root / "human" / f"{s}.jsonl") for s in SETTINGS},
        "parts": {},
    }
    for setting in SETTINGS:
        items = human_items(root, setting)
        pairs = [Pair(item.claim, passage, item.question) for item in items for passage in item.passages]
        results["parts"][setting] = in_parts(pairs[: options.limit], threads)
    text = json.dumps(results, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
