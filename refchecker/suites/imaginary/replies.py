"""What a model's reply answers: a span of the text, or that there is no answer."""

from __future__ import annotations

import re

ANSWER_LINE = re.compile(r"(?:^|\n)[\s*_#>-]*(?:final\s+)?answer[\s*_]*:[\s*_]*(.*)", re.IGNORECASE)
QUOTES = "\"'`*_“”‘’«»"

_UNSAID = "answerable|known|clear|certain|specified|stated|mentioned|given|provided|possible|determined"
_TELL = "say|state|mention|specif|provide|give|answer|tell|contain|include|indicate|confirm|assert|support"
_FIND = "answer|determine|conclude|infer|say|tell|know"

# a reply that begins with one of these abstains
_BEGINNINGS = (
    r"none\b",
    r"null\b",
    r"n/?a\b",
    rf"not (?:applicable|available|enough information|{_UNSAID})\b",
    r"no (?:answer|information|evidence|mention|span|such)\b",
    rf"un(?:{_UNSAID})\b",
    rf"(?:it|that|this) (?:is|was) (?:not |un)(?:{_UNSAID})\b",
    r"(?:insufficient|not enough) (?:information|context|evidence)\b",
    r"i (?:do not|don't|cannot|can't|am not|could not|couldn't)\b",
    r"(?:sorry|unfortunately)\b",
    r"there (?:is no|are no|isn't|aren't)\b",
)
# a reply that has one of these anywhere abstains
_ANYWHERE = (
    rf"\b(?:can(?:not|'t| not)|could(?: not|n't)|impossible to|unable to) (?:be )?(?:{_FIND})",
    r"\b(?:text|passage|context|sentence|statement) (?:itself )?(?:does|do|did)(?: not|n't) "
    rf"(?:\w+ )?(?:{_TELL})",
    rf"\b(?:is|are|was)(?: not|n't) (?:explicitly |directly )?(?:answered|said|{_UNSAID})\b",
    r"\bunanswerable\b",
)
_ABSTAINS = re.compile(rf"^(?:{'|'.join(_BEGINNINGS)})|{'|'.join(_ANYWHERE)}", re.IGNORECASE)


def answer_in(reply: str, *, reasoned: bool = False) -> str:
    """The answer without what stands around it: quotes, a final full stop, "Answer:".

    Of a reasoned reply it is what follows the last "Answer:" at the start of a line, or, where there is no
    such line, the whole reply.

    >>> answer_in('Answer: "Oslo".'), answer_in("First I read it.\\n**Answer:** Oslo", reasoned=True)
    ('Oslo', 'Oslo')
    """
    lines = ANSWER_LINE.findall(reply)
    wanted = lines and (reasoned or ANSWER_LINE.match(reply.strip()))
    text: str = lines[-1] if wanted else reply
    return text.strip().rstrip(".").strip(QUOTES + " \t\n.").strip()


def abstains(answer: str, context: str) -> bool:
    """Whether it says, in one of the usual ways, that the text does not answer. Words of the text do not.

    >>> abstains("None", "He left."), abstains("The text does not say.", "He left.")
    (True, True)
    >>> abstains("It is uncertain", "It is uncertain that he left.")
    False
    """
    return bool(_ABSTAINS.search(answer.replace("’", "'"))) and not is_span(answer, context)


def is_span(answer: str, context: str) -> bool:
    """Whether it is made of neighbouring whole words of the context, whatever their case.

    >>> is_span("the black  sea", "The Nile flows into the Black Sea."), is_span("Nil", "The Nile flows.")
    (True, False)
    """
    words = r"\s+".join(map(re.escape, answer.split()))
    return bool(words) and bool(re.search(rf"(?<!\w){words}(?!\w)", context, re.IGNORECASE))


def acceptable(answer: str, context: str) -> bool:
    """What the controlled set-up takes: an abstention or a span of the context."""
    return abstains(answer, context) or is_span(answer, context)


def denied(reply: str) -> bool:
    """Whether the reply to a yes-or-no question is no.

    >>> denied("No."), denied("**no**, it only supposes it"), denied("Yes"), denied("Nobody knows")
    (True, True, False, False)
    """
    return bool(re.match(r"no\b", answer_in(reply), re.IGNORECASE))
