"""What a machine has for the nli checker: devices, bf16 matrix products, a C++ compiler."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import UsageError

PRECISIONS = ("auto", "fp32", "bf16")


def devices(torch: Any, name: str) -> list[str]:
    """The devices of `auto`, `cpu`, `cuda`, `cuda:N`, several as `cuda:0,1`, or `all` GPUs.

    `cpu,cpu` is two processes on the CPU, which is of use only to test.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        return ["cuda:0" if count else "cpu"]
    if not re.fullmatch(r"all|cpu(,cpu)*|cuda(:\d+(,\d+)*)?", name):
        raise UsageError(f"no device called {name!r}. Write auto, cpu, cuda, cuda:N, cuda:0,1 or all.")
    if name.startswith("cpu"):
        return name.split(",")
    wanted = [int(number) for number in re.findall(r"\d+", name)] or [0]
    indices = range(count) if name == "all" else list(dict.fromkeys(wanted))
    if max(indices, default=count) >= count:
        seen = f"sees {count} CUDA device{'s' * (count != 1)}" if count else "sees no CUDA device"
        raise UsageError(f"no device {name!r}: torch {seen} here. Use auto or cpu.")
    return [f"cuda:{index}" for index in indices]


def precision_on(torch: Any, names: Sequence[str], asked: str) -> str:
    """The precision of a recipe: `auto` is bf16+fp32 where every device multiplies bf16 matrices itself."""
    if asked not in PRECISIONS:
        raise UsageError(f"no precision {asked!r}. There are {', '.join(PRECISIONS)}.")
    if asked != "auto":
        return asked
    able = all(_cpu_has_bf16() if name == "cpu" else _gpu_has_bf16(torch, name) for name in names)
    return "bf16+fp32" if able else "fp32"


def check_compiler() -> None:
    """A `UsageError` where torch.compile has no C++ compiler to work with."""
    if not any(map(shutil.which, (os.environ.get("CXX", "g++"), "clang++", "cl"))):
        raise UsageError("compile=True needs a C++ compiler (g++ or clang++), and none is here")


def _cpu_has_bf16() -> bool:
    """Whether the processor says so; torch emulates bf16 on the others, slower than fp32."""
    with suppress(OSError):
        return bool(re.search(r"\b(avx512_bf16|amx_bf16)\b", Path("/proc/cpuinfo").read_text()))
    return False


def _gpu_has_bf16(torch: Any, name: str) -> bool:
    return bool(torch.cuda.get_device_capability(name) >= (8, 0))
