"""What localizers say of verdicts: words for each part, words against it, words that are missing."""

from __future__ import annotations

import string
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker import load, run
from refchecker.io import output_schema, to_item
from refchecker.localizer.locate import Localizer
from refchecker.types import Claim, Element, Judgment, Label, Located, Pair, Passage, Record, Report, Verdict

MOON = (
    "Apollo 11 was the first mission to bring people to the Moon. Commander Neil Armstrong and pilot Buzz "
    "Aldrin touched down on the lunar surface on July 20, 1969, at 20:17. The mission had been launched by a "
    "rocket from Kennedy Space Center in Florida. It was watched by 650 million viewers."
)
RESPONSE = "Apollo 11 landed on 24 July 1971. It was launched from Texas. 400 million people watched it."


@pytest.fixture(scope="module")
def localizers() -> dict[str, Localizer]:
    return {name: load("localizer", name) for name in ("exact", "embedding", "auto")}


def located(
    localizer: Localizer,
    label: Label,
    triplet: tuple[str, str, str] | str,
    reference: str = MOON,
    response: str = RESPONSE,
    start: int = 0,
) -> list[tuple[str, str, str]]:
    """(part, role, words) of everything that a localizer says of one verdict."""
    claim = Claim(triplet) if isinstance(triplet, str) else Claim.of_triplet(*triplet)
    passage = Passage(reference, "doc", start)
    verdict = Verdict(claim, label, passages=(passage,), judgments=(Judgment(label, {label: 0.9}),))
    [found] = localizer(Record("1", response, references=(passage,)), [verdict])
    texts = {"doc": " " * start + reference, "response": response, "claim": claim.text}
    return [
        (each.element, each.role, texts[each.span.source][each.span.start : each.span.end])
        for each in found.elements
    ]


@pytest.mark.parametrize("name", ["exact", "auto"])
@pytest.mark.parametrize(
    ("triplet", "found"),
    [
        (("Neil Armstrong", "commanded", "Apollo 11"), ["Neil Armstrong", "Commander", "Apollo 11"]),
        (("the mission", "was launched from", "Florida"), ["The mission", "launched", "Florida"]),
        (("It", "was watched by", "650,000,000 viewers"), ["It", "was watched by", "650 million viewers"]),
    ],
)
def test_all_parts_of_an_entailed_triplet_are_found(
    localizers: dict[str, Localizer], name: str, triplet: tuple[str, str, str], found: list[str]
) -> None:
    said = located(localizers[name], Label.ENTAILMENT, triplet, start=1000)
    assert [words for part, role, words in said if role == "found" and part != "claim"] == found
    assert not [each for each in said if each[1] in ("contradicted", "missing")]


def test_other_words_are_found_by_their_meaning(localizers: dict[str, Localizer]) -> None:
    said = located(localizers["auto"], Label.ENTAILMENT, ("Apollo 11", "landed on", "20 July 1969"))
    assert ("object", "found", "July 20, 1969") in said
    [predicate] = [words for part, role, words in said if (part, role) == ("predicate", "found")]
    assert predicate.startswith("touched down on")


@pytest.mark.parametrize("name", ["exact", "embedding", "auto"])
@pytest.mark.parametrize(
    ("triplet", "part", "claimed", "given_words"),
    [
        (("Apollo 11", "landed on", "24 July 1971"), "object", "24 July 1971", "July 20, 1969"),
        (("It", "was watched by", "400 million people"), "object", "400 million", "650 million"),
    ],
)
def test_the_wrong_part_of_a_contradicted_triplet(
    localizers: dict[str, Localizer],
    name: str,
    triplet: tuple[str, str, str],
    part: str,
    claimed: str,
    given_words: str,
) -> None:
    said = located(localizers[name], Label.CONTRADICTION, triplet)
    assert [each for each in said if each[1] == "contradicted"] == [(part, "contradicted", given_words)]
    assert [each[2] for each in said if each[1] == "missing"] == [claimed] * 2
    assert not [each for each in said if each[:2] == (part, "found")]


def test_a_denial_stands_against_the_predicate(localizers: dict[str, Localizer]) -> None:
    reference = "Kafka lived in Prague. He never married Felice."
    said = located(localizers["exact"], Label.CONTRADICTION, ("Kafka", "married", "Felice"), reference)
    assert ("predicate", "contradicted", "never") in said


@pytest.mark.parametrize("name", ["exact", "embedding", "auto"])
def test_none_is_invented_for_a_neutral_triplet(localizers: dict[str, Localizer], name: str) -> None:
    said = located(localizers[name], Label.NEUTRAL, ("Buzz Aldrin", "hated", "cheese"))
    assert {role for _, role, _ in said} <= {"said", "missing"}
    assert [(part, words) for part, role, words in said if role == "missing"] == [
        ("predicate", "hated"),
        ("object", "cheese"),
    ]


def test_a_sentence_claim_is_one_part(localizers: dict[str, Localizer]) -> None:
    claim = "The mission was launched from Florida in a blue rocket."
    said = located(localizers["exact"], Label.NEUTRAL, claim, response=f"Yes. {claim}")
    assert said == [
        ("claim", "said", claim[:-1]),
        ("claim", "missing", "blue"),
        ("claim", "missing", "blue"),
    ]


def test_the_repeated_name_of_the_right_sentence(localizers: dict[str, Localizer]) -> None:
    reference = "Berg wrote to Lund. Lund answered. In 1951 Berg sold the mill to Lund for two cows."
    claim = Claim.of_triplet("Berg", "sold", "the mill")
    passage = Passage(reference, "doc", 50)
    label = Label.ENTAILMENT
    verdict = Verdict(claim, label, passages=(passage,), judgments=(Judgment(label, {label: 0.9}),))
    [found] = localizers["auto"](Record("1", "", references=(passage,)), [verdict])
    starts = {each.element: each.span.start - 50 for each in found.elements}
    assert starts["subject"] == reference.rindex("Berg")
    assert [reference[each.start - 50 : each.end - 50][:7] for each in found.evidence] == ["In 1951"]


