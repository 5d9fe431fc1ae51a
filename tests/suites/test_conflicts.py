"""The data of the conflicts suite: entities, named entities, edits and their filters, what a model writes."""

import json
import re
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.cli import main
from refchecker.errors import LLMError, UsageError
from refchecker.llms.types import Reply
from refchecker.suites import find
from refchecker.suites.conflicts import SUITE, suite, writing
from refchecker.suites.conflicts.edits import METHODS, Mention, edited, fault, mentions_of
from refchecker.suites.conflicts.entities import Entity, chosen, load, ours
from refchecker.suites.conflicts.make import make, unique
from refchecker.suites.conflicts.recognise import recognise
from refchecker.suites.conflicts.units import ANSWERS, CONTEXT, SPAN, all_units, units_of

OSLO = Entity(
    "Places",
    "towns",
    "Oslo",
    "Oslo was founded by Harald in 1049. Its bridge was built in 1901.",
    "In 1049 Harald founded Oslo; the bridge is of 1901.",
    (
        ("Which town did Harald found?", "Oslo"),
        ("Who founded the town?", "Harald"),
        ("In which year was the town founded?", "1049"),
        ("In which year was the bridge built?", "1901"),
    ),
)
LIMA = Entity(
    "Places",
    "towns",
    "Lima",
    "Lima was founded by Pizarro in 1535. Its park was opened in 1872.",
    questions=(("Who founded the town?", "Pizarro"), ("In which year was the town founded?", "1535")),
)
WORDS = {
    "Harald": "PERSON",
    "Pizarro": "PERSON",
    "1049": "DATE",
    "1901": "DATE",
    "1535": "DATE",
    "1872": "DATE",
}


def by_list(text):
    """A recogniser that knows the words of WORDS, whatever stands around them."""
    found = [
        Mention(word, label, text.find(word), text.find(word) + len(word)) for word, label in WORDS.items()
    ]
    return sorted((mention for mention in found if mention.start >= 0), key=lambda mention: mention.start)


def made(entities=(OSLO, LIMA), method="both", substitutions=1, seed=0, see=by_list):
    return make(list(entities), list(entities), see, method=method, substitutions=substitutions, seed=seed)


# -- our entities --------------------------------------------------------------------------------


def test_our_entities_are_many_and_complete():
    known = ours()
    fields = {(entity.domain, entity.field) for entity in known}
    assert len({entity.domain for entity in known}) >= 10
    assert min(Counter(domain for domain, _ in fields).values()) >= 3
    assert min(Counter((e.domain, e.field) for e in known).values()) >= 3
    assert len({entity.passage for entity in known}) == len(known)
    for entity in known:
        assert entity.name in entity.passage
        assert entity.name in entity.restated or entity.name in ("cell nucleus",), entity.id
        assert entity.questions[0][1] == entity.name
        for question, answer in entity.questions:
            assert answer.casefold() not in question.casefold(), (entity.id, question)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 2: Expecting"),
        ("[]", "line 2: not an object"),
        ('{"domain": "D", "field": "F"}', "line 2: 'entity' is not a text"),
        ('{"domain": "", "field": "F", "entity": "E"}', "line 2: 'domain' is not a text"),
        ('{"domain": "D", "field": "F", "entity": "E", "passage": 5}', "'passage' is not a text"),
        ('{"domain": "D", "field": "F", "entity": "E", "questions": ["Who?"]}', "no list of"),
        (
            '{"domain": "D", "field": "F", "entity": "E", "passage": "E is.", "questions": [["Who?", "Z"]]}',
            "'Z' to 'Who?' is not in the passage",
        ),
        ('{"domain": "D", "field": "F", "entity": "A"}', "stands on line 1 too"),
    ],
    ids=lambda value: value[:24],
)
def test_a_bad_line_is_named_with_its_number(tmp_path, line, says):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"domain": "D", "field": "F", "entity": "A"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.jsonl") as raised:
        load(path)
    assert says in str(raised.value)


