"""The embedded model over pairs from standard input, in a process without torch: seconds and peak memory.

Called by `nli_loop`; a line is [triplet or null, claim text, passage text].
"""

from __future__ import annotations

import json
import resource
import sys
import time

from refchecker.checker.embedded import EmbeddedChecker
from refchecker.types import Claim, Pair, Passage, Triplet


def main(warm_up: int) -> None:
    rows = [json.loads(line) for line in sys.stdin]
    pairs = [
        Pair(Claim(text, Triplet(*triplet) if triplet else None), Passage(passage, str(number)))
        for number, (triplet, text, passage) in enumerate(rows)
    ]
    check = EmbeddedChecker()
    check(pairs[:warm_up])
    started = time.perf_counter()
    labels = [judgment.label for judgment in check(pairs)]
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = {"labels": labels, "seconds": seconds, "peak_mb": peak, "signature": check.signature}
    print(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]))
