"""The made items: grammar by table, and what holds for every seed."""

import itertools
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from tokenizers import Tokenizer

import refchecker
from refchecker.errors import UsageError
from refchecker.suites.imaginary.grammar import Clause, sentence, word_list
from refchecker.suites.imaginary.make import (
    CONSTRUCTIONS,
    PLURAL,
    SETS,
    Statement,
    golds,
    made_up_names,
    make,
    triplet,
)

PER_CELL = 300


@pytest.fixture(scope="module", params=[0, 7])
def items(request):
    return make(request.param, PER_CELL, SETS, CONSTRUCTIONS)


CLAUSES = {
    "be, present": Clause("Oslo", "be", "in Norway"),
    "be, past": Clause("Emma", "be", "written by Jane Austen", past=True),
    "be, plural": Clause("the stories", "be", "told by Hergé", past=True, plural=True),
    "verb, present": Clause("the Nile", "flow", "into the sea"),
    "verb, past": Clause("Jane Austen", "write", "Emma", past=True),
    "verb, plural": Clause("people in Japan", "pay", "with the yen", plural=True),
    "have": Clause("France", "have", "Paris as its capital"),
}


@pytest.mark.parametrize(
    ("name", "form", "expected"),
    [
        ("be, present", "vp", "is in Norway"),
        ("be, past", "vp", "was written by Jane Austen"),
        ("be, plural", "vp", "were told by Hergé"),
        ("verb, present", "vp", "flows into the sea"),
        ("verb, plural", "vp", "pay with the yen"),
        ("be, past", "not", "was not written by Jane Austen"),
        ("verb, present", "not", "does not flow into the sea"),
        ("verb, past", "not", "did not write Emma"),
        ("verb, plural", "not", "do not pay with the yen"),
        ("have", "not", "does not have Paris as its capital"),
        ("be, plural", "nt", "weren't told by Hergé"),
        ("verb, past", "nt", "didn't write Emma"),
        ("be, present", "never", "has never been in Norway"),
        ("be, past", "never", "was never written by Jane Austen"),
        ("verb, past", "never", "never wrote Emma"),
        ("verb, plural", "never", "have never paid with the yen"),
        ("verb, past", "atno", "did Jane Austen write Emma"),
        ("be, plural", "atno", "were the stories told by Hergé"),
        ("have", "atno", "has France had Paris as its capital"),
        ("verb, present", "bare", "flow into the sea"),
        ("be, past", "bare", "have been written by Jane Austen"),
        ("be, present", "hyp", "were in Norway"),
        ("verb, present", "hyp", "flowed into the sea"),
        ("verb, past", "hyp", "had written Emma"),
        ("have", "hyp", "had Paris as its capital"),
        ("be, present", "inverted", "were Oslo in Norway"),
        ("verb, present", "inverted", "were the Nile to flow into the sea"),
        ("be, past", "inverted", "had Emma been written by Jane Austen"),
        ("verb, plural", "is", "are"),
    ],
)
def test_forms(name, form, expected):
    assert CLAUSES[name].forms()[form] == expected


def test_every_verb_of_the_lists_has_its_forms():
    said = [wording for relation in word_list("facts") for wording in relation["say"]]
    circumstances = [
        text for theme in word_list("themes").values() for texts in theme.values() for text in texts
    ]
    used = {text.split(" | ")[1] for text in said + circumstances}
    assert used == set(word_list("verbs"))


def test_every_relation_has_its_theme_and_every_kind_of_name_a_pattern():
    patterns = word_list("names")["patterns"]
    for relation in word_list("facts"):
        assert relation["theme"] in word_list("themes")
        assert set(relation["made_up"].values()) <= set(patterns)
        assert relation["tense"] in ("present", "past")
        assert len({subject for subject, _ in relation["facts"]}) == len(relation["facts"])


def test_there_are_at_least_twelve_ways_to_say_each_construction():
    for construction in CONSTRUCTIONS:
        frames = word_list("frames")[construction]
        assert len({*frames["plain"], *frames["other"]}) >= 12


def test_each_cell_has_its_items(items):
    cells = Counter((item.fields["set"], item.fields["construction"]) for item in items)
    assert cells == {(each, construction): PER_CELL for each in SETS for construction in CONSTRUCTIONS}


def test_no_two_items_are_the_same(items):
    assert len({(item.fields["context"], item.fields["question"]) for item in items}) == len(items)
    assert len({item.id for item in items}) == len(items)


def test_the_first_items_are_one_of_each_cell(items):
    first = items[: len(SETS) * len(CONSTRUCTIONS)]
    assert len({(item.fields["set"], item.fields["construction"]) for item in first}) == len(first)


def test_every_frame_and_many_relations_are_used(items):
    for construction in CONSTRUCTIONS:
        frames = word_list("frames")[construction]
        used = Counter(i.fields["frame"] for i in items if i.fields["construction"] == construction)
        assert set(used) == {*frames["plain"], *frames["other"]}
    assert {item.fields["relation"] for item in items} == {
        relation["relation"] for relation in word_list("facts")
    }


def test_contexts_are_written_out_whole(items):
    for item in items:
        context = item.fields["context"]
        assert not re.search(r"[{}|]|\(plural\)|  | ,|\b(an? an?|the the)\b", context), context
        assert context[0] == context[0].upper()
        assert context.endswith(".")
        assert item.fields["question"].endswith("?")
        assert not re.search(r"(^A|\ba) [aeiou]|(^An|\ban) [^aeiouE]", context), context


