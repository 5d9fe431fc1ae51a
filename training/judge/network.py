"""The judge's network: MPNet as a cross-encoder, taught through low-rank updates. Needs torch.

The parent's weights stay as they are, in bf16; each linear layer learns an update of rank `RANK` (LoRA, Hu et
al. 2021). On two cores that trains 1.6 times as many pairs as all weights would, and a checkpoint is 20 MB.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

LABELS = ("Entailment", "Neutral", "Contradiction")
LAYERS = 8  # of the parent's twelve, the lowest: what fits the package, and a third faster to teach
RANK = 64
SCALE = 0.5
CLS, PAD, SEP = 0, 1, 2
Weights = dict[str, Tensor]


class Updated(nn.Module):
    """A frozen linear layer and what it learns: x W' + b + SCALE (x A') B'."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight.to(torch.bfloat16), persistent=False)
        self.register_buffer("bias", bias.to(torch.bfloat16), persistent=False)
        self.down = nn.Parameter(
            torch.empty(RANK, weight.shape[1]).uniform_(-1, 1) / math.sqrt(weight.shape[1])
        )
        self.up = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, x: Tensor) -> Tensor:
        update = functional.linear(functional.linear(x, self.down.to(x.dtype)), self.up.to(x.dtype) * SCALE)
        return functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype)) + update

    def whole(self) -> Tensor:
        """The layer's weight with its update. # [out, in]"""
        return self.weight.float() + SCALE * self.up @ self.down


class Layer(nn.Module):
    """One layer of MPNet: queries, keys and values in one product."""

    def __init__(self, weights: Weights, number: int, heads: int) -> None:
        super().__init__()
        self.heads = heads

        def linear(*names: str) -> Updated:
            return Updated(
                *(
                    torch.cat([weights[f"encoder.layer.{number}.{n}.{part}"] for n in names])
                    for part in ("weight", "bias")
                )
            )

        self.attend = linear(*(f"attention.attn.{part}" for part in "qkv"))
        self.project = linear("attention.attn.o")
        self.widen = linear("intermediate.dense")
        self.narrow = linear("output.dense")
        for name, there in (("first", "attention"), ("second", "output")):
            for part in ("weight", "bias"):
                value = weights[f"encoder.layer.{number}.{there}.LayerNorm.{part}"]
                self.register_buffer(f"{name}_{part}", value.to(torch.bfloat16), persistent=False)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        pairs, tokens, width = x.shape
        parts = self.attend(x).view(pairs, tokens, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # each [pairs, heads, tokens, width / heads]
        weight = (query @ key.transpose(-1, -2)) / math.sqrt(width // self.heads) + bias
        mixed = weight.float().softmax(-1).to(x.dtype) @ value
        x = norm(
            x + self.project(mixed.permute(0, 2, 1, 3).reshape(pairs, tokens, width)),
            self.first_weight,
            self.first_bias,
        )
        return norm(x + self.narrow(functional.gelu(self.widen(x))), self.second_weight, self.second_bias)


def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x, (x.shape[-1],), weight.to(x.dtype), bias.to(x.dtype), 1e-5)


def distance_buckets(tokens: int) -> Tensor:
    """Which of MPNet's 32 biases goes with each distance between two tokens. # [tokens, tokens]"""
    at = torch.arange(tokens)
    distance = at[:, None] - at[None, :]
    side = (distance < 0).long() * 16
    size = distance.abs()
    far = 8 + (torch.log(size.clamp(min=1) / 8) / math.log(128 / 8) * 8).long()
    return side + torch.where(size < 8, size, far.clamp(max=15))


class Judge(nn.Module):
    """Logits for [passage, claim] pairs, in the order of LABELS, from the first and the mean vector."""

    def __init__(self, parent: Path) -> None:
        super().__init__()
        config = json.loads((parent / "config.json").read_text("utf-8"))
        weights = load_file(parent / "model.safetensors")
        width = config["hidden_size"]
        for name in ("word_embeddings", "position_embeddings"):
            self.register_buffer(name, weights[f"embeddings.{name}.weight"].float(), persistent=False)
        for part in ("weight", "bias"):
            self.register_buffer(
                f"first_{part}", weights[f"embeddings.LayerNorm.{part}"].float(), persistent=False
            )
        self.register_buffer(
            "distances", weights["encoder.relative_attention_bias.weight"].float(), persistent=False
        )
        self.layers = nn.ModuleList(Layer(weights, i, config["num_attention_heads"]) for i in range(LAYERS))
        self.dense = nn.Linear(2 * width, width)
        self.out = nn.Linear(width, len(LABELS))

    def embedded(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """The first layer's input, and the bias on attention.

        # [pairs, tokens, width], [pairs, heads, tokens, tokens]
        """
        there = ids.ne(PAD)
        positions = there.cumsum(1) * there + PAD
        x = functional.embedding(ids, self.word_embeddings) + functional.embedding(
            positions, self.position_embeddings
        )
        x = norm(x, self.first_weight, self.first_bias)
        bias = functional.embedding(distance_buckets(ids.shape[1]).to(ids.device), self.distances).permute(
            2, 0, 1
        )[None]
        masked = torch.zeros(ids.shape, device=ids.device).masked_fill(~there, -1e4)[:, None, None, :]
        return x, bias + masked

    def encode(self, x: Tensor, bias: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def head(self, x: Tensor, ids: Tensor) -> Tensor:
        there = ids.ne(PAD)[:, :, None].to(torch.float32)
        mean = (x.float() * there).sum(1) / there.sum(1)
        both = torch.cat([x[:, 0].float(), mean], dim=-1)
        logits: Tensor = self.out(torch.tanh(self.dense(both)))  # [pairs, 3]
        return logits

    def forward(self, ids: Tensor, precision: torch.dtype = torch.bfloat16) -> Tensor:
        x, bias = self.embedded(ids)
        return self.head(self.encode(x.to(precision), bias.to(precision)), ids)


def padded(inputs: Sequence[Sequence[int]]) -> Tensor:
    """Token ids as one tensor. # [pairs, longest]"""
    ids = torch.full((len(inputs), max(map(len, inputs))), PAD)
    for row, tokens in zip(ids, inputs, strict=True):
        row[: len(tokens)] = torch.tensor(tokens)
    return ids


def save(path: Path, state: Weights) -> None:
    """What was learnt, in half precision, whole or not at all."""
    whole = path.with_suffix(".new")
    save_file({name: value.half().contiguous() for name, value in state.items()}, whole)
    whole.replace(path)


def load(parent: Path, path: Path) -> Judge:
    """The network with what `save` wrote."""
    judge = Judge(parent)
    judge.load_state_dict({name: value.float() for name, value in load_file(path).items()})
    return judge
