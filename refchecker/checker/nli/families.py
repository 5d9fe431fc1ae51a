"""The kinds of model the nli checker knows: how each was trained to read a pair, and what it answers.

A model is known by its name (of the hub, of a folder, of an AlignScore checkpoint) or by `family=`.
The formats are those their authors document: MiniCheck (arXiv 2404.10774), AlignScore
(arXiv 2305.16739), Vectara's first HHEM (a DeBERTa cross-encoder).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...errors import UsageError
from ...types import Label

E, N, C = Label.ENTAILMENT, Label.NEUTRAL, Label.CONTRADICTION


@dataclass(frozen=True)
class Family:
    """How premise and claim are joined, how much premise at a time, and what each output means.

    `labels` are the outputs by documented position, None where `id2label` names them. A single
    output is the log-odds of the first label against the second, so that 0 is the sigmoid's one half.
    """

    name: str
    labels: tuple[Label, ...] | None = None
    outputs: int | None = None
    one_text: bool = False  # premise, end-of-text token, claim in one text, not the tokenizer's pair form
    prefix: str = ""
    chunk_tokens: int | None = None  # of the premise; what the authors split documents into
    max_tokens: int | None = None  # where the model's own configuration says less than was trained
    answer_tokens: tuple[int, ...] = ()  # a generative model's answer is one of these, its first token


FAMILIES = {
    family.name: family
    for family in (
        Family("nli"),
        Family("minicheck", (N, E), 2, one_text=True, chunk_tokens=400),
        # 500 words there, which are about 650 tokens; it answers with the token of 0 or of 1
        Family(
            "minicheck-t5",
            (N, E),
            one_text=True,
            prefix="predict:",
            chunk_tokens=650,
            max_tokens=2048,
            answer_tokens=(3, 209),
        ),
        Family("alignscore", (E, N, C), chunk_tokens=350),
        Family("hhem", (E, N), 1),
    )
}
_NAMED = {  # the first that is found in a model's name
    r"minicheck.*t5": "minicheck-t5",
    r"minicheck": "minicheck",
    r"alignscore|\.ckpt$": "alignscore",
    r"hhem|hallucination_evaluation_model": "hhem",
}


def family_of(model: str, family: str | None = None) -> Family:
    """The family called `family`, else the one the model's own name speaks of, else plain NLI.

    >>> family_of("lytang/MiniCheck-RoBERTa-Large").name, family_of("roberta-large-mnli").name
    ('minicheck', 'nli')
    """
    if family is not None:
        if family not in FAMILIES:
            raise UsageError(f"no model family {family!r}. There are {', '.join(FAMILIES)}.")
        return FAMILIES[family]
    name = model.rstrip("/").rpartition("/")[2].lower()
    return FAMILIES[next((known for part, known in _NAMED.items() if re.search(part, name)), "nli")]


class Tokens(NamedTuple):
    """One input of the model."""

    ids: list[int]
    types: list[int]


class Joiner:
    """Tokenised premise and claim to one input, in the family's form."""

    def __init__(self, family: Family, tokenizer: Any, model: str) -> None:
        self._backend, self._one_text = tokenizer.backend_tokenizer, family.one_text
        self._backend.no_truncation()
        self._backend.no_padding()
        prefix = self._backend.encode(family.prefix, add_special_tokens=False)
        self._prefix: list[int] = prefix.ids if family.prefix else []
        self._end = tokenizer.eos_token_id
        if family.one_text and self._end is None:
            raise UsageError(
                f"the tokenizer of {model!r} has no end-of-text token, which {family.name} needs"
            )
        #: Tokens of an input that are neither premise nor claim.
        self.added: int = self._backend.num_special_tokens_to_add(is_pair=not family.one_text)
        self.added += family.one_text + len(self._prefix)

    def __call__(self, premise: Any, claim: Any) -> Tokens:
        if not self._one_text:
            pair = self._backend.post_process(premise, claim, True)
            return Tokens(pair.ids, pair.type_ids)
        # as the tokenizer reads premise + end-of-text + claim in one string: a closed premise, then the claim
        closed = self._backend.post_process(premise, None, True).ids
        head = closed[: len(closed) - len(premise.ids) - 1]  # [CLS] or nothing
        ids = [*head, *self._prefix, *closed[len(head) :], *claim.ids, self._end]
        return Tokens(ids, [0] * len(ids))