def test_only_affirmative_items_have_answers_and_these_are_words_of_the_text(items):
    for item in items:
        answers = item.fields["answers"]
        assert bool(answers) == (item.fields["construction"] == "affirmative")
        assert item.fields["answer"] in answers or not answers
        for answer in answers:
            assert answer.casefold() in item.fields["context"].casefold()


def test_the_claim_is_the_statement_that_question_and_answer_make(items):
    for item in items:
        fields = item.fields
        assert fields["answer"].casefold() in fields["claim"].casefold()
        assert fields["answer"] not in fields["question"]
        assert sentence(" ".join(fields["triplet"])) + "." == fields["claim"]


def test_supported_items_say_a_listed_fact_and_contradicting_ones_none(items):
    facts = {(r["relation"], s, o.removesuffix(PLURAL)) for r in word_list("facts") for s, o in r["facts"]}
    for item in items:
        relation, subject = item.group.split("/", 1)
        fact = (relation, subject, item.fields["answer"])
        if item.fields["set"] == "supported":
            assert fact in facts
        if item.fields["set"] == "contradicting":
            assert fact not in facts
            assert (relation, subject, item.fields["truth"]) in facts
            assert subject in item.fields["context"] or sentence(subject) in item.fields["context"]


def test_the_three_sets_differ_in_names_only(items):
    by_number = {}
    for item in items:
        each, construction, number = item.id.split("/")
        by_number.setdefault((construction, number), {})[each] = item.fields
    for cell in by_number.values():
        assert len({fields["frame"] for fields in cell.values()}) == 1
        assert cell["supported"]["question"] == cell["contradicting"]["question"]
        assert cell["imaginary"]["question"] != cell["supported"]["question"]


def test_made_up_names_are_no_words():
    """A word that a tokenizer of English keeps whole is in use somewhere; all that can be made are tried."""
    path = Path(refchecker.__file__).parent / "models" / "embedded" / "tokenizer.json"
    vocabulary = Tokenizer.from_file(str(path)).get_vocab()
    lists = word_list("names")
    parts = itertools.product(lists["heads"], ["", *lists["middles"]], lists["tails"])
    known = {name for name in map("".join, parts) if name.lower() in vocabulary}
    assert known <= set(lists["avoid"])


def test_made_up_names_do_not_come_twice():
    names = list(itertools.islice(made_up_names(random.Random(0)), 5000))
    assert len(set(names)) == 5000
    assert not set(names) & set(word_list("names")["avoid"])


def test_imaginary_items_name_nothing_of_the_fact_lists(items):
    kept = {r["relation"] for r in word_list("facts") if "o" not in r["made_up"]}
    for item in items:
        if item.fields["set"] == "imaginary":
            relation, subject = item.group.split("/", 1)
            assert not re.search(rf"\b{re.escape(subject)}\b", item.fields["context"])
            if relation not in kept:
                assert item.fields["truth"] != item.fields["answer"]


def test_the_same_seed_makes_the_same_items_and_another_one_others():
    assert make(3, 20, SETS, CONSTRUCTIONS) == make(3, 20, SETS, CONSTRUCTIONS)
    assert make(3, 20, SETS, CONSTRUCTIONS) != make(4, 20, SETS, CONSTRUCTIONS)


def test_fewer_cells_are_the_same_items():
    chosen = make(0, 5, ["imaginary"], ["modal"])
    whole = {item.id: item for item in make(0, 5, SETS, CONSTRUCTIONS)}
    assert chosen == [whole[item.id] for item in chosen]
    assert len(chosen) == 5


def test_every_statement_there_is():
    most = sum(len(r["facts"]) * len(r["say"]) for r in word_list("facts"))
    items = make(0, most, ["supported"], ["affirmative", "modal"])
    assert len({item.fields["context"] for item in items}) == 2 * most
    with pytest.raises(UsageError, match=f"--per_cell {most + 1}: the word lists hold {most} statements"):
        make(0, most + 1, ["supported"], ["modal"])


@pytest.mark.parametrize(
    ("clause", "answer", "expected"),
    [
        pytest.param(
            Clause("the Nile", "flow", "into the Black Sea"),
            "the Black Sea",
            ["the Nile flows into the Black Sea", "into the Black Sea", "the Black Sea", "Black Sea"],
            id="preposition and article",
        ),
        pytest.param(
            Clause("Jane Austen", "write", "Emma", past=True),
            "Jane Austen",
            ["Jane Austen wrote Emma", "Jane Austen"],
            id="the answer is the subject",
        ),
        pytest.param(
            Clause("the bat", "be", "a mammal"),
            "a mammal",
            ["the bat is a mammal", "a mammal", "mammal"],
            id="noun",
        ),
    ],
)
def test_golds(clause, answer, expected):
    assert golds(clause, answer, sentence(f"{clause.subject} {clause.finite}.")) == expected


@pytest.mark.parametrize(
    ("clause", "obj", "subject", "expected"),
    [
        (CLAUSES["verb, present"], "the sea", "the Nile", ("the Nile", "flows into", "the sea")),
        (CLAUSES["have"], "Paris", "France", ("France", "has", "Paris as its capital")),
        (CLAUSES["verb, past"], "Jane Austen", "Emma", ("Jane Austen", "wrote", "Emma")),
    ],
)
def test_triplet(clause, obj, subject, expected):
    assert triplet(clause, obj, subject) == expected


def test_a_plural_object_as_subject_takes_a_plural_verb():
    relation = next(r for r in word_list("facts") if r["relation"] == "gland")
    statement = Statement(relation, "urine", "the kidneys (plural)", relation["say"][1])
    clause, question = statement.with_names("urine", "the kidneys (plural)")
    assert (clause.subject, clause.finite) == ("the kidneys", "produce urine")
    assert question == "Which organ produces urine?"
