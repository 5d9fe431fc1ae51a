"""Answers that need no model: only rules that were right on at least 97 % of labelled cases.

What was measured, and what was thrown out (no shared word does not make Neutral), is in
benchmark/results/rules.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from ..text import sentences
from ..types import Judgment, Label, Pair

SURE = {Label.ENTAILMENT: 0.97, Label.NEUTRAL: 0.03}  # as measured; the misses were Neutral
NO_RULE = Judgment(Label.ABSTAIN, unsure="no rule applies")
MIN_WORDS = 3

_WORD = re.compile(r"\w+(?:[.,:/-]\w+)*|[^\w\s]")
_PARENTHESIS = re.compile(r"\([^()]*\)")
_ARTICLES = frozenset(("a", "an", "the"))
# A claim may end before these; before a noun it may not: "is a dog" is not "is a dog trainer".
_MAY_FOLLOW = re.compile(
    r"after|and|as|at|because|before|by|during|for|from|in|into|on|since|through|to|under|until|when|where"
    r"|which|while|who|whom|whose|with|[.,;:!()–—-]"
)
# Words under which a sentence may say something without saying that it is so.
_NOT_PLAIN = re.compile(
    r"""\b(?: not | no | never | none | neither | nor | without | cannot | \w+n['’]t | or | hardly | barely
    | may | might | can | could | would | should | must | if | unless | whether | except | instead | rather
    | almost | nearly | perhaps | maybe | possibl[ey] | probabl[ey] | (?:un)?likely | expected | planned
    | said | says? | according | contrary | wrong\w* | untrue | false\w* | myths? | den(?:y|ied|ies)
    | (?:alleged|reported|supposed)ly | (?: belie[fv] | claim | rumou?r | suggest | seem | appear | argu
    | assum | suppos | doubt | fail | refus | pretend | hypothe | imagin | dream | think | thought )\w*
    )\b | \?""",
    re.IGNORECASE | re.VERBOSE,
)


class Rules:
    """Entailment where a plain sentence of the passage begins with the claim; else unsure.

    Articles and what is in parentheses do not count. A plain sentence has no negation, modal,
    condition, question, attribution or alternative, and does not begin within quotation marks.
    English only: elsewhere nothing is sure.
    """

    signature = "rules(v1)"

    def __init__(self, *, language: str = "en") -> None:
        self._language = language

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        if self._language != "en":
            return [NO_RULE] * len(pairs)
        flat = cache(lambda text: " ".join(_compared_words(text)))  # a passage stands in many pairs of a call
        return [_verbatim(pair, flat(pair.passage.text)) for pair in pairs]


def _verbatim(pair: Pair, flat: str) -> Judgment:
    """`flat` is the passage in words; most claims are nowhere in it, and need no sentences."""
    claim, passage = _compared_words(pair.claim.text.rstrip(" .")), pair.passage
    if len(claim) < MIN_WORDS or " ".join(claim) not in flat:
        return NO_RULE
    for sentence in sentences(passage):
        words = _compared_words(sentence.text)
        if (
            words[: len(claim)] == claim
            and all(map(_MAY_FOLLOW.fullmatch, words[len(claim) : len(claim) + 1]))
            and not _NOT_PLAIN.search(sentence.text)
            and not _quoted(passage.text[: sentence.start - passage.start] + sentence.text[:1])
        ):
            return Judgment(Label.ENTAILMENT, SURE, spans=(sentence.span(0, len(sentence.text)),))
    return NO_RULE


def _quoted(before: str) -> bool:
    """Whether a quotation that was opened in this text is still open at its end."""
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


def _compared_words(text: str) -> list[str]:
    """Lower-case words and punctuation, without articles and what is in parentheses."""
    return [word for word in _WORD.findall(_PARENTHESIS.sub(" ", text.lower())) if word not in _ARTICLES]
