"""What the judge learns from: rows of many sources, by kind, in one file.

    python -m training.judge.mixture --made runs/made --out runs/judge

Writes train.jsonl.gz, dev.jsonl.gz (the development half of what may be trained on) and mixture.json (rows,
labels and licence of each source). A row is {premise, hypothesis, label, kind, group}; rows of a group are
contrastive (one claim beside two versions of a sentence, or two claims beside one passage) and are never
parted. A row whose premise or claim shares eight words in a row with a set that we measure by is left out.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmark.data import data_root
from training.embedded.prepare import is_dev, rows_of

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILED = range(4)
MAX_WORDS = 170  # of a premise: longer ones are cut where the claim's words are
RUN = 8  # words in a row that may not be shared with what we measure by


class Row(NamedTuple):
    premise: str
    hypothesis: str
    label: int
    kind: str
    group: str


class Source(NamedTuple):
    """A file of NLI rows: how many training takes at most, the field that groups them, its licence."""

    name: str
    rows: int
    licence: str
    group: str | None = None


SOURCES = (
    Source("snli_devtest.train", 6000, "CC BY-SA 4.0", "premise"),
    Source("snli_devtest.test", 6000, "CC BY-SA 4.0", "premise"),
    Source("cad_snli.train", 8400, "Apache-2.0", "premise"),
    Source("cad_snli.test", 2000, "Apache-2.0", "premise"),
    Source("semi_auto_wiki.train", 13000, "CC BY-SA", "premise"),
    Source("conjnli.train", 2500, "MIT"),
    Source("infotabs.train", 5000, "Apache-2.0", "premise"),
    Source("infotabs.dev", 1000, "Apache-2.0", "premise"),
    Source("infotabs.test", 1000, "Apache-2.0", "premise"),
    Source("tabfact_valtest.train", 1200, "MIT", "premise"),
    Source("breaking_nli.test", 3000, "CC BY-SA 4.0"),
    Source("med.train", 2000, "CC BY-SA 4.0"),
    Source("help_conj.train", 1000, "CC BY-SA 4.0"),
    Source("scone", 2500, "CC0"),
    Source("redocred_triplets_synth.train", 6000, "MIT"),
    Source("summedits.train_2way", 2000, "Apache-2.0", "premise"),
    Source("defacto", 4031, "MIT; articles BBC", "id"),
    Source("factcg_cg2c_doc", 2054, "MIT; news ODC-By", "pair"),
    Source("factor_synth", 4953, "MIT", "id"),
)
HELD_PERCENT = 20
HELD = {"feverous_s_dev": "id", "condaqa": "group", "boolq_val": "id"}  # a fifth of these is for development
LICENCES = {
    "vitaminc": "CC BY-SA 3.0",
    "feverous": "MIT; texts CC BY-SA",
    "condaqa": "Apache-2.0",
    "boolq": "CC BY-SA 3.0",
    "hossain": "MIT (SNLI pairs alone)",
    "documents": "CC BY-SA 3.0",
    "written": "ours",
}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def runs(text: str, length: int = RUN) -> Iterator[str]:
    """Every `length` words in a row; a shorter text is one run, if it has four words."""
    tokens = words(text)
    if 4 <= len(tokens) < length:
        yield " ".join(tokens)
    for start in range(len(tokens) - length + 1):
        yield " ".join(tokens[start : start + length])


def measured_texts(root: Path) -> Iterator[str]:
    """Every text of the sets that we measure by and may not train on."""
    for path in [*sorted((root / "claims").glob("*.jsonl")), *sorted((root / "evidence").glob("*.jsonl"))]:
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            references = row.get("reference") or []
            yield from [references] if isinstance(references, str) else references
            yield row.get("claim") or row.get("response") or ""
    for path in sorted((root / "human").glob("*_context.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield from row["reference"]
            yield row["response"]
    for path in sorted((root / "hypotheticals").glob("*.json")):
        yield path.read_text("utf-8")
    for name in (
        "mnli_m_dev.dev",
        "anli_dev.dev",
        "fever_symmetric.test",
        "rte",
        "cb_val",
        "nan_nli",
        "nli4ct",
    ):
        for row in rows_of(root / "nli" / "undeclared" / f"{name}.jsonl.gz"):
            yield row["premise"]
            yield row["hypothesis"]
    for name in ("cad_snli.dev", "semi_auto_wiki.dev", "conjnli.dev", "vitaminc_dev"):
        for row in rows_of(root / "nli" / "declared" / f"{name}.jsonl.gz"):
            yield row["premise"]


def plain_rows(root: Path, source: Source, rng: Random) -> list[Row]:
    """At most `source.rows` of a file, whole groups in random order."""
    groups: dict[str, list[Row]] = defaultdict(list)
    kind = source.name.split(".")[0]
    for number, row in enumerate(rows_of(root / "nli" / "declared" / f"{source.name}.jsonl.gz")):
        if row["label"] in (0, 1, 2, 3):
            key = str(row[source.group]) if source.group else str(number)
            groups[key].append(Row(row["premise"], row["hypothesis"], row["label"], kind, f"{kind}/{key}"))
    taken: list[Row] = []
    order = sorted(groups)
    rng.shuffle(order)
    for key in order:
        if len(taken) < source.rows:
            taken += groups[key]
    return taken


def question_rows(root: Path, name: str, group: str) -> tuple[list[Row], list[Row]]:
    """(train, dev) of claims beside passages; where the question was not put as a claim, left out."""
    train: list[Row] = []
    dev: list[Row] = []
    kind = name.split("_")[0]
    for row in rows_of(root / "nli" / "declared" / f"{name}.jsonl.gz"):
        premise, claim = row.get("premise") or row.get("passage"), row.get("hypothesis") or row.get("claim")
        if claim and row["label"] in (0, 1, 2, 3):
            made = Row(premise, claim, row["label"], kind, f"{kind}/{row[group]}")
            (dev if is_dev(made.group, percent=HELD_PERCENT) else train).append(made)
    return train, dev


def hossain_rows(root: Path) -> list[Row]:
    """Negations added to SNLI's pairs; RTE states no licence, and we measure by MNLI."""
    rows = enumerate(rows_of(root / "nli" / "declared" / "hossain_negation.jsonl.gz"))
    return [
        Row(row["premise"], row["hypothesis"], row["label"], "hossain", f"hossain/{number}")
        for number, row in rows
        if row["source"] == "snli"
    ]


