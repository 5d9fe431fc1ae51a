"""Texts as vectors, by an encoder of sentence-transformers or Hugging Face."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import imported
from ..models import devices, located, name_and_version

BATCH_TEXTS = 16
MAX_TOKENS = 512


def embedder(model: str, *, device: str = "auto", cache_dir: str | None = None) -> Embedder:
    """The encoder at a hub name or in a folder, as an `Embed` for `rank` and `CorpusRetriever`."""
    return Embedder(model, device=device, cache_dir=cache_dir)


class Embedder:
    """A vector per text, made as the model says; the mean of the token embeddings where it says nothing.

    Texts are cut at 512 tokens, or at fewer where the model takes fewer. Errors: `UsageError` for a
    missing package or model.
    """

    def __init__(self, model: str, *, device: str = "auto", cache_dir: str | None = None) -> None:
        library = imported("sentence_transformers", "nli")
        options = {"device": devices(imported("torch", "nli"), device)[0], "cache_folder": cache_dir}
        self._model = located(
            model, lambda source, **where: library.SentenceTransformer(source, **options, **where)
        )
        self._model.max_seq_length = min(MAX_TOKENS, self._model.max_seq_length or MAX_TOKENS)
        self._one_at_a_time = threading.Lock()
        modules = imported("sentence_transformers.sentence_transformer.modules", "nli")
        poolings = [part for part in self._model if isinstance(part, modules.Pooling)]
        first = any(pooling.pooling_mode == "cls" for pooling in poolings)
        name = name_and_version(model, self._model[0].auto_model.config)
        self.signature = f"{name}{',first' if first else ''}"

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[texts, dimensions], in the order of the texts."""
        with self._one_at_a_time:
            vectors: NDArray[np.float32] = self._model.encode(
                list(texts), batch_size=BATCH_TEXTS, show_progress_bar=False
            )
        return vectors
