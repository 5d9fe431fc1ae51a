"""How well evidence is found: sentences, words that are not supported, and words that contradict.

    python -m benchmark.evidence                # writes results/evidence.json and .md
    python -m benchmark.evidence --model DIR    # the same for an encoder

WiCE's development set has the sentences that support each claim, and the words that nothing supports.
Whatever has a free parameter gets it on one half of the articles and is measured on the other, both ways.
(The layer and the thresholds that ship are chosen by `training.localizer`.) Contradictions are BreakingNLI's
pairs, whose two sentences differ in a word or a few, and the pairs of counterfactually augmented SNLI, where
people changed a few words of one side of an entailment.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from benchmark.data import data_root
from benchmark.evidence_contradictions import (
    Hits,
    Swap,
    chance_rows,
    clash_rows,
    known,
    revised,
    rows_of,
    swapped,
)
from benchmark.evidence_page import page
from refchecker.checker.embedded import EmbeddedChecker
from refchecker.localizer.auto import AutoFinder
from refchecker.localizer.exact import ExactFinder
from refchecker.localizer.factories import embedding_finder
from refchecker.localizer.finding import Finder, Finding
from refchecker.localizer.locate import lacking_words, said_nearby
from refchecker.localizer.sentences import Case, by_checker, by_words
from refchecker.text import read
from refchecker.types import Claim, Label, Pair, Passage

CLAIMS, TOKENS = "evidence/wice_claim_dev.jsonl", "evidence/wice_non_supported_tokens_dev.jsonl"
SWAPS, REVISED = "nli/declared/breaking_nli.test.jsonl.gz", "nli/declared/cad_snli.test.jsonl.gz"
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)  # of the best sentence's score, that a chosen one has
MOST_CHOSEN = (1, 2, 3, 4)
WORD_LEVELS = tuple(round(0.3 + 0.025 * i, 3) for i in range(25))
NEAREST = (1, 2, 3, 5, 8)
RESAMPLES = 1000


class Item(NamedTuple):
    """A claim of WiCE, its article's sentences joined by blank lines."""

    article: str
    claim: Claim
    text: str
    starts: list[int]  # of the sentences
    gold: list[set[int]]  # sets of sentences, each of which is enough
    lacking: list[tuple[int, int, bool]]  # the claim's words, and whether nothing supports them

    @property
    def half(self) -> int:
        return crc32(self.article.encode()) % 2


def items(path: Path, most_sentences: int) -> list[Item]:
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        sentences = [" ".join(sentence.split()) or "-" for sentence in row["evidence"]]
        if len(sentences) > most_sentences:
            continue
        starts = np.cumsum([0, *(len(sentence) + 2 for sentence in sentences[:-1])]).tolist()
        gold = [set(each) for each in row["supporting_sentences"] if each]
        marked = list(_places(row["claim"], row.get("claim_tokens", []), row.get("non_supported_spans", [])))
        title = row["meta"]["claim_title"]
        found.append(Item(title, Claim(row["claim"]), "\n\n".join(sentences), starts, gold, marked))
    return found


def _places(claim: str, words: Sequence[str], lacking: Sequence[bool]) -> Iterator[tuple[int, int, bool]]:
    at = 0
    for word, lacks in zip(words, lacking, strict=True):
        start = claim.find(word, at)
        if start >= 0:
            at = start + len(word)
            yield start, at, lacks


# ---- sentences


def ranks_by(finder: Finder, every: Sequence[Item]) -> list[list[float]]:
    """For each claim, the rank of each sentence of its article."""
    return [_by_gold(item, finder([item.claim], [item.text])[0][0].ranks) for item in every]


def _by_gold(item: Item, ranks: Sequence[float]) -> list[float]:
    """Ranks of the sentences as the library cuts them, as ranks of the article's."""
    found = [0.0] * len(item.starts)
    for (start, _), rank in zip(read(item.text).sentences, ranks, strict=True):
        place = sentence_at(item, start)
        found[place] = max(found[place], rank)
    return found


def sentence_at(item: Item, offset: int) -> int:
    return int(np.searchsorted(item.starts, offset, side="right")) - 1


def bm25(every: Sequence[Item]) -> list[list[float]]:
    import bm25s

    found = []
    for item in every:
        index = bm25s.BM25()
        index.index(bm25s.tokenize(_sentences(item), show_progress=False), show_progress=False)
        [asked] = bm25s.tokenize(item.claim.text, return_ids=False, show_progress=False)
        found.append([float(score) for score in index.get_scores(asked)])
    return found


def by_sentence_vectors(every: Sequence[Item], folder: Path) -> list[list[float]]:
    """The cosine of the claim's vector with each sentence's, as sentence-transformers has it."""
    from benchmark.embedding import embedder

    embed = embedder(folder)
    found = []
    for item in every:
        sentences = _sentences(item)
        vectors = embed(list(dict.fromkeys([item.claim.text, *sentences])))
        found.append([float(vectors[item.claim.text] @ vectors[sentence]) for sentence in sentences])
    return found


