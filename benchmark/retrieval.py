"""References from a corpus instead of given ones: are they found, and what does it do to the verdicts?

    python -m benchmark.retrieval                        # all of it
    python -m benchmark.retrieval --only settings        # passage size, stemming, stopwords, k1 and b

The corpus is every document of the labelled data: RefChecker's references of all three settings, Dolly's
documents, RAGTruth's passages, WiCE's articles, the QAGS articles, each text once. A question counts as
answered where a document that was given with it is among those of the first k passages. With several
responses to a question its share counts. Writes benchmark/results/retrieval.json and .md. The data is found
through REFCHECKER_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmark.data import data_root
from benchmark.human import (
    RESULTS,
    SETTINGS,
    Item,
    codes,
    human_items,
    json_lines,
    judge,
    merged,
    metrics,
    summary,
    table,
)
from refchecker.checker.embedded import EmbeddedChecker
from refchecker.registry import load
from refchecker.retriever.embedders import Embedder
from refchecker.retriever.passages import split
from refchecker.retriever.ranking import POOL, Embed, fuse
from refchecker.retriever.scores import Scores, counted
from refchecker.retriever.terms import terms
from refchecker.types import Claim, Label, Passage, Record

PARTS = ("found", "verdicts", "settings")
METRICS = ("accuracy", "macro_f1", "balanced_accuracy")
DEPTHS = (1, 3, 5, 10)
SAMPLE = 800  # questions of a set at most, where settings are compared
DRAWS = 1000

Tokens = Callable[[str], list[str]]


class Question(NamedTuple):
    """A question, the answers of one or more models, and the documents that were given with it."""

    text: str
    responses: tuple[str, ...]
    gold: frozenset[str]  # ids of documents
    claims: tuple[tuple[Claim, ...], ...]  # of each response; empty where they are not known


class Data(NamedTuple):
    documents: dict[str, str]  # id -> text
    questions: dict[str, list[Question]]  # by set


def gathered(root: Path) -> Data:
    """All documents, those with the same words once, and the questions to them."""
    ids: dict[str, str] = {}  # normalised text -> id
    documents: dict[str, str] = {}

    def document(text: str, name: str) -> str:
        key = " ".join(text.split())
        if key not in ids:
            ids[key] = f"{name}-{len(ids)}"
            documents[ids[key]] = text
        return ids[key]

    asked: dict[str, dict[str, list[tuple[str, str, list[str], tuple[Claim, ...]]]]] = {}

    def ask(
        name: str,
        key: str,
        question: str,
        response: str,
        gold: list[str],
        claims: Sequence[Sequence[str]] = (),
    ) -> None:
        row = question, response, gold, tuple(Claim.of_triplet(*each) for each in claims)
        asked.setdefault(name, {}).setdefault(key, []).append(row)

    for setting in SETTINGS:
        for row in json_lines(root / "human" / f"{setting}.jsonl"):
            gold = [document(text, setting) for text in row["reference"] if text.strip()]
            claims = [each["triplet"] for each in row["triplets"]]
            ask(setting, row["question"], row["question"], row["response"], gold, claims)
    with gzip.open(root / "documents" / "dolly.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            ask("dolly", row["id"], row["question"], row["response"], [document(row["text"], "dolly")])
    for row in json_lines(root / "claims" / "ragtruth_qa_train.jsonl"):
        texts = [re.sub(r"^passage \d+:", "", text) for text in row["reference"]]
        gold = [document(text, "ragtruth") for text in texts if text.strip()]
        ask("ragtruth", row["source_id"], row["question"], row["response"], gold)
    for name in ("wice_claim_dev", "qags_cnndm", "qags_xsum"):
        for row in json_lines(root / "claims" / f"{name}.jsonl"):
            if "".join(row["reference"]).strip():
                document("\n".join(row["reference"]), name)
    return Data(
        documents,
        {name: [_question(rows) for rows in entries.values()] for name, entries in asked.items()},
    )


def _question(rows: Sequence[tuple[str, str, list[str], tuple[Claim, ...]]]) -> Question:
    texts, responses, gold, claims = zip(*rows, strict=True)
    return Question(texts[0], responses, frozenset(key for own in gold for key in own), claims)


# -- is the right document found -------------------------------------------------------------------


def shares(hits: Sequence[Sequence[float]], *, seed: int = 0) -> dict[str, Any]:
    """For each depth the share of questions, with its 95 % interval. # hits: [questions, depths]"""
    values = np.array(hits)
    rng = np.random.default_rng(seed)
    drawn = np.array([values[rng.integers(len(values), size=len(values))].mean(axis=0) for _ in range(DRAWS)])
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return {
        f"top {depth}": {"share": round(float(mean), 4), "interval": [round(float(a), 4), round(float(b), 4)]}
        for depth, mean, a, b in zip(DEPTHS, values.mean(axis=0), low, high, strict=True)
    }


