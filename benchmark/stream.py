"""Shows that memory does not grow with the input: N records through the pipeline and the command line.

    python benchmark/stream.py --records 100000 --out benchmark/results/stream.json

Each path runs in a process of its own, with a checker that only looks for the claim's text,
so what is measured is everything around the model. The resident set is read from the process
itself while it works.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

from refchecker.pipeline import run
from refchecker.types import Claim, Judgment, Label, Pair, Passage, Record

SAMPLED = (0.01, 0.10, 0.25, 0.50, 0.75, 1.0)
PASSAGE = "Paris is in France. " + "The river runs through many towns before it meets the sea. " * 8
CLAIMS = ("Paris is in France", "Rome is in Spain", "The river runs through many towns")


def contains(pairs: Sequence[Pair]) -> list[Judgment]:
    """Entailment where the passage holds the claim's text."""
    labels = {True: Label.ENTAILMENT, False: Label.NEUTRAL}
    return [Judgment(labels[pair.claim.text in pair.passage.text]) for pair in pairs]


def through_pipeline(count: int) -> list[tuple[int, float, float]]:
    """(records done, seconds, MB) at each sampled share."""
    records = (
        Record(
            id=str(number),
            response=" ".join(CLAIMS),
            references=(Passage(f"{number}. {PASSAGE}", "reference"),),
            claims=tuple(Claim(text) for text in CLAIMS),
        )
        for number in range(count)
    )
    marks = {max(1, round(share * count)) for share in SAMPLED}
    process, started, samples = psutil.Process(), time.perf_counter(), []
    for done, _ in enumerate(run(records, check=contains), start=1):
        if done in marks:
            samples.append((done, time.perf_counter() - started, process.memory_info().rss / 2**20))
    return samples


def through_command_line(count: int, fmt: str) -> list[tuple[int, float, float]]:
    """The same for `refchecker-cli check` on a file of `count` records, journal and all.

    Progress is counted in the journal's lines; the last sample is the peak over the whole run,
    the putting together of the output included.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, f"in.{fmt}"), Path(folder, f"out.{fmt}")
        _write_items(source, count)
        command = [sys.executable, "-m", "refchecker.cli", "check", "--quiet"]
        command += ["--input_path", str(source), "--output_path", str(target)]
        command += ["--checker_name", "python:stream:contains"]
        paths = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=paths[0], env={**os.environ, "PYTHONPATH": ":".join(paths)})
        samples = _watched(process, Path(f"{target}.journal"), count, started)
        if process.returncode:
            raise SystemExit(f"refchecker-cli ended with {process.returncode}")
        with target.open("rb") as stream:
            written = sum(1 for line in stream if b'"Y"' in line)
        if written != count:
            raise SystemExit(f"{written} records written, {count} read")
        return samples


def _write_items(path: Path, count: int) -> None:
    with path.open("w") as stream:
        for number in range(count):
            item = {"id": number, "response": " ".join(CLAIMS), "reference": f"{number}. {PASSAGE}"}
            stream.write(json.dumps({**item, "claims": list(CLAIMS)}) + "\n")


def _watched(process: Any, journal: Path, count: int, started: float) -> list[tuple[int, float, float]]:
    marks = [max(1, round(share * count)) for share in SAMPLED[:-1]]
    watched, peak, lines, offset, samples = psutil.Process(process.pid), 0.0, 0, 0, []
    while process.poll() is None:
        try:
            resident = watched.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            break
        peak = max(peak, resident)
        if journal.exists():
            with journal.open("rb") as stream:
                stream.seek(offset)
                while block := stream.read(1 << 20):
                    lines, offset = lines + block.count(b"\n"), offset + len(block)
        while marks and lines >= marks[0]:
            samples.append((marks.pop(0), time.perf_counter() - started, resident))
        time.sleep(0.02)
    process.wait()
    return [*samples, (count, time.perf_counter() - started, peak)]


def _in_own_process(argument: str, count: int) -> list[tuple[int, float, float]]:
    command = [sys.executable, __file__, "--records", str(count), "--only", argument]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
    return [tuple(sample) for sample in json.loads(shown)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        print(json.dumps(through_pipeline(options.records)))
        return
    paths: dict[str, Callable[[], list[tuple[int, float, float]]]] = {
        "pipeline.run": lambda: _in_own_process("pipeline", options.records),
        "refchecker-cli check": lambda: through_command_line(options.records, "jsonl"),
    }
    results: dict[str, Any] = {
        "command": " ".join(["python benchmark/stream.py", *sys.argv[1:]]),
        "records": options.records,
        "machine": platform.platform(),
        "paths": {},
    }
    for name, measure in paths.items():
        samples = measure()
        seconds = samples[-1][1]
        after_tenth = next(rss for done, _, rss in samples if done >= options.records // 10)
        results["paths"][name] = {
            "records_per_second": round(options.records / seconds, 1),
            "growth_after_10_percent": round(samples[-1][2] / after_tenth - 1, 4),
            "samples": [
                {"records": done, "seconds": round(at, 3), "rss_mb": round(rss, 1)}
                for done, at, rss in samples
            ],
        }
        print(f"{name}: {options.records / seconds:,.0f} records/s")
        for done, at, rss in samples:
            print(f"  {done:>10,} records {at:>8.1f} s {rss:>8.1f} MB")
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
