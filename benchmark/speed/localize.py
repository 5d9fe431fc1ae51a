"""The finder `embedding` against the straightforward loop over windows: same spans, how many times faster.

    python -m benchmark.speed.localize                     # 20,000 words, 50 claims; the loop does 2 of them
    python -m benchmark.speed.localize --claims_by_loop 50 # the loop does them all: an hour

The loop takes, for each part of each claim and the whole of it, every stretch of words within a sentence up
to the same length, the mean of its tokens' vectors, and the cosine. Both get the same token vectors; encoding
the texts is timed apart, and added to both in "ratio_with_encoding".
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from refchecker.localizer.embedding import most_words
from refchecker.localizer.finding import stretches_of, words_within
from refchecker.localizer.spans import Array, nearest
from refchecker.models import EmbeddedEncoder, Encoder, Tokens
from refchecker.text import ReadText, read
from refchecker.types import Claim

SUBJECTS = "The committee;Anna Berg;The old harbour;Dr. Okafor;A small museum;The northern line"
VERBS = "opened;bought;described;left;repaired;sold;visited;was built near;had paid for"
OBJECTS = (
    "the stone bridge;a painting of the coast;the first electric tram;twelve wooden boats;the river bank;"
    "an empty bank account;three letters from Vienna;the mill;a library of rare maps;the castle garden"
)
TIMES = "in 1923;on 4 May 1988;two years later;during the war;in the spring;before the flood"


class Asked(NamedTuple):
    """A stretch to look for: its vector, and how many words a match may have."""

    vector: Array
    most: int


def sentence(draw: random.Random) -> tuple[str, str, str]:
    subject, verb, thing, when = (draw.choice(each.split(";")) for each in (SUBJECTS, VERBS, OBJECTS, TIMES))
    return subject, verb, f"{thing} {when}"


def texts(words: int, claims: int) -> tuple[str, list[Claim]]:
    """A text of seeded sentences, and claims of the same kind."""
    draw = random.Random(7)
    reference, count = [], 0
    while count < words:
        reference.append(f"{' '.join(sentence(draw))}.")
        count += len(reference[-1].split())
    return " ".join(reference), [Claim.of_triplet(*sentence(draw)) for _ in range(claims)]


class Words(NamedTuple):
    """A text's words, and the vectors of the tokens of each."""

    page: ReadText
    tokens: list[Array]  # [tokens, width] each


def by_word(text: str, tokens: Tokens) -> Words:
    page = read(text)
    starts = np.array([word.start for word in page.words])
    owner = np.searchsorted(starts, tokens.offsets[:, 0], side="right") - 1
    vectors = tokens.vectors.astype(np.float64)
    return Words(
        page,
        [vectors[(owner == i) & (tokens.offsets[:, 0] < word.end)] for i, word in enumerate(page.words)],
    )


def asked_by(claims: list[Claim], embedded: list[Words]) -> list[Asked]:
    found = []
    for claim, own in zip(claims, embedded, strict=True):
        for start, end in stretches_of(claim).values():
            places = words_within(own.page, start, end)
            vector = np.concatenate([own.tokens[i] for i in places]).mean(axis=0)
            found.append(Asked(vector, most_words(len(places))))
    return found


def by_loop(text: Words, asked: list[Asked]) -> list[tuple[int, int]]:
    """The best stretch for each, as first and last word."""
    firsts = np.cumsum([0, *(len(each) for each in text.tokens)])
    vectors = np.concatenate(text.tokens)
    sentences = text.page.sentence_of
    found = []
    for vector, most in asked:
        length, best, place = np.linalg.norm(vector), -2.0, (0, 0)
        for start in range(len(sentences)):
            for end in range(start + 1, min(start + most, len(sentences)) + 1):
                if sentences[end - 1] != sentences[start]:
                    break
                mean = vectors[firsts[start] : firsts[end]].mean(axis=0)
                cosine = round(float(mean @ vector / (np.linalg.norm(mean) * length)), 9)
                if cosine > best:
                    best, place = cosine, (start, end)
        found.append(place)
    return found


def at_once(text: Words, asked: list[Asked]) -> list[tuple[int, int]]:
    sums = np.array([each.sum(axis=0) for each in text.tokens])
    field = nearest(
        sums, np.array([each.vector for each in asked]), [each.most for each in asked], text.page.sentence_of
    )
    best = [field.stretches(i, least=-1.0, most=1)[0] for i in range(len(asked))]
    return [(each.first, each.last) for each in best]


def compare(encode: Encoder, words: int, claims: int, by_loop_claims: int) -> dict[str, Any]:
    """Seconds of both, how often they agree, and the ratio; the loop's time grows with the claims."""
    reference, asked_claims = texts(words, claims)
    started = time.perf_counter()
    encoded = encode([reference, *(claim.text for claim in asked_claims)])
    encoding = time.perf_counter() - started
    text = by_word(reference, encoded[0])
    asked = asked_by(
        asked_claims,
        [by_word(claim.text, own) for claim, own in zip(asked_claims, encoded[1:], strict=True)],
    )
    started = time.perf_counter()
    fast = at_once(text, asked)
    seconds = time.perf_counter() - started
    some = sum(len(stretches_of(claim)) for claim in asked_claims[:by_loop_claims])
    started = time.perf_counter()
    slow = by_loop(text, asked[:some])
    loop = (time.perf_counter() - started) * len(asked) / some
    return {
        "words": len(text.page.words),
        "claims": claims,
        "stretches_asked_for": len(asked),
        "claims_by_loop": by_loop_claims,
        "same_spans": sum(one == other for one, other in zip(fast, slow, strict=False)) / some,
        "encoding_seconds": round(encoding, 3),
        "loop_seconds": round(loop, 2),
        "at_once_seconds": round(seconds, 3),
        "ratio": round(loop / seconds, 1),
        "ratio_with_encoding": round((loop + encoding) / (seconds + encoding), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--claims", type=int, default=50)
    parser.add_argument("--claims_by_loop", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "results" / "localize.json")
    options = parser.parse_args()
    results = compare(EmbeddedEncoder(), options.words, options.claims, options.claims_by_loop)
    results["machine"] = f"{platform.machine()}, numpy {np.__version__}"
    results["command"] = " ".join(["python -m benchmark.speed.localize", *sys.argv[1:]])
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
