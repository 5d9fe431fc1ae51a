"""Tokenizer, configuration and weights of an NLI model: of Hugging Face's, or AlignScore's checkpoints."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ...errors import UsageError, imported
from ...models import located, token_limits, tokenizer_and_config
from ..windows import MIN_TOKENS
from . import alignscore
from .families import Family


def texts_of(model: str, cache_dir: str | None) -> tuple[Any, Any]:
    """Tokenizer and configuration: what is needed to read texts for a model, without its weights."""
    source = alignscore.backbone(Path(model)) if alignscore.is_checkpoint(model) else model
    return tokenizer_and_config(source, cache_dir)


def weights(model: str, cache_dir: str | None, family: Family) -> Any:
    """The model as a module whose output has `logits`, one column per output of the family."""
    transformers = imported("transformers", "nli")
    if alignscore.is_checkpoint(model):
        _, config = texts_of(model, cache_dir)
        return alignscore.classifier(Path(model), config)
    loader = (
        transformers.AutoModelForSeq2SeqLM
        if family.answer_tokens
        else transformers.AutoModelForSequenceClassification
    )

    def get(source: str, **where: Any) -> Any:
        loaded, info = loader.from_pretrained(source, cache_dir=cache_dir, output_loading_info=True, **where)
        if info["missing_keys"]:
            missing = ", ".join(sorted(info["missing_keys"])[:3])
            raise ValueError(f"its weights lack {missing}; it is not a trained NLI model")
        return loaded

    loaded = located(model, get)
    return _first_answer(loaded, family.answer_tokens) if family.answer_tokens else loaded


def _first_answer(model: Any, answers: tuple[int, ...]) -> Any:
    """A generative model as a classifier: the logits of the answers at the first token it would write."""
    torch = imported("torch", "nli")

    class FirstAnswer(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.generator, self.config = model, model.config

        def forward(self, **inputs: Any) -> SimpleNamespace:
            rows = inputs["input_ids"]
            start = torch.full(
                (len(rows), 1), self.config.decoder_start_token_id, dtype=torch.long, device=rows.device
            )
            logits = self.generator(**inputs, decoder_input_ids=start, use_cache=False).logits
            return SimpleNamespace(logits=logits[:, 0, list(answers)])  # [inputs, answers]

    return FirstAnswer().eval()


def token_limit(
    model: str, config: Any, tokenizer: Any, *, family: Family, max_tokens: int | None = None
) -> int:
    """The longest input in tokens, special ones included."""
    limit = family.max_tokens or min(token_limits(config, tokenizer), default=512)
    if max_tokens is None:
        return limit
    if not 2 * MIN_TOKENS <= max_tokens <= limit:
        raise UsageError(f"max_tokens is {max_tokens}; {model} takes from {2 * MIN_TOKENS} to {limit}")
    return max_tokens
