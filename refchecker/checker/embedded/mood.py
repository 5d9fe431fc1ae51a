"""How a sentence means what it says: as so, or as denied, doubted or only supposed. English.

The model knows the common ways ("might have", "it is unlikely that", "if ... had"); of the rarer ones ("by no
means", "the story that ... is made up") it takes the matching words for support. Here they are named. A plain
"may" or "likely" is left to the model: in people's texts it often goes with support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...text import content, share, words_of
from ...types import Label
from .features import ReadPassage

VERSION = 2  # of everything here: with other rules the same model gives other labels
HOLDS = 0.7  # a sentence with this share of the claim's content words may say the claim
OTHERS = 3  # content words beside the claim's in a part of a sentence that says no more than the claim; or
MORE = 2 / 3  # this many for each of the claim's that is there
SHORT = 5  # words of a part that belongs to the part beside it: "possibly", "in truth"
LEFT = 0.1  # of Entailment's probability, where the claim is denied, doubted or supposed


def _any_of(*ways: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(ways)})\b", re.IGNORECASE)


_ASSURED = _any_of(
    r"(?:no|without|beyond|little) (?:\w+ )?(?:doubts?|question|secret)(?! whether)|undoubtedly",
    r"(?:nobody|no[ -]one|none|cannot|can['’]t) (?:can |could |will |would )?(?:be )?"
    r"(?:den(?:y|ied|ies)|doubt(?:s|ed)?|disputed?s?)",
    r"not (?:only|just|merely|least|surprisingly)|no (?:fewer|less) than|none other than|nothing but",
    r"if (?:any|anything|not)|as if|(?:regardless of )?whether or not|regardless of whether",
)
# These deny what comes after them.
_NOT = re.compile(
    _any_of(
        r"not|never|cannot|neither|nor|nobody|no[ -]one|none|no longer|(?:at|by|in|under) no \w+",
        r"den(?:y|ies|ied)|fail(?:s|ed)? to|refuse[sd]? to|unable to|far from",
    ).pattern
    + r"|n['’]t\b|^\W*no\b",
    re.IGNORECASE,
)
# These, of a whole sentence, what it says.
_FALSE = _any_of(
    r"no|false(?:ly)?|untrue|incorrect(?:ly)?|wrong(?:ly)?|mistaken(?:ly)?|contrary to|nothing",
    r"myth|hoax|fabricat(?:ed|ion)|made up|invented|debunked|disprove[dn]|refuted",
)
_DOUBTED = _any_of(
    r"unlikely|improbable|implausible|doubtful|dubious|doubt(?:s|ed)?|questionable|debatable|uncertain|unclear",
    r"unsure|unproven|unconfirmed|unverified|not (?:certain|sure|clear|known)|inconceivable|unthinkable",
    r"open to question|remains to be seen|anything but (?:sure|certain|clear)|hardly|scarcely",
    r"impossible|hard to (?:believe|imagine)|speculated?|few (?:\w+ )?(?:believe|think|expect)",
    r"(?:little|no|scant|hardly any|not much) (?:chance|reason|evidence|hope|proof|sign|indication|basis)",
    r"alleged(?:ly)?|supposedly|purported(?:ly)?|perhaps|maybe|might|(?:it|is|was|be) possible|possibly",
    r"conceivabl[ey]|presumably|chance that|whether|may or may not",
)
_SUPPOSED = re.compile(
    _any_of(r"if|unless|provid(?:ed|ing) that|assuming|suppos(?:e|ing)|imagine|in case|on condition").pattern
    + r"|^\W*(?:had|were|should)\b",
    re.IGNORECASE,
)

_MOODS = {
    _DOUBTED: Label.NEUTRAL,
    _NOT: Label.CONTRADICTION,
    _FALSE: Label.CONTRADICTION,
    _SUPPOSED: Label.NEUTRAL,
}

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
    rf"\W+that$|(?:{_NOT.pattern}|{_FALSE.pattern}|{_DOUBTED.pattern}|rumou?r(?:ed|s))\W+that$|whether$",
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


def unsettled(claim: str, passage: ReadPassage, text: str) -> Label | None:
    """What the claim is, by every sentence that holds it, if not so: denied (Contradiction), or doubted or
    supposed (Neutral). None where a sentence says it plainly, none holds it, or the claim says it so itself.

    `text` is what `passage` was read from.

    >>> text = "The story that Ada wrote it is made up."
    >>> unsettled("Ada wrote it", ReadPassage.of(text), text)
    <Label.CONTRADICTION: 'Contradiction'>
    """
    wanted = content(claim)
    if not wanted:
        return None
    claimed = _ASSURED.sub(" ", claim)
    moods = {ways: label for ways, label in _MOODS.items() if not ways.search(claimed)}
    held = [(share(wanted, sentence.stems), sentence.start, sentence.end) for sentence in passage.sentences]
    holding = sorted((sentence for sentence in held if sentence[0] >= HOLDS), reverse=True)
    labels = [_unsettled_by(text[start:end], frozenset(wanted), moods) for _, start, end in holding]
    return None if None in labels else next(iter(labels), None)


def without_support(probabilities: Sequence[float], order: Sequence[Label], instead: Label) -> list[float]:
    """The probabilities, in `order`, with most of Entailment's given to another label; they sum to 1."""
    support, other = order.index(Label.ENTAILMENT), order.index(instead)
    moved = list(probabilities)
    moved[support] *= LEFT
    moved[other] += probabilities[support] - moved[support]
    return moved


