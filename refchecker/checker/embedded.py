"""The checker that ships: a compact cross-encoder as int8 ONNX, without torch and without a download."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UsageError
from ..types import Judgment, Label, Pair, Passage
from .windows import Scores, combine, cut, too_long

SHIPPED = Path(__file__).resolve().parent.parent / "models" / "embedded"
FILES = ("model.onnx", "tokenizer.json", "config.json")


ORDER = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)  # of the model's outputs
Input = tuple[tuple[int, ...], tuple[int, ...]]  # token ids of a window and of a claim


class Config(NamedTuple):
    """What config.json says beside the weights."""

    version: str
    labels: tuple[Label, ...]
    max_tokens: int  # of one input: window, claim and three special tokens
    window_tokens: int
    overlap_tokens: int
    max_claim_tokens: int
    temperature: float
    biases: tuple[float, ...]  # added to the logits, in the order of `labels`


class EmbeddedChecker:
    """What each pair's passage says about its claim, by the model in `directory` (None: the one that ships).

    Every (window, claim) is run alone, so a judgment does not depend on what else is in the call: int8
    scales are taken per input. A call of n pairs asks each different (claim, passage) once.

    >>> from refchecker.types import Claim, Pair, Passage
    >>> check = EmbeddedChecker(threads=1)
    >>> reference = Passage("Paris is the capital of France.", "doc")
    >>> check([Pair(Claim("Paris is capital of France"), reference)])[0].label
    <Label.ENTAILMENT: 'Entailment'>
    """

    def __init__(
        self, directory: str | None = None, *, threads: int | None = None, language: str = "en"
    ) -> None:
        folder = Path(directory) if directory else SHIPPED
        self._config = read_config(folder)
        self._session, self._tokenizer = load_model(folder)
        self._cls, self._sep = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self._threads = threads or _cores()
        self._language = language
        digest = hashlib.sha256((folder / "model.onnx").read_bytes())
        digest.update((folder / "config.json").read_bytes())
        self.signature = f"embedded({self._config.version},{digest.hexdigest()[:6]})"

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        call = _Call(self._tokenizer, self._config, self._language)
        asked = dict.fromkeys((pair.claim.text, pair.passage) for pair in pairs)
        plans = {key: call.plan(*key) for key in asked}
        inputs = list(
            dict.fromkeys(ids for plan in plans.values() if isinstance(plan, list) for ids, _ in plan)
        )
        with ThreadPoolExecutor(self._threads) as pool:
            scores = dict(zip(inputs, pool.map(self._scores, inputs), strict=True))
        answers = {
            key: plan
            if isinstance(plan, Judgment)
            else combine([piece for _, piece in plan], [scores[ids] for ids, _ in plan])
            for key, plan in plans.items()
        }
        return [answers[pair.claim.text, pair.passage] for pair in pairs]

    def _scores(self, ids: Input) -> Scores:
        """Calibrated probabilities of one unpadded input."""
        import numpy as np

        passage, claim = ids
        row = [self._cls, *passage, self._sep, *claim, self._sep]
        types = [0] * (len(passage) + 2) + [1] * (len(claim) + 1)
        feed = {
            "input_ids": np.array([row], dtype=np.int64),
            "token_type_ids": np.array([types], dtype=np.int64),
        }
        logits = self._session.run(None, feed)[0][0].tolist()  # [labels]
        return dict(zip(ORDER, calibrated(logits, self._config), strict=True))


class _Call:
    """One call's texts, each tokenised once, and its passages, each cut once."""

    def __init__(self, tokenizer: Any, config: Config, language: str) -> None:
        self._config, self._language = config, language
        self._encoded = cache(lambda text: tokenizer.encode(text, add_special_tokens=False))
        self._pieces = cache(self._cut)

    def plan(self, claim: str, passage: Passage) -> list[tuple[Input, Passage]] | Judgment:
        """The inputs to ask about and the windows they stand for, or why nothing can be asked."""
        claim_ids = tuple(self._encoded(claim).ids)
        count, most = len(claim_ids), self._config.max_claim_tokens
        if not count:
            return Judgment(Label.ABSTAIN, note="the claim is empty")
        if count > most:
            return too_long(count, most)
        if not self._encoded(passage.text).ids:
            return Judgment(Label.ABSTAIN, note="the reference is empty")
        pieces = self._pieces(passage)
        if not pieces:
            return Judgment(Label.ABSTAIN, note="the reference cannot be cut into pieces that fit the model")
        return [((tuple(self._encoded(piece.text).ids), claim_ids), piece) for piece in pieces]

    def _cut(self, passage: Passage) -> list[Passage]:
        return cut(
            passage,
            lambda text: self._encoded(text).offsets,
            max_tokens=self._config.window_tokens,
            overlap_tokens=self._config.overlap_tokens,
            language=self._language,
        )


def _cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def calibrated(logits: Sequence[float], config: Config) -> tuple[float, ...]:
    """softmax(logits / temperature + biases)."""
    moved = [x / config.temperature + bias for x, bias in zip(logits, config.biases, strict=True)]
    powers = [math.exp(x - max(moved)) for x in moved]
    return tuple(power / sum(powers) for power in powers)


def read_config(folder: Path) -> Config:
    """The checked contents of config.json."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"no embedded model in {str(folder)!r}: {', '.join(missing)} is missing. "
            "Install refchecker again, or name a folder that benchmark/training/export.py wrote."
        )
    try:
        raw = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config = Config(
            version=str(raw["version"]),
            labels=tuple(Label(name) for name in raw["labels"]),
            max_tokens=int(raw["max_tokens"]),
            window_tokens=int(raw["window_tokens"]),
            overlap_tokens=int(raw["overlap_tokens"]),
            max_claim_tokens=int(raw["max_claim_tokens"]),
            temperature=float(raw["temperature"]),
            biases=tuple(float(bias) for bias in raw["biases"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder / 'config.json'} is not an embedded model's config: {error!r}") from error
    if config.labels != ORDER or len(config.biases) != len(ORDER):
        raise UsageError(
            f"{folder / 'config.json'}: labels must be {', '.join(ORDER)}, with a bias for each."
        )
    if config.window_tokens + config.max_claim_tokens + 3 > config.max_tokens:
        raise UsageError(
            f"{folder / 'config.json'}: window, claim and three special tokens exceed max_tokens."
        )
    return config


def load_model(folder: Path) -> tuple[Any, Any]:
    """(onnxruntime session, tokenizer) of a model folder."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise UsageError(
            f"the embedded checker needs {error.name}. Install it: pip install onnxruntime tokenizers"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # inputs run side by side instead
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    try:
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's own exception types are not public
        raise UsageError(f"{folder / 'model.onnx'} cannot be loaded: {error}") from error
    return session, tokenizer
