"""Claims in a form that no passage would use, put as one that a passage can say. English.

Answers made from passages speak of them: "Passage 4 states that ...", "according to the provided text". A
passage does not say of itself that it states something, so such a claim is checked for what is stated.
Whether it is the passage of that number that states it is not checked; and what a claim says is *not* stated
is left as it is, since no single passage can show that. Extractors put answers to yes-no questions as
triplets with "yes" or "no" for an object; these are checked for what they affirm or deny.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ...types import Claim, Judgment, Label

VERSION = 1  # of everything here: with other rules the same model gives other labels

_MANY = (
    "some|other|all|both|many|most|several|multiple|various|numerous|one|another|each|any|either|two|three"
)
_GIVEN = (
    "provided|given|supplied|retrieved|above|following|reference|first|second|third|last|original|same|only"
)
_NUMBER = r"(?:#|no\.? ?|number )?[\[(]?\d+[\])]?"
_NUMBERS = rf"{_NUMBER}(?:(?:, and|,| and| &| to|-|–) ?{_NUMBER})*"
_BEFORE = rf"(?:(?:the|this|these|that|those|your|{_MANY}) )*(?:of (?:the|these|those) )?"
_SURELY = "passages?|contexts?|excerpts?|snippets?|search results?"  # words for a reference and little else
_KINDS = f"{_SURELY}|texts?|documents?|articles?|sources?|references?|paragraphs?"
_REFERENCE = rf"{_BEFORE}(?:(?:{_GIVEN}) )*(?:{_KINDS})(?: {_NUMBERS})?(?: provided| given| above)?"
_THIS_REFERENCE = (
    rf"{_BEFORE}(?:(?:(?:{_GIVEN}) )*(?:(?:{_SURELY})(?: {_NUMBERS})?|(?:{_KINDS}) {_NUMBERS})"
    rf"|(?:(?:{_GIVEN}) )+(?:{_KINDS}))"
)
_IN_REFERENCE = (
    r"(?:(?:the |a )?(?:statements?|information|evidence|details?|mention|facts?|figures?|data) "
    r"(?:in|from|of|given in|provided by) )?"
)
_SAYING = (
    r"(?:(?:also|clearly|explicitly|specifically|further|only|simply|briefly|directly|mainly|primarily) )*"
    r"(?:(?:say|state|mention|suggest|confirm|note|indicate|describe|discuss|report|explain|reiterate|repeat"
    r"|claim|recommend|assert|show|imply|implie|emphasi[sz]e|highlight|reveal|list|provide|give|contain|include"
    r"|detail|declare|define|cover|argue|conclude|outline|specify|specifie|present|cite|advise|warn|stress|tell)"
    r"(?:e?s|e?d|ing)?|said|gave|told)(?: us)?"
)
_FOUND = (
    r"(?:(?:is|are|was|were|as|also|explicitly) )*"
    r"(?:stated|mentioned|noted|given|provided|found|described|discussed|listed|reported|shown|confirmed"
    r"|contained|included|detailed|specified|presented|cited|suggested|indicated)(?: in| by| on| from)?|in"
)
_ACCORDING = rf"(?:according to|as (?:stated|mentioned|noted|described|given|shown) (?:in|by)) {_REFERENCE}"


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE)


_SUBJECT = _whole(_IN_REFERENCE + _REFERENCE)
_SAYS = _whole(rf"{_SAYING}(?: (?:that|about|information (?:about|on)|details (?:about|on|of)))?")
_FOUND_IN = _whole(_FOUND)
_PLACE = _whole(rf"(?:(?:in|by|from|on) )?{_THIS_REFERENCE}")
_STARTS = re.compile(
    rf"^\W*(?:{_ACCORDING}\s*,?\s+(?:that )?|{_IN_REFERENCE}{_REFERENCE} {_SAYING} that )(?=\w)",
    re.IGNORECASE,
)
_ENDS = re.compile(rf",? {_ACCORDING}(?=\W*$)", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:no|nothing|none|neither|not)\b", re.IGNORECASE)
_ANSWER = _whole(r"(?:yes|true|correct)|(?P<no>no|false|not true|untrue|incorrect)")
_OPPOSITE = {label: label for label in Label} | {
    Label.ENTAILMENT: Label.CONTRADICTION,
    Label.CONTRADICTION: Label.ENTAILMENT,
}


class Restated(NamedTuple):
    """A claim that a passage can say, and whether what was claimed is that it is not so."""

    claim: Claim
    denied: bool = False


def of(claim: Claim) -> Restated:
    """What a claim asks of a passage; most claims as they are.

    >>> of(Claim.of_triplet("Passage 4", "states", "the limit is 30 percent")).claim.text
    'the limit is 30 percent'
    >>> of(Claim("According to the provided passages, goat milk is digested faster.")).claim.text
    'goat milk is digested faster.'
    >>> of(Claim.of_triplet("Passage 4", "does not state", "a limit")).claim.text
    'Passage 4 does not state a limit'
    >>> opposite, denied = of(Claim.of_triplet("goat milk", "creates mucus", "No"))
    >>> opposite.text, denied
    ('goat milk creates mucus', True)
    """
    if not claim.triplet:
        text = _ENDS.sub("", _STARTS.sub("", claim.text, count=1), count=1)
        return Restated(claim if text == claim.text else Claim(text, None, claim.spans))
    subject, predicate, obj = claim.triplet
    if _SUBJECT.fullmatch(subject) and _SAYS.fullmatch(predicate) and obj and not _NOTHING.match(obj):
        return Restated(Claim(obj, None, claim.spans))
    if subject and _FOUND_IN.fullmatch(predicate) and _PLACE.fullmatch(obj):
        return Restated(Claim(subject, None, claim.spans))
    if subject and predicate and (answer := _ANSWER.fullmatch(obj)):
        return Restated(Claim.of_triplet(subject, predicate, "", claim.spans), answer["no"] is not None)
    kept = _ENDS.sub("", obj)
    return Restated(claim if kept == obj else Claim.of_triplet(subject, predicate, kept, claim.spans))


def turned(judgment: Judgment) -> Judgment:
    """The judgment of the opposite claim: what supports the one contradicts the other."""
    scores = {label: judgment.scores[_OPPOSITE[label]] for label in judgment.scores}
    return replace(judgment, label=_OPPOSITE[judgment.label], scores=scores)
