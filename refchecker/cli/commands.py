"""The sub-commands of refchecker-cli: each module has `add(commands)` and `run(options) -> exit code`.

`ALL` is their order in `--help`. A module with several commands stands for each of them.
"""

from __future__ import annotations

from types import ModuleType

from . import bench, check, doctor, recall, report, retrieve

ALL: dict[str, ModuleType] = {
    "extract": check,
    "check": check,
    "extract-check": check,
    "retrieve": retrieve,
    "report": report,
    "bench": bench,
    "recall": recall,
    "doctor": doctor,
}
