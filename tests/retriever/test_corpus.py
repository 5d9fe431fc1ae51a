"""A corpus of one's own: what is read of which files, that passages point into them, what stays indexed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refchecker.errors import UsageError
from refchecker.registry import load
from refchecker.retriever.corpus import CorpusRetriever, index
from refchecker.retriever.corpus.readers import KINDS, Passed, documents, files_below
from refchecker.types import Passage, Record

TOWER = "The Eiffel tower opened in 1889. It stands in Paris."


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def all_of(root: Path, field: str | None = None) -> list[Passage | Passed]:
    files, passed = files_below(root)
    return [*passed, *(found for file in files for found in documents(file, field))]


def pdf_of(pages: list[str], password: str = "") -> bytes:
    """A PDF with a line of text per page, written by hand."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def encrypted(data: bytes) -> bytes:
    import io

    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


PAGE = f"<html><head><title>Towers</title></head><body><nav>Home</nav><p>{TOWER}</p></body></html>"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        pytest.param("a.txt", TOWER, [Passage(TOWER, "a.txt")], id="text"),
        pytest.param("a.TXT", "x\r\ny", [Passage("x\r\ny", "a.TXT")], id="line ends stay"),
        pytest.param("a.txt", "\ufeffx", [Passage("x", "a.txt")], id="byte order mark"),
        pytest.param("a.txt", "été".encode("utf-16"), [Passage("été", "a.txt")], id="UTF-16"),
        pytest.param("a.txt.gz", gzip.compress(b"x"), [Passage("x", "a.txt.gz")], id="gzip"),
        pytest.param(
            "d/a.md",
            "# Big *towers* #\nx",
            [Passage("# Big *towers* #\nx", "d/a.md", title="Big *towers*")],
            id="markdown",
        ),
        pytest.param("a.html", PAGE, [Passage(f"Home\n{TOWER}", "a.html", title="Towers")], id="HTML"),
        pytest.param(
            "a.jsonl",
            '{"id": 7, "title": "T", "text": "x"}\n\n{"id": "8", "text": "y"}\n{"text": " "}\n',
            [Passage("x", "a.jsonl#1", title="T", document="7"), Passage("y", "a.jsonl#3", document="8")],
            id="JSON Lines: line, id and title; rows without text are none",
        ),
        pytest.param(
            "a.jsonl", '{"content": "x"}', [Passage("x", "a.jsonl#1")], id="another name of the text"
        ),
        pytest.param(
            "a.json",
            '[\n{"text": "x"},\n{"text": "y"}]',
            [Passage("x", "a.json#2"), Passage("y", "a.json#3")],
            id="JSON array",
        ),
        pytest.param(
            "a.json", '{"setting": 1}', [Passed("a.json", "no JSON array of documents")], id="other JSON"
        ),
        pytest.param(
            "a.csv",
            'id,text\r\n7,"two\r\nlines"\r\n8,x\r\n',
            [Passage("two\r\nlines", "a.csv#2", document="7"), Passage("x", "a.csv#4", document="8")],
            id="CSV: a cell of two lines",
        ),
        pytest.param("a.tsv", "text\ttitle\nx, y\tT\n", [Passage("x, y", "a.tsv#2", title="T")], id="TSV"),
        pytest.param(
            "a.pdf",
            pdf_of(["One page", "", "Third"]),
            [Passage("One page", "a.pdf#1"), Passage("Third", "a.pdf#3")],
            id="PDF: its pages",
        ),
        pytest.param(
            "a.pdf", pdf_of([""]), [Passed("a.pdf", "a PDF without text, perhaps scanned")], id="scan"
        ),
        pytest.param(
            "a.pdf", encrypted(pdf_of(["x"])), [Passed("a.pdf", "a PDF with a password")], id="locked"
        ),
        pytest.param(
            "a.txt", b"\x89PNG\0\0", [Passed("a.txt", "no text in it, but other data")], id="binary"
        ),
        pytest.param("a.txt", " \n", [Passed("a.txt", "without text")], id="blank"),
        pytest.param("a.csv", "text\n", [Passed("a.csv", "without text")], id="no rows"),
        pytest.param("a.png", b"x", [Passed("a.png", "of a kind that is not read here")], id="unknown kind"),
        pytest.param(".a.txt", "x", [Passed(".a.txt", "hidden")], id="hidden file"),
        pytest.param(".git/a.txt", "x", [Passed(".git", "hidden")], id="hidden folder"),
        pytest.param(
            "a.txt.gz",
            b"no gzip",
            [Passed("a.txt.gz", "cannot be read (Not a gzipped file (b'no'))")],
            id="broken gzip",
        ),
    ],
)
def test_what_is_read(tmp_path: Path, name: str, content: str | bytes, expected: list[Any]) -> None:
    assert all_of(write(tmp_path, {name: content})) == expected