def vitaminc_rows(root: Path, name: str, rng: Random) -> list[Row]:
    """VitaminC's cases; two in five among other sentences of the page, one in three after the page's title.

    All rows of a case get the same other sentences, so that only the revised one differs.
    """
    cases: dict[str, list[dict[str, Any]]] = defaultdict(list)
    pages: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows_of(root / "nli" / "declared" / f"{name}.jsonl.gz"):
        cases[row["case"]].append(row)
        pages[row["page"]].setdefault(row["case"], row["premise"])
    made: list[Row] = []
    for case, rows in sorted(cases.items()):
        page = rows[0]["page"]
        near = {
            word for row in rows for word in words(row["premise"] + " " + row["hypothesis"]) if len(word) > 3
        }
        others = [
            text
            for other, text in sorted(pages[page].items())
            if other != case and len(near & set(words(text))) <= 3
        ]
        form = rng.random()
        before: list[str] = []
        after: list[str] = []
        if form < 0.4 and others:
            picked = rng.sample(others, min(len(others), rng.randint(1, 4)))
            cut = rng.randint(0, len(picked))
            before, after = picked[:cut], picked[cut:]
        title = f"{page}: " if rng.random() < 0.35 else ""
        for row in rows:
            premise = title + " ".join([*before, row["premise"], *after])
            made.append(Row(premise, row["hypothesis"], row["label"], name, f"vitaminc/{case}"))
    return made


def made_rows(folder: Path) -> tuple[list[Row], list[Row]]:
    """(train, dev) of what `training.embedded.prepare` made by rule from documents, a passage a group."""
    parts: list[list[Row]] = []
    sources = {source.name.split(".")[0] for source in SOURCES}
    for name in ("train.jsonl", "dev.jsonl"):
        rows = [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]
        parts.append(
            [
                Row(r["premise"], r["hypothesis"], r["label"], r["kind"], "made/" + r["premise"][:60])
                for r in rows
                if r["kind"] not in sources
            ]
        )
    return parts[0], parts[1]


