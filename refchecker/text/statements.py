"""Which sentences of a response state nothing that could be checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

DECLINES = "the response declines to answer"
NOTHING = "no checkable statement found"

Kind = Literal["statement", "refusal", "question", "talk"]

_SOURCE = (
    r"(?:passages?|texts?|context|paragraphs?|articles?|information|references?|documents?|excerpts?|prompt|question"
    r"|description|summary|sources?)"
)
_NOT = r"(?:not|n't|n’t|no|never|neither|none|nothing|nowhere|lacks?)"
_TELL = (
    r"(?:provid\w*|mention\w*|specif\w*|contain\w*|stat(?:e|es|ed)\b|say\w*|includ\w*|giv\w*|indicat\w*|discuss\w*"
    r"|describ\w*|explain\w*|clarif\w*|answer\w*|address\w*|detail\w*|tell\w*|reveal\w*|list(?:s|ed)?\b|information)"
)
_REFUSAL = re.compile(
    "|".join(
        (
            rf"\b{_SOURCE}\b[^.]{{0,60}}\b(?:do(?:es)?|did|is|are|has|have|can|could)\s*{_NOT}\b[^.]{{0,40}}{_TELL}",
            rf"\b{_SOURCE}\s+lacks?\b",
            r"\bno\s+(?:(?:one|single|clear|definitive|specific|definite)\s+)*answer\b",
            rf"\b(?:none|neither)\s+of\s+(?:the|these)\s+(?:\w+\s+)?{_SOURCE}\b",
            rf"\bI(?:\s+do|\s+did|\s+can|\s+could|\s+am|['’]m|\s+was)?\s*(?:also\s+)?{_NOT}\b[^.]{{0,30}}"
            r"(?:provide|answer|find|found|determine|have|know|see|access|sure|able|familiar|aware|certain|identify"
            r"|give|help|assist|recall|say|tell|locate|understand|enough|comment|speculate|confirm|verify)",
            r"\bI\s+cannot\b|\bI\s+can(?:'|’)?t\b",
            r"\b(?:I(?:['’]m|\s+am)|we\s+are)\s+(?:\w+\s+)?(?:sorry|unable|afraid|unsure|unaware)\b",
            r"\bI\s+(?:sincerely\s+)?apologi[sz]e\b|^\W*(?:my\s+)?apologies\b|^\W*sorry\b",
            r"\bas\s+an?\s+(?:AI|artificial|language\s+model|large\s+language)",
            r"\bit(?:\s+is|['’]s|\s+was|\s+would\s+be)\s+(?:not\s+(?:\w+\s+)?(?:clear|possible|stated|mentioned|specified|known|sure|provided)"
            r"|unclear|impossible|difficult\s+to\s+(?:determine|say|answer|provide)|hard\s+to\s+say)",
            r"\b(?:no|not\s+enough|insufficient|lack\s+of)\s+(?:\w+\s+){0,2}(?:information|context|details?|mention|data)\b",
            r"\b(?:cannot|can(?:'|’)?t|can\s+not|could\s+not|couldn't)\s+be\s+(?:determined|answered|verified|confirmed)",
            r"\b(?:more|additional|further)\s+(?:\w+\s+)?(?:context|information|details)\s+(?:is|are|would|to|in\s+order)",
            r"\bwithout\s+(?:\w+\s+)?(?:more|additional|further|any|knowing|proper|specific)\b[^.]*(?:context|information|details)",
            r"\bnot\s+(?:have|provide|contain|include)\s+(?:\w+\s+){0,3}(?:information|context|details|answer)",
            r"^\W*(?:the|this|your)\s+question\s+(?:asks|is|can|could|does|seems|appears|may|refers)\b",
        )
    ),
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^\W*(?:"
    r"(?:hi|hello|hey|greetings|dear|thanks|thank\s+you|you['’]re\s+welcome|welcome|sure|certainly|absolutely"
    r"|of\s+course|great|good\s+(?:question|luck|morning|day)|okay|ok|alright|wow|yes|no)(?:\s+\w+){0,2}\W*$"
    r"|(?:sure|certainly|of\s+course|okay)\b[^.]{0,80}:\s*$"
    r"|here(?:['’]s|\s+is|\s+are)\b[^.]{0,160}:?\s*$"
    r"|(?:the\s+)?(?:key|main|relevant|some\s+key|specifically)\b[^.]{0,60}:\s*$"
    r"|(?:please\s+)?(?:let\s+me\s+know|feel\s+free|let['’]s|let\s+us|please)\b"
    r"|I\s+hope\b|hope\s+(?:this|that|it)\b|I(?:['’]m|\s+am)\s+(?:happy|glad|here|sure|ready)\b|I(?:['’]d|\s+would)\b"
    rf"|(?:the\s+)?(?:provided\s+)?{_SOURCE}\s+(?:provided\s+)?(?:only\s+)?(?:provides?|contains?|gives?|includes?)\s+"
    r"(?:some\s+|various\s+|several\s+|general\s+)?(?:information|details)\b"
    r"|I\s+(?:(?:do\s+not|don['’]t)\s+)?(?:think|believe|guess|suppose|assume|recommend|suggest|wish|understand|see)\b|if\s+you\s+(?:have|need|want|provide"
    r"|could|can\s+provide|would\s+like|let\s+me)\b|is\s+there\s+anything|would\s+you\b|(?:can|could)\s+you\b"
    r"|(?:the\s+)?(?:answer|question|context|references?|sources?|note|summary)\s*:?\s*$"
    r")",
    re.IGNORECASE,
)

_APOLOGY = re.compile(
    r"^\W*(?:I(?:['’]m|\s+am)\s+)?(?:(?:very|so|truly)\s+)?(?:sorry|afraid),?\s+but\b", re.IGNORECASE
)
_HEDGED = re.compile(
    r"\b(?:but|however|although|though|while|except|only|believe|think|guess|likely|probably|perhaps|may|might"
    r"|could\s+be|appears?|seems?|suggests?|known|based\s+on|according)\b",
    re.IGNORECASE,
)


def kind(sentence: str) -> Kind:
    """Whether a sentence states something, and if not, what it does instead.

    >>> kind("I'm sorry, I can't help with that.")
    'refusal'
    """
    if re.search(r"[?？؟][\s\"'”’)\]*_]*$", sentence):
        return "question"
    if _REFUSAL.search(sentence):
        return "refusal"
    if _TALK.match(sentence) or not re.search(r"\w", sentence):
        return "talk"
    return "statement"


def declines(sentences: Sequence[str]) -> bool:
    """Whether a response does nothing but decline: no sentence states a thing, even with a hedge.

    >>> declines(["I'm sorry, but I can't help with that.", "Is there anything else?"])
    True
    >>> declines(["I'm not sure, but it may be Paris."])
    False
    """
    kinds = [kind(sentence) for sentence in sentences]
    hedged = any(_HEDGED.search(_APOLOGY.sub("", sentence)) for sentence in sentences)
    return "refusal" in kinds and "statement" not in kinds and not hedged
