from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

import tiny_models
from tiny_models import SENTENCES

from refchecker.checker.nli import NLIChecker
from refchecker.checker.nli.heads import labels_of
from refchecker.checker.windows import best_label, combine, cut, window_tokens
from refchecker.errors import UsageError
from refchecker.registry import load
from refchecker.types import Claim, Judgment, Label, Pair, Passage

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION
LONG = " ".join(SENTENCES * 3)
MIXED = [
    Pair(Claim(claim), Passage(reference, f"doc{i}", start=i))
    for i, reference in enumerate([*SENTENCES, "Rome.", "Paris is in France. It is big."])
    for claim in ("Paris is in France", "Marie Curie won it", "the tower was built in a day")
]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    tiny_models.roberta(folder / "roberta")
    tiny_models.bert(folder / "bert")
    tiny_models.roberta(folder / "binary", tiny_models.TWO)
    return folder


@pytest.fixture(scope="session")
def checker(models: Path) -> NLIChecker:
    return NLIChecker(str(models / "roberta"), device="cpu", precision="fp32")


def renamed(source: Path, target: Path, id2label: dict[int, str]) -> str:
    shutil.copytree(source, target)
    config = json.loads((target / "config.json").read_text())
    config["id2label"] = {str(index): name for index, name in id2label.items()}
    config["label2id"] = {name: index for index, name in id2label.items()}
    (target / "config.json").write_text(json.dumps(config))
    return str(target)