def written_rows(folder: Path) -> list[Row]:
    """Claims beside paragraphs, written for this project; a paragraph is a group."""
    labels = {"Entailment": ENTAILMENT, "Neutral": NEUTRAL, "Contradiction": CONTRADICTION}
    rows: list[Row] = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            item = json.loads(line)
            rows += [
                Row(
                    item["reference"],
                    c["claim"].replace(" | ", " "),
                    labels[c["label"]],
                    "written",
                    f"written/{path.stem}/{number}",
                )
                for c in item["claims"]
            ]
    return rows


def cut(row: Row) -> Row:
    """A premise of more than MAX_WORDS, cut to the sentences that share most with the claim."""
    if len(row.premise.split()) <= MAX_WORDS:
        return row
    claim = {word for word in words(row.hypothesis) if len(word) > 3}
    sentences = re.split(r"(?<=[.!?])\s+", row.premise)
    shared = [len(claim & set(words(s))) / (len(claim) or 1) for s in sentences]
    kept = {0}
    length = len(sentences[0].split())
    for index in sorted(range(len(sentences)), key=lambda i: -shared[i]):
        size = len(sentences[index].split())
        if index not in kept and length + size <= MAX_WORDS:
            kept.add(index)
            length += size
    return row._replace(premise=" ".join(sentences[i] for i in sorted(kept)))


def apart(rows: Iterable[Row], forbidden: set[str]) -> tuple[list[Row], Counter[str]]:
    """The rows that share no run of words with `forbidden`, and how many of each kind do."""
    kept: list[Row] = []
    dropped: Counter[str] = Counter()
    for row in rows:
        if any(run in forbidden for text in (row.premise, row.hypothesis) for run in runs(text)):
            dropped[row.kind] += 1
        else:
            kept.append(row)
    return kept, dropped


def write(path: Path, rows: list[Row]) -> str:
    """Write them as gzipped JSON lines; the first 12 digits of the text's SHA-256."""
    text = "".join(json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in rows)
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.write(text)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def mix(made: Path, written: Path, out: Path, *, seed: int, made_limit: int, written_times: int) -> None:
    from .constructed import listed, mentioned

    root, rng = data_root("nli/declared"), Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    train: list[Row] = []
    dev: list[Row] = []
    for source in SOURCES:
        train += plain_rows(root, source, rng)
    for name, group in HELD.items():
        more, held = question_rows(root, name, group)
        train += more
        dev += held
    train += vitaminc_rows(root, "vitaminc_real", rng)
    synthetic = vitaminc_rows(root, "vitaminc_synthetic", rng)
    train += [row for row in synthetic if is_dev(row.group, percent=60)]
    train += hossain_rows(root)
    documents, documents_dev = made_rows(made)
    groups = sorted({row.group for row in documents})
    rng.shuffle(groups)
    by_group: dict[str, list[Row]] = defaultdict(list)
    for row in documents:
        by_group[row.group].append(row)
    taken: list[Row] = []
    for key in groups:
        if len(taken) < made_limit:
            taken += by_group[key]
    train += taken
    dev += documents_dev[:1000]
    forbidden = {run for text in measured_texts(root) for run in runs(text)}
    forbidden |= {run for row in dev for run in runs(row.premise)}
    train, dropped = apart(map(cut, train), forbidden)
    ours = written_rows(written)
    ours, clash = apart(ours, forbidden)
    train += ours * written_times
    train += mentioned([row for row in train if row.kind == "vitaminc_real"], 4000, rng)
    pages = rows_of(root / "nli" / "declared" / "vitaminc_real.jsonl.gz")
    train += listed(sorted({row["page"] for row in pages if len(row["page"]) < 30}), 5000, rng)
    summary = {
        "seed": seed,
        "sha256": {
            "train": write(out / "train.jsonl.gz", train),
            "dev": write(out / "dev.jsonl.gz", list(map(cut, dev))),
        },
        "train": {k: Counter(r.label for r in train if r.kind == k) for k in sorted({r.kind for r in train})},
        "labels": Counter(row.label for row in train),
        "dropped": dropped + clash,
        "licences": LICENCES | {source.name: source.licence for source in SOURCES},
    }
    (out / "mixture.json").write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stderr.write(json.dumps(summary, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--made", type=Path, required=True, help="folder that training.embedded.prepare wrote"
    )
    parser.add_argument("--written", type=Path, default=Path(__file__).parent.parent / "written")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--made_limit", type=int, default=36000, help="rows made by rule that are taken")
    parser.add_argument("--written_times", type=int, default=3, help="times that a written row is taken")
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    mix(**vars(options))


if __name__ == "__main__":
    main()