def hits_of(question: Question, find: Callable[[Record], list[str]], with_response: bool) -> list[float]:
    """For each depth, in what share of the responses a right document was found."""
    asked = [Record("", "", question.text)]
    if with_response:
        pairs = zip(question.responses, question.claims, strict=True)
        asked = [Record("", text, question.text, claims=claims) for text, claims in pairs]
    found = [find(record) for record in asked]
    return [
        float(np.mean([bool(question.gold.intersection(ids[:depth])) for ids in found])) for depth in DEPTHS
    ]


def product(folder: Path, data: Data, k: int, embed: Any = None) -> Any:
    """The retriever as a user has it, on a corpus of one file of rows."""
    corpus = folder / "documents.jsonl"
    if not corpus.exists():
        rows = (json.dumps({"id": key, "text": text}) for key, text in data.documents.items())
        corpus.write_text("\n".join(rows), encoding="utf-8")
    return load("retriever", "corpus", path=corpus, cache_dir=str(folder), k=k, embed=embed)


def remembered(embed: Embed) -> Embed:
    """Each text once: the responses to a question find much the same passages."""
    known: dict[str, Any] = {}

    def vectors(texts: Sequence[str]) -> Any:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, embed(new), strict=True) if new else ())
        return np.stack([known[text] for text in texts])

    return vectors


def found_shares(data: Data, folder: Path, encoder: str | None) -> dict[str, Any]:
    retrieve = product(folder, data, max(DEPTHS))
    finders = {"": retrieve}
    if encoder:
        finders[", by meaning too"] = product(folder, data, max(DEPTHS), remembered(Embedder(encoder)))
    result: dict[str, Any] = {}
    for name, questions in data.questions.items():
        tell(f"{name}: {len(questions)} questions")
        result[name] = {"questions": len(questions)}
        for how, finder in finders.items():
            if how and name not in SETTINGS[:1]:
                continue  # it takes seconds for each query

            def find(record: Record, finder: Any = finder) -> list[str]:
                return [passage.document for passage in finder(record)]

            for kind, with_response in (("question", False), ("question and response", True)):
                hits = [hits_of(each, find, with_response) for each in questions]
                result[name][kind + how] = shares(hits)
    return {"signature": retrieve.signature, "sets": result}


# -- which settings find most ----------------------------------------------------------------------


class Setting(NamedTuple):
    """What is compared: a change from what the retriever does."""

    name: str
    max_words: int = 150
    overlap_words: int = 40
    tokens: str = "as shipped"
    k1: float = 1.5
    b: float = 0.75
    query: str = "thrice"  # see `queries_of`


GRID = (
    Setting("as shipped"),
    Setting("question, and question with response, fused", query="fused"),
    Setting("question and response as one query", query="joined"),
    Setting("question twice and response", query="twice"),
    Setting("response alone", query="response"),
    Setting("a query for each claim too", query="claims"),
    Setting("a query of all claims too", query="claims as one"),
    Setting("60 words", 60, 15),
    Setting("90 words", 90, 20),
    Setting("120 words", 120, 30),
    Setting("200 words", 200, 50),
    Setting("no overlap", overlap_words=0),
    Setting("no stemming", tokens="no stemming"),
    Setting("no stopwords taken out", tokens="no stopwords"),
    Setting("neither", tokens="neither"),
    Setting("k1 0.9, b 0.4", k1=0.9, b=0.4),
    Setting("k1 1.2, b 0.75", k1=1.2),
)


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    import snowballstemmer

    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)
    return stemmed


def tokens_of(name: str) -> Tokens:
    from spacy.lang.en.stop_words import STOP_WORDS

    word = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
    tokenisers: dict[str, Tokens] = {
        "as shipped": terms,
        "no stemming": lambda text: [w for w in word.findall(text.lower()) if w not in STOP_WORDS],
        "no stopwords": lambda text: [_stem(w) for w in word.findall(text.lower())],
        "neither": lambda text: word.findall(text.lower()),
    }
    return tokenisers[name]


def queries_of(record: Record, how: str) -> list[str]:
    both = f"{record.question} {record.response}".strip()
    fused = [record.question, both] if record.response else [both]
    claims = [claim.text for claim in record.claims or ()]
    ways = {
        "fused": fused,
        "joined": [both],
        "twice": [f"{record.question} {both}"],
        "thrice": [f"{record.question} {record.question} {both}"],
        "response": [record.response or both],
        "claims": [*fused, *claims],
        "claims as one": [*fused, " ".join([record.question, *claims])],
    }
    return ways[how]


