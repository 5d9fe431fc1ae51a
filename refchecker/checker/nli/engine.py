"""Tokenised inputs to probabilities on one device: length-sorted batches filled by tokens.

On hardware with bf16 matrix products the inputs go through the model in bf16, and those whose
two best outputs come out too near to each other for that once more in fp32, so that rounding
does not choose the label. How near is too near is measured, on the first inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from statistics import median
from typing import Any

from ...errors import UsageError, imported
from .families import Family, Tokens
from .loading import weights

CPU_BATCH_TOKENS = 2048  # about what stays in a core's cache
GPU_BATCH_TOKENS = 32768
NOISE_SAMPLE = 16  # inputs on which the error of bf16 is measured
NOISES = 3  # how many times its median the best output must lead by; about two standard deviations

Row = list[float]  # probabilities, in the order of the model's outputs


@dataclass(frozen=True)
class Recipe:
    """What an engine is made from; plain values, so that another process can make the same."""

    model: str
    family: Family
    cache_dir: str | None
    precision: str  # fp32, bf16, or bf16+fp32: what is close once more in fp32
    batch_tokens: int  # of one forward pass, padding included
    compiled: bool
    pad_id: int
    pad_type: int | None  # None where the model takes no token types
    pads_left: bool


class Engine:
    """Probabilities of inputs, in their order: `engine([Tokens(ids, types)])` is one `Row` for each.

    A batch that does not fit the device is halved and tried again. Errors: `UsageError` where
    a single input does not fit.
    """

    def __init__(self, recipe: Recipe, device: str) -> None:
        self._torch = torch = imported("torch", "nli")
        self._recipe, self._device, self._batch_tokens = recipe, torch.device(device), recipe.batch_tokens
        model = weights(recipe.model, recipe.cache_dir, recipe.family).float().eval()
        #: The model that reads every input, and the one that reads again what is close.
        self.model, self.exact = model, None
        if recipe.precision == "bf16":
            self.model = model.bfloat16()
        elif recipe.precision == "bf16+fp32":
            self.model, self.exact = self._reduced(model), model.to(self._device)
        self.model = self.model.to(self._device)
        if self._device.type == "cpu" and recipe.precision != "fp32":
            # plain matrix products are a tenth faster there than torch's fused attention in bf16
            with suppress(AttributeError, ValueError):
                self.model.set_attn_implementation("eager")
        if recipe.compiled:
            self.model = torch.compile(self.model, dynamic=True)
        self._errors: list[float] = []  # of bf16, in the log-odds of the two best outputs

    def _reduced(self, model: Any) -> Any:
        """A copy in bf16, made weight by weight, so that memory never holds two in fp32."""
        weight_of = self._torch.nn.Parameter
        memo = {id(weight): weight_of(weight.detach().bfloat16(), False) for weight in model.parameters()}
        return deepcopy(model, memo).bfloat16()

    def __call__(self, inputs: Sequence[Tokens], /) -> list[Row]:
        rows = self._rows(self.model, inputs)
        if self.exact is None or not inputs:
            return rows
        spread = range(0, len(inputs), max(1, len(inputs) // NOISE_SAMPLE))[:NOISE_SAMPLE]
        exact = self._again(inputs, spread if len(self._errors) < NOISE_SAMPLE else ())
        self._errors += [abs(lead(row) - lead(rows[index], row)) for index, row in exact.items()]
        least = NOISES * median(self._errors)
        close = [index for index, row in enumerate(rows) if index not in exact and lead(row) < least]
        exact |= self._again(inputs, close)
        return [exact.get(index, row) for index, row in enumerate(rows)]

    def _again(self, inputs: Sequence[Tokens], indices: Sequence[int]) -> dict[int, Row]:
        """The rows of these inputs in fp32."""
        rows = self._rows(self.exact, [inputs[index] for index in indices])
        return dict(zip(indices, rows, strict=True))

    def _rows(self, model: Any, inputs: Sequence[Tokens]) -> list[Row]:
        longest_first = by_length(inputs)
        batches, done = [], 0
        while done < len(longest_first):
            width = len(inputs[longest_first[done]].ids)
            count = min(max(1, self._batch_tokens // width), len(longest_first) - done)
            try:
                batches.append(self._forward(model, [inputs[i] for i in longest_first[done : done + count]]))
            except self._torch.cuda.OutOfMemoryError as error:
                if count == 1:
                    raise UsageError(
                        f"{self._device} has no memory for one input of {width} tokens. "
                        "Free it, lower max_tokens, or use the device 'cpu'."
                    ) from error
                self._batch_tokens = count * width // 2
                self._torch.cuda.empty_cache()
                continue
            done += count
        if not batches:
            return []
        # the one place that waits for a GPU: until here batches were only queued
        rows: list[Row] = [[]] * len(inputs)
        for index, row in zip(longest_first, self._torch.cat(batches).cpu().tolist(), strict=True):
            rows[index] = row
        return rows

    def _forward(self, model: Any, inputs: Sequence[Tokens]) -> Any:
        """Probabilities on the device.  # [inputs, outputs]"""
        torch, recipe = self._torch, self._recipe
        tensors = {"input_ids": self._padded([tokens.ids for tokens in inputs], recipe.pad_id)}
        if recipe.pad_type is not None:
            tensors["token_type_ids"] = self._padded([tokens.types for tokens in inputs], recipe.pad_type)
        if len({len(tokens.ids) for tokens in inputs}) > 1:  # attention without a mask is the faster one
            tensors["attention_mask"] = self._padded([[1] * len(tokens.ids) for tokens in inputs], 0)
        with torch.inference_mode():
            logits = model(**tensors).logits.float()
            if logits.shape[1] == 1:  # the sigmoid, as a softmax over two
                logits = torch.cat([logits, torch.zeros_like(logits)], dim=1)
            return logits.softmax(dim=-1)

    def _padded(self, rows: Sequence[Sequence[int]], filler: int) -> Any:
        """Rows of one width on the device.  # [inputs, width]"""
        width = max(map(len, rows))
        fill = [[filler] * (width - len(row)) for row in rows]
        left = self._recipe.pads_left
        full = [[*f, *row] if left else [*row, *f] for row, f in zip(rows, fill, strict=True)]
        tensor = self._torch.tensor(full, dtype=self._torch.long)
        if self._device.type == "cuda":
            tensor = tensor.pin_memory()  # so that the copy does not hold up the queue
        return tensor.to(self._device, non_blocking=True)


def by_length(inputs: Sequence[Tokens]) -> list[int]:
    """Positions, longest input first: neighbours pad each other least, and memory peaks at once."""
    return sorted(range(len(inputs)), key=lambda index: -len(inputs[index].ids))


def lead(row: Row, order: Row | None = None) -> float:
    """Log-odds of the best output against the second best, best and second by `order` (else by `row`).

    >>> round(lead([0.2, 0.2, 0.6]), 3), round(lead([0.4, 0.6], order=[0.6, 0.4]), 3)
    (1.099, -0.405)
    """
    order = order or row
    best, second = sorted(range(len(row)), key=lambda index: -order[index])[:2]
    return math.log(max(row[best], 1e-30) / max(row[second], 1e-30))