def _sentences(item: Item) -> list[str]:
    ends = [*(start - 2 for start in item.starts[1:]), len(item.text)]
    return [item.text[start:end] for start, end in zip(item.starts, ends, strict=True)]


def chosen_by_share(ranks: Sequence[float], share: float, most: int) -> set[int]:
    best = sorted(range(len(ranks)), key=lambda i: -ranks[i])[:most]
    return {i for i in best if ranks[i] >= share * ranks[best[0]] and ranks[i] > 0}


def match(chosen: set[int], gold: Sequence[set[int]]) -> tuple[float, float, float]:
    """Precision, recall and F1 against the gold set that fits best."""

    def against(wanted: set[int]) -> tuple[float, float, float]:
        both = len(chosen & wanted)
        precision, recall = both / max(len(chosen), 1), both / len(wanted)
        return precision, recall, 2 * both / max(len(chosen) + len(wanted), 1)

    return max((against(wanted) for wanted in gold), key=lambda each: each[2])


def sentence_rows(
    every: Sequence[Item], ranks: Sequence[Sequence[float]]
) -> list[tuple[float, float, float]]:
    """The match of each claim, with the cut that is best on the other half of the articles."""

    def scored(i: int, cut: tuple[float, int]) -> tuple[float, float, float]:
        return match(chosen_by_share(ranks[i], *cut), every[i].gold)

    cuts = list(product(SHARES, MOST_CHOSEN))
    best = {
        half: max(
            cuts, key=lambda cut: sum(scored(i, cut)[2] for i, each in enumerate(every) if each.half != half)
        )
        for half in (0, 1)
    }
    return [scored(i, best[each.half]) for i, each in enumerate(every)]


def shipped_rows(every: Sequence[Item], finder: Finder, check: Any) -> list[tuple[float, float, float]]:
    """The match of each claim with the sentences that a localizer chooses."""
    rows = []
    for item in every:
        [[finding]] = finder([item.claim], [item.text])
        passage = Passage(item.text, "article")
        sure = check([Pair(item.claim, passage)])[0].scores.get(Label.ENTAILMENT, 0.0) if check else 0.0
        case = Case(item.claim, passage, "", Label.ENTAILMENT, sure, read(item.text), finding)
        chosen = by_checker([case], check)[0] if check else by_words(case)
        rows.append(match({sentence_at(item, case.page.sentences[i][0]) for i in chosen}, item.gold))
    return rows


# ---- words that are not supported


class Counted(NamedTuple):
    right: int
    said: int
    true: int


def f1(counts: Sequence[Counted]) -> float:
    right, said, true = (sum(column) for column in zip(*counts, strict=True))
    return 2 * right / max(said + true, 1)


def word_counts(item: Item, finding: Finding | None, most: int, least: float) -> Counted:
    """Of the words that are said to lack support; without a finding, all."""
    words = read(item.claim.text).words
    lacking = [True] * len(words)
    if finding:
        lacking = lacking_words(words, said_nearby([finding], len(words), most=most), least)
    marked = [word for word, lacks in zip(words, lacking, strict=True) if lacks]
    said = [any(word.start < end and start < word.end for word in marked) for start, end, _ in item.lacking]
    true = [lacks for *_, lacks in item.lacking]
    return Counted(sum(a and b for a, b in zip(said, true, strict=True)), sum(said), sum(true))


def word_rows(every: Sequence[Item], findings: Sequence[Finding], least: Sequence[float]) -> list[Counted]:
    """The counts of each claim, with the settings that are best on the other half of the articles."""
    grid = {
        cut: [word_counts(item, own, *cut) for item, own in zip(every, findings, strict=True)]
        for cut in product(NEAREST, least)
    }
    found: list[Counted] = []
    best = {
        half: max(
            grid,
            key=lambda cut: f1(
                [each for each, item in zip(grid[cut], every, strict=True) if item.half != half]
            ),
        )
        for half in (0, 1)
    }
    for i, item in enumerate(every):
        found.append(grid[best[item.half]][i])
    return found


# ---- intervals


