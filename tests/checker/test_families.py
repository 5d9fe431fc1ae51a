"""Models of other families than plain NLI, each tiny and random, in the layout its authors document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models
from tiny_models import SENTENCES

from refchecker.checker.nli import NLIChecker
from refchecker.checker.nli.families import FAMILIES, family_of
from refchecker.errors import UsageError
from refchecker.types import Claim, Label, Pair, Passage

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION
PAIRS = [
    Pair(Claim(" ".join(claim.split()[:5])), Passage(text, "doc"))
    for claim in SENTENCES
    for text in SENTENCES
]
UNNAMED = {0: "LABEL_0", 1: "LABEL_1"}


def judged(model: Path, pairs: Sequence[Pair] = PAIRS, **options: Any) -> list[dict[Label, float]]:
    return [dict(j.scores) for j in NLIChecker(str(model), device="cpu", precision="fp32", **options)(pairs)]


def plainly(model: Any, inputs: Sequence[Any], labels: Sequence[Label]) -> list[dict[Label, float]]:
    """One input at a time, a softmax over the outputs."""
    with torch.no_grad():
        rows = [model(**each).logits.softmax(-1)[0].tolist() for each in inputs]
    return [dict(zip(labels, row, strict=True)) for row in rows]


def agree(found: Sequence[dict[Label, float]], expected: Sequence[dict[Label, float]]) -> bool:
    supported = [scores[E] for scores in expected]
    assert max(supported) - min(supported) > 0.01  # a model that always says the same would show nothing
    return list(found) == [pytest.approx(scores, abs=1e-3) for scores in expected]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("lytang/MiniCheck-RoBERTa-Large", "minicheck"),
        ("lytang/MiniCheck-DeBERTa-v3-Large", "minicheck"),
        ("lytang/MiniCheck-Flan-T5-Large", "minicheck-t5"),
        ("/models/AlignScore-large.ckpt", "alignscore"),
        ("vectara/hallucination_evaluation_model", "hhem"),
        ("MoritzLaurer/DeBERTa-v3-base-mnli", "nli"),
        ("/data/minicheck-runs/roberta-large-mnli/", "nli"),
    ],
)
def test_families_by_name(model: str, family: str) -> None:
    assert family_of(model).name == family
    assert family_of(model, "nli") is FAMILIES["nli"]


def test_a_family_that_is_not_known() -> None:
    with pytest.raises(UsageError, match=r"no model family 'mini'\. There are nli, minicheck"):
        family_of("m", "mini")


@pytest.mark.parametrize("build", [tiny_models.roberta, tiny_models.deberta])
def test_minicheck_reads_document_and_claim_as_one_text(build: Any, tmp_path: Path) -> None:
    folder = build(tmp_path / "MiniCheck-tiny", UNNAMED)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    texts = [pair.passage.text + tokenizer.eos_token + pair.claim.text for pair in PAIRS]
    inputs = [tokenizer(text, return_tensors="pt", return_token_type_ids=False) for text in texts]
    assert agree(judged(folder), plainly(model, inputs, (N, E)))


def test_minicheck_t5_answers_with_its_first_token(tmp_path: Path) -> None:
    folder = tiny_models.t5(tmp_path / "MiniCheck-T5-tiny")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    expected = []
    for pair in PAIRS:
        inputs = tokenizer(f"predict: {pair.passage.text}</s>{pair.claim.text}", return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs, decoder_input_ids=torch.tensor([[0]])).logits[0, 0, [3, 209]]
        expected.append(dict(zip((N, E), logits.softmax(-1).tolist(), strict=True)))
    assert agree(judged(folder), expected)


def test_documents_are_read_in_the_chunks_of_the_family(tmp_path: Path) -> None:
    folder = tiny_models.roberta(tmp_path / "MiniCheck-tiny", UNNAMED, max_tokens=1000)
    checker = NLIChecker(str(folder), device="cpu", precision="fp32")
    text = " ".join(SENTENCES * 12)
    widths: list[int] = []
    engine = checker._engine
    checker._engine = lambda inputs: widths.extend(len(each.ids) for each in inputs) or engine(inputs)
    [judgment] = checker([Pair(Claim("Paris"), Passage(text, "doc"))])
    assert len(widths) > 1
    assert max(widths) <= 400 + 10 < len(checker._form.backend.encode(text).ids)
    pieces = [text[span.start : span.end] for span in judgment.spans]
    assert all(piece in text and len(piece) < len(text) for piece in pieces)


@pytest.mark.parametrize("names", [tiny_models.THREE, tiny_models.TWO], ids=["three", "two"])
def test_deberta_nli(names: dict[int, str], tmp_path: Path) -> None:
    folder = tiny_models.deberta(tmp_path / "deberta", names)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = [tokenizer(pair.passage.text, pair.claim.text, return_tensors="pt") for pair in PAIRS]
    labels = (E, N, C) if len(names) == 3 else (N, E)
    assert agree(judged(folder, batch_tokens=200), plainly(model, inputs, labels))


def test_alignscore_checkpoint(tmp_path: Path) -> None:
    path = tiny_models.alignscore(tmp_path / "weights")
    state = torch.load(path, weights_only=True)["state_dict"]
    base = transformers.RobertaModel(transformers.AutoConfig.from_pretrained(path.parent)).eval()
    base.load_state_dict(
        {name.removeprefix("base_model."): t for name, t in state.items() if name.startswith("base_model.")}
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent)
    expected = []
    for pair in PAIRS:
        with torch.no_grad():
            pooled = base(**tokenizer(pair.passage.text, pair.claim.text, return_tensors="pt")).pooler_output
        logits = pooled @ state["tri_layer.weight"].T + state["tri_layer.bias"]
        expected.append(dict(zip((E, N, C), logits.softmax(-1)[0].tolist(), strict=True)))
    assert agree(judged(path), expected)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no checkpoint .* published at https"),
        ({"weights": 1}, "has no state_dict"),
        ({"state_dict": {}}, "lacks"),
        ({"state_dict": {}, "run": Path("x")}, "cannot read the checkpoint"),
    ],
    ids=["missing", "other", "empty", "pickle"],
)
def test_files_that_are_no_alignscore_checkpoint(content: Any, message: str, tmp_path: Path) -> None:
    path = tiny_models.alignscore(tmp_path / "weights").with_name("other.ckpt")
    if content is not None:
        torch.save(content, path)
    with pytest.raises(UsageError, match=message):
        NLIChecker(str(path), device="cpu")


def test_a_score_of_one_output_is_the_sigmoid_of_consistency(tmp_path: Path) -> None:
    folder = tiny_models.bert(tmp_path / "hallucination_evaluation_model", {0: "LABEL_0"})
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    expected = []
    for pair in PAIRS:
        with torch.no_grad():
            logits = model(**tokenizer(pair.passage.text, pair.claim.text, return_tensors="pt")).logits
        consistent = logits.sigmoid().item()
        expected.append({E: consistent, N: 1 - consistent})
    assert agree(judged(folder), expected)


def test_one_output_of_an_unknown_meaning_stays_an_error(tmp_path: Path) -> None:
    folder = tiny_models.bert(tmp_path / "similarity", {0: "LABEL_0"})
    with pytest.raises(UsageError, match="regression score"):
        NLIChecker(str(folder), device="cpu")


def test_a_name_that_misleads_is_said(tmp_path: Path) -> None:
    folder = tiny_models.roberta(tmp_path / "minicheck-relabelled")
    with pytest.raises(UsageError, match=r"a minicheck model, which has 2 outputs, and has 3.*family="):
        NLIChecker(str(folder), device="cpu")
    assert json.loads((folder / "config.json").read_text())["id2label"]["0"] == "entailment"
    assert NLIChecker(str(folder), device="cpu", family="nli")(PAIRS[:1])[0].scores
