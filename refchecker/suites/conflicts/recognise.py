"""Named entities by the small English pipeline, the one of the spacy extractor."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from ...errors import UsageError
from ...extractor.dependency import MODELS, REMEDY
from .edits import Mention


def recognise(text: str) -> list[Mention]:
    """The named entities of a text, in order, of all kinds the pipeline knows."""
    nlp, _ = _pipeline()
    return [Mention(e.text, e.label_, e.start_char, e.end_char) for e in nlp(text).ents]


def signature() -> str:
    return _pipeline()[1]


@lru_cache(maxsize=1)
def _pipeline() -> tuple[Any, str]:
    import spacy

    name = next((name for name in MODELS if find_spec(name)), None)
    if name is None:
        raise UsageError(f"the spaCy pipeline {' or '.join(MODELS)} is not installed. Try: {REMEDY}")
    nlp = spacy.load(name, exclude=["lemmatizer", "parser"])
    return nlp, f"spacy({name}-{nlp.meta['version']})"
