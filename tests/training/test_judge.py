"""What the judge learns from and how its batches are made; the network beside transformers' own MPNet."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from training.judge.constructed import listed, mentioned
from training.judge.mixture import (
    CONTRADICTION,
    ENTAILMENT,
    NOT_ENTAILED,
    Row,
    apart,
    cut,
    runs,
    written_rows,
)

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from training.judge import learn, network

ROOT = Path(__file__).parents[2]


def test_rows_that_share_a_run_of_words_with_a_measured_set_are_left_out():
    measured = "the quick brown fox jumps over the lazy dog today"
    forbidden = set(runs(measured))
    rows = [
        Row("He saw: the quick brown fox jumps over the lazy dog.", "A fox jumps.", 0, "a", "1"),
        Row("The quick brown fox sleeps.", "A fox sleeps.", 0, "b", "2"),
    ]
    kept, dropped = apart(rows, forbidden)
    assert [row.kind for row in kept] == ["b"]
    assert dropped == {"a": 1}


def test_a_long_premise_keeps_what_the_claim_speaks_of():
    filler = " ".join(f"Sentence number {i} is about nothing at all." for i in range(60))
    row = cut(Row(f"{filler} Zanzibar exports cloves. {filler}", "Zanzibar exports cloves.", 0, "a", "1"))
    assert "Zanzibar exports cloves." in row.premise
    assert len(row.premise.split()) <= 170


def test_of_a_list_an_entry_is_entailed_and_an_exchanged_one_is_not():
    rows = listed([f"Name{i}" for i in range(40)], 200, Random(1))
    for row in rows:
        assert (row.label == ENTAILMENT) <= (row.kind == "list")
        if row.hypothesis in row.premise:
            assert row.label == ENTAILMENT, row
    assert {row.label for row in rows} == {ENTAILMENT, CONTRADICTION, NOT_ENTAILED}


def test_a_claim_that_is_mentioned_stands_in_the_passage():
    rows = [Row("Evidence.", "The river is 300 km long.", 0, "vitaminc_real", "1")]
    for row in mentioned(rows, 1, Random(2)):
        assert "the river is 300 km long" in row.premise


def test_what_was_written_has_three_labels_of_each_paragraph():
    for path in sorted((ROOT / "training" / "written").glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            labels = [claim["label"] for claim in json.loads(line)["claims"]]
            assert set(labels) == {"Entailment", "Neutral", "Contradiction"}, f"{path.name} line {number}"
    assert len(written_rows(ROOT / "training" / "written")) > 7000


def test_batches_hold_their_tokens_and_whole_groups():
    inputs = [learn.Input([0] * (5 + i % 40), i % 3, "kind", f"group{i // 3}") for i in range(300)]
    batches = learn.batches(inputs, 400, Random(3))
    assert sorted(map(id, (item for batch in batches for item in batch))) == sorted(map(id, inputs))
    for batch in batches:
        assert len(batch) * max(len(item.tokens) for item in batch) <= 400
        names = [item.group for item in batch]
        assert all(names.count(name) == 3 for name in names)


def test_what_is_not_entailed_leaves_neutral_and_contradiction_open():
    logits = torch.tensor([[-9.0, 9.0, 0.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 0.0]])
    losses = [learn.loss_of(row[None], torch.tensor([NOT_ENTAILED]), 0.0).item() for row in logits]
    assert losses[0] < 0.01
    assert losses[1] < 0.01
    assert losses[2] > 5


def test_before_it_has_learnt_the_network_is_its_parent(tmp_path):
    config = transformers.MPNetConfig(
        vocab_size=50,
        hidden_size=24,
        num_hidden_layers=network.LAYERS,
        num_attention_heads=3,
        intermediate_size=32,
        max_position_embeddings=140,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    torch.manual_seed(0)
    parent = transformers.MPNetModel(config).eval()
    parent.save_pretrained(tmp_path)
    ids = network.padded([[0, *([7, 9, 11] * 40), 2], [0, 5, 6, 2]])
    judge = network.Judge(tmp_path).eval()
    with torch.no_grad():
        expected = parent(ids, attention_mask=ids.ne(1).long()).last_hidden_state
        x, bias = judge.embedded(ids)
        states = judge.encode(x, bias)
    assert torch.allclose(states[0], expected[0], atol=0.05)  # its weights are in bf16
    assert torch.allclose(states[1, :4], expected[1, :4], atol=0.05)