def test_a_broken_pdf_is_passed_over(tmp_path: Path) -> None:
    [found] = all_of(write(tmp_path, {"a.pdf": b"%PDF-1.4 nothing more"}))
    assert isinstance(found, Passed)
    assert found.where == "a.pdf"
    assert "broken" in found.why


@pytest.mark.parametrize(
    ("files", "field", "said"),
    [
        pytest.param(
            {"a.jsonl": '{"text": "x"}\n{"no": 1}'}, None, ["a.jsonl line 2", "'text'", "'no'"], id="row"
        ),
        pytest.param(
            {"a.jsonl": '{"no": 1}'}, None, ["a.jsonl line 1", "'no'", "--corpus_field"], id="no text"
        ),
        pytest.param(
            {"d/a.csv": "x,y\n1,2\n"}, "z", ["d/a.csv line 2", "'z'", "'x', 'y'"], id="field not there"
        ),
        pytest.param(
            {"a.jsonl": '{"text": ["x"]}'}, "text", ["a.jsonl line 1", "no text"], id="not a string"
        ),
        pytest.param(
            {"a.jsonl": '{"text": "x"}\n{"tex'}, None, ["a.jsonl line 2", "not JSON"], id="broken JSON"
        ),
        pytest.param({"a.jsonl": '"x"'}, None, ["a.jsonl line 1", "object"], id="no object"),
        pytest.param({"a.csv": b"text\n\xff\n"}, None, ["a.csv line", "UTF-8"], id="encoding"),
        pytest.param({"a.csv": 'text\n"x'}, None, ["a.csv line", "quotes"], id="open quote"),
    ],
)
def test_rows_that_cannot_be_read_end_it(
    tmp_path: Path, files: dict[str, str | bytes], field: str | None, said: list[str]
) -> None:
    corpus = write(tmp_path / "corpus", files)
    with pytest.raises(UsageError) as raised:
        CorpusRetriever(corpus, corpus_field=field, cache_dir=tmp_path)
    assert all(part in str(raised.value) for part in said)


@pytest.mark.parametrize(
    ("files", "path", "said"),
    [
        pytest.param({}, "none", ["no such file or folder", "--corpus"], id="missing"),
        pytest.param(
            {"a.png": b"x", ".b": b""},
            "",
            ["no file in it that can be read", "1 hidden"],
            id="nothing to read",
        ),
        pytest.param({"a.txt": " "}, "", ["no text in what is there", "without text (a.txt)"], id="no text"),
        pytest.param(
            {"a.exe": b"x"}, "a.exe", ["cannot tell from its name", ".jsonl"], id="one file of unknown kind"
        ),
    ],
)
def test_a_corpus_with_nothing_in_it(
    tmp_path: Path, files: dict[str, str | bytes], path: str, said: list[str]
) -> None:
    corpus = write(tmp_path / "corpus", files)
    corpus.mkdir(exist_ok=True)
    with pytest.raises(UsageError) as raised:
        CorpusRetriever(corpus / path, cache_dir=tmp_path)
    assert all(part in str(raised.value) for part in said)


def ask(retrieve: Callable[[Record], Any], question: str, response: str = "") -> list[str]:
    return [passage.source for passage in retrieve(Record("1", response, question))]


def test_a_corpus_is_asked(tmp_path: Path) -> None:
    corpus = write(
        tmp_path / "corpus",
        {
            "towers.md": f"# Towers\n\n{TOWER}\n",
            "rivers/r.jsonl": '{"id": "spree", "text": "Berlin lies on the Spree."}\n'
            '{"text": "The Rhine is long."}',
            "rivers/same.txt": "The Rhine  is long.",
            "n.csv": "title,text\nThe Spree,It is a river.\n",
        },
    )
    retrieve = load("retriever", "corpus", path=corpus, cache_dir=tmp_path, k=2)
    assert ask(retrieve, "When did the Eiffel tower open?") == ["towers.md"]
    assert ask(retrieve, "", "It was opened in Paris.") == ["towers.md"]
    assert ask(retrieve, "Spree?") == ["n.csv#2", "rivers/r.jsonl#1"]  # the title counts
    assert ask(retrieve, "How long is the Rhine") == ["rivers/r.jsonl#2"]  # the same words once
    assert ask(retrieve, "zebra") == []
    assert ask(retrieve, "") == []
    [found] = retrieve(Record("1", "", "Berlin"))
    assert (found.document, found.start, found.text) == ("spree", 0, "Berlin lies on the Spree.")
    assert load("retriever", f"corpus:{corpus}/towers.md", cache_dir=tmp_path)(Record("1", "Paris"))


