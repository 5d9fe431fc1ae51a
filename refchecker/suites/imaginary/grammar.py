"""One statement in the forms that sentences are made of: finite, negated, hypothetical, with a modal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def word_list(name: str) -> Any:
    """The word list of that name."""
    text = files("refchecker").joinpath("suites", "imaginary", "words", f"{name}.json").read_text("utf-8")
    return json.loads(text)


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement: subject, the verb as dictionaries have it, and the rest."""

    subject: str
    verb: str
    rest: str
    past: bool = False
    plural: bool = False

    @property
    def finite_verb(self) -> str:
        """The verb in the statement's tense, in agreement with its subject."""
        third, past, _ = _inflected(self.verb)
        if self.verb == "be":
            return ("were" if self.past else "are") if self.plural else (past if self.past else third)
        return past if self.past else self.verb if self.plural else third

    @property
    def finite(self) -> str:
        """The predicate, as the statement asserts it.

        >>> Clause("Jane Austen", "write", "Emma", past=True).finite
        'wrote Emma'
        """
        return f"{self.finite_verb} {self.rest}"

    def negated(self, particle: str = " not") -> str:
        """The predicate denied; `particle` is " not" or "n't".

        >>> Clause("the Nile", "flow", "into the Baltic Sea").negated("n't")
        "doesn't flow into the Baltic Sea"
        """
        if self.verb == "be":
            return f"{self.finite_verb}{particle} {self.rest}"
        auxiliary = "did" if self.past else "do" if self.plural else "does"
        return f"{auxiliary}{particle} {self.verb} {self.rest}"

    @property
    def never(self) -> str:
        """
        >>> Clause("the capital of Peru", "be", "Quito").never
        'has never been Quito'
        """
        if self.past:
            return f"{self.finite_verb} never {self.rest}" if self.verb == "be" else f"never {self.finite}"
        return f"{self._have} never {self._participle} {self.rest}"

    @property
    def turned(self) -> str:
        """Subject and predicate turned round, as after "at no time".

        >>> Clause("Jane Austen", "write", "Emma", past=True).turned
        'did Jane Austen write Emma'
        """
        if not self.past:
            return f"{self._have} {self.subject} {self._participle} {self.rest}"
        if self.verb == "be":
            return f"{self.finite_verb} {self.subject} {self.rest}"
        return f"did {self.subject} {self.verb} {self.rest}"

    @property
    def bare(self) -> str:
        """The predicate after a modal or "to"; of a statement about the past the perfect.

        >>> Clause("Jane Austen", "write", "Emma", past=True).bare
        'have written Emma'
        """
        return f"have {self._participle} {self.rest}" if self.past else f"{self.verb} {self.rest}"

    @property
    def hypothetical(self) -> str:
        """The predicate in the if-clause of an unreal conditional.

        >>> Clause("the capital of Peru", "be", "Quito").hypothetical
        'were Quito'
        """
        if self.past:
            return f"had {self._participle} {self.rest}"
        return f"{'were' if self.verb == 'be' else _inflected(self.verb)[1]} {self.rest}"

    @property
    def inverted(self) -> str:
        """The same if-clause without if.

        >>> Clause("the Nile", "flow", "into the Baltic Sea").inverted
        'were the Nile to flow into the Baltic Sea'
        """
        if self.past:
            return f"had {self.subject} {self._participle} {self.rest}"
        to = "" if self.verb == "be" else f"to {self.verb} "
        return f"were {self.subject} {to}{self.rest}"

    def forms(self) -> dict[str, str]:
        """Every form by the name that frames have for it."""
        return {
            "s": self.subject,
            "vp": self.finite,
            "not": self.negated(),
            "nt": self.negated("n't"),
            "never": self.never,
            "atno": self.turned,
            "bare": self.bare,
            "hyp": self.hypothetical,
            "inverted": self.inverted,
            "is": "are" if self.plural else "is",
        }

    @property
    def _have(self) -> str:
        return "have" if self.plural else "has"

    @property
    def _participle(self) -> str:
        return _inflected(self.verb)[2]


def _inflected(verb: str) -> tuple[str, str, str]:
    """Third person, past and participle."""
    third, past, participle = word_list("verbs")[verb]
    return third, past, participle


def sentence(text: str) -> str:
    """The text with a capital where a sentence begins.

    >>> sentence("what if the sun were cold? many would freeze.")
    'What if the sun were cold? Many would freeze.'
    """
    return re.sub(r"(^|\? )(\w)", lambda start: start[1] + start[2].upper(), text)


def with_articles(text: str) -> str:
    """The text with "an" before the names that want it.

    >>> with_articles("a ulox and a bear")
    'an ulox and a bear'
    """
    return re.sub(r"\ba (?=[aeiou])", "an ", text)
