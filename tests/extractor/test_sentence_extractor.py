import pytest

from refchecker.extractor.sentence import SentenceExtractor
from refchecker.registry import load
from refchecker.text import DECLINES, NOTHING
from refchecker.types import Claim, Extraction, Record


@pytest.mark.parametrize(
    ("response", "language", "expected"),
    [
        pytest.param(
            "Oslo is big. Is it? Dr. No is a film.", "en", ["Oslo is big.", "Dr. No is a film."], id="en"
        ),
        pytest.param("奥斯陆很大。你呢？", "zh", ["奥斯陆很大。"], id="zh"),
        pytest.param("- red\n- green", "en", ["- red", "- green"], id="list"),
    ],
)
def test_each_sentence_is_a_claim(response, language, expected):
    (extraction,) = SentenceExtractor(language=language)([Record("r", response)])
    assert [claim.text for claim in extraction.claims] == expected
    assert all(claim.triplet is None for claim in extraction.claims)
    assert [response[c.spans[0].start : c.spans[0].end] for c in extraction.claims] == expected


@pytest.mark.parametrize(
    ("response", "note"),
    [("I'm sorry, I cannot answer that. Can you say more?", DECLINES), ("Hello!", NOTHING), ("", NOTHING)],
)
def test_nothing_to_check_says_why(response, note):
    assert SentenceExtractor()([Record("r", response)]) == [Extraction((), note)]


def test_many_records_and_the_name():
    extract = load("extractor", "sentence")
    records = [Record("1", "Oslo is big."), Record("2", "")]
    assert [len(e.claims) for e in extract(records)] == [1, 0]
    assert isinstance(extract(records)[0].claims[0], Claim)
    assert extract.signature.startswith("sentence(en,spacy-")