WORDS = st.lists(
    st.sampled_from([*"abc", "é.", "\n", "\r\n\r\n", "東京。", "👩🏽!", "\ud800", "Dr. No."]), max_size=200
)


@settings(max_examples=20)
@given(WORDS.map(" ".join), st.integers(1, 12))
def test_passages_point_into_their_file(tmp_path_factory: Any, text: str, words: int) -> None:
    root = tmp_path_factory.mktemp("corpus")
    plain = text.replace("\ud800", "\ufffd")
    write(root / "c", {"a.txt": f"{plain} end", "b.jsonl": json.dumps({"text": f"{text} end"})})
    retrieve = CorpusRetriever(root / "c", cache_dir=root, k=100, max_words=words, overlap_words=words // 2)
    found = retrieve(Record("1", "a b c é 東京 no end"))
    assert found
    for passage in found:
        assert f"{plain} end"[passage.start : passage.start + len(passage.text)] == passage.text
    retrieve.close()


def opened(root: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[CorpusRetriever, list[str]]:
    """A retriever on root/c, and the files that were read for it."""
    read: list[str] = []
    plain = documents

    def noted(file: Any, field: str | None) -> Any:
        read.append(file.name)
        return plain(file, field)

    monkeypatch.setattr(index.readers, "documents", noted)
    return CorpusRetriever(root / "c", cache_dir=root, **options), read


def age(path: Path, seconds: float = 60) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_only_what_has_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write(tmp_path / "c", {"a.txt": "Ada wrote.", "b.txt": "Bob read.", "d.txt": "Dan left."})
    for path in corpus.iterdir():
        age(path)
    first, read = opened(tmp_path, monkeypatch)
    assert sorted(read) == ["a.txt", "b.txt", "d.txt"]
    again, read = opened(tmp_path, monkeypatch)
    assert read == []
    assert again.signature == first.signature
    write(corpus, {"b.txt": "Bob slept.", "e.txt": "Eve came."})
    (corpus / "d.txt").unlink()
    changed, read = opened(tmp_path, monkeypatch)
    assert sorted(read) == ["b.txt", "e.txt"]
    assert changed.signature != first.signature
    assert [ask(changed, name) for name in ("Ada", "slept", "read", "Dan", "Eve")] == [
        ["a.txt"], ["b.txt"], [], [], ["e.txt"],
    ]  # fmt: skip
    assert ask(first, "Bob read") == ["b.txt"]  # as it was when it was opened
    assert ask(first, "Dan") == ["d.txt"]
    os.utime(corpus / "a.txt")  # another time, the same content
    _, read = opened(tmp_path, monkeypatch)
    assert read == []


def test_a_change_within_the_same_tick_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = write(tmp_path / "c", {"a.txt": "Ada wrote."})
    stamp = (corpus / "a.txt").stat().st_mtime_ns
    opened(tmp_path, monkeypatch)
    write(corpus, {"a.txt": "Ada slept."})
    os.utime(corpus / "a.txt", ns=(stamp, stamp))
    retrieve, read = opened(tmp_path, monkeypatch)
    assert read == ["a.txt"]
    assert ask(retrieve, "slept") == ["a.txt"]


def test_other_settings_have_an_index_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "c", {"a.jsonl": '{"text": "x", "body": "y"}'})
    one, _ = opened(tmp_path, monkeypatch)
    other, read = opened(tmp_path, monkeypatch, corpus_field="body")
    assert read == ["a.jsonl"]
    assert (ask(one, "x"), ask(one, "y"), ask(other, "x"), ask(other, "y")) == (
        ["a.jsonl#1"],
        [],
        [],
        ["a.jsonl#1"],
    )
    assert one.signature != other.signature


def test_the_signature_is_of_the_content_not_of_the_place(tmp_path: Path) -> None:
    for place in ("one", "other"):
        write(tmp_path / place, {"a.txt": TOWER})
    one, other = (CorpusRetriever(tmp_path / place, cache_dir=tmp_path) for place in ("one", "other"))
    assert one.signature == other.signature


@settings(max_examples=10)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["", "x", "x y", "y z. " * 40])), max_size=6)
)
def test_step_by_step_gives_the_index_that_one_step_gives(
    tmp_path_factory: Any, steps: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.mktemp("corpus")
    write(root / "c", {"k.txt": "x y z"})
    for name, text in steps:
        if text:
            write(root / "c", {f"{name}.txt": text})
        else:
            (root / "c" / f"{name}.txt").unlink(missing_ok=True)
        CorpusRetriever(root / "c", cache_dir=root / "grown").close()
    grown = CorpusRetriever(root / "c", cache_dir=root / "grown", k=9, max_words=150)
    fresh = CorpusRetriever(root / "c", cache_dir=root / "fresh", k=9, max_words=150)
    for question in ("x", "y", "z", "x z"):
        assert grown(Record("1", "", question)) == fresh(Record("1", "", question))
    assert grown.signature == fresh.signature


BUILD = """
import sys, time
from refchecker.retriever.corpus import index
from refchecker.retriever.corpus import CorpusRetriever
from refchecker.types import Record
split = index.passages.split
def slowly(document, **options):
    print("reading", flush=True)
    time.sleep(float(sys.argv[3]))
    return split(document, **options)
index.passages.split = slowly
retrieve = CorpusRetriever(sys.argv[1], cache_dir=sys.argv[2], tell=lambda line: print(line, flush=True))
print("found", [p.source for p in retrieve(Record("1", "", "number 7"))], flush=True)
"""


def builder(root: Path, seconds: float) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", BUILD, str(root / "c"), str(root), str(seconds)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_a_killed_build_leaves_nothing_broken(tmp_path: Path) -> None:
    write(tmp_path / "c", {f"{at}.txt": f"This is number {at}." for at in range(40)})
    killed = builder(tmp_path, 0.05)
    assert killed.stdout is not None
    for _ in range(10):
        killed.stdout.readline()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    killed.stdout.close()
    after = builder(tmp_path, 0)
    said, _ = after.communicate(timeout=120)
    lines = said.splitlines()
    assert lines[-1].startswith("found ['7.txt'")
    assert 0 < lines.count("reading") < 40  # what was finished is not read again


def test_two_builds_at_once_read_each_file_once(tmp_path: Path) -> None:
    write(tmp_path / "c", {f"{at}.txt": f"This is number {at}." for at in range(12)})
    both = [builder(tmp_path, 0.2) for _ in range(2)]
    said = [each.communicate(timeout=240)[0].splitlines() for each in both]
    assert all(lines[-1].startswith("found ['7.txt'") for lines in said)
    assert sum(lines.count("reading") for lines in said) == 12
    assert any("another process indexes" in line for lines in said for line in lines)


def test_an_index_that_cannot_be_used_says_where_it_is(tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": TOWER})
    CorpusRetriever(tmp_path / "c", cache_dir=tmp_path).close()
    [base] = (tmp_path / "corpus").glob("*/passages.sqlite")
    base.write_bytes(b"this is no SQLite file" * 1000)
    with pytest.raises(UsageError, match=r"(?s)corpus.*cache_dir"):
        CorpusRetriever(tmp_path / "c", cache_dir=tmp_path)


def test_several_threads_ask_at_once(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    write(
        tmp_path / "c",
        {"a.jsonl": "\n".join(json.dumps({"text": f"It is number{at}."}) for at in range(300))},
    )
    retrieve = CorpusRetriever(tmp_path / "c", cache_dir=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda at: ask(retrieve, f"number{at}"), range(300)))
    assert found == [[f"a.jsonl#{at + 1}"] for at in range(300)]


def test_names_and_titles_that_are_no_text(tmp_path: Path) -> None:
    corpus = write(tmp_path / "c", {"a.jsonl": '{"text": "Ada wrote.", "title": "\\ud800", "id": "\\udfff"}'})
    Path(os.fsdecode(os.fsencode(corpus) + b"/b\xff.txt")).write_text("Bob read.")
    retrieve = CorpusRetriever(corpus, cache_dir=tmp_path)
    [ada], [bob] = (retrieve(Record("1", "", name)) for name in ("Ada", "Bob"))
    assert (ada.title, ada.document, bob.source) == ("\ufffd", "\ufffd", "b\\xff.txt")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    write(tmp_path / "c", {"a.txt": TOWER})
    monkeypatch.setattr(index.Scores, "save", full)
    with pytest.raises(UsageError, match=r"No space left on device.*--cache_dir"):
        CorpusRetriever(tmp_path / "c", cache_dir=tmp_path)


def test_no_pickle_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": TOWER})
    CorpusRetriever(tmp_path / "c", cache_dir=tmp_path).close()
    kept = [path for path in (tmp_path / "corpus").rglob("*") if path.is_file()]
    assert {path.suffix for path in kept} <= {".sqlite", ".npy", ".json", ".sqlite-wal", ".sqlite-shm"}
    for path in kept:
        if path.suffix == ".npy":
            assert b"'O'" not in path.read_bytes()[:200]  # no array of objects
    assert sqlite3.connect(next(p for p in kept if p.name == "passages.sqlite")).execute(
        "PRAGMA integrity_check"
    )
    assert ".pdf" in KINDS
