"""doctor: what is installed here, which models and keys are found, and what to do for the rest."""

from __future__ import annotations

import argparse
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from .. import __version__
from ..errors import UsageError

CORE = ("numpy", "spacy", "onnxruntime", "tokenizers", "requests", "tqdm")
EXTRAS = {"nli": ("torch", "transformers")}
LLMS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "boto3": ""}
RETRIEVAL = ("bm25s", "snowballstemmer", "trafilatura", "pypdf", "protego")
AWS = ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ROLE_ARN")


def add(commands: Any) -> None:
    """The sub-command; it has no options."""
    commands.add_parser("doctor", help="Show what is installed and what is missing.")


def run(parsed: argparse.Namespace) -> int:
    """Print the report; 2 where the default extractor and checker cannot run."""
    text, usable = report()
    print(text)
    return 0 if usable else 2


def report() -> tuple[str, bool]:
    """The report, several lines, and whether the default extractor and checker can run."""
    from ..extractor.dependency import MODELS, REMEDY

    lines = [f"refchecker {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores"]
    missing = [name for name in CORE if not _installed(name)]
    lines += [_line(_installed(name), name, _installed(name) or "pip install refchecker") for name in CORE]

    pipeline = next((name for name in MODELS if find_spec(name)), "")
    lines.append(_line(pipeline, "extractor 'spacy'", f"reads with {pipeline}" if pipeline else REMEDY))
    model, note = _embedded()
    lines.append(_line(model, "checker 'embedded'", note))

    for extra, packages in EXTRAS.items():
        absent = [name for name in packages if not _installed(name)]
        versions = ", ".join(f"{name} {_installed(name)}" for name in packages)
        note = f"pip install 'refchecker[{extra}]'" if absent else f"{versions}, {_gpus()}"
        lines.append(_line(not absent, f"checker '{extra}'", note))
    lines += [_language_models(package, variable) for package, variable in LLMS.items()]
    lines += _retrievers()
    data = os.environ.get("REFCHECKER_DATA")
    if data:
        lines.append(_line(os.path.isdir(data), "REFCHECKER_DATA", data))
    usable = bool(pipeline and model and not missing)
    lines.append("ready: extract-check runs here." if usable else "not ready: see the lines with '-'.")
    return "\n".join(lines), usable


def _line(good: object, what: str, note: str) -> str:
    return f"{'+' if good else '-'} {what:<20} {note}"


def _language_models(package: str, variable: str) -> str:
    """Whether the SDK is there and a key is set; which key is nobody's business."""
    installed = _installed(package)
    if not installed:
        return _line(False, f"models of {package}", "pip install 'refchecker[llm]'")
    key = f"{variable} is {'set' if os.environ.get(variable, '').strip() else 'not set (or give a key file)'}"
    if not variable:
        credentials = [name for name in AWS if os.environ.get(name)]
        credentials += ["~/.aws"] if os.path.isdir(os.path.expanduser("~/.aws")) else []
        key = f"credentials: {', '.join(credentials) or 'none seen'}"
    return _line(True, f"models of {package}", f"{installed}, {key}")


def _retrievers() -> list[str]:
    absent = [name for name in RETRIEVAL if not _installed(name)]
    if absent:
        note = f"pip install 'refchecker[retrieval]' (no {', '.join(absent)})"
        return [_line(False, f"retriever {name!r}", note) for name in ("corpus", "google")]
    key = f"SERPER_API_KEY is {'set' if os.environ.get('SERPER_API_KEY', '').strip() else 'not set'}"
    return [
        _line(True, "retriever 'corpus'", "needs no key: --corpus FOLDER"),
        _line(True, "retriever 'google'", f"{key} (or give a key file)"),
    ]


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _embedded() -> tuple[str, str]:
    from ..checker.embedded import read_config
    from ..models import SHIPPED

    try:
        name = read_config(SHIPPED).version
    except UsageError as error:
        return "", str(error)
    return name, f"model {name}, {(SHIPPED / 'model.onnx').stat().st_size / 1e6:.0f} MB"


def _gpus() -> str:
    import torch

    if not torch.cuda.is_available():
        return "no GPU, runs on the CPU"
    return ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
