"""Rows made by rule for what few texts show: claims that are only mentioned, and lists of like facts.

A claim that a text asks, reports, retracts or denies is not supported by it; one that it vouches for is. In a
list of like facts an entry supports what it says, and contradicts the same with another entry's answer. The
templates are ours and many, and come with their opposites, so that no single word tells the label.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random

from .mixture import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILED, Row

MENTIONS = (
    ("Is it true that {claim}? No.", CONTRADICTION),
    ("Is it true that {claim}? Yes, it is.", ENTAILMENT),
    ("Many people ask whether {claim}.", NOT_ENTAILED),
    ("Readers often ask if {claim}. The answer is yes.", ENTAILMENT),
    ("Readers often ask if {claim}. The answer is no.", CONTRADICTION),
    ("It is not known whether {claim}.", NEUTRAL),
    ("It is now beyond doubt that {claim}.", ENTAILMENT),
    ("A website reported that {claim}, but withdrew the report the next day.", NOT_ENTAILED),
    ("A website reported that {claim}, and the report proved right.", ENTAILMENT),
    ("The paper first wrote that {claim}; it later printed a correction.", NOT_ENTAILED),
    ("For a long time people believed that {claim}. This turned out to be wrong.", CONTRADICTION),
    ("For a long time people doubted that {claim}. It turned out to be right.", ENTAILMENT),
    ("It was once thought that {claim}.", NOT_ENTAILED),
    ("Some critics claim that {claim}; others dispute it.", NOT_ENTAILED),
    ("Records of the time confirm that {claim}.", ENTAILMENT),
    ("There is a rumour that {claim}.", NOT_ENTAILED),
    ("The rumour that {claim} is false.", CONTRADICTION),
    ("The rumour that {claim} has been confirmed by several sources.", ENTAILMENT),
    ("In the novel, a character says that {claim}.", NOT_ENTAILED),
    ("If it were the case that {claim}, much would be different.", NOT_ENTAILED),
    ("Since it is the case that {claim}, much is different.", ENTAILMENT),
    ("Suppose that {claim}.", NOT_ENTAILED),
    ("Nobody denies that {claim}.", ENTAILMENT),
    ("The spokesman denied that {claim}.", NOT_ENTAILED),
    ("The spokesman admitted that {claim}.", ENTAILMENT),
    ("She wondered whether {claim}.", NOT_ENTAILED),
    ("An early draft of this page said that {claim}. That was a mistake.", CONTRADICTION),
    ("Contrary to what is often said, it is not the case that {claim}.", CONTRADICTION),
    ("It is no secret that {claim}.", ENTAILMENT),
    ("There is no evidence that {claim}.", NOT_ENTAILED),
    ("There is ample evidence that {claim}, and nobody disputes it.", ENTAILMENT),
    ("They hoped that {claim}.", NOT_ENTAILED),
    ("They were glad to learn that {claim}.", ENTAILMENT),
    ("It would be wrong to say that {claim}.", CONTRADICTION),
    ("It would be wrong to deny that {claim}.", ENTAILMENT),
    ("The poll asked whether {claim}; two thirds said yes.", NOT_ENTAILED),
)

LISTS = (  # entry, claim, claim as a triplet; in those of OPEN another entry's answer may be true too
    ("{year}: {a} ({b})", "{a} of {b} won in {year}.", "{a} | won in | {year}"),
    (
        "In {year} the medal went to {a} for {b}.",
        "{a} got the medal of {year}.",
        "{a} | got the medal for | {b}",
    ),
    ("{a} is the capital of {b}.", "The capital of {b} is {a}.", "{a} | is the capital of | {b}"),
    ("{a} wrote {b}.", "{b} was written by {a}.", "{a} | wrote | {b}"),
    ("{b} was founded by {a} in {year}.", "{a} founded {b}.", "{b} | was founded in | {year}"),
    ("{a}, mayor of {b} since {year}", "{a} is the mayor of {b}.", "{a} | became mayor of {b} in | {year}"),
    ("{a} ({year}), directed by {b}", "{b} directed {a}.", "{a} | came out in | {year}"),
    ("{a}: {number} km, in {b}", "{a} is {number} kilometres long.", "{a} | lies in | {b}"),
    ("{a} - {b} - {number} points", "{a} scored {number} points.", "{a} | scored | {number} points"),
)
OPEN = (
    ("{a} played for {b}", "{a} was a player of {b}.", "{a} | played for | {b}"),
    ("{year} {a} beat {b}", "{b} lost to {a}.", "{a} | beat | {b}"),
    ("{a} led {b} from {year}.", "{b} was led by {a}.", "{a} | led | {b}"),
    ("{a} visited {b} in {year}", "{b} was visited by {a}.", "{a} | visited | {b}"),
)
SEPARATORS = ("\n", "; ", "\n- ", ", ", " | ")


def lower_first(text: str) -> str:
    """A sentence as it reads after "that": without its stop, and small where it begins with a common word."""
    text = text.strip().rstrip(".")
    first = text.split(" ", 1)[0]
    common = first in (
        "The",
        "A",
        "An",
        "In",
        "There",
        "It",
        "This",
        "On",
        "At",
        "As",
        "More",
        "Less",
        "Over",
    )
    return text[0].lower() + text[1:] if common else text


def mentioned(rows: list[Row], count: int, rng: Random) -> list[Row]:
    """Plain claims of `rows`, each set into a text that only mentions it, or that vouches for it."""
    others: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        others[row.kind].append(row.premise)
    usable = [row for row in rows if 5 <= len(row.hypothesis.split()) <= 22 and row.hypothesis[0].isupper()]
    made: list[Row] = []
    for number, row in enumerate(rng.sample(usable, min(count, len(usable)))):
        around = rng.sample(others[row.kind], rng.choice((0, 1, 1, 2)))
        around = [text for text in around if len(text.split()) < 50]
        for template, label in rng.sample(MENTIONS, 2):
            sentence = template.format(claim=lower_first(row.hypothesis))
            cut = rng.randint(0, len(around))
            premise = " ".join([*around[:cut], sentence, *around[cut:]])
            made.append(Row(premise, row.hypothesis, label, "mention", f"mention/{number}"))
    return made


def listed(names: list[str], count: int, rng: Random) -> list[Row]:
    """Lists of like facts; of each an entry repeated, one reworded, two exchanged, one not there."""
    made: list[Row] = []
    for number in range(count // 5):
        forms = rng.choice(LISTS + OPEN)
        entry, sentence, triplet = forms
        size = rng.randint(3, 9)
        picked = rng.sample(names, 2 * size + 1)
        years = rng.sample(range(1890, 2024), size)
        numbers = rng.sample(range(12, 900), size)
        facts = [
            {"a": picked[2 * i], "b": picked[2 * i + 1], "year": years[i], "number": numbers[i]}
            for i in range(size)
        ]
        entries = [entry.format(**fact) for fact in facts]
        separator = " " if entry.endswith(".") else rng.choice(SEPARATORS)
        premise = separator.join(entries)
        one, other = rng.sample(facts, 2)
        form = rng.choice((sentence, triplet.replace(" | ", " ")))
        exchanged = one | {"b": other["b"], "year": other["year"], "number": other["number"]}
        wrong = NOT_ENTAILED if forms in OPEN else CONTRADICTION
        group = f"list/{number}"
        made += [
            Row(premise, entry.format(**one), ENTAILMENT, "list", group),
            Row(premise, form.format(**one), ENTAILMENT, "list", group),
            Row(premise, form.format(**exchanged), wrong, "list", group),
            Row(premise, entry.format(**exchanged), wrong, "list", group),
            Row(premise, form.format(**one | {"a": picked[-1]}), NOT_ENTAILED, "list", group),
        ]
    return made
