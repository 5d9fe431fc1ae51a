"""The checker that ships, on the model that ships."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from refchecker.checker.embedded import EmbeddedChecker
from refchecker.checker.embedded.features import NAMES, NETWORK_NAMES
from refchecker.checker.embedded.model import FILES, ORDER
from refchecker.checker.windows import combine
from refchecker.errors import UsageError
from refchecker.models import SHIPPED
from refchecker.types import Claim, Judgment, Label, Pair, Passage

CURIE = Passage(
    "Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903 "
    "and moved to Paris in 1891.",
    "curie",
)
MUSEUM = Passage("The museum opened in 1994. It is located in Lisbon and has 300 paintings.", "museum")
FILLER = "The weather was fine on that day and the people of the village went about their work. " * 40


@pytest.fixture(scope="module")
def check() -> EmbeddedChecker:
    return EmbeddedChecker(threads=2)


def pair(claim: str, passage: Passage = CURIE) -> Pair:
    return Pair(Claim(claim), passage)


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        pytest.param("Marie Curie was born in Warsaw", CURIE, Label.ENTAILMENT, id="said"),
        pytest.param("Marie Curie born in 1867", CURIE, Label.ENTAILMENT, id="triplet"),
        pytest.param("The museum located in Lisbon", MUSEUM, Label.ENTAILMENT, id="pronoun"),
        pytest.param("Marie Curie was born in Berlin", CURIE, Label.CONTRADICTION, id="other-place"),
        pytest.param("The museum opened in 1950", MUSEUM, Label.CONTRADICTION, id="other-year"),
        pytest.param("Marie Curie liked opera", CURIE, Label.NEUTRAL, id="not-said"),
        pytest.param("Curie visited Rome", CURIE, Label.NEUTRAL, id="another-place"),
    ],
)
def test_plain_cases(check: EmbeddedChecker, claim: str, passage: Passage, label: Label) -> None:
    judgment = check([pair(claim, passage)])[0]
    assert judgment.label is label
    assert max(judgment.scores, key=lambda each: judgment.scores[each]) is label
    assert sum(judgment.scores.values()) == pytest.approx(1, abs=2e-4)


@pytest.mark.parametrize(
    "context",
    [
        "Marie Curie might have been born in Warsaw.",
        "It is unlikely that Marie Curie was born in Warsaw.",
        "If Marie Curie had been born in Warsaw, history would have taken another course.",
        "Marie Curie was not born in Warsaw.",
        "By no means was Marie Curie born in Warsaw.",
        "The story that Marie Curie was born in Warsaw is made up.",
        "It is far from certain that Marie Curie was born in Warsaw.",
        "Conceivably, Marie Curie was born in Warsaw.",
    ],
)
@pytest.mark.parametrize("question", ["", "Where was Marie Curie born?"])
def test_what_only_might_be_is_no_support(check: EmbeddedChecker, context: str, question: str) -> None:
    asked = [
        Claim("Marie Curie was born in Warsaw"),
        Claim.of_triplet("Marie Curie", "was born in", "Warsaw"),
    ]
    for judgment in check([Pair(claim, Passage(context, "doc"), question) for claim in asked]):
        assert judgment.label is not Label.ENTAILMENT
        assert sum(judgment.scores.values()) == pytest.approx(1, abs=2e-4)


@pytest.mark.parametrize(
    ("triplet", "context"),
    [
        (
            ("The museum", "bought", "a portrait"),
            "The museum might have bought a portrait, had it had the money.",
        ),
        (("Sales", "rose by", "18 per cent"), "Sales rose by 8 per cent in the spring, the company said."),
        (("Ada", "was born in", "1842"), "Ada was born in 1815. She worked with Charles Babbage."),
    ],
)
def test_words_that_match_do_not_outvote_what_is_said(
    check: EmbeddedChecker, triplet: tuple[str, str, str], context: str
) -> None:
    asked = Pair(Claim.of_triplet(*triplet), Passage(context, "doc"), f"What of {triplet[0]}?")
    assert check([asked])[0].label is not Label.ENTAILMENT


def test_a_judgment_does_not_depend_on_its_companions(check: EmbeddedChecker) -> None:
    claims = [
        "Marie Curie was born in Warsaw",
        "Curie visited Rome",
        "Paris",
        "Marie Curie moved to Paris in 1891",
    ]
    pairs = [pair(claim, passage) for claim in claims for passage in (CURIE, MUSEUM)]
    alone = [check([one])[0] for one in pairs]
    assert check(pairs) == alone
    assert check(pairs[::-1]) == alone[::-1]
    assert check(pairs * 3) == alone * 3
    assert EmbeddedChecker(threads=1)(pairs) == alone


def test_duplicates_are_asked_once(check: EmbeddedChecker, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    network = check._read._network
    logits = network.logits

    def counting(passage: tuple[int, ...], claim: tuple[int, ...]) -> list[float]:
        asked.append((passage, claim))
        return logits(passage, claim)

    monkeypatch.setattr(network, "logits", counting)
    check([pair("Marie Curie was born in Warsaw")] * 5 + [pair("Curie visited Rome")])
    assert len(asked) == 2


def test_a_long_reference_costs_no_more_than_its_nearest_pieces(
    check: EmbeddedChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    network = check._read._network
    logits = network.logits
    monkeypatch.setattr(network, "logits", lambda *ids: asked.append(ids) or logits(*ids))
    check([pair("Marie Curie was born in Warsaw", Passage(f"{FILLER * 5}{CURIE.text} {FILLER * 5}", "long"))])
    assert len(asked) <= 3


def test_a_long_reference_is_cut_and_evidence_points_into_it(check: EmbeddedChecker) -> None:
    long = Passage(f"{FILLER}{CURIE.text} {FILLER}", "long", start=100)
    judgment = check([pair("Marie Curie was born in Warsaw", long)])[0]
    assert judgment.label is Label.ENTAILMENT
    (span,) = judgment.spans
    evidence = long.text[span.start - long.start : span.end - long.start]
    assert span.source == "long"
    assert "born in Warsaw" in evidence
    assert len(evidence) < len(long.text) / 2


@pytest.mark.parametrize(
    ("claim", "passage", "note"),
    [
        pytest.param(
            "word " * 400, CURIE, "the claim is 400 tokens long, the model takes at most", id="long"
        ),
        pytest.param("", CURIE, "the claim is empty", id="no-claim"),
        pytest.param("  ", CURIE, "the claim is empty", id="blank-claim"),
        pytest.param("A claim", Passage("", "doc"), "the reference is empty", id="no-reference"),
        pytest.param("A claim", Passage(" \n", "doc"), "the reference is empty", id="blank-reference"),
    ],
)
def test_what_cannot_be_judged_is_undetermined(
    check: EmbeddedChecker, claim: str, passage: Passage, note: str
) -> None:
    judgment = check([pair(claim, passage), pair("Curie visited Rome")])[0]
    assert judgment.label is Label.ABSTAIN
    assert judgment.note.startswith(note)
    assert not judgment.scores


def test_no_pairs_no_judgments(check: EmbeddedChecker) -> None:
    assert check([]) == []


def test_characters_that_are_no_words(check: EmbeddedChecker) -> None:
    for text in ("🙂🙂🙂", "\u200b", "الصين", "\x00", "a" * 5000):
        assert isinstance(check([pair("Curie visited Rome", Passage(text, "doc")), pair(text)])[0], Judgment)


@pytest.mark.parametrize(
    ("scores", "label", "deciding"),
    [
        pytest.param([(0.2, 0.7, 0.1), (0.6, 0.3, 0.1)], Label.ENTAILMENT, 1, id="one-entails"),
        pytest.param(
            [(0.1, 0.1, 0.8), (0.6, 0.3, 0.1)], Label.ENTAILMENT, 1, id="entails-before-contradicts"
        ),
        pytest.param([(0.1, 0.1, 0.8), (0.1, 0.8, 0.1)], Label.CONTRADICTION, 0, id="one-contradicts"),
        pytest.param([(0.3, 0.6, 0.1), (0.1, 0.8, 0.1)], Label.NEUTRAL, None, id="none"),
    ],
)
def test_windows_combine(scores: list[tuple[float, ...]], label: Label, deciding: int | None) -> None:
    pieces = [Passage(f"piece {i}", "doc", start=10 * i) for i in range(len(scores))]
    judgment = combine(pieces, [dict(zip(ORDER, each, strict=True)) for each in scores])
    assert judgment.label is label
    assert judgment.spans == (() if deciding is None else (pieces[deciding].span(0, 7),))
    if deciding is not None:
        assert judgment.scores == dict(zip(ORDER, scores[deciding], strict=True))


def test_the_signature_names_version_weights_and_rules(check: EmbeddedChecker) -> None:
    version, weights, mood, plain = check.signature.removeprefix("embedded(").removesuffix(")").split(",")
    assert version.startswith("v")
    assert len(weights) == len("3fa1c2")
    assert mood == "m2"  # of the rules for what is denied, doubted or supposed
    assert plain == "p1"  # of those for claims in a form that no passage would use


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"no embedded model in .*model\.onnx, weigh\.onnx, tokenizer\.json, config"
    ):
        EmbeddedChecker(str(tmp_path))


def test_a_broken_config(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text('{"labels": ["yes"]}')
    with pytest.raises(UsageError, match="is not an embedded model's config"):
        EmbeddedChecker(str(tmp_path))


def test_neither_torch_nor_transformers_is_imported() -> None:
    code = (
        "import sys; from refchecker.checker.embedded import EmbeddedChecker; "
        "assert 'onnxruntime' not in sys.modules; "
        "from refchecker.types import Claim, Pair, Passage; "
        "EmbeddedChecker()([Pair(Claim('a b'), Passage('A b. C d.', 'x'))]); "
        "print(*{'torch', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_trees_of_another_evidence_are_refused(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((SHIPPED / name).read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"evidence_version": 0}))
    with pytest.raises(UsageError, match="weigh evidence of version 0"):
        EmbeddedChecker(str(tmp_path))


def test_the_trees_were_made_for_the_features_that_are_measured() -> None:
    config = json.loads((SHIPPED / "config.json").read_text())
    assert config["features"] == [*NAMES, *NETWORK_NAMES]
