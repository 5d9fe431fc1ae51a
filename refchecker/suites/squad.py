"""Exact match and F1 of short answers, by the rules of SQuAD 2.0 (Rajpurkar, Jia & Liang 2018).

The rules are those of the official evaluation: lower case, ASCII punctuation taken out, then the articles
a, an and the, then runs of white space made one space. The best of several gold answers counts. No gold
answer, or none that leaves a word, means that abstaining, the empty prediction, is right.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """The text as answers are compared.

    >>> normalised("The U.S.  dollar, an IOU!")
    'us dollar iou'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, golds: Sequence[str]) -> int:
    """1 where the prediction is a gold answer once both are normalised.

    >>> exact_match("Euro", ["the euro"]), exact_match("", []), exact_match("Euro", [])
    (1, 1, 0)
    """
    return int(_best(prediction, golds, lambda gold, guess: gold == guess))


def f1(prediction: str, golds: Sequence[str]) -> float:
    """2·common words / (words of both), the best over the gold answers.

    >>> f1("the French franc note", ["French franc"])
    0.8
    """
    return _best(prediction, golds, _overlap)


def _best(prediction: str, golds: Sequence[str], compare: Callable[[str, str], float]) -> float:
    guess = normalised(prediction)
    return max(compare(gold, guess) for gold in [g for g in map(normalised, golds) if g] or [""])


def _overlap(gold: str, guess: str) -> float:
    wanted, given = gold.split(), guess.split()
    if not wanted or not given:
        return float(wanted == given)
    common = (Counter(wanted) & Counter(given)).total()
    return 2 * common / (len(wanted) + len(given))
