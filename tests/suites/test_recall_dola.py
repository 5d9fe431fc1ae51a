"""DoLa on a tiny random model: against a slow obvious version, and the parts of it by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from refchecker.errors import UsageError
from refchecker.suites.recall.dola import LocalModel, candidate_layers, contrasted, load_local

WORDS = 40


class Numbers:
    """A tokenizer whose tokens are numbers in words' place."""

    eos_token_id = 1
    chat_template = None

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [int(word) % WORDS for word in text.split()]}

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        return " ".join(map(str, ids))


@pytest.fixture(scope="module")
def model() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(7)
    config = LlamaConfig(
        vocab_size=WORDS,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=8,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    return LlamaForCausalLM(config).eval()


def slowly(model: Any, ids: list[int], steps: int, plausible: float) -> list[int]:
    """The paper's equations with lists of floats, the whole text anew for each token."""
    ids = list(ids)
    start = len(ids)
    layers = range(0, model.config.num_hidden_layers // 2, 2)
    for _ in range(steps):
        with torch.no_grad():
            out = model(torch.tensor([ids]), output_hidden_states=True)
            states = [out.hidden_states[layer][0, -1] for layer in layers]
            last = torch.softmax(out.logits[0, -1].double(), -1).tolist()
            early = [torch.softmax(model.lm_head(state).double(), -1).tolist() for state in states]
        premature = max(early, key=lambda q: divergence(last, q))
        best = max(last)
        scores = [
            math.log(p) - math.log(q) if p >= plausible * best else -math.inf
            for p, q in zip(last, premature, strict=True)
        ]
        token = scores.index(max(scores))
        if token == Numbers.eos_token_id or token == model.generation_config.eos_token_id:
            break
        ids.append(token)
    return ids[start:]


def divergence(p: list[float], q: list[float]) -> float:
    """Jensen-Shannon, from its definition."""
    mean = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return sum(
        side * math.log(side / m) / 2 for of in (p, q) for side, m in zip(of, mean, strict=True) if side > 0
    )


@pytest.mark.parametrize("plausible", [0.1, 0.5])
@pytest.mark.parametrize("ids", [[3, 5, 8], [2], [11, 30, 7, 7, 19]], ids=["three", "one", "five"])
def test_dola_against_the_slow_obvious_version(model: Any, ids: list[int], plausible: float) -> None:
    fast = LocalModel(model, Numbers(), "tiny", True, max_new_tokens=10, plausible=plausible)
    assert fast.generate(ids) == slowly(model, ids, 10, plausible)


def test_dola_and_greedy_differ_and_greedy_is_the_models_own(model: Any) -> None:
    ids = [3, 5, 8]
    plain = LocalModel(model, Numbers(), "tiny", False, max_new_tokens=10)
    own = model.generate(
        torch.tensor([ids]), max_new_tokens=10, do_sample=False, eos_token_id=1, pad_token_id=0
    )
    wanted = [token for token in own[0, len(ids) :].tolist() if token != 1]
    assert plain.generate(ids)[: len(wanted)] == wanted
    assert plain.decoding(True).generate(ids) != plain.generate(ids)
    assert plain.decoding(True).signature != plain.signature


def test_the_layer_that_diverges_most_is_contrasted_and_implausible_tokens_are_out() -> None:
    last = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    like = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    unlike = torch.log(torch.tensor([0.7, 0.1, 0.1, 0.1]))
    scores = contrasted(last, torch.stack([like, unlike]), 0.2)
    expected = [math.log(0.5 / 0.7), math.log(0.3 / 0.1), math.log(0.15 / 0.1)]
    assert scores[:3].tolist() == pytest.approx(expected, abs=1e-5)
    assert scores[3] == -math.inf


@pytest.mark.parametrize(("layers", "expected"), [(24, [0, 2, 4, 6, 8, 10]), (8, [0, 2]), (1, [0])])
def test_the_candidates_are_of_the_first_half(layers: int, expected: list[int]) -> None:
    assert candidate_layers(layers) == expected


def test_replies_are_in_order(model: Any) -> None:
    dola = LocalModel(model, Numbers(), "tiny", True, max_new_tokens=4)
    both = dola(["3 5 8", "2"])
    assert both == [dola(["3 5 8"])[0], dola(["2"])[0]]


def test_no_model_there(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="no such folder or file"):
        load_local(str(tmp_path / "none"), dola=True)
    with pytest.raises(UsageError, match="cannot load it"):
        load_local(str(tmp_path), dola=True)