def _unsettled_by(
    sentence: str, wanted: frozenset[str], moods: Mapping[re.Pattern[str], Label]
) -> Label | None:
    """The same of one sentence: of what frames it, and of the part of it that says the claim."""
    sentence = _ASSURED.sub(" ", sentence)
    for frame in _frames(sentence):
        if label := next((label for ways, label in moods.items() if ways.search(frame)), None):
            return label
    part, around = _saying(sentence, wanted)
    if _NOT in moods and any(wanted & {*content(part[match.end() :])} for match in _NOT.finditer(part)):
        return Label.CONTRADICTION
    if any(ways in moods and ways.search(around) for ways in (_DOUBTED, _SUPPOSED)):
        return Label.NEUTRAL
    return None


def _frames(sentence: str) -> Iterator[str]:
    """The words that tell how the whole of a sentence is meant."""
    if starts := _STARTS.match(sentence):
        yield starts[0]
    if (opens := _OPENS.match(sentence)) and _TAKES_THAT.search(opens[0]):
        yield opens[0]
    if closes := _CLOSES.match(sentence):
        yield closes[1]


def _saying(sentence: str, wanted: frozenset[str]) -> tuple[str, str]:
    """The part of a sentence that has most of the claim, and the same with short parts beside it; each is ""
    where it says more than the claim."""

    def no_more(stems: frozenset[str]) -> bool:
        claimed = len(stems & wanted)
        return bool(claimed) and len(stems) - claimed <= max(OTHERS, MORE * claimed)

    parts = _parts(sentence)
    if not parts:
        return "", ""
    best = first = last = max(range(len(parts)), key=lambda i: len(wanted & parts[i].stems))
    while first > 0 and parts[first - 1].words <= SHORT:
        first -= 1
    while last < len(parts) - 1 and parts[last + 1].words <= SHORT:
        last += 1
    around = parts[first : last + 1]
    all_stems = frozenset().union(*(part.stems for part in around))
    return (
        parts[best].text if no_more(parts[best].stems) else "",
        " ".join(part.text for part in around) if no_more(all_stems) else "",
    )


class _Part(NamedTuple):
    """What stands between two commas or conjunctions."""

    text: str
    stems: frozenset[str]  # of its content words
    words: int


@lru_cache(maxsize=2048)
def _parts(sentence: str) -> list[_Part]:
    parts = [_Part(text, frozenset(content(text)), len(words_of(text))) for text in _PART.split(sentence)]
    return [part for part in parts if part.words]
