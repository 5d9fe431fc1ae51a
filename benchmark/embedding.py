"""Sentence vectors from a model folder, for programs that measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def embedder(folder: Path, *, batch: int = 128) -> Callable[[Sequence[str]], dict[str, Array]]:
    """A function from texts to their unit vectors: the mean over the tokens, as MiniLM is meant."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()

    @torch.inference_mode()
    def embed(texts: Sequence[str]) -> dict[str, Array]:
        vectors: dict[str, Array] = {}
        ordered = sorted(texts, key=len)  # little padding
        for start in range(0, len(ordered), batch):
            chosen = ordered[start : start + batch]
            inputs = tokenizer(chosen, padding=True, truncation=True, max_length=256, return_tensors="pt")
            hidden = model(**inputs).last_hidden_state  # [texts, tokens, width]
            mask = inputs["attention_mask"].unsqueeze(-1)
            pooled = (hidden * mask).sum(1) / mask.sum(1)
            unit = torch.nn.functional.normalize(pooled, dim=-1).numpy()
            vectors |= dict(zip(chosen, unit, strict=True))
        return vectors

    return embed
