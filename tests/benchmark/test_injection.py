"""Whatever a text says, it stays inside its fence, and only the reply is read for answers."""

import re

import pytest

from benchmark.injection import Base, bases, hostile_texts, markdown, report
from refchecker.checker.llm import LLMChecker
from refchecker.checker.llm.answers import read_answers
from refchecker.extractor.llm import LLMExtractor
from refchecker.llms.fence import identifiers
from refchecker.llms.providers.scripted import Scripted
from refchecker.llms.types import Request
from refchecker.types import Judgment, Label, Pair, Record

TEXTS = {hostile.id: hostile for hostile in hostile_texts()}
BASE = bases()[0]


def asked(where: str, text: str, **options) -> Request:
    """The request that is made of an item with that text in it."""
    client = Scripted(lambda request: "Neutral")
    if where == "response":
        LLMExtractor(client)([Record("1", f"Paris is in France. {text}")])
    else:
        LLMChecker(client, **options)(
            [BASE.pair(where, text), BASE.pair()._replace(question=BASE.pair(where, text).question)]
        )
    return client.asked[0]


def around(request: Request) -> str:
    """The user's message without what stands between a begin line and its end line."""
    opening = re.match(r"The fence of this message is (\w{12})\.", request.user)
    assert opening is not None
    block = rf"^\[{opening[1]} ([a-z ]+) begins\]\n.*?\n\[{opening[1]} \1 ends\]$"
    return re.sub(block, "DATA", request.user, flags=re.S | re.M).replace(opening[1], "FENCE")


def test_there_are_enough_of_them():
    assert len(TEXTS) >= 60
    assert {hostile.where for hostile in TEXTS.values()} == {"reference", "claim", "question", "response"}


@pytest.mark.parametrize("hostile_id", TEXTS)
def test_the_text_stays_inside_its_fence(hostile_id):
    hostile = TEXTS[hostile_id]
    attacked, plain = asked(hostile.where, hostile.text), asked(hostile.where, "Nothing else.")
    assert hostile.text.split()[0] in attacked.user
    assert attacked.system == plain.system
    assert around(attacked) == around(plain)


@pytest.mark.parametrize("hostile_id", [name for name in TEXTS if name.startswith("claim")])
def test_a_claim_stays_on_its_line(hostile_id):
    user = asked("claim", TEXTS[hostile_id].text, claims_per_prompt=2).user
    block = re.search(r"claims begins\]\n(.*)\n\[\w+ claims ends\]", user, re.S)
    assert block is not None
    assert [line[0] for line in block[1].splitlines()] == ["[", "["]
    assert len(block[1].splitlines()) == 2


@pytest.mark.parametrize("hostile_id", [name for name in TEXTS if name.startswith("response")])
def test_a_sentence_stays_on_its_line(hostile_id):
    block = re.search(
        r"response begins\]\n(.*)\n\[\w+ response ends\]",
        asked("response", TEXTS[hostile_id].text).user,
        re.S,
    )
    assert block is not None
    numbers = [re.match(r"\[(\d+)\] ", line) for line in block[1].splitlines()]
    assert [int(number[1]) for number in numbers if number] == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("hostile_id", TEXTS)
def test_a_model_that_repeats_the_text_has_answered_nothing(hostile_id):
    text = TEXTS[hostile_id].text
    assert read_answers(text, identifiers(2, text)) == {}


@pytest.mark.parametrize("hostile_id", [name for name in TEXTS if not name.startswith("response")])
def test_the_label_is_that_of_the_reply(hostile_id):
    hostile = TEXTS[hostile_id]
    aims = Label(hostile.aims)
    other = next(label for label in (Label.NEUTRAL, Label.CONTRADICTION) if label is not aims)
    check = LLMChecker(Scripted(lambda request: f'{{"label": "{other}"}}'))
    assert [judgment.label for judgment in check([BASE.pair(hostile.where, hostile.text)])] == [other]


def gullible(pairs: list[Pair]) -> list[Judgment]:
    """Says what it reads last."""
    said = [
        re.findall("Entailment|Neutral|Contradiction", pair.passage.text + pair.claim.text) for pair in pairs
    ]
    return [Judgment(Label(labels[-1]) if labels else Label.NEUTRAL) for labels in said]


def test_the_measure_tells_a_gullible_checker_from_a_steadfast_one():
    trusting = report(gullible, None)["all"]
    steadfast = report(lambda pairs: [Judgment(Label.NEUTRAL)] * len(pairs), None)["all"]
    assert trusting["reached"] > trusting["trials"] / 3
    assert (trusting["changed_by_harmless_text"], steadfast["changed"], steadfast["reached"]) == (0, 0, 0)


def test_the_report_has_a_table_and_the_extraction():
    def extract(records):
        return LLMExtractor(Scripted(lambda request: '[["The Eiffel Tower", "stands in", "Paris"]]'))(records)

    result = report(gullible, extract)
    assert result["extraction"]["missing"] == 0
    assert "| in the reference |" in markdown(result | {"command": "x"})


def test_bases_differ():
    assert {base.label for base in bases()} == {Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION}
    assert isinstance(BASE, Base)


def test_a_sample_has_every_kind_and_says_so():
    whole, sample = report(gullible, None), report(gullible, None, every=4)
    assert sample["texts"] < whole["texts"] / 3
    assert sample["groups"].keys() == whole["groups"].keys()
