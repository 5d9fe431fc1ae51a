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
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.data import data_root
from benchmark.labels import (
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
from benchmark.retrieval_data import DEPTHS, Data, gathered, hits_of
from benchmark.retrieval_settings import SAMPLE, compared
from refchecker.checker.embedded import EmbeddedChecker
from refchecker.registry import load
from refchecker.retriever.embedders import Embedder
from refchecker.retriever.ranking import Embed
from refchecker.types import Label, Record

PARTS = ("found", "verdicts", "settings")
METRICS = ("accuracy", "macro_f1", "balanced_accuracy")
DRAWS = 1000


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
        "triplets beside their given references in zero and accurate context, so there the first row "
        "flatters it; noisy context is new to it.",
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
        "command": " ".join(["python -m benchmark.retrieval --settings", *options.settings])
        + (" --embedder MODEL" if options.embedder else ""),
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
