"""The page of a report, opened in a headless Chromium, clicked and typed into like a person would."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser import Browser, chromium

from refchecker.report import read_reports, write_html

pytestmark = pytest.mark.skipif(
    chromium() is None,
    reason="no Chromium here: `apt-get install chromium`, or name one in REFCHECKER_CHROMIUM",
)

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'><!-- <b>bold</b>"
RESPONSE = f"🚀 Apollo 11 landed on the Moon in 1971. {EVIL} 👩‍🚀 Three people flew."
FILLER = "Nothing of importance is said in this sentence. " * 60
REFERENCE = f"{FILLER}🌕 Apollo 11 landed on the Moon in 1969. {FILLER}"
SCRIPT = "javascript:window.hacked=3"
NAME = "https://example.org/moon?a=1&b=<i>"


def cut(text, source, words, **more):
    start = text.index(words)
    return {"source": source, "start": start, "end": start + len(words), "text": words, **more}


def answer(source, label, reason=""):
    return {
        "source": source,
        "label": label,
        "scores": {label: 0.9},
        "note": "",
        "unsure": "",
        "by": "",
        "reason": reason,
    }


def verdict(claim, label, **more):
    scores = {"Entailment": 0.05, "Neutral": 0.05, "Contradiction": 0.9}
    return {
        "claim": claim, "label": label, "scores": scores, "conflict": False, "references": [],
        "evidence": [], "elements": [], "spans": [], "note": "", "unsure": "",
    } | more  # fmt: skip


MOON = ["Apollo 11", "landed on the Moon in", "1971"]
ITEMS = [
    {"id": "fine", "model": "one", "response": "It rains.", "reference": "It rains.",
     "verdicts": [verdict("It rains.", "Entailment", spans=[cut("It rains.", "response", "It rains.")])]},
    {"id": EVIL, "model": "two", "question": EVIL, "response": RESPONSE,
     "reference": [{"text": REFERENCE, "source": NAME}, {"text": EVIL, "source": SCRIPT}],
     "verdicts": [
         verdict("Three people flew.", "Neutral", spans=[cut(RESPONSE, "response", "Three people flew.")]),
         verdict(MOON, "Contradiction", spans=[cut(RESPONSE, "response", " ".join(MOON))],
                 references=[answer(NAME, "Contradiction", EVIL), answer(SCRIPT, "Neutral")],
                 evidence=[cut(REFERENCE, NAME, "Apollo 11 landed on the Moon in 1969.")],
                 elements=[
                     cut(REFERENCE, NAME, "Apollo 11", element="subject", role="found", score=1),
                     cut(REFERENCE, NAME, "1969", element="object", role="contradicted", score=1),
                     cut(" ".join(MOON), "claim", "1971", element="object", role="missing", score=1),
                     cut(RESPONSE, "response", "1971", element="object", role="missing", score=1)]),
         verdict(["Apollo 11", "landed on", "the Moon"], "Entailment",
                 spans=[cut(RESPONSE, "response", "Apollo 11 landed on the Moon")]),
     ]},
    {"id": "torn", "model": "one", "response": "x", "reference": "y", "status": "failed", "verdicts": [],
     "status_note": "no answer after 60 s"},
    {"id": "split", "model": "two", "response": "It snows.", "reference": ["a", "b"],
     "verdicts": [verdict("It snows.", "Entailment", conflict=True)]},
    *({"id": f"dull {n}", "model": "one", "response": f"Town {n} is dull.", "reference": "None is.",
       "triplets": [f"Town {n} is dull"], "ys": ["Neutral"]} for n in range(100)),
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(chromium(), tmp_path_factory.mktemp("profile")) as running:
        yield running


def write(items, folder, **options):
    results = folder / "v.jsonl"
    results.write_text("\n".join(json.dumps(each) for each in items), "utf-8")
    address = folder / "report.html"
    with results.open("rb") as given, address.open("wb") as page:
        write_html(
            read_reports(given, "v.jsonl", "jsonl", 32), page, **{"title": "v.jsonl", "limit": 1000} | options
        )
    return address.as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return write(ITEMS, tmp_path_factory.mktemp("report"))


@pytest.fixture
def page(browser, address):
    browser.open(address)
    yield browser
    assert browser.errors == []
    assert browser.js("window.hacked") is None
    assert set(browser.requests) == {address}


def chosen(page):
    """The record on the screen, and which of its claims is open."""
    return page.texts("#record h2 bdi")[0], page.texts(".claim.chosen .claim-text")


def count(page):
    return page.texts("#count")[0]


def test_the_worst_record_is_shown_first_with_its_worst_claim(page):
    assert page.texts("#summary h1") == ["Of 105 claims: 1 contradicted by a reference, 101 in no reference"]
    assert count(page) == "1–50 of 104 records"
    assert chosen(page) == (EVIL, ["Apollo 11 · landed on the Moon in · 1971 "])
    page.press("n")
    assert chosen(page)[1] == ["Apollo 11 · landed on · the Moon "]
    page.press("p")
    page.press("p")
    assert chosen(page)[1] == ["Three people flew. "]


def test_markup_in_the_texts_is_text(page):
    assert page.texts("#record .response") == [RESPONSE]
    assert page.texts("#record .question") == [EVIL]
    assert EVIL in page.texts(".reason")
    assert (
        page.js("document.querySelectorAll('#record img, #record b:not(.claim-details b), #record i').length")
        == 0
    )
    links = page.js(
        "[...document.querySelectorAll('a[href]:not(.skip)')].map((link) => link.getAttribute('href'))"
    )
    assert links == [NAME]
    assert SCRIPT in page.texts(".source bdi")


def test_the_words_of_the_chosen_claim_are_marked_on_both_sides(page):
    assert "".join(page.texts("mark.chosen")) == "Apollo 11 landed on the Moon in 1971"
    assert "".join(page.texts(".reference mark.evidence")) == "Apollo 11 landed on the Moon in 1969."
    assert page.texts(".reference mark.role-found") == ["Apollo 11"]
    assert page.texts(".reference mark.role-contradicted") == ["1969"]
    assert page.texts(".response mark.role-missing") == ["1971"]
    assert page.texts(".claim.chosen mark.role-missing") == ["1971"]
    tags = page.js(
        "[...document.querySelectorAll('.reference mark')].map((mark) => mark.dataset.tag ?? '').join('')"
    )
    assert tags == "SO"


def test_overlapping_claims_share_words_and_a_click_goes_from_one_to_the_next(page):
    page.click("mark.claimed")
    first = chosen(page)[1]
    page.click("mark.claimed")
    assert {*first, *chosen(page)[1]} == {
        "Apollo 11 · landed on the Moon in · 1971 ",
        "Apollo 11 · landed on · the Moon ",
    }
    assert page.texts("#record .response") == [RESPONSE]


def test_a_long_reference_is_folded_around_its_evidence_and_unfolds(page):
    folded = page.texts(".reference-text")[0]
    assert "more characters" in folded
    assert len(folded) < len(REFERENCE) / 3
    page.click(".gap")
    page.click(".gap")
    assert page.texts(".reference-text")[0] == REFERENCE
    page.press("x")
    assert page.texts(".reference-text")[0] == REFERENCE
    page.press("x")
    assert "more characters" in page.texts(".reference-text")[0]


@pytest.mark.parametrize(
    ("clicks", "shown"),
    [
        (["chip-C"], ["1 record", EVIL]),
        (["chip-E"], ["3 records", EVIL]),
        (["chip-conflict"], ["1 record", "split"]),
        (["chip-failed"], ["1 record", "torn"]),
        (["chip-failed", "chip-conflict"], ["2 records", "torn"]),
        (["chip-N"], ["1–50 of 101 records", EVIL]),
        (["chip-N", "chip-N"], ["1–50 of 104 records", EVIL]),
        (["group-1"], ["2 records", EVIL]),
        (["group-1", "chip-conflict"], ["1 record", "split"]),
    ],
)
def test_filters(page, clicks, shown):
    for each in clicks:
        page.click(f"#{each}")
        assert page.js("document.activeElement.id") == each
    page.wait(f"document.querySelector('#record h2 bdi').textContent === {json.dumps(shown[1])}")
    assert [count(page), chosen(page)[0]] == shown
    page.press("Escape")
    page.wait("document.querySelector('#count').textContent === '1–50 of 104 records'")


def test_search_by_keyboard(page):
    page.press("/")
    page.type("town 7")
    page.wait("document.querySelector('#count').textContent === '11 records'")
    page.press("Escape")
    page.press("j")
    assert chosen(page)[0] == "dull 70"
    page.press("k")
    assert chosen(page)[0] == "dull 7"
    page.press("/")
    page.type("there is no such text")
    page.wait("document.querySelector('#count').textContent === '0 records'")
    assert page.texts("#record .notice") == ["No record passes the filters."]
    for key in ("Escape", "n", "p", "j", "x"):
        page.press(key)


def test_keys_go_through_records_and_the_claims_that_are_asked_for(page):
    page.click("#chip-C")
    page.click("#chip-conflict")
    page.wait("document.querySelector('#count').textContent === '2 records'")
    assert chosen(page) == (EVIL, ["Apollo 11 · landed on the Moon in · 1971 "])
    page.press("n")
    page.wait("document.querySelector('#record h2 bdi').textContent === 'split'")
    page.press("p")
    page.wait("document.querySelector('#record h2 bdi').textContent !== 'split'")
    assert chosen(page) == (EVIL, ["Apollo 11 · landed on the Moon in · 1971 "])


def test_the_list_turns_its_pages(page):
    page.click("[aria-label='Next page']")
    page.wait("document.querySelector('#count').textContent === '51–100 of 104 records'")
    page.press("k")
    page.wait("document.querySelector('#count').textContent === '1–50 of 104 records'")
    assert page.js("document.querySelectorAll('#list [aria-selected=true]').length") == 1


def test_the_order_of_the_file(page):
    page.js("(() => { const order = document.querySelector('#order'); order.value = 'file';"
            " order.dispatchEvent(new Event('change')); })()")  # fmt: skip
    page.wait("document.querySelector('#list .name bdi').textContent === 'fine'")


def test_the_address_leads_back_to_a_claim(page, address):
    assert page.js("location.hash") == "#record=2&claim=2"
    page.open(f"{address}#record=4&claim=1")
    assert chosen(page)[0] == "split"


def test_the_keys_are_shown_on_request(page):
    page.press("?")
    assert page.js("document.querySelector('#help').open") is True
    page.press("Escape")
    assert page.js("document.querySelector('#help').open") is False


def test_paper_has_the_records_of_the_list(page):
    page.js("window.dispatchEvent(new Event('beforeprint'))")
    assert page.js("document.querySelectorAll('#paper article').length") == 50
    assert page.texts("#paper blockquote")[0].startswith("Apollo 11 landed on the Moon in 1969.")


@pytest.mark.parametrize("width", [1360, 420])
def test_nothing_sticks_out_and_everything_has_a_name(page, width):
    page.size(width, 900)
    assert page.js("document.documentElement.scrollWidth") <= width
    nameless = page.js(
        "[...document.querySelectorAll('button, input, select, [role=listbox], svg')]"
        ".filter((node) => !(node.textContent.trim() || node.ariaLabel)).length"
    )
    page.size(1360, 900)
    assert nameless == 0


@pytest.fixture
def outside():
    """A server, and the paths that somebody has asked it for."""
    asked = []

    class Outside(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Outside) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_what_may_not_run_does_not(browser, address, outside):
    """The policy holds where somebody finds a way to put an element into the page."""
    server, asked = outside
    browser.open(address)
    with pytest.raises(RuntimeError, match="TrustedHTML"):
        browser.js("document.body.innerHTML = '<b>x</b>'")
    loading = "image.onload = () => end('sent'); image.onerror = () => end('refused')"
    image = f"const image = new Image(); {loading}; image.src = '{server}/x.png'; document.body.append(image)"
    assert browser.js(f"new Promise((end) => {{ {image}; }})") == "refused"
    assert browser.js(f"fetch('{server}/x').then(() => 'sent', () => 'refused')") == "refused"
    style = "Object.assign(document.createElement('style'), {textContent: 'body {margin: 7px}'})"
    assert browser.js(f"document.body.append({style}), getComputedStyle(document.body).marginTop") == "0px"
    assert asked == []
    assert all("Content Security Policy" in each or "TrustedHTML" in each for each in browser.errors)


def test_a_report_too_large_to_be_left_plain_is_read_and_searched(browser, tmp_path):
    items = [
        {
            "id": str(n),
            "response": f"Number {n}. " + FILLER,
            "reference": FILLER,
            "triplets": ["a"],
            "ys": ["Neutral"],
        }
        for n in range(800)
    ]
    browser.open(write(items, tmp_path))
    assert browser.js("document.querySelectorAll('script[type=\"application/gzip\"]').length") > 5
    browser.press("/")
    browser.type("number 799.")
    browser.wait("document.querySelector('#count').textContent === '1 record'")
    assert chosen(browser)[0] == "799"
    assert browser.errors == []
