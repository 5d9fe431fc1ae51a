"""The figures of `benchmark.evidence` as a page."""

from __future__ import annotations

from typing import Any

HEAD = """# Evidence: what is found, and by what

`{command}`, with {signature}.

## Sentences

The sentences of an article that support a claim: {claims} claims of WiCE's development set, of
{articles} articles. Against the annotators' set that fits best; means over claims, with 95 % intervals
bootstrapped by article; the last column is paired, claim by claim. How many sentences a ranking keeps is
chosen on the other half of the articles. "As it chooses" is what `--localize` gives; the few constants by
which `auto` weighs words and the checker's scores (`refchecker/localizer/sentences.py`) were chosen on these
claims, so its figures flatter it a little.

| method | precision | recall | F1 | F1 minus BM25's |
|---|---|---|---|---|
"""

WORDS = """
## Words that are not supported

F1 over the words of {claims} claims that the articles support in part, settings chosen on the other half.

| method | F1 |
|---|---|
"""

CONTRADICTIONS = """
## Words that contradict

How often the likeliest clash touches the words that make a claim and a reference contradict each
other. BreakingNLI's pairs differ in one place; in revised SNLI (counterfactually augmented, test)
people changed up to three words of the claim, or of the reference, of an entailment.
"""

PAIRS = """
{name}: {pairs} pairs, of which {claims} tell the words of the claim and {references} those of the reference.

| method | in the claim | in the reference |
|---|---|---|
"""


def page(results: dict[str, Any]) -> str:
    sentences, words, clashing = (results[name] for name in ("sentences", "words", "contradictions"))
    signature = ", ".join(dict.fromkeys(results["signature"].values()))
    lines = [HEAD.format(command=results["command"], signature=signature, **_counts(sentences))]
    lines += (_row(name, *own.values()) for name, own in sentences["methods"].items())
    lines.append(WORDS.format(**_counts(words)))
    lines += (_row(name, own) for name, own in words["methods"].items())
    lines.append(CONTRADICTIONS)
    for source, pairs in clashing.items():
        lines.append(PAIRS.format(name=source, **_counts(pairs)))
        lines += (_row(name, *own.values()) for name, own in pairs["methods"].items())
    return "".join(lines)


def _counts(section: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in section.items() if name != "methods"}


def _row(name: str, *figures: dict[str, float]) -> str:
    cells = [f"{each['value']:.3f} ({each['low']:.3f} to {each['high']:.3f})" for each in figures]
    return f"| {name} | {' | '.join(cells)} |\n"
