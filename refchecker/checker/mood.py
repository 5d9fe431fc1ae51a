"""How a sentence means what it says: as so, or as denied, doubted or only supposed. English.

The model knows the common ways ("might have", "it is unlikely that", "if ... had"); of the rarer ones ("by no
means", "the story that ... is made up") it takes the matching words for support. Here they are named. A plain
"may" or "likely" is left to the model: in people's texts it often goes with support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ..types import Label
from .evidence import Page, content, share, words

VERSION = 1  # of everything here: with other rules the same model gives other labels
HOLDS = 0.7  # a sentence with this share of the claim's content words may say the claim
OTHERS = 3  # content words beside the claim's in a part of a sentence that says no more than the claim; or
MORE = 2 / 3  # this many for each of the claim's that is there
SHORT = 5  # words of a part that belongs to the part beside it: "possibly", "in truth"
LEFT = 0.1  # of Entailment's probability, where the claim is denied, doubted or supposed


def _words(*ways: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(ways)})\b", re.IGNORECASE)


_ASSURED = _words(
    r"(?:no|without|beyond|little) (?:\w+ )?(?:doubts?|question|secret)(?! whether)",
    r"undoubtedly",
    r"(?:nobody|no[ -]one|none|cannot|can['’]t) (?:can |could |will |would )?(?:be )?"
    r"(?:den(?:y|ied|ies)|doubt(?:s|ed)?|disputed?s?)",
    r"not (?:only|just|merely|least|surprisingly)",
    r"no (?:fewer|less) than",
    r"none other than",
    r"nothing but",
    r"if (?:any|anything|not)",
)
_DENIED = re.compile(
    _words(
        r"not|never|no|cannot|neither|nor|nobody|none|nothing|nowhere|without|unable|no longer",
        r"false(?:ly)?|untrue|incorrect(?:ly)?|wrong to|wrongly|mistaken(?:ly)?|contrary to|far from",
        r"myth|hoax|fabricat(?:ed|ion)|made up|invented",
        r"debunked|disprove[dn]|refuted|den(?:y|ies|ied)",
        r"fail(?:s|ed)? to|refuse[sd]? to|lack(?:s|ed)?|rather than|instead of",
    ).pattern
    + r"|n['’]t\b",
    re.IGNORECASE,
)
_DOUBTED = _words(
    r"unlikely|improbable|implausible|doubtful|dubious|doubt(?:s|ed)?|questionable|debatable|uncertain|unclear",
    r"unsure|unproven|unconfirmed|unverified|not (?:certain|sure|clear|known)|inconceivable|unthinkable",
    r"open to question|remains to be seen|anything but (?:sure|certain|clear)",
    r"impossible|hard to (?:believe|imagine)|hardly|scarcely|s[kc]eptical|speculated?|rumou?rs?",
    r"(?:little|no|scant|hardly any|not much) (?:chance|reason|evidence|hope|proof|sign|indication|basis)",
    r"few (?:\w+ )?(?:believe|think|expect)|alleged(?:ly)?|supposedly|purported(?:ly)?|perhaps|maybe|might",
    r"(?:it|is|was|be) possible|possibly|conceivabl[ey]|presumably|chance that|whether|may or may not",
)
_SUPPOSED = re.compile(
    _words(
        r"if|unless|provid(?:ed|ing)|assum(?:e|ed|ing)|suppos(?:e|ing)|imagin(?:e|ing)|in case|otherwise",
        r"in the event|on condition|as long as|but for|in another world|under other circumstances",
        r"with (?:a little |some )?(?:more|better) luck",
    ).pattern
    + r"|^\W*(?:had|were|should)\b",
    re.IGNORECASE,
)
_MOODS = ((_DENIED, Label.CONTRADICTION), (_DOUBTED, Label.NEUTRAL), (_SUPPOSED, Label.NEUTRAL))

# What frames a whole sentence: "If ...", "It is doubtful whether ...", "The story that ... is made up."
_STARTS = re.compile(
    r"\W*(?:(?:only |even |what )?if(?! you| we| one)|unless|provid(?:ed|ing)|assum(?:e|ing)|suppos(?:e|ing)"
    r"|imagine|let us (?:assume|suppose|imagine)|in case|as long as|on condition"
    r"|(?:had|were|should) (?:it|he|she|they|the|an?)\b)",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\W*(?:[\w'’-]+\W+){0,8}?[\w'’-]+\s+(?:that|whether)(?=\s)", re.IGNORECASE)
_TAKES_THAT = re.compile(
    r"\b(?:true|certain|sure|clear|known|likely|possible|case|so|think|thought|believed?|sa(?:y|id)|suggests?|claims?"
    r"|agreed?|evidence|reason|chance|proof|sign|indication|hope|notion|idea|story|tale|belief|theory|rumou?r|report)s?"
    rf"\W+that$|(?:{_DENIED.pattern}|{_DOUBTED.pattern})\W+that$|whether$",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\W*(?:the |an? |this )?(?:(?:\w+ )?(?:claim|idea|notion|story|tale|belief|theory|rumou?r|report|view"
    r"|assumption|suggestion|legend|assertion|allegation|hypothesis) )?that\s.*?"
    r"\b((?:is|was|are|were|been|turn(?:s|ed) out|remains?|seems?|proved)\b(?:\W+[\w'’-]+){1,5})\W*$",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(
    r"(?=[,;:]\s|\s[-–—]\s|\b(?:but|although|though|while|whereas|however|and|which|who)\b)", re.IGNORECASE
)


def unsettled(claim: str, page: Page, text: str) -> Label | None:
    """What the claim is, by every sentence that holds it, if not so: denied (Contradiction), or doubted or
    supposed (Neutral). None where a sentence says it plainly, none holds it, or the claim says it so itself.

    `text` is what `page` was read from.

    >>> text = "The story that Ada wrote it is made up."
    >>> unsettled("Ada wrote it", Page.of(text), text)
    <Label.CONTRADICTION: 'Contradiction'>
    """
    wanted = content(claim)
    if not wanted:
        return None
    held = [(share(wanted, each.stems), each.start, each.end) for each in page.sentences]
    holding = sorted((each for each in held if each[0] >= HOLDS), reverse=True)
    found = [_unsettled_by(text[start:end], claim, wanted) for _, start, end in holding]
    return None if None in found else next(iter(found), None)


def without_support(probabilities: Sequence[float], order: Sequence[Label], instead: Label) -> list[float]:
    """The probabilities, in `order`, with most of Entailment's given to another label; they sum to 1."""
    own, other = order.index(Label.ENTAILMENT), order.index(instead)
    moved = list(probabilities)
    moved[own] *= LEFT
    moved[other] += probabilities[own] - moved[own]
    return moved