def plain_loop(folder: Path, pairs: Sequence[Pair]) -> list[dict[Label, float]]:
    """The slow obvious version: one pair at a time, the tokenizer's own pair encoding, fp32."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).float().eval()
    order = labels_of(model.config.id2label, "m")
    found = []
    for pair in pairs:
        inputs = tokenizer(pair.passage.text, pair.claim.text, return_tensors="pt")
        with torch.no_grad():
            scores = model(**inputs).logits.softmax(-1)[0].tolist()
        found.append(dict(zip(order, scores, strict=True)))
    return found


def forward_sizes(checker: NLIChecker, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """(rows, padded width) of every forward pass from now on, as the model sees them."""
    sizes: list[tuple[int, int]] = []
    forward = checker._engine.model.forward

    def counted(*args: Any, **inputs: Any) -> Any:
        sizes.append(tuple(inputs["input_ids"].shape))
        return forward(*args, **inputs)

    monkeypatch.setattr(checker._engine.model, "forward", counted)
    return sizes


@pytest.mark.parametrize("kind", ["roberta", "bert", "binary"])
@pytest.mark.parametrize("batch_tokens", [1, 100, 100_000])
def test_batches_agree_with_the_plain_loop(models: Path, kind: str, batch_tokens: int) -> None:
    judgments = NLIChecker(str(models / kind), device="cpu", precision="fp32", batch_tokens=batch_tokens)(
        MIXED
    )
    expected = plain_loop(models / kind, MIXED)
    assert [j.label for j in judgments] == [best_label(scores) for scores in expected]
    for judgment, scores in zip(judgments, expected, strict=True):
        assert judgment.scores == pytest.approx(scores, abs=1e-4)


def test_a_random_model_says_more_than_one_thing(checker: NLIChecker) -> None:
    assert len({judgment.label for judgment in checker(MIXED)}) > 1


def test_labels_are_read_by_name_not_by_position(models: Path, tmp_path: Path) -> None:
    weights = models / "roberta"
    by_first_output = {}
    for number, names in enumerate(permutations(["entailment", "NEUTRAL", "Refutes"])):
        folder = renamed(weights, tmp_path / f"m{number}", dict(enumerate(names)))
        scores = NLIChecker(folder, device="cpu", precision="fp32")(MIXED[:1])[0].scores
        by_first_output.setdefault(
            tuple(scores[label] for label in labels_of(dict(enumerate(names)), "")), []
        )
    assert len(by_first_output) == 1  # the outputs stay, the labels follow the names


def test_permuted_outputs_with_permuted_names_give_the_same_judgments(models: Path, tmp_path: Path) -> None:
    shutil.copytree(models / "roberta", tmp_path / "turned")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(models / "roberta")
    order = [2, 0, 1]
    with torch.no_grad():
        model.classifier.out_proj.weight.copy_(model.classifier.out_proj.weight[order].clone())
        model.classifier.out_proj.bias.copy_(model.classifier.out_proj.bias[order].clone())
    model.config.id2label = {new: tiny_models.THREE[old] for new, old in enumerate(order)}
    model.save_pretrained(tmp_path / "turned")
    straight, turned = (
        NLIChecker(str(f), device="cpu", precision="fp32") for f in (models / "roberta", tmp_path / "turned")
    )
    assert straight(MIXED) == turned(MIXED)
    assert straight.signature != turned.signature


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["contradiction", "entailment", "neutral"], (C, E, N)),
        (["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], (E, C, N)),
        (["Consistent", "nei", "inconsistent"], (E, N, C)),
        (["supported", "not_supported"], (E, N)),
        (["not-entailment", "entailment"], (N, E)),
        (["unsupported", "yes"], (N, E)),
        (["no", "yes"], (N, E)),
        (["contradiction", "entailment"], (N, E)),
    ],
    ids=lambda value: "/".join(map(str, value)),
)
def test_head_names(names: list[str], expected: tuple[Label, ...]) -> None:
    assert labels_of(dict(enumerate(names)), "m") == expected


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["LABEL_0", "LABEL_1", "LABEL_2"], "'LABEL_0', 'LABEL_1', 'LABEL_2'.*id2label"),
        (["positive", "negative"], "'positive', 'negative'"),
        (["entailment", "neutral", "other"], "'other'"),
        (["entailment", "supported"], "'supported'"),
        (["neutral", "contradiction"], "'contradiction'"),
        (["LABEL_0"], "regression"),
    ],
    ids=lambda value: "/".join(value) if isinstance(value, list) else "",
)
def test_heads_that_are_not_guessed(names: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        labels_of(dict(enumerate(names)), "m")


def test_two_labels_are_supported_and_neutral(models: Path) -> None:
    for judgment in NLIChecker(str(models / "binary"), device="cpu")(MIXED):
        assert set(judgment.scores) == {E, N}
        assert sum(judgment.scores.values()) == pytest.approx(1, abs=1e-3)
        assert judgment.label is (E if judgment.scores[E] > 0.5 else N)


def test_same_length_and_order(checker: NLIChecker) -> None:
    alone = [checker([pair])[0] for pair in MIXED]
    together = checker(MIXED)
    assert [j.label for j in together] == [j.label for j in alone]
    assert [j.spans for j in together] == [j.spans for j in alone]
    assert checker([]) == []


def test_a_question_asked_twice_is_computed_once(
    checker: NLIChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = forward_sizes(checker, monkeypatch)
    again = [Pair(p.claim, Passage(p.passage.text, "elsewhere", 7)) for p in MIXED]
    judgments = checker([*MIXED, *again, *MIXED])
    assert sum(rows for rows, _ in sizes) == len(MIXED)
    assert [j.scores for j in judgments[: len(MIXED)]] == [j.scores for j in judgments[-len(MIXED) :]]
    decided = next(i for i, j in enumerate(judgments) if j.spans)
    assert judgments[decided].spans[0].source == MIXED[decided].passage.source
    assert judgments[decided + len(MIXED)].spans[0].source == "elsewhere"


def test_batches_stay_within_their_tokens(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = NLIChecker(str(models / "roberta"), device="cpu", precision="fp32", batch_tokens=150)
    sizes = forward_sizes(checker, monkeypatch)
    checker(MIXED)
    assert len(sizes) > 1
    assert all(rows * width <= 150 or rows == 1 for rows, width in sizes)


def test_out_of_memory_halves_the_batch_and_goes_on(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = NLIChecker(str(models / "roberta"), device="cpu", precision="fp32", batch_tokens=10_000)
    expected = checker(MIXED)
    sizes: list[int] = []
    forward = checker._engine.model.forward

    def small_card(*args: Any, **inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 5:
            raise torch.cuda.OutOfMemoryError("full")
        return forward(*args, **inputs)

    monkeypatch.setattr(checker._engine.model, "forward", small_card)
    assert [j.label for j in checker(MIXED)] == [j.label for j in expected]
    assert sizes[0] == len(MIXED)
    assert sum(rows for rows in sizes if rows <= 5) == len(MIXED)


def test_one_input_that_does_not_fit_the_card_is_said(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = NLIChecker(str(models / "roberta"), device="cpu", precision="fp32")

    def no_card(*args: Any, **inputs: Any) -> Any:
        raise torch.cuda.OutOfMemoryError("full")

    monkeypatch.setattr(checker._engine.model, "forward", no_card)
    with pytest.raises(UsageError, match="no memory for one input"):
        checker(MIXED)


@pytest.mark.parametrize("kind", ["roberta", "bert"])
def test_long_references_are_read_in_windows(
    models: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checker = NLIChecker(str(models / kind), device="cpu", precision="fp32")
    sizes = forward_sizes(checker, monkeypatch)
    source = "Heading. " + LONG
    claims = ("Paris is in France", "no", "the tower was finished in 1889 by an engineer")
    judgments = checker([Pair(Claim(text), Passage(LONG, "doc", start=9)) for text in claims])
    assert sum(rows for rows, _ in sizes) > len(claims)
    assert all(width <= 64 for _, width in sizes)
    assert any(judgment.spans for judgment in judgments)
    for judgment in judgments:
        assert (judgment.label is N) == (not judgment.spans)
        for span in judgment.spans:
            piece = source[span.start : span.end]
            assert piece in LONG
            assert len(piece) < len(LONG)


def test_windows_hold_every_word_and_fit(models: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(models / "roberta").backend_tokenizer

    def offsets(text: str) -> list[tuple[int, int]]:
        return list(tokenizer.encode(text, add_special_tokens=False).offsets)

    text = LONG + " 🗼🇫🇷 " + "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch" * 3
    pieces = cut(Passage(text, "doc"), offsets, max_tokens=16)
    assert max(len(offsets(piece.text)) for piece in pieces) <= 16
    covered = {i for piece in pieces for i in range(piece.start, piece.start + len(piece.text))}
    assert {i for i, character in enumerate(text) if not character.isspace()} <= covered


@pytest.mark.parametrize(
    ("claim_tokens", "room", "expected"),
    [(10, 509, 496), (13, 509, 496), (14, 509, 480), (44, 60, 16), (45, 60, 0), (600, 509, 0)],
)
def test_window_tokens(claim_tokens: int, room: int, expected: int) -> None:
    assert window_tokens(claim_tokens, room) == expected


@pytest.mark.parametrize(
    ("scores", "label", "deciding"),
    [
        ([(0.6, 0.3, 0.1), (0.1, 0.1, 0.8), (0.9, 0.1, 0.0)], E, 2),
        ([(0.3, 0.5, 0.2), (0.1, 0.1, 0.8)], C, 1),
        ([(0.45, 0.5, 0.05), (0.1, 0.9, 0.0)], N, None),
        ([(0.4, 0.4, 0.2)], N, None),
        ([(0.2, 0.4, 0.4)], N, None),
        ([(0.4, 0.2, 0.4)], C, 0),
    ],
)
def test_windows_of_one_passage_combined(
    scores: list[tuple[float, float, float]], label: Label, deciding: int | None
) -> None:
    pieces = [Passage("word", "doc", start=10 * i) for i in range(len(scores))]
    judgment = combine(pieces, [dict(zip((E, N, C), row, strict=True)) for row in scores])
    assert judgment.label is label
    assert [span.start for span in judgment.spans] == ([] if deciding is None else [10 * deciding])
    assert sum(judgment.scores.values()) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("claim", "reference", "note"),
    [
        ("Paris " * 100, LONG, r"the claim is \d+ tokens long, the model takes at most 44"),
        ("Paris " * 100, "Rome.", r"the claim is \d+ tokens long, the model takes at most 44"),
        (" ", LONG, "the claim is empty"),
        ("Paris", "", "the reference is empty"),
        ("Paris", " \n", "the reference is empty"),
    ],
    ids=["long", "long-short", "no-claim", "no-reference", "blank-reference"],
)
def test_what_cannot_be_asked_is_undetermined(
    checker: NLIChecker, claim: str, reference: str, note: str
) -> None:
    judgments = checker([MIXED[0], Pair(Claim(claim), Passage(reference, "doc"))])
    assert judgments[0].label is not Label.ABSTAIN
    assert judgments[1] == Judgment(Label.ABSTAIN, note=judgments[1].note)
    assert re.fullmatch(note, judgments[1].note)


@pytest.mark.parametrize(
    "device", ["gpu", "cuda:x", "", "cuda:99", "cpu:0", "cuda:0,99", "cpu,cuda:0", "0,1"]
)
def test_bad_devices(models: Path, device: str) -> None:
    with pytest.raises(UsageError, match="no device"):
        NLIChecker(str(models / "roberta"), device=device)


def test_models_that_are_not_there(models: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no model folder"):
        NLIChecker(str(tmp_path / "nothing" / "here"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="cannot load the model"):
        NLIChecker(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match=r"here or on the hub.*Name a folder"):
        NLIChecker("nobody/not-a-model", cache_dir=str(tmp_path / "cache"))


def test_a_model_without_a_trained_head_is_refused(models: Path, tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(models / "roberta", folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    weights = {name: value for name, value in model.state_dict().items() if "classifier" not in name}
    model.save_pretrained(folder, state_dict=weights)
    with pytest.raises(UsageError, match="weights lack classifier"):
        NLIChecker(str(folder))


def test_unknown_labels_are_an_error_of_the_model(models: Path, tmp_path: Path) -> None:
    folder = renamed(models / "roberta", tmp_path / "m", {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"})
    with pytest.raises(UsageError, match="LABEL_0"):
        NLIChecker(folder)


@pytest.mark.parametrize("max_tokens", [0, 31, 65])
def test_max_tokens_out_of_range(models: Path, max_tokens: int) -> None:
    with pytest.raises(UsageError, match="from 32 to 64"):
        NLIChecker(str(models / "roberta"), max_tokens=max_tokens)


def test_signature_names_model_weights_and_precision(models: Path, tmp_path: Path) -> None:
    first, again = (NLIChecker(str(models / "roberta"), device="cpu", precision="fp32") for _ in range(2))
    assert first.signature == again.signature
    assert first.signature.startswith("nli(roberta@")
    assert "fp32" in first.signature
    other = NLIChecker(str(tiny_models.roberta(tmp_path / "roberta", seed=1)), device="cpu")
    assert other.signature != first.signature
    assert NLIChecker(str(models / "roberta"), max_tokens=40).signature != first.signature


def test_reached_by_name(models: Path, checker: NLIChecker) -> None:
    loaded = load("checker", f"nli:{models / 'roberta'}", device="cpu", precision="fp32", threads=3)
    assert loaded(MIXED) == checker(MIXED)


def test_threads_take_turns(checker: NLIChecker) -> None:
    expected, found = checker(MIXED), [[] for _ in range(4)]

    def work(index: int) -> None:
        found[index].extend(checker(MIXED))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.gpu
@pytest.mark.parametrize("compiled", [False, True])
def test_gpu_agrees_with_cpu(models: Path, compiled: bool) -> None:
    cpu = NLIChecker(str(models / "roberta"), device="cpu", precision="fp32")
    gpu = NLIChecker(str(models / "roberta"), device="cuda", compile=compiled)
    assert "bf16+fp32" in gpu.signature
    for slow, fast in zip(cpu(MIXED), gpu(MIXED), strict=True):
        assert fast.scores == pytest.approx(slow.scores, abs=0.05)