def test_a_file_that_is_missing_or_empty(tmp_path):
    with pytest.raises(UsageError, match="--entities"):
        load(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UsageError, match="no entities"):
        load(tmp_path / "empty.jsonl")


def test_entities_are_chosen_by_domain_field_and_number():
    known = ours()
    assert {e.domain for e in chosen(known, ["Art", "Music"], None, None)} == {"Art", "Music"}
    assert Counter(e.domain for e in chosen(known, [], None, 1)) == Counter({e.domain: 1 for e in known})
    assert set(Counter((e.domain, e.field) for e in chosen(known, [], 2, None)).values()) == {2}
    with pytest.raises(UsageError, match="Astronomy"):
        chosen(known, ["Astrology"], None, None)


# -- edits ---------------------------------------------------------------------------------------


def test_a_substitution_replaces_one_entity_by_one_of_its_kind_and_sort():
    pairs = made(method="substitution", substitutions=9).pairs
    by_original = {pair.original: pair for pair in pairs if pair.entity is OSLO}
    assert by_original["Harald"].substitute == "Pizarro"
    assert by_original["Harald"].conflicting == OSLO.passage.replace("Harald", "Pizarro")
    assert by_original["Harald"].kind == "person"
    assert by_original["1049"].substitute in ("1535",)
    assert by_original["1049"].about == "In which year was the town founded?"
    assert all("1049" not in pair.other for pair in pairs)


def test_shuffling_replaces_the_subject():
    [oslo, lima] = made(method="shuffling").pairs
    assert oslo.conflicting == OSLO.passage.replace("Oslo", "Lima")
    assert (oslo.kind, oslo.about) == ("subject", "Which town did Harald found?")
    assert oslo.other
    assert (lima.about, lima.other) == ("", "")


def test_the_papers_way_shuffles_only_what_has_no_substitution():
    bare = Entity("Places", "towns", "Rome", "Rome is large.")
    methods = {(pair.entity.name, pair.method) for pair in made([OSLO, LIMA, bare], "paper").pairs}
    assert methods == {("Oslo", "substitution"), ("Lima", "substitution"), ("Rome", "shuffling")}


@given(st.integers(0, 50), st.sampled_from([*METHODS, "both", "paper"]), st.integers(1, 4))
def test_places_cut_out_what_was_edited(seed, method, substitutions):
    result = made(method=method, substitutions=substitutions, seed=seed)
    assert result.pairs == made(method=method, substitutions=substitutions, seed=seed).pairs
    assert list(unique(result.pairs)) == result.pairs
    for pair in result.pairs:
        for (start, end), (old, stop) in zip(pair.edits, pair.originals, strict=True):
            assert pair.conflicting[start:end] == pair.substitute
            assert pair.entity.passage[old:stop] == pair.original
        assert pair.conflicting.replace(pair.substitute, pair.original) == pair.entity.passage


@pytest.mark.parametrize(
    ("passage", "original", "substitute", "says"),
    [
        ("Anna Berg lived here. Berg died.", "Anna Berg", "Ida Holm", "still says a part of the original"),
        ("It fell in 1901.", "1901", "the 12th century", "written in another way"),
        ("It fell in 1901.", "1901", "two years", "written in another way"),
        ("Anna Berg met Ida Holm.", "Anna Berg", "Ida Holm", "says a part of the substitute"),
        ("Anna Berg sang.", "Anna Berg", "Otto Berg", "shares a word"),
        ("Anna Berg sang.", "Lena", "Otto", "does not name it"),
        ("Anna Berg sang.", "Anna Berg", "Otto Holm", ""),
    ],
)
def test_edits_that_make_no_clear_conflict(passage, original, substitute, says):
    pair = edited(Entity("D", "F", "E", passage), "substitution", "person", original, substitute)
    assert says in fault(pair) if says else fault(pair) == ""


def test_what_is_put_in_may_come_from_entities_that_are_not_edited():
    result = make([OSLO], [OSLO, LIMA], by_list, method="both", substitutions=1, seed=0)
    assert {pair.entity.name for pair in result.pairs} == {"Oslo"}
    assert len(result.pairs) == 2


