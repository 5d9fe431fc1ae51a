"""The weights that ship, and how ONNX files and tokenizers are loaded, without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import UsageError, imported

SHIPPED = Path(__file__).resolve().parent / "embedded"


def session(path: Path) -> Any:
    """The ONNX file, ready to run on one thread: inputs run side by side instead."""
    onnxruntime = imported("onnxruntime", "embedded")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own exception types are not public
        raise UsageError(f"{path} cannot be loaded: {error}") from error


def tokenizer_of(path: Path) -> Any:
    tokenizer = imported("tokenizers", "embedded").Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
