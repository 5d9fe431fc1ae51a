"""The files of the model that ships: what they must hold, and how they are run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UsageError
from ...models import session, tokenizer_of
from ...types import Label
from . import features

FILES = ("model.onnx", "weigh.onnx", "tokenizer.json", "config.json")
ORDER = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)  # of the outputs of both models


class Config(NamedTuple):
    """What config.json says beside the weights."""

    version: str
    max_tokens: int  # of one input: piece, claim and three special tokens
    window_tokens: int
    overlap_tokens: int
    max_claim_tokens: int
    candidates: int  # windows read of a long passage, the nearest to the claim by their words
    focus_from_tokens: int  # in a passage longer than this the nearest sentences are read on their own too


class Network:
    """The cross-encoder and its tokenizer."""

    def __init__(self, folder: Path) -> None:
        self._session = session(folder / "model.onnx")
        self._tokenizer = tokenizer_of(folder / "tokenizer.json")
        self._cls, self._sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def encoded(self, text: str) -> Any:
        """The text's tokens, without special ones: `.ids` and `.offsets`."""
        return self._tokenizer.encode(text, add_special_tokens=False)

    def logits(self, passage: Sequence[int], claim: Sequence[int]) -> list[float]:
        """Of one unpadded input, in the order of ORDER."""
        import numpy as np

        row = [self._cls, *passage, self._sep, *claim, self._sep]
        types = [0] * (len(passage) + 2) + [1] * (len(claim) + 1)
        feed = {
            "input_ids": np.array([row], dtype=np.int64),
            "token_type_ids": np.array([types], dtype=np.int64),
        }
        logits: list[float] = self._session.run(["logits"], feed)[0][0].tolist()
        return logits


class Trees:
    """The trees that weigh the network's logits together with the evidence."""

    def __init__(self, folder: Path) -> None:
        self._session = session(folder / "weigh.onnx")

    def __call__(self, rows: Sequence[Sequence[float]]) -> list[list[float]]:
        """Probabilities for rows of features (NaN where one does not apply), in the order of ORDER."""
        import numpy as np

        if not rows:
            return []
        feed = {"features": np.array(rows, dtype=np.float32)}
        probabilities: list[list[float]] = self._session.run(["probabilities"], feed)[0].tolist()
        return probabilities


def digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in FILES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def read_config(folder: Path, files: Sequence[str] = FILES) -> Config:
    """The checked contents of config.json in a folder that holds all `files`."""
    missing = [name for name in files if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"no embedded model in {str(folder)!r}: {', '.join(missing)} is missing. "
            "Install refchecker again, or name a folder that training/embedded wrote."
        )
    path = folder / "config.json"
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        labels, version = tuple(Label(name) for name in raw["labels"]), int(raw["evidence_version"])
        config = Config(str(raw["version"]), **{name: int(raw[name]) for name in Config._fields[1:]})
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is not an embedded model's config: {error!r}") from error
    if labels != ORDER:
        raise UsageError(f"{path}: labels must be {', '.join(ORDER)}.")
    if config.window_tokens + config.max_claim_tokens + 3 > config.max_tokens:
        raise UsageError(f"{path}: window, claim and three special tokens exceed max_tokens.")
    if version != features.VERSION:
        raise UsageError(
            f"{path}: its trees weigh evidence of version {version}, this package measures version "
            f"{features.VERSION}. Use the model that came with the package, or train it again."
        )
    return config
