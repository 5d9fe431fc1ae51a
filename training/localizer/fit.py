"""Choose layer, pooling and thresholds of the finder `embedding` on labelled data, and store them.

    python -m training.localizer                # of the embedded model, in its config.json and model.onnx
    python -m training.localizer --model DIR    # of an encoder, in DIR/localizer.json

`benchmark.evidence` measures what was chosen.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import numpy as np

from benchmark.data import data_root
from benchmark.evidence import (
    CLAIMS,
    TOKENS,
    WORD_LEVELS,
    Item,
    f1,
    items,
    ranks_by,
    sentence_at,
    tell,
    word_counts,
)
from refchecker.extractor.dependency import DependencyExtractor
from refchecker.localizer.embedding import EmbeddingFinder
from refchecker.localizer.spans import units
from refchecker.models import SHIPPED, EmbeddedEncoder, Encoder, HFEncoder, Settings, Tokens
from refchecker.types import Claim, Record
from training.embedded.tokens import LAYERS, add_tokens, record

MOST_SENTENCES, CLAIMS_USED = 80, 60
CONTEXTS = (0.0, 0.25, 0.5, 1.0)
PLAIN = 0.5  # the threshold at which scores are cosines
NEAREST = 3


class Fit(NamedTuple):
    """What a layer and pooling are good for, and the thresholds that are best for them."""

    settings: Settings
    sentences: float  # mean average precision
    words: float  # F1
    parts: float  # area under the curve: in the sentences that support them, against those of another article
    places: float  # share of repeated words that are placed in a sentence that supports the claim

    @property
    def worth(self) -> float:
        return self.sentences + self.words + self.parts + self.places


def fit(root: Path, model: str | None) -> None:
    """Try every layer, pooled plainly and with tokens of equal length; write the best beside the weights."""
    every = [i for i in items(root / CLAIMS, MOST_SENTENCES) if i.gold][:CLAIMS_USED]
    marked = [i for i in items(root / TOKENS, MOST_SENTENCES) if i.lacking]
    parts = list(_parts(every))
    fits = []
    for layer, encode in _layers(model):
        kept = _remembering(encode)
        for unit, context in product((True, False), CONTEXTS):
            settings = Settings(layer, unit, context, PLAIN, PLAIN)
            fitted = _fit(EmbeddingFinder(kept, settings), every, marked, parts)
            figures = " ".join(f"{float(figure):.3f}" for figure in fitted[1:])
            tell(f"layer {layer}, context {context}{', tokens of length 1' if unit else ''}: {figures}")
            fits.append(fitted)
    best = max(fits, key=lambda fitted: fitted.worth)
    tell(str(best))
    tried = [fitted.settings._asdict() | {"worth": round(fitted.worth, 4)} for fitted in fits]
    store(model, best.settings, tried)


def _layers(model: str | None) -> Iterator[tuple[int, Encoder]]:
    if model:
        for layer in range(1, HFEncoder(model).depth + 1):
            yield layer, HFEncoder(model, layer=layer)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        copytree(SHIPPED, folder)
        for layer in LAYERS:
            add_tokens(folder / "model.onnx", layer)
            yield layer, EmbeddedEncoder(folder)


def _remembering(encode: Encoder) -> Encoder:
    kept: dict[str, Tokens] = {}

    def remembered(texts: Sequence[str]) -> list[Tokens]:
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        kept.update(zip(new, encode(new) if new else [], strict=True))
        return [kept[text] for text in texts]

    return remembered


def _fit(
    finder: EmbeddingFinder,
    every: Sequence[Item],
    marked: Sequence[Item],
    parts: Sequence[tuple[Claim, str, str]],
) -> Fit:
    ranks = ranks_by(finder, every)
    sentences = float(
        np.mean([average_precision(ranked, item) for ranked, item in zip(ranks, every, strict=True)])
    )
    findings = [finder([item.claim], [item.text])[0][0] for item in marked]

    def words_at(least: float) -> float:
        return f1(
            [word_counts(item, near, NEAREST, least) for item, near in zip(marked, findings, strict=True)]
        )

    least_word = max(WORD_LEVELS, key=words_at)
    there, elsewhere = _part_scores(finder, parts)
    area = float(np.mean(there[:, None] > elsewhere[None]) + np.mean(there[:, None] == elsewhere[None]) / 2)
    least_part = max(WORD_LEVELS, key=lambda t: float((there >= t).mean() + (elsewhere < t).mean()))
    settings = finder.settings._replace(least_part=least_part, least_word=least_word)
    return Fit(settings, sentences, words_at(least_word), area, _placed(finder, every))


def _parts(every: Sequence[Item]) -> Iterator[tuple[Claim, str, str]]:
    """Triplets of claims, with the sentences that support them, and as many of another article."""
    extract = DependencyExtractor()
    extractions = extract([Record(str(n), item.claim.text) for n, item in enumerate(every)])
    for n, (item, extraction) in enumerate(zip(every, extractions, strict=True)):
        other = every[(n + 7) % len(every)]
        gold = min(item.gold, key=len)
        for claim in extraction.claims:
            if other.article != item.article:
                yield claim, _some(item, sorted(gold)), _some(other, range(min(len(gold), len(other.starts))))


def _some(item: Item, places: Sequence[int]) -> str:
    ends = [*(start - 2 for start in item.starts[1:]), len(item.text)]
    return "\n\n".join(item.text[item.starts[i] : ends[i]] for i in places)


def _part_scores(finder: EmbeddingFinder, parts: Sequence[tuple[Claim, str, str]]) -> tuple[Any, Any]:
    """The best score of each part of each claim, in its own sentences and in the others."""
    scores: tuple[list[float], list[float]] = ([], [])
    for claim, supporting, other in parts:
        for side, finding in zip(scores, finder([claim], [supporting, other])[0], strict=True):
            side += [max((m.score for m in mentions), default=0.0) for mentions in finding.mentions.values()]
    return np.array(scores[0]), np.array(scores[1])


def _placed(finder: EmbeddingFinder, every: Sequence[Item]) -> float:
    """Of words that supporting sentences have and others too, how many are nearest in the former."""
    hits = []
    for item in every:
        embedded = finder.embedded([item.claim.text, item.text])
        asked, text = embedded[item.claim.text], embedded[item.text]
        gold = set().union(*item.gold)
        rows = {int(place): row for row, place in enumerate(text.places)}
        for place, vector in zip(asked.places, units(asked.vectors), strict=True):
            word = asked.page.words[place]
            there = [rows[i] for i in text.page.places.get(word.form, ()) if word.form and i in rows]
            supports = [sentence_at(item, text.page.words[text.places[row]].start) in gold for row in there]
            if any(supports) and not all(supports):
                hits.append(supports[int((units(text.vectors[there]) @ vector).argmax())])
    return float(np.mean(hits))


def average_precision(ranks: Sequence[float], item: Item) -> float:
    gold = set().union(*item.gold)
    order = sorted(range(len(ranks)), key=lambda i: -ranks[i])
    hits = [place for place, i in enumerate(order, 1) if i in gold]
    return float(np.mean([n / place for n, place in enumerate(hits, 1)]))


def store(model: str | None, settings: Settings, tried: list[dict[str, Any]]) -> None:
    if model is None:
        add_tokens(SHIPPED / "model.onnx", settings.layer)
        record(SHIPPED, localizer=settings._asdict())
    elif Path(model).is_dir():
        text = json.dumps(settings._asdict() | {"tried": tried}, indent=1) + "\n"
        (Path(model) / "localizer.json").write_text(text, encoding="utf-8")
    else:
        tell(f"{model} is no folder: save it in one to keep its settings, {settings}.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="an encoder by name or folder, instead of the embedded one")
    options = parser.parse_args()
    fit(data_root(CLAIMS, TOKENS), options.model)