def test_what_could_not_be_edited_is_counted_with_the_reason():
    bare = Entity("Nowhere", "towns", "Rome", "Rome is large.")
    alone = Entity("Alone", "towns", "Bonn", "Bonn was founded by Harald.")
    result = made([bare, alone])
    assert result.pairs == []
    assert result.without == {
        "substitution: no named entity of the six kinds": 1,
        "substitution: no other entity of its kind in the domain": 1,
        "shuffling: no other subject in the domain": 2,
    }


def test_a_substitute_that_is_seen_as_something_else_is_dropped():
    def one_sided(text):
        return [m for m in by_list(text) if not (m.text == "Pizarro" and "Oslo" in text)]

    result = made(method="substitution", substitutions=9, see=one_sided)
    assert all(pair.substitute != "Pizarro" for pair in result.pairs)
    assert result.dropped["the pipeline takes it for no entity of that kind there"] == 1


def test_the_small_pipeline_finds_the_six_kinds():
    entity = Entity(
        "D", "F", "Kilda", "Kilda was visited by Anna Berg in 1901, from Norway, with three ships."
    )
    found = {(mention.text, mention.label) for mention in mentions_of(entity, recognise)}
    assert {("Anna Berg", "PERSON"), ("1901", "DATE"), ("Norway", "GPE"), ("three", "CARDINAL")} <= found
    own = Entity("D", "F", "Anna Berg", "Anna Berg came in 1901.")
    assert [mention.text for mention in mentions_of(own, recognise)] == ["1901"]


# -- what a model writes -------------------------------------------------------------------------


class Model:
    """An Ask whose replies a function makes; None is a request that failed."""

    signature = "model"

    def __init__(self, reply):
        self.reply, self.requests = reply, []

    def __call__(self, requests):
        self.requests += requests
        replies = [self.reply(request.user) for request in requests]
        return [LLMError("down") if reply is None else Reply(reply) for reply in replies]


def test_a_model_names_domains_fields_and_entities():
    def reply(user):
        if "different domains" in user:
            return "1. Physics\n2. Art\n3. Law"
        if "different fields" in user:
            return "- Optics\n- Heat" if "Physics" in user else None
        return "Laser\nPrism" if "Optics" in user else "laser\nBoiler"

    dropped = Counter()
    found = writing.list_entities(Model(reply), [2, 2, 2], dropped)
    assert [entity.id for entity in found] == [
        "Physics/Optics/Laser",
        "Physics/Optics/Prism",
        "Physics/Heat/Boiler",
    ]
    assert dropped["an entity that was named before"] == 1
    assert dropped["a list of fields that did not come"] == 1
    with pytest.raises(UsageError, match="named no entities"):
        writing.list_entities(Model(lambda user: None), [1, 1, 1], Counter())


def test_passages_are_elicited_and_unusable_ones_counted():
    long = "**Oslo** is a town that was founded by Harald in the year 1049, they say. And then"
    replies = {"Oslo": long, "Lima": "Sorry.", "Rome": None}
    model = Model(lambda user: next(reply for name, reply in replies.items() if name in user))
    dropped = Counter()
    rome = Entity("Places", "towns", "Rome")
    [oslo] = writing.elicited(model, [OSLO, LIMA, rome], dropped)
    assert oslo.passage == "Oslo is a town that was founded by Harald in the year 1049, they say."
    assert (oslo.restated, oslo.questions) == ("", ())
    assert dropped == {
        "a passage: fewer than 12 words in whole sentences": 1,
        "a passage: no reply": 1,
    }


def test_questions_that_say_the_answer_are_dropped():
    [pair] = made(method="substitution").pairs[:1]

    def reply(user):
        return f"Is it {pair.substitute}?" if "only right answer" in user else "Where is it?"

    dropped = Counter()
    [asked] = writing.with_questions(Model(reply), [pair], dropped)
    assert (asked.about, asked.other) == ("", "")
    assert dropped.total() == 1
    [asked] = writing.with_questions(Model(lambda user: "Question: Where is it?"), [pair], dropped)
    assert (asked.about, asked.other) == ("Where is it?", "Where is it?")


