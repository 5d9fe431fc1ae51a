"""What the shipped model was trained with stays as it was, or says that it has changed.

The trees weigh the numbers of `features`, which compare words by `text.stems`; `mood` and `restate` decide
about its answers. Each carries a VERSION, and here is what each gives for a few sentences under that VERSION.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from refchecker.checker.embedded import features, mood, restate
from refchecker.checker.embedded.model import ORDER
from refchecker.models import SHIPPED
from refchecker.text import content, stem, stems, trigrams, words_of
from refchecker.types import Claim, Judgment, Label

SENTENCES = (
    "Marie Curie, born in Warsaw in 1867, won two Nobel Prizes; the first (in 1903) she shared.",
    "Her husband's laboratory wasn't funded, and it had cost 1,200 francs by June.",
    "The story that Ada wrote the founding papers is made up.",
    "If it had rained, the museum in São Paulo might have opened later.",
    "The café’s owners, O'Neill and Łukasz, deny that they never paid the 3.5 million.",
    "It is doubtful whether the cities were ever connected by rail.",
    "",
)
CLAIMS = (
    Claim.of_triplet("Marie Curie", "won", "2 Nobel Prizes"),
    Claim.of_triplet("Marie Curie", "was born in", "Berlin"),
    Claim.of_triplet("Ada", "wrote", "the founding papers"),
    Claim.of_triplet("the museum in São Paulo", "opened in", "1994, according to passage 3"),
    Claim.of_triplet("Passage 4", "states", "the cities were connected by rail"),
    Claim.of_triplet("the owners", "paid the 3.5 million", "No"),
    Claim("According to the text, the laboratory wasn't funded."),
    Claim("It rained"),
)
QUESTIONS = ("", "Who won two Nobel Prizes?", "In which city was Marie Curie born?", "Tell me of the museum")


def of_stems() -> list[Any]:
    return [
        [words_of(text), [stem(word) for word in words_of(text)], content(text), sorted(trigrams(text))]
        for text in SENTENCES
    ] + [sorted(stems.STOP), sorted(stems.NEGATIONS)]


def of_features() -> list[Any]:
    read = features.ReadPassage.of(" ".join(SENTENCES))
    rows = [features.features(claim, read, question) for claim in CLAIMS for question in QUESTIONS]
    rows.append(features.network_features([(2.0, 0.0, -1.0), (-1.0, 0.5, 3.0)], (0.0, 5.0, 0.0)))
    spans = [features.focus(claim.text, read) for claim in CLAIMS]
    return [features.NAMES, features.NETWORK_NAMES, [[round(x, 6) for x in row] for row in rows], spans]


def of_mood() -> list[Any]:
    passages = [(text, features.ReadPassage.of(text)) for text in SENTENCES]
    settled = [mood.unsettled(claim.text, read, text) for claim in CLAIMS for text, read in passages]
    moved = mood.without_support((0.7, 0.2, 0.1), ORDER, Label.NEUTRAL)
    return [[label and label.value for label in settled], [round(x, 6) for x in moved]]


def of_restate() -> list[Any]:
    restated = [restate.of(claim) for claim in CLAIMS]
    scores = {Label.ENTAILMENT: 0.7, Label.NEUTRAL: 0.2, Label.CONTRADICTION: 0.1}
    turned = restate.turned(Judgment(Label.ENTAILMENT, scores))
    return [
        [(claim.text, denied) for claim, denied in restated],
        turned.label.value,
        [*turned.scores.values()],
    ]


@pytest.mark.parametrize(
    ("module", "measured", "version", "digest"),
    [
        pytest.param(stems, of_stems, 1, "bd31cf77ca5f464a", id="stems"),
        pytest.param(features, of_features, 2, "0532beda7609b9d8", id="features"),
        pytest.param(mood, of_mood, 2, "bfcbf3bda97106a3", id="mood"),
        pytest.param(restate, of_restate, 1, "3e01b78745e42f24", id="restate"),
    ],
)
def test_what_the_model_was_trained_with_is_as_it_was(
    module: ModuleType, measured: Callable[[], list[Any]], version: int, digest: str
) -> None:
    now = hashlib.sha256(repr(measured()).encode()).hexdigest()[:16]
    assert (module.VERSION, now) == (version, digest), (
        f"{module.__name__} does not give what it gave in version {version}. The model was trained "
        f"with that: take the change back, or raise {module.__name__}.VERSION (and features.VERSION, where "
        "the features change with it), train the model again, and put the new version and digest here."
    )


def test_the_shipped_model_was_trained_with_these_features() -> None:
    config = json.loads((SHIPPED / "config.json").read_text(encoding="utf-8"))
    assert config["evidence_version"] == features.VERSION
