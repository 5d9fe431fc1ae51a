"""The checker that ships: a compact cross-encoder as int8 ONNX, without torch and without a download."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UsageError
from ..text import windows
from ..types import Judgment, Label, Pair, Passage

SHIPPED = Path(__file__).resolve().parent.parent / "models" / "embedded"
FILES = ("model.onnx", "tokenizer.json", "config.json")


class Window(NamedTuple):
    """A piece of a reference as the model reads it."""

    passage: Passage
    token_ids: tuple[int, ...]


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
        self._threads = threads or len(os.sched_getaffinity(0))
        self._language = language
        digest = hashlib.sha256((folder / "model.onnx").read_bytes())
        digest.update((folder / "config.json").read_bytes())
        self.signature = f"embedded({self._config.version},{digest.hexdigest()[:6]})"

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        asked = dict.fromkeys((pair.claim.text, pair.passage) for pair in pairs)
        claims = self._claims({text for text, _ in asked})
        cut = self._windows({passage for text, passage in asked if not self._refusal(text, claims)})
        inputs = list(
            dict.fromkeys(
                (window.token_ids, claims[text])
                for text, passage in asked
                for window in cut.get(passage, ())
                if not self._refusal(text, claims)
            )
        )
        with ThreadPoolExecutor(self._threads) as pool:
            scores = dict(zip(inputs, pool.map(self._scores, inputs, chunksize=1), strict=True))
        answers = {}
        for text, passage in asked:
            refusal = self._refusal(text, claims) or (
                "" if passage.text.strip() else "the reference is empty"
            )
            pieces = () if refusal else cut[passage]
            found = [(piece.passage, scores[piece.token_ids, claims[text]]) for piece in pieces]
            answers[text, passage] = Judgment(Label.ABSTAIN, note=refusal) if refusal else combine(found)
        return [answers[pair.claim.text, pair.passage] for pair in pairs]

    def _claims(self, texts: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Each claim's token ids, without special tokens."""
        order = sorted(texts)
        encodings = self._tokenizer.encode_batch(order, add_special_tokens=False)
        return {text: tuple(encoding.ids) for text, encoding in zip(order, encodings, strict=True)}

    def _refusal(self, text: str, claims: dict[str, tuple[int, ...]]) -> str:
        """Why a claim cannot be judged; "" when it can."""
        count, most = len(claims[text]), self._config.max_claim_tokens
        if count == 0:
            return "the claim is empty"
        return f"the claim is {count} tokens long, the model takes at most {most}" if count > most else ""

    def _windows(self, passages: Iterable[Passage]) -> dict[Passage, list[Window]]:
        """Each passage's windows; they do not depend on the claim, so they are cut once."""
        return {passage: self._cut(passage) for passage in passages if passage.text.strip()}

    def _cut(self, passage: Passage) -> list[Window]:
        limits = {"max_tokens": self._config.window_tokens, "overlap_tokens": self._config.overlap_tokens}
        whole = self._tokenizer.encode(passage.text, add_special_tokens=False)
        made = []
        for piece in windows(passage, whole.offsets, language=self._language, **limits):
            ids = whole.ids if piece.text == passage.text else self._ids(piece.text)
            made.append(
                Window(piece, tuple(ids[: self._config.max_tokens - 3 - self._config.max_claim_tokens]))
            )
        return made

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _scores(self, item: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[float, ...]:
        """Calibrated probabilities of one unpadded input, in the order of Label."""
        import numpy as np

        passage, claim = item
        ids = [self._cls, *passage, self._sep, *claim, self._sep]
        types = [0] * (len(passage) + 2) + [1] * (len(claim) + 1)
        feed = {
            "input_ids": np.array([ids], dtype=np.int64),
            "token_type_ids": np.array([types], dtype=np.int64),
        }
        logits = self._session.run(None, feed)[0][0].tolist()  # [labels]
        return calibrated(logits, self._config)

    @property
    def _cls(self) -> int:
        return int(self._tokenizer.token_to_id("[CLS]"))

    @property
    def _sep(self) -> int:
        return int(self._tokenizer.token_to_id("[SEP]"))


def calibrated(logits: Sequence[float], config: Config) -> tuple[float, ...]:
    """softmax(logits / temperature + biases)."""
    moved = [x / config.temperature + bias for x, bias in zip(logits, config.biases, strict=True)]
    powers = [math.exp(x - max(moved)) for x in moved]
    return tuple(power / sum(powers) for power in powers)


def combine(found: Sequence[tuple[Passage, tuple[float, ...]]]) -> Judgment:
    """One judgment from those of a reference's windows.

    The window most sure of Entailment decides if Entailment is its first choice; else the one most sure of
    Contradiction, likewise; else Neutral, with the mean scores.
    """
    for label in (Label.ENTAILMENT, Label.CONTRADICTION):
        position = ORDER.index(label)
        passage, scores = max(found, key=lambda item: item[1][position])
        if max(scores) == scores[position]:
            return Judgment(label, rounded(scores), spans=(passage.span(0, len(passage.text)),))
    mean = [sum(scores[i] for _, scores in found) / len(found) for i in range(len(ORDER))]
    return Judgment(Label.NEUTRAL, rounded(mean))


ORDER = (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION)  # of scores inside this module


def rounded(scores: Sequence[float]) -> dict[Label, float]:
    return {label: round(score, 4) for label, score in zip(ORDER, scores, strict=True)}


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
