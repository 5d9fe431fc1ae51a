"""What a report makes of a file, without a browser; tests/test_report_page.py opens the page in one."""

import base64
import gzip
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refchecker.cli import main
from refchecker.errors import UsageError
from refchecker.io import Item, labels_of, read_report
from refchecker.report import read_reports, read_shown, write_html
from refchecker.report.choice import badness
from refchecker.report.markdown import cell
from refchecker.report.page_data import json_in_html, record_json, response_of, units
from refchecker.report.terminal import cells, printable, shorten, wrap

ROOT = Path(__file__).parents[2]
E, N = "Entailment", "Neutral"
HOSTILE = "</script><script>boom()</script><!-- <img src=x onerror=boom()> \u2028 & ]]> \x1b[31m"


def verdict(claim="it rains", label="Entailment", **more):
    return {
        "claim": claim, "label": label, "scores": {}, "conflict": False, "references": [],
        "evidence": [], "elements": [], "spans": [], "note": "", "unsure": "",
    } | more  # fmt: skip


def item(**more):
    return {"id": "a", "response": "it rains", "reference": "it pours", "verdicts": [verdict()]} | more


def read(value, line=1):
    return read_report(Item(line, value), "v.jsonl", 0)


def answer(source, label, **more):
    return {
        "source": source,
        "label": label,
        "scores": {},
        "note": "",
        "unsure": "",
        "by": "",
        "reason": "",
    } | more


def file_of(*items, name="v.jsonl"):
    Path(name).write_text("\n".join(json.dumps(each) for each in items), "utf-8")
    return name


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# -- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        pytest.param({"verdicts": [verdict(), verdict(label="Neutral")]}, [E, N], id="ours"),
        pytest.param({"triplets": [["a", "b", "c"]], "ys": [N], "Y": N}, [N], id="theirs"),
        pytest.param({"claims": ["a b"], "ys": ["contradiction"]}, ["Contradiction"], id="sentence claims"),
        pytest.param({"triplets": ["a"], "ys": [[N, E]]}, [E], id="per reference"),
        pytest.param({"triplets": ["a"], "ys": [[]]}, ["Abstain"], id="no label of a reference"),
        pytest.param({"triplets": ["a"], "status": "ok"}, ["Unchecked"], id="only extracted"),
        pytest.param({"triplets": [], "ys": []}, [], id="no claims"),
    ],
)  # fmt: skip
def test_outputs_of_ours_and_of_others_are_read(given, labels):
    report = read({"response": "r", "reference": ["x", "y"]} | given)
    assert labels_of(report) == labels
    assert report.status == ("ok" if labels else "no_claims")


