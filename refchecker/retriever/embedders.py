"""Texts as vectors, by an encoder of Hugging Face or sentence-transformers."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import imported
from ..models import devices, located, name_and_version, token_limits, tokenizer_and_config

BATCH_TEXTS = 16
MAX_TOKENS = 512


def embedder(model: str, *, device: str = "auto", cache_dir: str | None = None) -> Embedder:
    """The encoder at a hub name or in a folder, as an `Embed` for `rank` and `CorpusRetriever`."""
    return Embedder(model, device=device, cache_dir=cache_dir)


class Embedder:
    """A vector per text: the mean of its token embeddings, or the first where the model is made so.

    What it is made for stands in the `1_Pooling` folder of sentence-transformers; the mean counts
    where there is none. Texts are cut at 512 tokens. Errors: `UsageError` for a missing package
    or model.
    """

    def __init__(self, model: str, *, device: str = "auto", cache_dir: str | None = None) -> None:
        transformers, self._torch = imported("transformers", "nli"), imported("torch", "nli")
        self._device = devices(self._torch, device)[0]
        self._tokenizer, config = tokenizer_and_config(model, cache_dir)
        encoder = located(
            model,
            lambda source, **where: transformers.AutoModel.from_pretrained(
                source, cache_dir=cache_dir, **where
            ),
        )
        self._encoder = encoder.eval().to(self._device)
        self._limit = min(MAX_TOKENS, *token_limits(config, self._tokenizer))
        self._first = _takes_first(Path(model))
        self._one_at_a_time = threading.Lock()
        self.signature = f"{name_and_version(model, config)}{',first' if self._first else ''}"

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[texts, dimensions], in the order of the texts."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        rows: list[Any] = [None] * len(texts)
        with self._one_at_a_time, self._torch.inference_mode():
            for first in range(0, len(order), BATCH_TEXTS):
                batch = order[first : first + BATCH_TEXTS]
                for at, row in zip(batch, self._embedded([texts[at] for at in batch]), strict=True):
                    rows[at] = row
        return np.stack(rows)

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        inputs = self._tokenizer(
            texts, padding=True, truncation=True, max_length=self._limit, return_tensors="pt"
        ).to(self._device)
        states = self._encoder(**inputs).last_hidden_state.float()  # [texts, tokens, dimensions]
        if self._first:
            pooled = states[:, 0]
        else:
            mask = inputs["attention_mask"].unsqueeze(-1)  # [texts, tokens, 1]
            pooled = (states * mask).sum(1) / mask.sum(1)
        vectors: NDArray[np.float32] = pooled.cpu().numpy()
        return vectors


def _takes_first(model: Path) -> bool:
    """Whether a folder of sentence-transformers says that the first token's embedding is the text's."""
    settings = model / "1_Pooling" / "config.json"
    if not settings.is_file():
        return False
    return bool(json.loads(settings.read_text("utf-8")).get("pooling_mode_cls_token"))