# -- prepare -------------------------------------------------------------------------------------


def test_prepare_works_offline_for_ten_domains(tmp_path):
    assert find("conflicts") is SUITE
    assert (
        main(["bench", "prepare", "conflicts", "--folder", str(tmp_path), "--per_domain", "3", "--quiet"])
        == 0
    )
    lines = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text("utf-8").splitlines()]
    assert len({line["domain"] for line in lines}) >= 10
    assert len({line["conflicting"] for line in lines}) == len(lines)
    assert {line["method"] for line in lines} == {"substitution", "shuffling"}
    for line in lines:
        assert [line["conflicting"][a:b].casefold() for a, b in line["edits"]] == [
            line["substitute"].casefold()
        ] * len(line["edits"])
    sources = json.loads((tmp_path / "prepare.json").read_text("utf-8"))["sources"]["made"]
    assert sum(sources["by domain"].values()) == len(lines)
    assert sources["edits tried and dropped"]


def test_prepare_says_what_is_lacking(tmp_path):
    tools = SimpleNamespace(has_llm=False, tell=print)
    with pytest.raises(UsageError, match="--list needs the --llm"):
        SUITE.prepare(SUITE.prepare_options(list=(1, 1, 1)), tools)
    path = tmp_path / "names.jsonl"
    path.write_text('{"domain": "D", "field": "F", "entity": "Oslo"}\n')
    with pytest.raises(UsageError, match=r"D/F/Oslo has no passage\. Give --llm"):
        SUITE.prepare(SUITE.prepare_options(entities=str(path)), tools)
    path.write_text('{"domain": "D", "field": "F", "entity": "Oslo", "passage": "Oslo is large."}\n')
    with pytest.raises(UsageError, match="no pair could be made"):
        SUITE.prepare(SUITE.prepare_options(entities=str(path)), tools)


def test_prepare_with_a_model_takes_its_passages_and_questions():
    years = iter(range(1901, 1999))

    def reply(user):
        if told := re.match(r"Tell me about (.+) \(", user):
            return f"{told[1]} is large and old, and Anna Berg visited it with her family in {next(years)}."
        return "Who came to see it?"

    tools = SimpleNamespace(has_llm=True, llm=lambda: Model(reply), tell=print)
    prepared = SUITE.prepare(SUITE.prepare_options(domains=("Geography",), per_field=1), tools)
    assert {item.fields["about"] for item in prepared.items} == {"Who came to see it?"}
    assert all("visited it" in item.fields["parametric"] for item in prepared.items)
    assert {item.fields["kind"] for item in prepared.items} == {"date", "subject"}
    assert prepared.sources["made"]["passages"] == "elicited from model"


# -- units ---------------------------------------------------------------------------------------


def items_of(**given):
    return suite.items_of(made(**given).pairs)


def test_units_of_the_three_tasks():
    [item] = [item for item in items_of(method="shuffling") if item.fields["entity"] == "Oslo"]
    assert [unit.conflict for unit in units_of(item, CONTEXT)] == [False, True]
    asked = [(unit.context == item.fields["conflicting"], unit.conflict) for unit in units_of(item, SPAN)]
    assert asked == [(False, False), (False, False), (True, True), (True, False)]
    assert [unit.context for unit in units_of(item, ANSWERS)] == [item.fields["conflicting"]]


def test_pairs_of_an_entity_share_its_unedited_passage():
    pairs = items_of()
    assert len(pairs) == 4
    assert len(list(all_units(pairs, CONTEXT))) == 2 + 4


def test_without_questions_only_the_first_task_is_asked():
    [item] = [item for item in items_of(method="shuffling") if item.fields["entity"] == "Lima"]
    assert [len(list(units_of(item, task))) for task in (CONTEXT, SPAN, ANSWERS)] == [2, 0, 0]
