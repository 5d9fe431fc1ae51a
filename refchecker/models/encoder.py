"""Contextual token embeddings, of texts of any length: by the model that ships, or by any HF encoder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import UsageError, imported
from .hardware import devices
from .loading import fast_tokenizer, located, token_limits
from .onnx import SHIPPED, session, tokenizer_of

Array = np.ndarray[Any, np.dtype[Any]]
OUTPUT = "tokens"  # of model.onnx; training/embedded/export.py adds it
OVERLAP_TOKENS = 64
_BATCH_TOKENS = 8192


class Settings(NamedTuple):
    """What was chosen on labelled data, by `python -m training.localizer`."""

    layer: int
    unit: bool  # each token's vector is brought to length 1 before the mean is taken
    context: float  # how much of the mean of its sentence is added to each token's vector
    least_part: float  # the least cosine at which a stretch of words says a part of a claim
    least_word: float  # and at which a word of a text supports one of the claim


class Tokens(NamedTuple):
    """The tokens of a text: # vectors [tokens, width], offsets [tokens, 2]"""

    vectors: Array
    offsets: Array


Encoder = Callable[[Sequence[str]], list[Tokens]]
UNFITTED = Settings(
    layer=-1, unit=True, context=1.0, least_part=0.6, least_word=0.6
)  # for encoders nobody has measured


def settings_of(folder: Path) -> Settings | None:
    """What a folder's localizer.json says, or the "localizer" of its config.json; None where neither does."""
    own, config = folder / "localizer.json", folder / "config.json"
    try:
        raw = json.loads(own.read_text("utf-8")) if own.is_file() else None
        if raw is None and config.is_file():
            raw = json.loads(config.read_text("utf-8")).get("localizer")
        return None if raw is None else Settings(**{name: raw[name] for name in Settings._fields})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"{folder}: its localizer settings cannot be read: {error!r}. Write them again: "
            "python -m training.localizer"
        ) from error


class EmbeddedEncoder:
    """Token embeddings from the checker that ships, without torch."""

    def __init__(self, folder: Path = SHIPPED, *, threads: int | None = None) -> None:
        self._session = session(folder / "model.onnx")
        if OUTPUT not in {output.name for output in self._session.get_outputs()}:
            raise UsageError(
                f"{folder / 'model.onnx'} gives no token embeddings. "
                f"Add them: python -m training.embedded.tokens {folder}"
            )
        self._tokenizer = tokenizer_of(folder / "tokenizer.json")
        self._ends = [self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]")]
        self._threads = threads

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        encoded = [self._tokenizer.encode(text, add_special_tokens=False) for text in texts]
        first, last = self._ends

        def run(ids: Sequence[int]) -> Array:
            row = np.array([[first, *ids, last]], dtype=np.int64)
            [states] = self._session.run([OUTPUT], {"input_ids": row, "token_type_ids": np.zeros_like(row)})
            return np.asarray(states[0][1:-1])

        def run_all(windows: Sequence[Sequence[int]]) -> list[Array]:
            with ThreadPoolExecutor(self._threads) as pool:
                return list(pool.map(run, windows))

        return joined_windows(
            [each.ids for each in encoded], [each.offsets for each in encoded], run_all, 254
        )


class HFEncoder:
    """Token embeddings from an encoder of Hugging Face or sentence-transformers, by name or folder."""

    def __init__(
        self, model: str, *, layer: int = -1, device: str = "auto", cache_dir: str | None = None
    ) -> None:
        self._torch = imported("torch", "nli")
        transformers = imported("transformers", "nli")

        def get(source: str, **where: Any) -> tuple[Any, Any]:
            folder = _transformer_in(source)
            where["cache_dir"] = cache_dir
            return fast_tokenizer(folder, **where), transformers.AutoModel.from_pretrained(folder, **where)

        self._tokenizer, loaded = located(model, get)
        self._model = loaded.to(devices(self._torch, device)[0]).eval()
        self.depth = int(self._model.config.num_hidden_layers)
        if not -self.depth - 1 <= layer <= self.depth:
            raise UsageError(f"{model} has layers 0 to {self.depth}, there is no layer {layer}.")
        self._layer = layer
        within = self._tokenizer("a").input_ids
        [bare] = self._tokenizer("a", add_special_tokens=False).input_ids
        self._before, self._after = within[: within.index(bare)], within[within.index(bare) + 1 :]
        self._room = min(512, *token_limits(self._model.config, self._tokenizer)) - len(within) + 1

    def __call__(self, texts: Sequence[str]) -> list[Tokens]:
        encoded = [
            self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
            for text in texts
        ]
        ids, offsets = [each.input_ids for each in encoded], [each.offset_mapping for each in encoded]
        return joined_windows(ids, offsets, self._run, self._room)

    def _run(self, windows: Sequence[Sequence[int]]) -> list[Array]:
        """The hidden states of each window, those of like length together."""
        torch, found = self._torch, {}
        order = sorted(range(len(windows)), key=lambda i: len(windows[i]))
        while order:
            size = max(1, _BATCH_TOKENS // (len(windows[order[-1]]) + 2))
            batch, order = order[-size:], order[:-size]
            rows = [[*self._before, *windows[i], *self._after] for i in batch]
            longest = max(map(len, rows))
            filler = self._tokenizer.pad_token_id or 0
            ids = torch.tensor([row + [filler] * (longest - len(row)) for row in rows])
            mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
            with torch.inference_mode():
                hidden = self._model(
                    input_ids=ids.to(self._model.device),
                    attention_mask=mask.to(self._model.device),
                    output_hidden_states=True,
                ).hidden_states[self._layer]  # [windows, tokens, width]
            start = len(self._before)
            for i, states in zip(batch, hidden.float().cpu().numpy(), strict=True):
                found[i] = states[start : start + len(windows[i])]
        return [found[i] for i in range(len(windows))]


def _transformer_in(source: str) -> str:
    """The folder of the transformer in a sentence-transformers model; the source itself otherwise."""
    modules = Path(source) / "modules.json"
    if not modules.is_file():
        return source
    first = json.loads(modules.read_text("utf-8"))[0]
    return str(Path(source) / first.get("path", ""))


def windows_of(count: int, room: int, overlap: int) -> list[tuple[int, int]]:
    """Windows `start:end` over so many tokens, each at most `room` long, the next going back by `overlap`."""
    if count <= room:
        return [(0, count)]
    step = room - min(overlap, room // 3)
    starts = [*range(0, count - room, step), count - room]
    return [(start, start + room) for start in starts]


def joined_windows(
    ids: Sequence[Sequence[int]],
    offsets: Sequence[Sequence[tuple[int, int]]],
    run: Callable[[Sequence[Sequence[int]]], list[Array]],
    room: int,
) -> list[Tokens]:
    """Each text's tokens; where windows overlap, from the one in which a token is further from the edge."""
    cuts = [windows_of(len(each), room, OVERLAP_TOKENS) for each in ids]
    states = iter(run([each[start:end] for each, own in zip(ids, cuts, strict=True) for start, end in own]))
    found = []
    for own, places in zip(cuts, offsets, strict=True):
        edges = [
            0,
            *((right[0] + left[1]) // 2 for left, right in pairwise(own)),
            own[-1][1],
        ]
        parts = [next(states)[edges[i] - start : edges[i + 1] - start] for i, (start, _) in enumerate(own)]
        found.append(Tokens(np.concatenate(parts), np.array(places, dtype=np.int64).reshape(-1, 2)))
    return found
