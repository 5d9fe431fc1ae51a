"""How the embedded extractor's triplets compare with the human benchmark's.

    python -m benchmark.extraction

Writes benchmark/results/extraction.md: counts, speed, word-overlap agreement with the
triplets that were published with the benchmark, and a fixed sample of responses to read.
The published triplets are one model's reading, not the only right one, and half of what
they hold is implied by the question; agreement says less than the sample does.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmark.data import data_root
from refchecker.extractor.dependency import DependencyExtractor
from refchecker.types import Extraction, Record

RESULTS = Path(__file__).parent / "results"
SETTINGS = ("zero_context", "noisy_context", "accurate_context")
MATCH_F1 = 0.5
SAMPLED = 20


def tokens(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def overlap(left: Counter[str], right: Counter[str]) -> float:
    """Token-set F1 of two texts."""
    shared = len(set(left) & set(right))
    return 2 * shared / (len(set(left)) + len(set(right))) if shared else 0.0


def matched(found: list[str], gold: list[str]) -> int:
    """How many pairs a greedy one-to-one match above MATCH_F1 finds."""
    left, right = [tokens(t) for t in found], [tokens(t) for t in gold]
    scores = ((overlap(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right))
    used_left: set[int] = set()
    used_right: set[int] = set()
    for score, i, j in sorted(scores, reverse=True):
        if score >= MATCH_F1 and i not in used_left and j not in used_right:
            used_left.add(i)
            used_right.add(j)
    return len(used_left)


def row_of(setting: str, items: list[dict[str, Any]], extractions: list[Extraction]) -> str:
    claims = sum(len(e.claims) for e in extractions)
    texts = sum(c.triplet is None for e in extractions for c in e.claims)
    gold = sum(len(i["triplets"]) for i in items)
    hits = sum(
        matched([c.text for c in e.claims], [" ".join(t["triplet"]) for t in i["triplets"]])
        for i, e in zip(items, extractions, strict=True)
    )
    both = sum(not i["triplets"] and not e.claims for i, e in zip(items, extractions, strict=True))
    silent, empty = sum(not e.claims for e in extractions), sum(not i["triplets"] for i in items)
    precision, recall = hits / max(claims, 1), hits / max(gold, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return (
        f"| {setting} | {len(items)} | {claims} | {texts} | {claims / len(items):.1f} "
        f"| {gold / len(items):.1f} | {silent} | {empty} | {both} "
        f"| {precision:.3f} | {recall:.3f} | {f1:.3f} |"
    )


def sample(items: list[dict[str, Any]]) -> list[int]:
    """Indices of a fixed sample, spread over settings and models."""
    order = list(range(len(items)))
    random.Random(20).shuffle(order)
    chosen: list[int] = []
    seen: Counter[tuple[str, str]] = Counter()
    while len(chosen) < SAMPLED:
        for index in order:
            key = (items[index]["setting"], items[index]["model"])
            if index not in chosen and seen[key] == min(seen[i, m] for i, m in groups(items)):
                chosen.append(index)
                seen[key] += 1
                break
    return chosen


def groups(items: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return sorted({(item["setting"], item["model"]) for item in items})


def shown(item: dict[str, Any], extraction: Extraction) -> list[str]:
    response = " ".join(item["response"].split())
    lines = [f"### {item['setting']}, {item['model']}: {item['question']}", ""]
    lines += [
        f"> {response[:500]}{' ...' if len(response) > 500 else ''}",
        "",
        "| extracted | published |",
        "|---|---|",
    ]
    ours = [" &#124; ".join(c.triplet) if c.triplet else f"*{c.text}*" for c in extraction.claims]
    theirs = [" &#124; ".join(t["triplet"]) for t in item["triplets"]]
    ours = ours or [f"({extraction.note})"]
    theirs = theirs or ["(none)"]
    for index in range(max(len(ours), len(theirs))):
        cells = [column[index] if index < len(column) else "" for column in (ours, theirs)]
        lines.append("| " + " | ".join(" ".join(c.replace("|", "/").split()) for c in cells) + " |")
    return [*lines, ""]


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    data = data_root("human") / "human"
    items = [
        json.loads(line) for name in SETTINGS for line in (data / f"{name}.jsonl").open(encoding="utf-8")
    ]
    records = [Record(str(n), item["response"], item["question"]) for n, item in enumerate(items)]
    extractor = DependencyExtractor()
    extractor(records[:20])
    started = time.perf_counter()
    extractions = extractor(records)
    seconds = time.perf_counter() - started
    lines = [
        "# What the embedded extractor extracts",
        "",
        f"`{extractor.signature}`, {len(records)} responses in {seconds:.1f} s:"
        f" {len(records) / seconds:.0f} records/s on this machine. Made by `benchmark/extraction.py`;"
        f" a match is a token-set F1 of {MATCH_F1} or more.",
        "",
        "| setting | responses | claims | of them texts | per response "
        "| published per response | none extracted | none published | neither | P | R | F1 |",
        "|---|" + "---:|" * 11,
    ]
    for name in SETTINGS:
        chosen = [n for n, item in enumerate(items) if item["setting"] == name]
        lines.append(row_of(name, [items[n] for n in chosen], [extractions[n] for n in chosen]))
    lines.append(row_of("all", items, extractions))
    print("\n".join(lines))
    judgment = RESULTS / "extraction_judgment.md"
    lines += [
        "",
        judgment.read_text(encoding="utf-8").strip() if judgment.exists() else "",
        "",
        "## Twenty responses",
        "",
    ]
    lines += [
        "Responses and published triplets: RefChecker's human benchmark (labels CC BY 4.0; responses",
        "written from Natural Questions and Dolly texts, CC BY-SA). Texts in italics are claims without",
        "a triplet.",
        "",
    ]
    for index in sample(items):
        lines += shown(items[index], extractions[index])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "extraction.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