def test_labels_per_reference_that_disagree_are_a_conflict():
    [verdict] = read(
        {"response": "r", "reference": ["x", "y"], "triplets": ["a"], "ys": [["Entailment", "Contradiction"]]}
    ).verdicts
    assert verdict.conflict
    answers = zip(verdict.passages, verdict.judgments, strict=True)
    assert [(passage.source, judgment.label) for passage, judgment in answers] == [
        ("reference[0]", "Entailment"),
        ("reference[1]", "Contradiction"),
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "v.jsonl line 7: found a list"),
        ({"reference": "x", "verdicts": []}, 'line 7: record \'1\' has no "response"'),
        ({"response": "r"}, "line 7: record '1' has neither"),
        ({"response": "r", "triplets": ["a", "b"], "ys": ["Neutral"]}, "has 1 labels as \"ys\" for 2 claims"),
        ({"response": "r", "triplets": ["a"], "ys": ["Maybe"]}, "has 'Maybe' as label of claim 1. Labels"),
        ({"response": "r", "verdicts": "x"}, 'has no list as "verdicts"'),
        ({"response": "r", "verdicts": [{"claim": "a"}]}, "has a verdict 1 that is not as refchecker"),
        ({"response": "r", "verdicts": [None]}, "has a verdict 1 that is not as refchecker"),
        ({"response": "r", "verdicts": [], "status": "fine"}, "has 'fine' as status. It must be one of ok"),
    ],
)  # fmt: skip
def test_what_is_no_output_is_refused_with_file_line_and_remedy(value, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        read(value, line=7)


def test_a_failed_record_shows_what_was_there(tmp_path):
    report = read({"input": "{broken", "triplets": [], "status": "failed", "status_note": "not JSON"})
    assert (response_of(report.record), report.status, report.note) == ("{broken", "failed", "not JSON")


def test_evidence_that_moved_is_a_quote_and_no_mark():
    moved = verdict(
        evidence=[{"source": "reference", "start": 0, "end": 4, "text": "rain"}],
        spans=[{"source": "response", "start": 0, "end": 2, "text": "xx"}],
        elements=[
            {
                "element": "object",
                "role": "said",
                "source": "response",
                "start": 0,
                "end": 1,
                "text": "?",
                "score": 1,
            }
        ],
    )
    [claim] = record_json(read(item(verdicts=[moved])))["claims"]
    assert claim["evidence"] == [{"source": "reference", "text": "rain"}]
    assert "spans" not in claim
    assert claim["elements"] == [{"element": "object", "role": "said", "source": "response", "text": "?"}]


def test_evidence_is_found_in_the_piece_of_its_source_that_has_it():
    pieces = [
        {"text": "no", "source": "doc", "start": 0},
        {"text": "it rains", "source": "doc", "start": 100},
    ]
    found = verdict(evidence=[{"source": "doc", "start": 103, "end": 108, "text": "rains"}])
    [claim] = record_json(read(item(reference=pieces, verdicts=[found])))["claims"]
    assert claim["evidence"] == [{"passage": 1, "start": 3, "end": 8}]


def test_answers_belong_to_their_reference_even_where_the_file_leaves_some_out():
    one = verdict(references=[answer("b", "Entailment"), answer("gone", "Neutral")])
    references = [{"text": "x", "source": "a"}, {"text": "y", "source": "b"}]
    [claim] = record_json(read(item(reference=references, verdicts=[one])))["claims"]
    assert [each["passage"] for each in claim["answers"]] == [1, -1]


def test_the_worst_come_first():
    worst_first = [
        item(verdicts=[verdict(label="Contradiction")] * 2),
        item(verdicts=[verdict(label="Contradiction", scores={"Contradiction": 0.9})]),
        item(
            verdicts=[verdict(label="Contradiction", scores={"Contradiction": 0.6}), verdict(label="Neutral")]
        ),
        item(verdicts=[], status="failed"),
        item(verdicts=[verdict(conflict=True)]),
        item(verdicts=[verdict(label="Neutral")]),
        item(verdicts=[verdict(label="Abstain")]),
        item(verdicts=[verdict()]),
    ]
    keys = [badness(read(each)) for each in worst_first]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


# -- the page's data -------------------------------------------------------------------------


class Scripts(HTMLParser):
    """What a browser would take for script elements, with their types."""

    def __init__(self):
        super().__init__()
        self.tags, self.found, self.open = [], {}, None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open = dict(attributes) if tag == "script" else None

    def handle_data(self, data):
        if self.open is not None:
            key = self.open.get("id", "")
            self.found[key] = (self.open.get("type"), self.found.get(key, ("", ""))[1] + data)

    def handle_endtag(self, tag):
        self.open = None


def page_of(*records, limit=1000):
    stream = io.BytesIO()
    write_html((read(each, line) for line, each in enumerate(records, 1)), stream, title=HOSTILE, limit=limit)
    scripts = Scripts()
    scripts.feed(stream.getvalue().decode("utf-8"))
    return stream.getvalue().decode("utf-8"), scripts


def unpacked(scripts, name):
    kind, text = scripts.found[name]
    return json.loads(text if kind == "application/json" else gzip.decompress(base64.b64decode(text)))


def test_hostile_text_stays_data():
    _, clean = page_of(item())
    hostile = item(
        id=HOSTILE, response=HOSTILE, question=HOSTILE, model=HOSTILE,
        reference=[{"text": HOSTILE, "source": HOSTILE}],
        verdicts=[verdict(claim=[HOSTILE] * 3, note=HOSTILE, unsure=HOSTILE,
                          references=[answer(HOSTILE, "Neutral", reason=HOSTILE)])],
    )  # fmt: skip
    text, scripts = page_of(hostile)
    assert scripts.tags == clean.tags
    [record] = unpacked(scripts, "block-0")
    assert (record["response"], record["claims"][0]["parts"]) == (HOSTILE, [HOSTILE] * 3)
    assert text.count("boom()</script>") == 0


def test_the_policy_allows_the_pages_own_script_and_nothing_else():
    text, _ = page_of(item())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text).group(1)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r"<(?:link|img|iframe|script)[^>]*(?:src|href)=", text)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\b", text)


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)))
def test_json_in_html_reads_back_and_holds_no_markup(value):
    text = json_in_html(value)
    assert json.loads(text) == value
    assert not set(text.decode("utf-8")) & set("<>&\u2028\u2029")


