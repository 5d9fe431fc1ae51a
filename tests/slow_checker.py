"""A real, deterministic checker for tests with real processes: it takes its time and keeps a log.

Reached as `python:slow_checker:check`; the log's path is in SLOW_CHECKER_LOG. While the file
SLOW_CHECKER_HOLD is there, the checker stands still at its pair number SLOW_CHECKER_HOLD_AT.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from refchecker import Judgment, Label, Pair

HOLD = Path(os.environ.get("SLOW_CHECKER_HOLD", os.devnull))
HOLD_AT = int(os.environ.get("SLOW_CHECKER_HOLD_AT", "0"))
numbers = count(1)


def check(pairs: Sequence[Pair]) -> list[Judgment]:
    """One line in the log per pair, written before the answer is given."""
    judgments = []
    for pair in pairs:
        time.sleep(0.002)
        number = next(numbers)
        while number >= HOLD_AT and HOLD.is_file():
            time.sleep(0.01)
        with open(os.environ["SLOW_CHECKER_LOG"], "a") as log:
            log.write(pair.claim.text + "\n")
        entailed = pair.claim.text in pair.passage.text
        score = (len(pair.claim.text) * 37 % 100) / 100
        judgments.append(
            Judgment(Label.ENTAILMENT if entailed else Label.CONTRADICTION, {Label.ENTAILMENT: score})
        )
    return judgments
