"""How an exported model does on the development rows: accuracy by kind, calibration, the confusions.

    python -m training.embedded.evaluate --data runs/embedded --model refchecker/models/embedded

Reads dev.jsonl as the checker reads pairs. For agreement with people see `python -m benchmark.human`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from refchecker.checker.embedded import EmbeddedChecker
from refchecker.checker.embedded.model import ORDER
from refchecker.types import Claim, Pair, Passage

from .rules import NOT_ENTAILED


def evaluate(check: EmbeddedChecker, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Accuracy overall and by kind, mean confidence, and counts by (true label, given label)."""
    judged = check([Pair(Claim(row["hypothesis"]), Passage(row["premise"], "premise")) for row in rows])
    hits: dict[str, list[bool]] = {}
    table = [[0] * len(ORDER) for _ in ORDER]
    confidence = []
    for row, judgment in zip(rows, judged, strict=True):
        either = row["label"] == NOT_ENTAILED  # Neutral or Contradiction: no row of the table
        right = judgment.label in ORDER[1:] if either else judgment.label is ORDER[row["label"]]
        for kind in (row["kind"], "all"):
            hits.setdefault(kind, []).append(right)
        if judgment.label in ORDER:
            if not either:
                table[row["label"]][ORDER.index(judgment.label)] += 1
            confidence.append(judgment.scores[judgment.label])
    return {
        "signature": check.signature,
        "n": len(rows),
        "accuracy": {kind: round(sum(own) / len(own), 4) for kind, own in sorted(hits.items())},
        "mean_confidence": round(sum(confidence) / max(1, len(confidence)), 4),
        "confusion": table,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that `prepare` wrote")
    parser.add_argument("--model", help="folder that `export` wrote (default: the model that ships)")
    parser.add_argument("--limit", type=int, help="rows to read (default: all)")
    options = parser.parse_args()
    lines = (options.data / "dev.jsonl").read_text(encoding="utf-8").splitlines()[: options.limit]
    result = evaluate(EmbeddedChecker(options.model), [json.loads(line) for line in lines])
    sys.stdout.write(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