def _unsettled_by(sentence: str, claim: str, wanted: Sequence[str]) -> Label | None:
    """The same of one sentence: of what frames it, and of the part of it that says the claim."""
    own = _ASSURED.sub(" ", claim)
    moods = [(ways, label) for ways, label in _MOODS if not ways.search(own)]
    said, stems = _saying(sentence, frozenset(wanted))
    there = len(stems & frozenset(wanted))
    about = there and len(stems) - there <= max(OTHERS, MORE * there)
    told = [*_frames(_ASSURED.sub(" ", sentence)), *([_ASSURED.sub(" ", said)] if about else [])]
    return next((label for each in told for ways, label in moods if ways.search(each)), None)


def _frames(sentence: str) -> Iterator[str]:
    """The words that tell how the whole of a sentence is meant."""
    if starts := _STARTS.match(sentence):
        yield starts[0]
    if (opens := _OPENS.match(sentence)) and _TAKES_THAT.search(opens[0]):
        yield opens[0]
    if closes := _CLOSES.match(sentence):
        yield closes[1]


def _saying(sentence: str, wanted: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The part of a sentence that has most of the claim, with short parts beside it, and its words' stems."""
    parts = _parts(sentence)
    if not parts:
        return "", frozenset()
    first = last = max(range(len(parts)), key=lambda i: len(wanted & parts[i][1]))
    while first > 0 and parts[first - 1][2] <= SHORT:
        first -= 1
    while last < len(parts) - 1 and parts[last + 1][2] <= SHORT:
        last += 1
    chosen = parts[first : last + 1]
    return " ".join(text for text, _, _ in chosen), frozenset().union(*(stems for _, stems, _ in chosen))


@lru_cache(maxsize=2048)
def _parts(sentence: str) -> list[tuple[str, frozenset[str], int]]:
    """What stands between commas and conjunctions: text, content words, number of words."""
    found = [(part, frozenset(content(part)), len(words(part))) for part in _PART.split(sentence)]
    return [part for part in found if part[2]]
