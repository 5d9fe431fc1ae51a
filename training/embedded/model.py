"""The network: a BERT encoder, and three logits from its first and its mean token. Needs torch."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertModel

LABELS = ("Entailment", "Neutral", "Contradiction")


class CrossEncoder(nn.Module):
    """Claim and passage in one input, [CLS] passage [SEP] claim [SEP]; logits in the order of LABELS."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dense = nn.Linear(2 * config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.out = nn.Linear(config.hidden_size, len(LABELS))

    def forward(self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.bert(
            input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
        ).last_hidden_state  # [pairs, tokens, width]
        weight = attention_mask[:, :, None].to(hidden.dtype)
        mean = (hidden * weight).sum(1) / weight.sum(1)
        both = torch.cat([hidden[:, 0], mean], dim=-1)  # [pairs, 2 * width]
        logits: Tensor = self.out(self.dropout(torch.tanh(self.dense(self.dropout(both)))))  # [pairs, 3]
        return logits


def parent(directory: Path) -> CrossEncoder:
    """A fresh classifier on a sentence encoder, a folder with config.json and model.safetensors."""
    config = BertConfig.from_pretrained(directory)
    config._attn_implementation = "sdpa"
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = (
        0.0  # one epoch: nothing is learnt by heart
    )
    model = CrossEncoder(config)
    weights = {
        k: v for k, v in load_file(directory / "model.safetensors").items() if not k.startswith("pooler.")
    }
    missing, unexpected = model.bert.load_state_dict(weights, strict=False)
    if missing or set(unexpected) - {"embeddings.position_ids"}:
        raise ValueError(
            f"{directory}: weights do not fit: missing {missing[:3]}, unexpected {unexpected[:3]}"
        )
    return model
