"""A corpus of a million passages: how long to index, how large, how fast to ask, what one more file costs.

    python -m benchmark.speed.corpus --out benchmark/results/corpus_speed.json

There is no real collection of that size here: the corpus is Dolly's 4,291 documents over and over, in
files of 10,000. Each copy has its sentences in another order, and one word in 300 becomes its own, so that
the vocabulary grows about as that of real text does. So the sizes are those of a million passages; how well
anything is found says nothing. Each step is a process of its own; its peak memory counts what it has mapped
from disk and looked at. Figures count only on an idle machine; processor seconds less so.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmark.data import data_root
from refchecker.text import sentences
from refchecker.types import Passage, Record

DOCUMENTS_PER_FILE = 10_000
QUERIES = 200
NEW_WORD_EVERY = 300


def made(root: Path, seed: int) -> Iterator[dict[str, str]]:
    """Documents without end."""
    with gzip.open(root / "documents" / "dolly.jsonl.gz", "rt", encoding="utf-8") as lines:
        plain = [json.loads(line)["text"] for line in lines]
    cut = [[piece.text for piece in sentences(Passage(text, ""))] for text in plain]
    rng = random.Random(seed)
    number = 0
    while True:
        for own in cut:
            number += 1
            words = " ".join(rng.sample(own, len(own))).split(" ")
            for _ in range(int(len(words) / NEW_WORD_EVERY + rng.random())):
                words[rng.randrange(len(words))] += str(rng.randrange(1000))
            yield {"id": str(number), "text": " ".join(words)}


def write_corpus(root: Path, folder: Path, documents: int) -> None:
    source = made(root, 0)
    for first in range(0, documents, DOCUMENTS_PER_FILE):
        with (folder / f"{first // DOCUMENTS_PER_FILE:04}.jsonl").open("w", encoding="utf-8") as file:
            for _ in range(min(DOCUMENTS_PER_FILE, documents - first)):
                file.write(json.dumps(next(source)) + "\n")


def step(corpus: Path, cache: Path, queries: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
    """Open the corpus in a process of its own and ask it: seconds, peak memory, milliseconds per query."""
    arguments = [sys.executable, "-m", "benchmark.speed.corpus", "--step", str(corpus), str(cache)]
    done = subprocess.run(arguments, input=json.dumps(queries), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    sys.stderr.write(f"{result}\n")
    return result


def tell(line: str) -> None:
    sys.stderr.write(line + "\n")


def inside(corpus: str, cache: str) -> dict[str, Any]:
    import resource

    from refchecker.retriever.corpus import CorpusRetriever
    from refchecker.retriever.terms import terms

    queries = json.load(sys.stdin)
    terms("load what is needed")
    started = time.perf_counter()
    retrieve = CorpusRetriever(
        corpus, cache_dir=cache, tell=lambda line: sys.stderr.write(line + "\n") and None
    )
    opened, processor = time.perf_counter() - started, time.process_time()
    took = []
    for question, response in queries:
        started = time.perf_counter()
        retrieve(Record("", response, question))
        took.append(1000 * (time.perf_counter() - started))
    result: dict[str, Any] = {
        "seconds": round(opened, 2),
        "processor_seconds": round(processor, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "passages": retrieve.size,
    }
    if took:
        took.sort()
        result["query_ms"] = {
            "median": round(statistics.median(took), 1),
            "p95": round(took[int(0.95 * len(took))], 1),
            "slowest": round(took[-1], 1),
        }
    return result


def measured(root: Path, folder: Path, documents: int) -> dict[str, Any]:
    corpus, cache = folder / "corpus", folder / "cache"
    corpus.mkdir()
    write_corpus(root, corpus, documents)
    with gzip.open(root / "documents" / "dolly.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:: max(1, 4291 // QUERIES)][:QUERIES]
    both = [(row["question"], row["response"]) for row in rows]
    result: dict[str, Any] = {
        "corpus_mb": sum(path.stat().st_size for path in corpus.iterdir()) // 2**20,
        "first": step(corpus, cache),
        "index_mb": sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) // 2**20,
        "again, question": step(corpus, cache, [(question, "") for question, _ in both]),
        "again, question and response": step(corpus, cache, both),
    }
    (corpus / "one-more.txt").write_text("The lighthouse of Genoa was lit in 1128.", encoding="utf-8")
    result["one more file"] = step(corpus, cache)
    (corpus / "0000.jsonl").unlink()
    result["one file less"] = step(corpus, cache)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=520_000, help="about 1.94 passages each")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--folder", type=Path, help="where corpus and index are made (a temporary folder)")
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        sys.stdout.write(json.dumps(inside(*options.step)))
        return
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        result = measured(data_root("documents"), folder, options.documents)
    finally:
        shutil.rmtree(folder)
    command = "python -m benchmark.speed.corpus" + f" --documents {options.documents}" * (
        options.documents != 520_000
    )
    text = (
        json.dumps(
            {
                "command": command,
                "processors": len(os.sched_getaffinity(0)),
                "load_average": round(os.getloadavg()[2], 1),  # of the last quarter of an hour
                **result,
            },
            indent=1,
        )
        + "\n"
    )
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
