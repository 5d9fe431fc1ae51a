"""The published files' two forms, and what is said of broken ones."""

import json
from pathlib import Path

import pytest

from refchecker.errors import UsageError
from refchecker.extractor.sentence import SentenceExtractor
from refchecker.registry import load as component
from refchecker.suites.imaginary.files import load, read
from refchecker.suites.imaginary.make import CONSTRUCTIONS, SETS

QUESTION = "Where is Zorg buried?"
AFFIRMATIVE = "Zorg is buried in Lurn."
MODAL = "Zorg might be buried in Lurn."


def as_json(rows):
    """(id, context, question, answers) in the form of SQuAD 2.0, as it is published."""
    return json.dumps({"data": [entry(*row) for row in rows]}, indent=4)


def entry(name, context, question, answers):
    texts = [{"text": answer} for answer in answers]
    qas = [{"question": question, "id": name, "answers": texts, "is_impossible": not answers}]
    return {"title": "None", "paragraphs": [{"context": context, "qas": qas}]}


def as_table(rows):
    lines = ["id\ttext\tquestion\tcorrect answer"]
    lines += [
        "\t".join([name, text, question, ";".join(answers) or "..."])
        for name, text, question, answers in rows
    ]
    return "\n".join(lines)


ASSERTED = ("7", AFFIRMATIVE, QUESTION, ["in Lurn", "Lurn"])
SUPPOSED = ("7", MODAL, QUESTION, [])


def folder_of(tmp_path: Path, **texts: str) -> Path:
    for name, text in texts.items():
        stem, _, ending = name.rpartition("__")
        (tmp_path / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    return tmp_path


def loaded(folder, sets=SETS, constructions=CONSTRUCTIONS):
    return load(folder, sets, constructions, SentenceExtractor())


@pytest.mark.parametrize("ending", ["json", "txt"])
def test_both_forms_load_alike(tmp_path, ending):
    write = as_json if ending == "json" else as_table
    texts = {
        f"imaginary_affirmative__{ending}": write([ASSERTED]),
        f"imaginary_modal__{ending}": write([SUPPOSED]),
    }
    prepared = loaded(folder_of(tmp_path, **texts))
    asserted, supposed = prepared.items
    assert (asserted.id, supposed.id) == ("imaginary/affirmative/7", "imaginary/modal/7")
    assert asserted.group == supposed.group == "imaginary/7"
    assert asserted.fields["answers"] == ["in Lurn", "Lurn"]
    assert supposed.fields["answers"] == []
    assert supposed.fields["context"] == MODAL
    assert supposed.fields["claim"] == AFFIRMATIVE
    assert supposed.fields["answer"] == "Lurn"
    assert supposed.fields["triplet"] == ["Zorg", "is", "buried in Lurn"]
    assert set(prepared.sources["files"]) == {f"imaginary_affirmative.{ending}", f"imaginary_modal.{ending}"}
    assert list(prepared.notes) == [
        "no files here of the set supported",
        "no files here of the set contradicting",
    ]


@pytest.mark.parametrize(
    ("file_name", "construction"),
    [
        ("neg", "negation"),
        ("non_factives", "unlikely"),
        ("modal", "modal"),
        ("if_clause", "if_clause"),
        ("would_clause", "would_clause"),
    ],
)
@pytest.mark.parametrize("each", SETS)
def test_every_published_name_is_known(tmp_path, each, file_name, construction):
    texts = {
        f"{each}_affirmative__json": as_json([ASSERTED]),
        f"{each}_{file_name}__json": as_json([SUPPOSED]),
    }
    items = loaded(folder_of(tmp_path, **texts), constructions=[construction]).items
    assert [item.id for item in items] == [f"{each}/{construction}/7"]


def test_the_extractors_triplet_is_taken_where_it_holds_the_whole_statement(tmp_path):
    rows = [
        ("0", "Zorg wrote The Lurn Papers.", "Who wrote The Lurn Papers?", ["Zorg"]),
        ("1", "In 2012 Zorg was married to Lurn.", "Who was Zorg married to in 2012?", ["Lurn"]),
        ("2", "The Lurn team went home in 1983.", "When did the Lurn team go home?", ["1983"]),
    ]
    folder = folder_of(tmp_path, supported_affirmative__txt=as_table(rows))
    items = load(folder, SETS, CONSTRUCTIONS, component("extractor", "spacy")).items
    assert items[0].fields["triplet"] == ["Zorg", "wrote", "The Lurn Papers"]
    assert items[1].fields["triplet"] == ["In 2012 Zorg", "was", "married to Lurn"]
    assert items[2].fields["triplet"] is None or "1983" in " ".join(items[2].fields["triplet"])


HEAD = "id\ttext\tquestion\tcorrect answer\n"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        pytest.param(
            "s_affirmative.txt", HEAD + "0\tOnly two", "line 2: found 2 cells, expected 4", id="cells"
        ),
        pytest.param(
            "s_affirmative.txt", HEAD + "0\tA.\tB?\t...", "line 2: item '0' is affirmative", id="no answer"
        ),
        pytest.param(
            "s_modal.txt", HEAD + "\n0\tA.\tB?\tC", "line 3: item '0' has an answer", id="an answer"
        ),
        pytest.param("s_modal.txt", HEAD + "0\t \tB?\t...", "line 2: item '0' has no text", id="no text"),
        pytest.param(
            "s_modal.txt", HEAD + "0\tA.\t\t...", "line 2: item '0' has no question", id="no question"
        ),
        pytest.param(
            "s_modal.txt",
            HEAD + "0\tA.\tB?\t...\n0\tA.\tB?\t...",
            "line 3: the id '0' is also at",
            id="id twice",
        ),
        pytest.param("s_modal.json", '{"data": [\n}', "line 2: not JSON", id="not JSON"),
        pytest.param(
            "s_modal.json", "[]", 'line 1: expected an object with a list under "data"', id="a list"
        ),
        pytest.param(
            "s_modal.json",
            json.dumps({"data": [entry("0", "A.", "B?", []), {"title": "None"}]}, indent=1),
            "line 19: KeyError 'paragraphs'; expected",
            id="no paragraphs",
        ),
        pytest.param(
            "s_modal.json",
            '{"data": [\n' + json.dumps(entry("0", 5, "B?", [])) + "]}",
            "line 2: TypeError found int where a text must be",
            id="a number",
        ),
        pytest.param(
            "s_modal.json",
            json.dumps({"data": [entry("0", "A.", "B?", [])]}).replace("true", "false"),
            "line 1: item '0' has 0 answers and is_impossible False",
            id="neither",
        ),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path} {says}")


