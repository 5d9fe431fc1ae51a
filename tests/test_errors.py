"""A package that is missing: who needs it, and what to install."""

from __future__ import annotations

import sys

import pytest

from refchecker.errors import UsageError, imported


@pytest.mark.parametrize(
    ("name", "needed_by", "message"),
    [
        (
            "torch",
            "nli",
            r"the nli checker needs torch and transformers: pip install 'refchecker\[nli\]' \(.*",
        ),
        ("openai", "llm", r"this needs the package openai, which is .*: pip install 'refchecker\[llm\]'\."),
        ("bm25s", "retrieval", r"retrieval needs bm25s: pip install 'refchecker\[retrieval\]' \(.*bm25s.*\)"),
        (
            "tokenizers",
            "embedded",
            "the embedded checker needs tokenizers. Install it: pip install tokenizers",
        ),
        ("transformers", "hf_model", r"--hf_model needs torch .*: pip install 'refchecker\[nli\]'"),
        ("matplotlib", "plots", r"plots need the package matplotlib, .*: pip install 'refchecker\[bench\]'"),
        ("nltk", "definitions", r"the scores of definitions need nltk: pip install 'refchecker\[bench\]'"),
    ],
)
def test_a_missing_package(name: str, needed_by: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=f"^{message}$"):
        imported(name, needed_by)


def test_a_package_that_is_there() -> None:
    assert imported("json.decoder", "nli").JSONDecoder
