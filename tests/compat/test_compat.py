from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refchecker.checker
from refchecker.compat.checkers import CompatChecker, major_agg, soft_agg, strict_agg
from refchecker.errors import UsageError
from refchecker.types import Claim, Judgment, Label, Pair

E, N, C, A = (label.value for label in (Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION, Label.ABSTAIN))
FRANCE = "Paris is in France."
NOT_FRANCE = "not(Paris is in France) they say."


def by_words(pairs: Sequence[Pair]) -> list[Judgment]:
    """Contradiction where the passage says not(claim), Entailment where it says the claim."""

    def label(claim: str, passage: str) -> Label:
        if f"not({claim})" in passage:
            return Label.CONTRADICTION
        return Label.ENTAILMENT if claim in passage else Label.NEUTRAL

    return [Judgment(label(pair.claim.text, pair.passage.text)) for pair in pairs]


def agrees_with_everything(pairs: Sequence[Pair]) -> list[Judgment]:
    return [Judgment(Label.ENTAILMENT) for _ in pairs]


CLAIM = "Paris is in France"


@pytest.mark.parametrize(
    ("claims", "references", "options", "expected"),
    [
        ([[CLAIM, "no"]], [FRANCE], {}, [[E, N]]),
        ([[CLAIM, "no"]], [FRANCE], {"merge_psg": False}, [[[E], [N]]]),
        ([[CLAIM]], [[NOT_FRANCE, FRANCE, "Rome."]], {}, [[E]]),
        ([[CLAIM]], [[NOT_FRANCE, FRANCE, "Rome."]], {"merge_psg": False}, [[[C, E, N]]]),
        ([[CLAIM, "Rome"]], [[FRANCE]], {"merge_psg": False}, [[[E], [N]]]),
        ([[CLAIM], ["Rome"]], [[FRANCE, "x"], "Rome."], {"merge_psg": False}, [[[E, N]], [[E]]]),
        ([[CLAIM, CLAIM]], [NOT_FRANCE], {}, [[C, C]]),
        ([[CLAIM], [], [CLAIM]], [FRANCE, FRANCE, "Rome."], {}, [[E], [], [N]]),
        ([[], []], ["a", ["b"]], {"merge_psg": False}, [[], []]),
        ([], [], {}, []),
        ([[["Paris", "is in", "France"]]], [FRANCE], {}, [[E]]),
        ([[("Paris", "is in", "France")]], [FRANCE], {}, [[E]]),
        ([[Claim(CLAIM)]], [FRANCE], {}, [[E]]),
        ([[SimpleNamespace(content=CLAIM)]], [FRANCE], {}, [[E]]),
        ([[SimpleNamespace(content=["Paris", "is in", "France"])]], [FRANCE], {}, [[E]]),
        ([[CLAIM]], [FRANCE], {"batch_questions": ["Where?"], "is_joint": True, "joint_check_num": 2}, [[E]]),
        ([[CLAIM]], [FRANCE], {"batch_responses": ["x"], "custom_llm_api_func": print}, [[E]]),
        ([[CLAIM]], [FRANCE], {"max_reference_segment_length": 0}, [[E]]),
        ([[CLAIM]], [FRANCE], {"max_reference_segment_length": None}, [[E]]),
    ],
)
def test_shapes(claims: Any, references: Any, options: dict[str, Any], expected: Any) -> None:
    assert CompatChecker(by_words).check(claims, references, **options) == expected


@pytest.mark.parametrize(
    ("references", "merged", "unmerged"),
    [
        ([""], [[A]], [[[A]]]),
        ([None], [[A]], [[[A]]]),
        ([[]], [[A]], [[[]]]),
        ([["", " \n", None]], [[A]], [[[A, A, A]]]),
        ([["", FRANCE]], [[E]], [[[A, E]]]),
    ],
    ids=["empty", "none", "no list", "blank list", "one of two"],
)
def test_a_missing_reference_supports_nothing(references: Any, merged: Any, unmerged: Any) -> None:
    checker = CompatChecker(agrees_with_everything)
    assert checker.check([[CLAIM]], references) == merged
    assert checker.check([[CLAIM]], references, merge_psg=False) == unmerged


@pytest.mark.parametrize("most_words", [5, 20, 60])
def test_long_references_are_read_in_pieces_of_so_many_words(most_words: int) -> None:
    seen: list[str] = []

    def noting(pairs: Sequence[Pair]) -> list[Judgment]:
        seen.extend(pair.passage.text for pair in pairs)
        return by_words(pairs)

    reference = "Rome is old. " * 30 + FRANCE
    labels = CompatChecker(noting).check(
        [[CLAIM]], [[reference]], merge_psg=False, max_reference_segment_length=most_words
    )
    assert labels == [[[E]]]
    assert max(len(text.split()) for text in seen) <= most_words
    assert len(seen) >= 94 // most_words
    assert all(text in reference for text in seen)