_WORDS = (
    "Zürich",
    "naïve",
    "re\u0301sume\u0301",
    "東京都",
    "日本",
    "שָׁלוֹם",
    "مَرْحَبًا",
    "नमस्ते",
    "👩‍👩‍👧",
    "ab",
    "ab ab",
    "1969",
    "4 May",
)
_PIECES = (*_WORDS, ".", "\n", "was", "🙂", "\u200d", "\u0301")
_text = st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(_text, _text, st.sampled_from(_WORDS), st.sampled_from(list(Label)), st.integers(0, 9))
@pytest.mark.parametrize("name", ["exact", "embedding", "auto"])
def test_every_span_cuts_out_what_it_says(
    localizers: dict[str, Localizer], name: str, before: str, after: str, word: str, label: Label, start: int
) -> None:
    text = f"{before} {word} {after}"
    claim = Claim.of_triplet(word, "was", "ab")
    passage = Passage(text, "doc", start)
    verdict = Verdict(claim, label, passages=(passage,), judgments=(Judgment(label, {label: 0.9}),))
    record = Record("1", text, references=(passage,), claims=(claim,))
    [found] = localizers[name](record, [verdict])
    report = Report(record, (_with(verdict, found),), dict.fromkeys(Label, 0.0) | {label: 1.0}, "ok")
    [written] = to_item(report)["verdicts"]
    sources = {"doc": " " * start + text, "response": text, "claim": claim.text}
    for each in (*written["elements"], *written["evidence"]):
        assert each["text"] == sources[each["source"]][each["start"] : each["end"]]
        assert each["text"].strip()
    roles = {each["role"] for each in written["elements"]}
    assert label in (Label.ENTAILMENT, Label.CONTRADICTION) or not roles & {"found", "contradicted"}
    if name != "embedding" and label is Label.ENTAILMENT:
        [subject] = [e for e in written["elements"] if (e["element"], e["role"]) == ("subject", "found")]
        assert subject["score"] == 1.0


def _with(verdict: Verdict, found: Located) -> Verdict:
    from dataclasses import replace

    return replace(verdict, evidence=found.evidence, elements=found.elements)


@settings(max_examples=30, deadline=None)
@given(st.text(string.ascii_lowercase, min_size=4, max_size=9), st.integers(0, 6), st.integers(0, 6))
def test_a_word_of_its_own_is_found_where_it_stands(
    localizers: dict[str, Localizer], word: str, before: int, after: int
) -> None:
    reference = f"{'Nothing here. ' * before}The q{word}x stood. {'Nothing else. ' * after}"
    said = located(localizers["exact"], Label.ENTAILMENT, (f"q{word}x", "stood", ""), reference)
    assert ("subject", "found", f"q{word}x") in said


def test_in_the_pipeline_and_in_the_output(localizers: dict[str, Localizer]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    claims = (Claim.of_triplet("Apollo 11", "landed on", "24 July 1971"),)
    references = (Passage(MOON, "moon"), Passage("Cats sleep.", "cats"))
    record = Record("1", RESPONSE, references=references, claims=claims, extra={"response": RESPONSE})

    def check(pairs: Sequence[Pair]) -> list[Judgment]:
        label = {"moon": Label.CONTRADICTION, "cats": Label.NEUTRAL}
        return [Judgment(label[pair.passage.source], {label[pair.passage.source]: 1.0}) for pair in pairs]

    [report] = run([record], check=check, locate=localizers["auto"])
    item = to_item(report)
    jsonschema.validate(item, output_schema())
    [verdict] = item["verdicts"]
    assert {each["source"] for each in verdict["evidence"]} == {"moon"}
    assert {each["source"] for each in verdict["elements"]} == {"moon", "response", "claim"}
    [plain] = run([record], check=check)
    assert to_item(plain)["verdicts"][0]["elements"] == []


def test_a_localizer_that_breaks_leaves_the_verdicts() -> None:
    def locate(record: Record, verdicts: Sequence[Verdict]) -> list[Located]:
        raise RuntimeError("out of memory")

    def check(pairs: Sequence[Pair]) -> list[Judgment]:
        return [Judgment(Label.NEUTRAL, {Label.NEUTRAL: 1.0}) for _ in pairs]

    record = Record("1", "a", references=(Passage("b", "doc"),), claims=(Claim("a"),))
    [report] = run([record], check=check, locate=locate)
    assert (report.verdicts[0].label, report.status) == (Label.NEUTRAL, "ok")
    assert report.note == "localizer: RuntimeError: out of memory"


def test_no_localizer() -> None:
    assert load("localizer", "none") is None


def test_a_passage_that_is_contradicted_beside_one_that_is_not(localizers: dict[str, Localizer]) -> None:
    claim = Claim.of_triplet("The tower", "was built in", "1889")
    passages = (Passage("The tower was built in 1887.", "a"), Passage("The tower was built in 1889.", "b"))
    judgments = (Judgment(Label.CONTRADICTION, {}), Judgment(Label.ENTAILMENT, {}))
    verdict = Verdict(claim, Label.ENTAILMENT, passages=passages, judgments=judgments, conflict=True)
    [found] = localizers["exact"](Record("1", "", references=passages), [verdict])
    assert {each.span.source for each in found.elements} == {"b"}
    assert all(isinstance(each, Element) for each in found.elements)