def compared(data: Data) -> list[dict[str, Any]]:
    rng = random.Random(0)
    samples = {
        name: rng.sample(questions, SAMPLE) if len(questions) > SAMPLE else questions
        for name, questions in data.questions.items()
    }
    return [_measured(setting, data, samples) for setting in GRID]


def _measured(setting: Setting, data: Data, samples: dict[str, list[Question]]) -> dict[str, Any]:
    started = time.monotonic()
    tokens = tokens_of(setting.tokens)
    pieces = [
        piece
        for key, text in data.documents.items()
        for piece in split(
            Passage(text, key), max_words=setting.max_words, overlap_words=setting.overlap_words
        )
    ]
    vocabulary: dict[str, int] = {}
    block = counted(
        (tokens(piece.text) for piece in pieces), lambda term: vocabulary.setdefault(term, len(vocabulary))
    )
    scores = Scores(lambda: iter([block]), len(vocabulary), k1=setting.k1, b=setting.b)

    def find(record: Record) -> list[str]:
        asked = (
            [vocabulary[t] for t in tokens(query) if t in vocabulary]
            for query in queries_of(record, setting.query)
        )
        return [pieces[at].source for at in fuse([scores.best(query, POOL) for query in asked])]

    row: dict[str, Any] = {**setting._asdict(), "passages": len(pieces)}
    for name, questions in samples.items():
        for kind, with_response in (("question", False), ("question and response", True)):
            hits = np.array([hits_of(each, find, with_response) for each in questions])
            row[f"{name}, {kind}"] = {
                f"top {d}": round(float(v), 4) for d, v in zip(DEPTHS, hits.mean(0), strict=True)
            }
    tell(f"{setting.name}: {len(pieces)} passages, {time.monotonic() - started:.0f} s")
    return row


# -- what it does to the verdicts ------------------------------------------------------------------


def verdicts(data: Data, folder: Path, root: Path, settings: Sequence[str]) -> dict[str, Any]:
    """The embedded checker against what was given, and against what was found for each response."""
    check = EmbeddedChecker()
    retrieve = product(folder, data, max(DEPTHS))
    result: dict[str, Any] = {}
    for setting in settings:
        items = human_items(root, setting)
        asked = list(_asked(root, setting))
        by_both = {pair: retrieve(Record("", pair[1], pair[0])) for pair in dict.fromkeys(asked)}
        by_question = {pair: retrieve(Record("", "", pair[0])) for pair in by_both}
        given = _labels(check, items)
        rows = {"given": summary(items, given)}
        for title, found, k in (
            ("the first found", by_both, 1),
            ("three found", by_both, 3),
            ("five found", by_both, 5),
            ("three found by the question alone", by_question, 3),
        ):
            own = [
                item._replace(passages=tuple(found[pair][:k]))
                for item, pair in zip(items, asked, strict=True)
            ]
            labels = _labels(check, own)
            rows[title] = summary(items, labels) | {"minus given": difference(items, labels, given)}
        result[setting] = rows
    return {"signature": check.signature, "settings": result}


def _asked(root: Path, setting: str) -> Iterator[tuple[str, str]]:
    """(question, response) of each item of `human_items`."""
    for row in json_lines(root / "human" / f"{setting}.jsonl"):
        yield from [(row["question"], row["response"])] * len(row["triplets"])


def _labels(check: EmbeddedChecker, items: Sequence[Item]) -> list[Label]:
    started = time.monotonic()
    labels = merged(judge(check, items))
    tell(
        f"{len(items)} claims, {sum(len(item.passages) for item in items)} pairs, "
        f"{time.monotonic() - started:.0f} s"
    )
    return labels


def difference(items: Sequence[Item], labels: Sequence[Label], others: Sequence[Label]) -> dict[str, Any]:
    """By how much each metric differs, with its 95 % interval; both are drawn on the same questions."""
    truth, guesses = codes([item.label for item in items]), (codes(labels), codes(others))
    _, groups = np.unique([item.group for item in items], return_inverse=True)
    members = [np.flatnonzero(groups == group) for group in range(groups.max() + 1)]
    rng = np.random.default_rng(0)

    def gaps(rows: Any) -> list[float]:
        one, other = (metrics(truth[rows], guess[rows]) for guess in guesses)
        return [one[name] - other[name] for name in METRICS]

    drawn = np.array(
        [
            gaps(np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))]))
            for _ in range(DRAWS)
        ]
    )
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return {
        name: {"value": round(value, 4), "low": round(float(a), 4), "high": round(float(b), 4)}
        for name, value, a, b in zip(METRICS, gaps(slice(None)), low, high, strict=True)
    }


