"""All stretches at once, against the loop; long texts in windows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.localizer.embedding import EmbeddingFinder
from refchecker.localizer.spans import Array, nearest
from refchecker.models import SHIPPED, UNFITTED, EmbeddedEncoder, HFEncoder, Tokens, session, settings_of
from refchecker.models.encoder import joined_windows, windows_of
from refchecker.types import Claim


@pytest.fixture(scope="module")
def encode() -> EmbeddedEncoder:
    return EmbeddedEncoder(threads=1)


def looped(words: Array, query: Array, most: int, sentence_of: list[int]) -> tuple[float, int, int]:
    best = (-2.0, 0, 0)
    for start in range(len(words)):
        for end in range(start + 1, min(start + most, len(words)) + 1):
            mean = words[start:end].mean(axis=0)
            cosine = mean @ query / max(np.linalg.norm(mean) * np.linalg.norm(query), 1e-12)
            if sentence_of[start] == sentence_of[end - 1] and round(float(cosine), 9) > best[0]:
                best = (round(float(cosine), 9), start, end)
    return best


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_the_same_stretches_as_the_loop(seed: int, count: int, most: list[int]) -> None:
    draw = np.random.default_rng(seed)
    words, queries = draw.normal(size=(count, 8)), draw.normal(size=(len(most), 8))
    sentence_of = np.sort(draw.integers(0, 3, size=count)).tolist()
    field = nearest(words, queries, most, sentence_of)
    for i, longest in enumerate(most):
        cosine, first, last = looped(words, queries[i], longest, sentence_of)
        [best] = field.stretches(i, least=-1.5, most=1)
        assert best.score == pytest.approx(cosine, abs=1e-8)
        assert (best.first, best.last) == (first, last)


def test_stretches_do_not_overlap() -> None:
    draw = np.random.default_rng(1)
    words = draw.normal(size=(60, 4))
    found = nearest(words, words[:1], [5]).stretches(0, least=-1.0, most=30)
    taken = sorted((each.first, each.last) for each in found)
    assert len(found) > 3
    assert all(one[1] <= other[0] for one, other in pairwise(taken))
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_one_word_is_found_where_it_is() -> None:
    draw = np.random.default_rng(2)
    words = draw.normal(size=(2000, 16))
    places = [0, 700, 1999]
    field = nearest(words, words[places], [4] * 3)
    for i, place in enumerate(places):
        [best] = field.stretches(i, least=0.9, most=1)
        assert (best.first, best.last, best.score) == (place, place + 1, 1.0)


@given(st.integers(0, 400), st.integers(10, 60), st.integers(0, 64))
def test_windows_cover_every_token(count: int, room: int, overlap: int) -> None:
    windows = windows_of(count, room, overlap)
    assert (windows[0][0], windows[-1][1]) == (0, count)
    assert all(end - start <= room for start, end in windows)
    assert all(right[0] <= left[1] for left, right in pairwise(windows))


@given(st.integers(0, 400), st.integers(10, 60))
def test_tokens_come_from_where_they_have_most_context(count: int, room: int) -> None:
    def run(windows: object) -> list[Array]:
        """Vectors that tell the token, and how far the nearest edge of its window is."""
        return [
            np.array([[i, min(n, len(w) - 1 - n)] for n, i in enumerate(w)]).reshape(-1, 2)
            for w in windows  # type: ignore[attr-defined]
        ]

    [tokens] = joined_windows([range(count)], [[(i, i + 1) for i in range(count)]], run, room)
    assert tokens.vectors[:, 0].tolist() == list(range(count))
    for start, end in windows_of(count, room, 64):
        for i in range(start, end):
            assert tokens.vectors[i, 1] >= min(i - start, end - 1 - i) - 1


def test_add_tokens_leaves_the_logits_bit_for_bit(tmp_path: Path) -> None:
    from shutil import copy

    pytest.importorskip("onnx")
    from training.embedded.tokens import add_tokens

    copy(SHIPPED / "model.onnx", tmp_path / "model.onnx")
    add_tokens(tmp_path / "model.onnx", 4)
    ids = np.arange(1000, 1040, dtype=np.int64)[None]
    feed = {"input_ids": ids, "token_type_ids": np.zeros_like(ids)}
    one, other = session(SHIPPED / "model.onnx"), session(tmp_path / "model.onnx")
    assert (one.run(["logits"], feed)[0] == other.run(["logits"], feed)[0]).all()
    assert not np.allclose(one.run(["tokens"], feed)[0], other.run(["tokens"], feed)[0])


def test_a_word_in_two_contexts_has_two_vectors(encode: EmbeddedEncoder) -> None:
    [text] = encode(["The boat lay at the bank of the river. She took her savings to the bank."])
    starts = text.offsets[:, 0].tolist()
    first, second = (text.vectors[starts.index(at)] for at in (20, 67))
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert 0.2 < cosine < 0.98


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("The fisherman sat on the grassy bank beside the river", 0),
        ("She deposited her savings at the bank", 1),
    ],
)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_sentence_of_the_right_sense_ranks_first(
    encode: EmbeddedEncoder, claim: str, right: int, order: tuple[int, int]
) -> None:
    senses = ["The boat lay at the bank of the river.", "He put the money into the bank before noon."]
    find = EmbeddingFinder(encode, settings_of(SHIPPED) or UNFITTED)
    [[finding]] = find([Claim(claim)], [" ".join(senses[i] for i in order)])
    assert order[int(np.argmax(finding.ranks))] == right


def test_offsets_point_into_long_texts(encode: EmbeddedEncoder) -> None:
    text = "The weather was fine and nobody worked. " * 60 + "Ada Lovelace met Babbage."
    [tokens] = encode([text])
    assert len(tokens.vectors) == len(tokens.offsets) > 300
    assert text[tokens.offsets[-1][0] :] == "."
    assert "Lovelace" in text[tokens.offsets[-9][0] :]


@pytest.mark.parametrize(
    ("texts", "why"),
    [({"config.json": "{"}, "cannot be read"), ({"localizer.json": '{"layer": 1}'}, "cannot be read")],
)
def test_settings_that_cannot_be_read(tmp_path: Path, texts: dict[str, str], why: str) -> None:
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=why):
        settings_of(tmp_path)


@pytest.mark.parametrize("nested", [False, True], ids=["a model", "a sentence-transformers folder"])
def test_any_hf_encoder(tmp_path: Path, nested: bool) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_models import roberta

    roberta(tmp_path / "0_Transformer" if nested else tmp_path)
    if nested:
        (tmp_path / "modules.json").write_text('[{"path": "0_Transformer"}]')
    text = "Paris lies on the river Seine. " * 30
    encode = HFEncoder(str(tmp_path), layer=1, device="cpu")
    long, short, empty = encode([text, "Berlin", ""])
    assert isinstance(long, Tokens)
    assert len(long.vectors) == len(long.offsets) > 64
    assert {text[a:b] for a, b in long.offsets.tolist()} >= {"the", "."}
    assert np.allclose(encode(["Berlin"])[0].vectors, short.vectors, atol=1e-5)
    assert len(empty.vectors) == 0
    with pytest.raises(UsageError, match="has layers 0 to"):
        HFEncoder(str(tmp_path), layer=9)


def test_a_model_that_is_nowhere() -> None:
    pytest.importorskip("torch")
    with pytest.raises(UsageError, match="no model folder"):
        HFEncoder("./nowhere/at/all")