@pytest.mark.parametrize(
    ("claims", "references", "options", "message"),
    [
        ([["a"], ["b"]], ["x"], {}, r"2 responses and batch_references has 1: index 1"),
        ([["a"]], ["x", "y"], {}, r"index 1 is in one only"),
        ([["a"]], ["x"], {"batch_questions": []}, r"batch_questions has 0: index 0"),
        ([["a"], "b"], ["x", "y"], {}, r"batch_claims\[1\] is a str"),
        ([["a"], None], ["x", "y"], {}, r"batch_claims\[1\] is a NoneType"),
        ("ab", ["x", "y"], {}, r"batch_claims is a str"),
        ([["a"]], "x", {}, r"batch_references is a str"),
        ([["a", 3]], ["x"], {}, r"batch_claims\[0\]\[1\] is 3"),
        ([[["a", "b"]]], ["x"], {}, r"batch_claims\[0\]\[0\] is \['a', 'b'\]"),
        ([[["a", "b", None]]], ["x"], {}, r"batch_claims\[0\]\[0\]"),
        ([["a"]], [3], {}, r"batch_references\[0\] is a int"),
        ([["a"]], [["x", {}]], {}, r"batch_references\[0\]\[1\] is a dict"),
        ([["a"]], ["x"], {"batch_questions": [3]}, r"batch_questions\[0\] is a int"),
        ([["a"]], ["x"], {"max_reference_segment_length": -1}, r"max_reference_segment_length is -1"),
    ],
)
def test_wrong_shapes_are_said_with_their_index(
    claims: Any, references: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        CompatChecker(by_words).check(claims, references, **options)


def test_a_checker_that_breaks_on_one_pair_is_abstain_there_and_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fragile(pairs: Sequence[Pair]) -> list[Judgment]:
        if any(pair.claim.text == "bad" for pair in pairs):
            raise ValueError("cannot read this")
        return by_words(pairs)

    assert CompatChecker(fragile).check([[CLAIM, "bad"], [CLAIM]], [FRANCE, FRANCE]) == [[E, A], [E]]
    assert "cannot read this" in caplog.text


@pytest.mark.parametrize(
    ("results", "strict", "major"),
    [
        ([], A, A),
        (None, A, A),
        ([E], E, E),
        ([C, C], C, C),
        ([E, E, C], C, E),
        ([E, N, E], N, E),
        ([E, C], C, C),
        ([E, N], N, N),
        ([E, A], N, A),
        ([A, A], A, A),
        ([[E, C], [N, N]], N, N),
        ([[N, E], [E]], E, E),
        ([[C, N], [E]], C, C),
        ([[], []], A, A),
        ((E, E), E, E),
        ([Label.ENTAILMENT], E, E),
    ],
)
def test_aggregation(results: Any, strict: str, major: str) -> None:
    assert strict_agg(results) == strict
    assert major_agg(results) == major
    assert type(strict_agg(results)) is type(major_agg(results)) is str


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([], {E: 0, N: 0, C: 0, A: 1}),
        ([C, C], {E: 0, N: 0, C: 1, A: 0}),
        ([E, N, N, A], {E: 0.25, N: 0.5, C: 0, A: 0.25}),
        ([[E, C], [C, N]], {E: 0.5, N: 0, C: 0.5, A: 0}),
    ],
)
def test_soft_shares(results: Any, expected: dict[str, float]) -> None:
    assert soft_agg(results) == expected
    assert {type(name) for name in soft_agg(results)} == {str}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        (["entailment"], r"results\[0\] is 'entailment'"),
        ([E, None], r"results\[1\] is None"),
        ([[E, "x"]], r"results\[0\]\[1\] is 'x'"),
        (E, "results is a str"),
    ],
)
@pytest.mark.parametrize("aggregate", [strict_agg, soft_agg, major_agg])
def test_unknown_labels(aggregate: Any, results: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        aggregate(results)


@given(st.lists(st.sampled_from([E, N, C, A])).flatmap(lambda x: st.tuples(st.just(x), st.permutations(x))))
def test_the_order_of_claims_never_matters(lists: tuple[list[str], list[str]]) -> None:
    for aggregate in (strict_agg, soft_agg, major_agg):
        assert aggregate(lists[0]) == aggregate(lists[1])
    assert sum(soft_agg(lists[0]).values()) == pytest.approx(1)


def test_names_are_lazy() -> None:
    code = "import sys, refchecker.checker as c; print(c.NLIChecker.__module__, 'torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["refchecker.compat.checkers", "False"]


def test_a_name_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'LMChecker'; it has .*NLIChecker"):
        _ = refchecker.checker.LMChecker


def test_nli_end_to_end(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    import tiny_models

    from refchecker.checker import NLIChecker
    from refchecker.checker.nli import NLIChecker as Native
    from refchecker.types import Passage

    folder = str(tiny_models.roberta(tmp_path / "m"))
    claims = [["Paris is in France", ["Curie", "won", "a prize"]], ["Rome"]]
    references = [tiny_models.SENTENCES[:3], tiny_models.SENTENCES[3:]]
    labels = NLIChecker(folder, device="cpu", batch_size=2).check(
        batch_claims=claims, batch_references=references, merge_psg=False
    )
    native = Native(folder, device="cpu")
    for found, texts, passages in zip(
        labels, [["Paris is in France", "Curie won a prize"], ["Rome"]], references, strict=True
    ):
        assert found == [
            [j.label.value for j in native([Pair(Claim(text), Passage(p, "r")) for p in passages])]
            for text in texts
        ]
    with pytest.raises(UsageError, match="batch_size"):
        NLIChecker(folder, device="cpu", batch_size=0)


def test_alignscore_checker(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    tiny_models = pytest.importorskip("tiny_models")
    from refchecker import AlignScoreChecker

    checkpoint = tiny_models.alignscore(tmp_path / "alignscore")
    checker = AlignScoreChecker(ckpt_path=str(checkpoint), device="cpu", batch_size=4)
    [labels] = checker.check([["Paris is in France", "Rome is old"]], [["Paris.", ""]], merge_psg=False)
    assert [[label in (E, N, C) for label in row] for row in labels] == [[True, False]] * 2
    with pytest.raises(UsageError, match="no checkpoint"):
        AlignScoreChecker(ckpt_path=str(tmp_path / "alignscore.ckpt"), device="cpu")
