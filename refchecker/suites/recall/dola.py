"""DoLa: decoding by contrasting layers (Chuang et al. 2023, arXiv 2309.03883), for models of Hugging Face.

Of the candidate layers the one whose next-token distribution is farthest from the last layer's, by the
Jensen-Shannon divergence, is the premature layer. Tokens that the last layer gives at least `plausible`
times its best probability are scored log q_last - log q_premature; the others cannot be chosen. RECALL takes
the first half of the layers as candidates (appendix E).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, imported

if TYPE_CHECKING:
    import torch

PLAUSIBLE = 0.1
EVERY = 2  # the paper's candidates are every second layer


def candidate_layers(layers: int) -> list[int]:
    """Every second layer of the first half, the embedding (0) among them; `layers` is how many the model has.

    >>> candidate_layers(24)
    [0, 2, 4, 6, 8, 10]
    """
    return list(range(0, max(layers // 2, 1), EVERY))


def contrasted(last: torch.Tensor, early: torch.Tensor, plausible: float = PLAUSIBLE) -> torch.Tensor:
    """Scores of the next token. `last` # [tokens], `early` # [candidates, tokens], logits -> # [tokens]"""
    import torch

    log_last, log_early = last.float().log_softmax(-1), early.float().log_softmax(-1)
    log_mean = torch.logaddexp(log_last, log_early) - torch.log(torch.tensor(2.0))  # [candidates, tokens]
    to_last = (log_last.exp() * (log_last - log_mean)).sum(-1)
    to_early = (log_early.exp() * (log_early - log_mean)).sum(-1)
    premature = log_early[int((to_last + to_early).argmax())]
    threshold = log_last.max() + torch.log(torch.tensor(plausible))
    return (log_last - premature).masked_fill(log_last < threshold, -torch.inf)


@dataclass
class LocalModel:
    """Prompts to greedy replies of a local causal language model, decoded plainly or by DoLa; an `LLM`."""

    model: Any
    tokenizer: Any
    name: str
    dola: bool = True
    max_new_tokens: int = 64
    plausible: float = PLAUSIBLE
    signature: str = field(init=False)

    def __post_init__(self) -> None:
        how = f"dola,first_half,{self.plausible}" if self.dola else "greedy"
        self.signature = f"hf:{self.name}({how})"

    def __call__(self, prompts: Sequence[str], /) -> list[str]:
        return [self._reply(prompt) for prompt in prompts]

    def decoding(self, dola: bool) -> LocalModel:
        """The same weights, decoded by DoLa or plainly."""
        return LocalModel(self.model, self.tokenizer, self.name, dola, self.max_new_tokens, self.plausible)

    def _reply(self, prompt: str) -> str:
        ids = self._tokens(prompt)
        return str(self.tokenizer.decode(self.generate(ids), skip_special_tokens=True)).strip()

    def _tokens(self, prompt: str) -> list[int]:
        if getattr(self.tokenizer, "chat_template", None):
            said = [{"role": "user", "content": prompt}]
            prompt = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
            return list(self.tokenizer(prompt, add_special_tokens=False)["input_ids"])
        return list(self.tokenizer(prompt)["input_ids"])

    def generate(self, ids: Sequence[int]) -> list[int]:
        """The tokens that follow, up to an end token; with the key-value cache."""
        import torch

        ends = self._ends()
        head, layers = (
            self.model.get_output_embeddings(),
            candidate_layers(self.model.config.num_hidden_layers),
        )
        given, past, made = torch.tensor([list(ids)]), None, list[int]()
        with torch.inference_mode():
            while len(made) < self.max_new_tokens:
                out = self.model(given, past_key_values=past, use_cache=True, output_hidden_states=self.dola)
                scores = out.logits[0, -1]
                if self.dola:
                    early = torch.stack([out.hidden_states[layer][0, -1] for layer in layers])
                    scores = contrasted(scores, head(early), self.plausible)
                token = int(scores.argmax())
                if token in ends:
                    break
                made.append(token)
                given, past = torch.tensor([[token]]), out.past_key_values
        return made

    def _ends(self) -> set[int]:
        ends = self.model.generation_config.eos_token_id
        own = [self.tokenizer.eos_token_id] if self.tokenizer is not None else []
        return {end for end in [*(ends if isinstance(ends, list) else [ends]), *own] if end is not None}


def load_local(path: str, *, dola: bool, max_new_tokens: int = 64) -> LocalModel:
    """The model in a folder, or in a GGUF file (turned into full floats). Nothing is fetched.

    Errors: `UsageError` where there is no model, or torch and transformers are missing.
    """
    transformers = imported("transformers", "hf_model")
    place = Path(path)
    if not place.exists():
        raise UsageError(
            f"--hf_model {path}: no such folder or file. Give a folder with config.json, or a .gguf."
        )
    more = {"gguf_file": place.name} if place.suffix == ".gguf" else {}
    folder = str(place.parent if more else place)
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, **more)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, **more)
    except (OSError, ValueError, ImportError) as error:
        raise UsageError(f"--hf_model {path}: cannot load it: {error}") from error
    model.eval()
    digest = hashlib.sha256(
        json.dumps(model.config.to_dict(), sort_keys=True, default=str).encode()
    ).hexdigest()
    return LocalModel(model, tokenizer, f"{place.name}@{digest[:6]}", dola, max_new_tokens)