def interval(
    groups: Sequence[str], rows: Sequence[Any], measure: Callable[[Sequence[Any]], float]
) -> dict[str, float]:
    """The measure with its bootstrapped 95 % interval, resampled by group."""
    by_group: dict[str, list[Any]] = {}
    for group, row in zip(groups, rows, strict=True):
        by_group.setdefault(group, []).append(row)
    names, draw = list(by_group), np.random.default_rng(0)
    drawn = [
        measure([row for k in draw.integers(len(names), size=len(names)) for row in by_group[names[k]]])
        for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return {"value": round(measure(rows), 4), "low": round(float(low), 4), "high": round(float(high), 4)}


def mean_of(column: int) -> Callable[[Sequence[Any]], float]:
    return lambda rows: float(np.mean([row[column] for row in rows]))


def lead_of(
    rows: Sequence[tuple[float, float, float]], others: Sequence[tuple[float, float, float]]
) -> list[tuple[float]]:
    """F1 less that of another method, claim by claim."""
    return [(own[2] - other[2],) for own, other in zip(rows, others, strict=True)]


# ---- the whole


def measure(
    root: Path, finders: dict[str, Finder], minilm: Path | None, options: argparse.Namespace
) -> dict[str, Any]:
    check = EmbeddedChecker()
    every = [item for item in items(root / CLAIMS, options.most_sentences) if item.gold]
    tell(f"{len(every)} claims with supporting sentences")
    ranks: dict[str, list[list[float]]] = {"BM25": bm25(every)}
    if minilm:
        ranks["all-MiniLM-L6-v2, by sentence"] = by_sentence_vectors(every, minilm)
    for name, finder in finders.items():
        ranks[name] = ranks_by(finder, every)
        tell(f"{name}: sentences ranked")
    rows = {name: sentence_rows(every, own) for name, own in ranks.items()}
    rows["exact, as it chooses"] = shipped_rows(every, finders["exact"], None)
    rows["auto with the embedded checker, as it chooses"] = shipped_rows(every, finders["auto"], check)
    articles = [item.article for item in every]
    tell("sentences done")
    marked = [item for item in items(root / TOKENS, options.most_sentences) if item.lacking]
    counted = {"every word": [word_counts(item, None, 0, 0) for item in marked]}
    for name, finder in finders.items():
        found = [finder([item.claim], [item.text])[0][0] for item in marked]
        counted[name] = word_rows(marked, found, (0.5,) if name == "exact" else WORD_LEVELS)
        tell(f"{name}: words done")
    pairs = {
        "BreakingNLI": swapped(rows_of(root / SWAPS), options.swaps),
        "revised SNLI": revised(rows_of(root / REVISED)),
    }
    signatures = {name: finder.signature for name, finder in finders.items()}
    return {
        "signature": signatures | {"checker": check.signature},
        "sentences": {
            "claims": len(every),
            "articles": len(set(articles)),
            "methods": {
                name: {
                    what: interval(articles, own, mean_of(column))
                    for column, what in enumerate(("precision", "recall", "f1"))
                }
                | {"minus_bm25": interval(articles, lead_of(own, rows["BM25"]), mean_of(0))}
                for name, own in rows.items()
            },
        },
        "words": {
            "claims": len(marked),
            "methods": {
                name: interval([item.article for item in marked], own, f1) for name, own in counted.items()
            },
        },
        "contradictions": {name: clashing(own, finders, check) for name, own in pairs.items()},
    }  # fmt: skip


def clashing(every: Sequence[Swap], finders: dict[str, Finder], check: Any) -> dict[str, Any]:
    """How often each method points at the words that contradict."""
    asked: list[tuple[str, Finder, Any]] = [(name, finder, None) for name, finder in finders.items()]
    hits = {"a word by chance": chance_rows(every)} | {
        name: clash_rows(every, finder, own)
        for name, finder, own in (*asked, ("auto with the embedded checker", finders["auto"], check))
    }
    tell(f"{len(every)} contradictions done")

    def shares(own: Sequence[Hits]) -> dict[str, dict[str, float]]:
        found = {}
        for side, name in enumerate(Hits._fields):
            places, values = zip(*known(own, side), strict=True)
            found[name] = interval([every[i].premise for i in places], values, np.mean)
        return found

    return {
        "pairs": len(every),
        "claims": sum(bool(each.claimed) for each in every),
        "references": sum(bool(each.given) for each in every),
        "methods": {name: shares(own) for name, own in hits.items()},
    }


def tell(line: str) -> None:
    sys.stderr.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="an encoder by name or folder, instead of the embedded one")
    parser.add_argument("--minilm", type=Path, help="folder of all-MiniLM-L6-v2, to compare with")
    parser.add_argument(
        "--most_sentences", type=int, default=300, help="longer articles are left out (%(default)s)"
    )
    parser.add_argument("--swaps", type=int, default=400, help="pairs of BreakingNLI (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "evidence.json")
    options = parser.parse_args()
    root = data_root(CLAIMS, TOKENS, SWAPS, REVISED)
    finders = finders_of(options.model)
    results = measure(root, finders, options.minilm, options)
    results["command"] = "python -m benchmark.evidence " + " ".join(
        word if "/" not in word else "DIR" for word in sys.argv[1:]
    )
    options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    options.out.with_suffix(".md").write_text(page(results), encoding="utf-8")


def finders_of(model: str | None) -> dict[str, Finder]:
    exact = ExactFinder()
    embedding = embedding_finder(model)
    return {"exact": exact, "embedding": embedding, "auto": AutoFinder(exact, embedding)}


if __name__ == "__main__":
    main()