def test_an_id_without_affirmative_text(tmp_path):
    other = ("8", MODAL, QUESTION, [])
    folder = folder_of(
        tmp_path, imaginary_affirmative__json=as_json([ASSERTED]), imaginary_modal__txt=as_table([other])
    )
    with pytest.raises(UsageError, match=r"imaginary_modal.txt line 2: the affirmative file .* id '8'"):
        loaded(folder)


def test_an_id_that_asks_something_else_is_noted(tmp_path):
    other = ("7", MODAL, "Who is buried in Lurn?", [])
    folder = folder_of(
        tmp_path, imaginary_affirmative__json=as_json([ASSERTED]), imaginary_modal__txt=as_table([other])
    )
    prepared = loaded(folder, ["imaginary"])
    assert prepared.items[1].fields["question"] == "Who is buried in Lurn?"
    assert prepared.notes == [
        f"{folder / 'imaginary_modal.txt'} line 2: item '7' does not ask what the affirmative one asks"
    ]


def test_a_set_without_its_affirmative_file(tmp_path):
    folder = folder_of(tmp_path, imaginary_modal__json=as_json([SUPPOSED]))
    with pytest.raises(UsageError, match=r"imaginary_affirmative.json is missing"):
        loaded(folder)


def test_a_folder_without_files(tmp_path):
    with pytest.raises(UsageError, match=r"no file of the published sets is here.*supported, .*non_factives"):
        loaded(tmp_path)