# -- the page --------------------------------------------------------------------------------------


def page(results: dict[str, Any]) -> str:
    """What is there of the results, as Markdown."""
    corpus = results["corpus"]
    lines = [
        "# References from a corpus",
        "",
        f"Made by `{results['command']}`. The corpus: {corpus['documents']:,} documents ("
        + ", ".join(f"{count:,} of {name}" for name, count in corpus["by set"].items())
        + "), each text once. In brackets: 95 % intervals, bootstrapped by question.",
        "",
    ]
    for part, write in (("found", _found_page), ("verdicts", _verdict_page), ("settings", _settings_page)):
        if part in results:
            lines += write(results[part])
    return "\n".join(lines) + "\n"


def _found_page(found: dict[str, Any]) -> list[str]:
    lines = [
        "## Is a document that was given with the question among those of the first k passages?",
        "",
        f"`{found['signature']}`",
        "",
        "| | questions | query | " + " | ".join(f"top {depth}" for depth in DEPTHS) + " |",
        "|" + " --- |" * (3 + len(DEPTHS)),
    ]
    for name, row in found["sets"].items():
        for query in [key for key in row if key != "questions"]:
            cells = [
                f"{row[query][f'top {d}']['share']:.3f} "
                f"({row[query][f'top {d}']['interval'][0]:.2f}–{row[query][f'top {d}']['interval'][1]:.2f})"
                for d in DEPTHS
            ]
            lines.append(f"| {name} | {row['questions']} | {query} | {' | '.join(cells)} |")
    return [*lines, ""]


def _verdict_page(found: dict[str, Any]) -> list[str]:
    lines = [
        "## Verdicts on RefChecker's triplets, against the given references and against the found ones",
        "",
        f"`check:{found['signature']}|merge:any_support`. The trees of the checker learnt from these "
        "triplets beside their given references in zero and accurate context: there the first row flatters it; "
        "noisy context is new to it.",
        "",
    ]
    for setting, rows in found["settings"].items():
        titles = [(f"{setting.replace('_', ' ')}, {title}", row) for title, row in rows.items()]
        lines += [*table(titles), "", "| minus given | " + " | ".join(METRICS) + " |", "| --- " * 4 + "|"]
        for title, row in rows.items():
            if "minus given" in row:
                gaps = row["minus given"].values()
                cells = [f"{gap['value']:+.3f} ({gap['low']:+.2f} to {gap['high']:+.2f})" for gap in gaps]
                lines.append(f"| {title} | {' | '.join(cells)} |")
        lines.append("")
    return lines


def _settings_page(rows: Sequence[dict[str, Any]]) -> list[str]:
    measured = [key for key, value in rows[0].items() if isinstance(value, dict)]
    lines = [
        "## Settings",
        "",
        "Share of questions with a right document in the first three passages; at most "
        f"{SAMPLE} questions of a set. q: by the question alone, r: by question and response.",
        "",
        "| | passages | "
        + " | ".join(
            key.replace(", question and response", " r").replace(", question", " q") for key in measured
        )
        + " |",
        "|" + " --- |" * (2 + len(measured)),
    ]
    for row in rows:
        cells = " | ".join(f"{row[key]['top 3']:.3f}" for key in measured)
        lines.append(f"| {row['name']} | {row['passages']:,} | {cells} |")
    return [*lines, ""]


def tell(line: str) -> None:
    sys.stderr.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="the rest stays as it is")
    parser.add_argument(
        "--settings", nargs="+", choices=SETTINGS, default=SETTINGS[:1], help="of the verdicts (zero_context)"
    )
    parser.add_argument(
        "--embedder", metavar="MODEL", help="measure ranking again by this encoder too, on zero context"
    )
    options = parser.parse_args()
    root = data_root("human", "documents", "claims")
    data = gathered(root)
    path = RESULTS / "retrieval.json"
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    by_set = Counter(key.rpartition("-")[0] for key in data.documents)
    results |= {
        "command": "python -m benchmark.retrieval" + (" --embedder MODEL" if options.embedder else ""),
        "corpus": {"documents": len(data.documents), "by set": dict(by_set.most_common())},
    }
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        parts: dict[str, Callable[[], Any]] = {
            "found": lambda: found_shares(data, folder, options.embedder),
            "verdicts": lambda: verdicts(data, folder, root, options.settings),
            "settings": lambda: compared(data),
        }
        for part in options.only:
            results[part] = parts[part]()
            path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            path.with_suffix(".md").write_text(page(results), encoding="utf-8")
    sys.stdout.write(page(results))


if __name__ == "__main__":
    main()