@given(st.text(st.characters(codec="utf-8")), st.data())
def test_offsets_in_the_page_cut_out_the_same_words(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    count = units(text)
    in_javascript = text.encode("utf-16-le")[2 * count(start) : 2 * count(end)]
    assert in_javascript.decode("utf-16-le") == text[start:end]


def test_many_records_are_packed_and_all_found_again():
    records = [item(id=str(n), response=f"{n} " + "it rains a lot " * 400) for n in range(1200)]
    _, scripts = page_of(*records, limit=2000)
    overview = unpacked(scripts, "overview")
    assert {kind for kind, _ in scripts.found.values()} == {"application/json", "application/gzip", None}
    for position in (0, 600, 1199):
        block, place = overview["index"][position]["at"]
        assert unpacked(scripts, f"block-{block}")[place]["id"] == str(position)


def test_a_limit_keeps_the_worst_in_the_order_of_the_file_and_counts_all():
    labels = ["Entailment", "Contradiction", "Neutral", "Contradiction", "Entailment"]
    records = [item(id=str(n), verdicts=[verdict(label=label)]) for n, label in enumerate(labels)]
    _, scripts = page_of(*records, limit=3)
    overview = unpacked(scripts, "overview")
    assert [each["id"] for each in overview["index"]] == ["1", "2", "3"]
    assert [overview["index"][at]["id"] for at in overview["worst"]] == ["1", "3", "2"]
    assert (overview["records"], overview["claims"]) == (5, 5)
    assert dict(overview["labels"]) == {"C": 2, "N": 1, "A": 0, "E": 2}


def test_fields_with_few_values_can_be_compared_by():
    records = [
        item(id=str(n), model="ab"[n % 2], seed=n, kind="x", verdicts=[verdict()] * n) for n in range(4)
    ]
    _, scripts = page_of(*records)
    overview = unpacked(scripts, "overview")
    assert overview["groups"] == [{"name": "model", "values": [["a", {"E": 2}], ["b", {"E": 4}]]}]
    assert [each["groups"] for each in overview["index"]] == [["a"], ["b"], ["a"], ["b"]]


# -- text and markdown -----------------------------------------------------------------------

PROBLEM = item(
    id="wet", question="Does it?", reference="it\nnever rains",
    verdicts=[
        verdict(label="Contradiction", claim=["it", "rains", "today"], scores={"Contradiction": 0.9},
                evidence=[{"source": "reference", "start": 0, "end": 14, "text": "it\nnever rains"}]),
        verdict(claim="fine"),
    ],
)  # fmt: skip


def report(capsysbinary, *options):
    assert main(["report", *options]) == 0
    return capsysbinary.readouterr().out.decode("utf-8")


def test_text_says_what_is_wrong_and_leaves_out_what_is_not(capsysbinary):
    text = report(capsysbinary, file_of(item(), PROBLEM))
    assert text == (
        "v.jsonl: Of 3 claims: 1 contradicted by a reference\n\n"
        "  Contradiction        1  33.3% ██████████\n"
        "  Neutral              0   0.0%\n"
        "  Abstain              0   0.0%\n"
        "  Entailment           2  66.7% ████████████████████\n"
        "  2 records\n\n"
        "wet (line 2)\n"
        "  Does it?\n"
        "  Contradiction 90%: it · rains · today\n"
        "      “it never rains” [reference]\n"
    )
    everything = report(capsysbinary, "v.jsonl", "--all")
    assert "  Entailment: fine\n" in everything
    assert "\na (line 1)\n" in everything


def test_markdown_is_a_table_of_what_is_wrong(capsysbinary):
    text = report(capsysbinary, file_of(item(), PROBLEM), "--format", "markdown")
    assert text.startswith("## Of 3 claims: 1 contradicted by a reference\n")
    assert (
        "| **wet**<br>Does it? | it · rains · today | 🔴 Contradiction 90% | “it never rains” (reference) |\n"
        in text
    )
    assert "fine" not in text


def test_nothing_wrong_is_said_in_a_line(capsysbinary):
    assert report(capsysbinary, file_of(item())).startswith("v.jsonl: All 1 claim supported\n")


@pytest.mark.parametrize("fmt", ["text", "markdown"])
def test_a_limit_says_what_it_left_out(capsysbinary, fmt):
    text = report(capsysbinary, file_of(*[PROBLEM] * 3, item()), "--format", fmt, "--limit", "2")
    assert text.endswith("\n2 of 3 records with a problem shown, the worst; --limit N for more.\n")


@pytest.mark.parametrize("fmt", ["text", "markdown"])
def test_conflicts_failures_and_doubts_are_said(capsysbinary, fmt):
    sides = [answer("x", "Entailment"), answer("y", "Contradiction")]
    silent = [answer("x", "Neutral", reason="It is silent.")]
    name = file_of(
        item(verdicts=[verdict(conflict=True, references=sides)]),
        item(verdicts=[], status="failed", status_note="no answer after 60 s"),
        item(verdicts=[verdict(label="Abstain", unsure="would be Neutral at 0.5")]),
        item(verdicts=[verdict(label="Neutral", references=silent)]),
    )
    text = report(capsysbinary, name, "--format", fmt)
    assert "Entailment by x, Contradiction by y" in text
    assert "no answer after 60 s" in text
    assert "would be Neutral at 0.5" in text
    assert "It is silent." in text
    assert "references disagree about 1 claim\n" in text


def test_hostile_text_steers_no_terminal_and_no_markdown(capsysbinary):
    hostile = "a|b\x1b[2J<b>*x*\n# h @you `c` \u202e https://x.y"
    given = item(id=hostile, question=hostile, verdicts=[verdict(label="Neutral", claim=[hostile, "", "z"])])
    assert not set("\x1b\u202e") & set(report(capsysbinary, file_of(given)))
    row = report(capsysbinary, "v.jsonl", "--format", "markdown").splitlines()[-1]
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert not re.search(r"(?<!\\)[*<`](?!\*|br>)[^*]", row.replace("**", "").replace("<br>", ""))
    assert "@you" not in row
    assert "https://" not in row


def test_colours_are_for_terminals_that_want_them(monkeypatch, capsysbinary):
    name = file_of(PROBLEM)
    assert "\x1b" not in report(capsysbinary, name)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31mContradiction 90%: \x1b[0m" in report(capsysbinary, name)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in report(capsysbinary, name)


@given(st.text(), st.integers(2, 40))
def test_lines_fit_the_terminal_and_lose_nothing(text, width):
    clean = printable(text)
    lines = wrap(clean, width)
    assert all(cells(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(clean.split())
    assert cells(shorten(clean, width)) <= width


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1 * 2", r"1 \* 2"), ("$x$", r"\$x\$"), ("[a](b)", r"\[a\](b)"), ("a\r\nb", "a b"), ("\\|", r"\\\|")],
)
def test_cells_of_markdown(text, expected):
    assert cell(text, 80) == expected


# -- the command -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        (["-o", "r.html"], "<!doctype html>"),
        (["-o", "r.md"], "## All"),
        (["--output_path", "r.txt"], "v.jsonl: All"),
        (["-o", "r.txt", "--format", "markdown", "--title", "T"], "## All"),
    ],
)
def test_the_name_of_the_output_tells_the_format(options, begins, capsys):
    assert main(["report", file_of(item()), *options]) == 0
    assert Path(options[1]).read_text("utf-8").startswith(begins)
    assert capsys.readouterr() == ("", f"{options[1]} written\n")


def test_json_csv_and_standard_input_are_read(capsysbinary, monkeypatch):
    Path("in.json").write_text(
        json.dumps([{"response": "it rains", "reference": "it rains", "triplets": ["it rains"]}])
    )
    Path("words.py").write_text(
        "from refchecker import Judgment, Label\n"
        "def check(pairs): return [Judgment(Label.NEUTRAL) for _ in pairs]\n"
    )
    for name in ("out.json", "out.jsonl", "out.csv"):
        assert main(["check", "--input_path", "in.json", "--output_path", name, "--checker_name",
                     "python:words:check", "--quiet"]) == 0  # fmt: skip
        assert "Of 1 claim: 1 in no reference" in report(capsysbinary, name)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("out.csv").read_bytes())))
    assert "Of 1 claim" in report(capsysbinary, "-", "--input_format", "csv")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, [], "v.jsonl: cannot be read: No such file"),
        ('{"response": "r", "verdicts": []}\n{"resp', [], "v.jsonl line 2: not JSON"),
        ('{"response": "r", "reference": "x"}', [], "v.jsonl line 1: record '1' has neither"),
        ('[{"response": "r"}]', ["--input_format", "csv"], "v.jsonl line 1: no column 'response'"),
        ('{"response": "r", "verdicts": []}', ["-o", "no/such/r.html"], "no/such/r.html: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_and_writes_nothing(content, options, message, capsys):
    if content is not None:
        Path("v.jsonl").write_text(content)
    assert main(["report", "v.jsonl", *(options or ["-o", "r.html"])]) == 2
    assert message in capsys.readouterr().err
    assert not Path("r.html").exists()


def test_more_records_than_a_page_has_is_said(monkeypatch, capsys):
    monkeypatch.setattr("refchecker.cli.report.IN_PAGE", 2)
    assert main(["report", file_of(*[item()] * 3), "-o", "r.html"]) == 0
    assert (
        "the page has the 2 worst of 3 records, and counts all; --limit N for more."
        in capsys.readouterr().err
    )


def test_the_example_is_what_the_code_makes():
    """`make report-example` makes it anew."""
    example = ROOT / "examples/report.html"
    scripts = Scripts()
    scripts.feed(example.read_text("utf-8"))
    records = unpacked(scripts, "block-0")
    given = json.loads((ROOT / "examples/responses.json").read_text("utf-8"))
    assert [(each["id"], each["response"]) for each in records] == [
        (each["id"], each["response"]) for each in given
    ]
    assert example.stat().st_size < 150_000
    frame = io.BytesIO()
    write_html([], frame, title="verdicts.json", limit=1)
    assert code_of(example.read_text("utf-8")) == code_of(frame.getvalue().decode("utf-8"))


def code_of(page):
    """The page without its data."""
    return re.sub(r'<script type="application/json".*?</script>\n', "", page, flags=re.S)


def test_reading_is_lazy():
    def lines():
        yield json.dumps(item()).encode() + b"\n"
        raise AssertionError("read on although nobody asked")

    class Stream(io.RawIOBase):
        source = lines()

        def readline(self, size=-1):
            return next(self.source)

    assert next(read_reports(Stream(), "v.jsonl", "jsonl", 32)).record.id == "a"


def test_what_is_read_is_called_as_before_too():
    assert read_shown is read_reports


def test_the_input_may_be_named_as_in_the_other_commands(capsysbinary):
    assert "All 1 claim supported" in report(capsysbinary, "--input_path", file_of(item()))


def test_a_name_without_a_format_asks_for_one(capsys):
    assert main(["report", file_of(item(), name="results")]) == 2
    assert "Use .json, .jsonl, .ndjson, .csv, or pass --input_format." in capsys.readouterr().err
