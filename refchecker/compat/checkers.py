"""Upstream RefChecker's class names and signatures, translated to and from the native pipeline.

What differs from upstream on purpose: a response that is contradicted throughout is not
"Entailment", what has no reference is "Abstain", and batches of different lengths are an
error instead of being cut to the shortest.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

from ..aggregate import any_support, major, soft, strict, winner
from ..errors import UsageError
from ..pipeline import run
from ..protocols import Checker
from ..text import windows
from ..types import Claim, Label, Passage, Record, Report

UPSTREAM_BATCH_SIZE = 16
UPSTREAM_MODEL_TOKENS = 512
_CHECK_BATCH_PAIRS = 4096  # repeated pairs are asked once per batch, so batches are wide
_WORD = re.compile(r"\S+")
_log = logging.getLogger("refchecker")

Labels = list[str] | list[list[str]]


class CompatChecker:
    """Any native checker behind upstream's `check`.

    >>> from refchecker.types import Judgment
    >>> def contains(pairs):
    ...     labels = {True: Label.ENTAILMENT, False: Label.NEUTRAL}
    ...     return [Judgment(labels[pair.claim.text in pair.passage.text]) for pair in pairs]
    >>> CompatChecker(contains).check([["a cat", "a dog"]], ["There is a cat."])
    [['Entailment', 'Neutral']]
    """

    def __init__(self, check: Checker) -> None:
        self._check = check

    def check(
        self,
        batch_claims: Sequence[Sequence[Any]],
        batch_references: Sequence[str | Sequence[str] | None],
        batch_questions: Sequence[str | None] | None = None,
        max_reference_segment_length: int | None = 200,
        merge_psg: bool = True,
        is_joint: bool = False,
        joint_check_num: int = 5,
        **_unused: Any,
    ) -> list[Labels]:
        """Label names nested as `[response][claim]`, or unmerged as `[response][claim][reference]`.

        A claim is a string, a triplet of strings, or an object whose `content` is one of these.
        A reference given as one string is a list of one. An empty reference is "Abstain"; an
        empty list of them is "Abstain" merged and `[]` unmerged.
        References are read in pieces of at most `max_reference_segment_length` words, ended
        at sentences (0 or None: whole). How claims are batched is the checker's business, so
        `is_joint`, `joint_check_num` and further keywords of upstream's change nothing.
        Errors: `UsageError` that names the index of what has the wrong shape.
        """
        records = _records(batch_claims, batch_references, batch_questions)
        most_words = _words_per_piece(max_reference_segment_length)

        def pieces(passage: Passage) -> Sequence[Passage]:
            if not passage.text.strip():
                return ()
            if not most_words:
                return (passage,)
            words = [match.span() for match in _WORD.finditer(passage.text)]
            return windows(passage, words, max_tokens=most_words)

        reports = list(run(records, check=self._check, split=pieces, check_batch=_CHECK_BATCH_PAIRS))
        _tell_undetermined(reports)
        if merge_psg:
            return [[verdict.label.value for verdict in report.verdicts] for report in reports]
        return [
            [[judgment.label.value for judgment in verdict.judgments] for verdict in report.verdicts]
            for report in reports
        ]


class NLIChecker(CompatChecker):
    """Upstream's NLI checker: `NLIChecker(device="cpu").check(batch_claims=…, batch_references=…)`.

    `device` is a CUDA index, "cpu" or "cuda:0"; 0, upstream's default, is the CPU where there
    is no GPU. Batches are filled by tokens; another `batch_size` than upstream's bounds them
    at so many inputs of 512 tokens. `refchecker.checker.nli.NLIChecker` is the native class.
    """

    def __init__(
        self, model: str | None = None, device: int | str = 0, batch_size: int = UPSTREAM_BATCH_SIZE
    ) -> None:
        super().__init__(_nli_model(model, device, batch_size))


class AlignScoreChecker(CompatChecker):
    """Upstream's AlignScore checker: `AlignScoreChecker(ckpt_path="AlignScore-large.ckpt", device="cpu")`.

    The checkpoint is never downloaded; where it is missing, the error says where it is published.
    Its tokenizer and configuration are read beside it, else those of roberta-large from the hub.
    """

    def __init__(
        self,
        ckpt_path: str = "alignscore.ckpt",
        device: int | str = 0,
        batch_size: int = UPSTREAM_BATCH_SIZE,
    ) -> None:
        super().__init__(_nli_model(ckpt_path, device, batch_size, family="alignscore"))


class EmbeddedChecker(CompatChecker):
    """The model that ships, behind upstream's `check`. `refchecker.checker.embedded` has the native class."""

    def __init__(self) -> None:
        from ..checker import embedded

        super().__init__(embedded.EmbeddedChecker())


def strict_agg(results: Sequence[str] | Sequence[Sequence[str]] | None) -> str:
    """One label for a response: any Contradiction, else all Entailment, else Neutral.

    Here and in `soft_agg` and `major_agg`, `results` are the labels of one response's claims;
    a claim with a list of labels, one per reference, is merged first. No claims are "Abstain".

    >>> strict_agg(["Entailment", "Contradiction"]), strict_agg([["Neutral", "Entailment"]]), strict_agg([])
    ('Contradiction', 'Entailment', 'Abstain')
    """
    return winner(strict(_labels(results))).value


def soft_agg(results: Sequence[str] | Sequence[Sequence[str]] | None) -> dict[str, float]:
    """The share of each label, by name.

    >>> soft_agg(["Entailment", "Neutral"])
    {'Entailment': 0.5, 'Neutral': 0.5, 'Contradiction': 0.0, 'Abstain': 0.0}
    """
    return {label.value: share for label, share in soft(_labels(results)).items()}


def major_agg(results: Sequence[str] | Sequence[Sequence[str]] | None) -> str:
    """The label with most votes; a tie goes to the worse one, whatever the order."""
    return winner(major(_labels(results))).value


def _records(batch_claims: Any, batch_references: Any, batch_questions: Any) -> list[Record]:
    claims = _sequence(batch_claims, "batch_claims")
    references = _sequence(batch_references, "batch_references")
    questions = _sequence(
        [None] * len(claims) if batch_questions is None else batch_questions, "batch_questions"
    )
    for name, values in (("batch_references", references), ("batch_questions", questions)):
        if len(values) != len(claims):
            missing = min(len(values), len(claims))
            raise UsageError(
                f"batch_claims has {len(claims)} responses and {name} has {len(values)}: index {missing} is "
                "in one only. Give one item per response in each."
            )
    return [
        Record(
            id=str(index),
            response="",
            question=_text(questions[index], f"batch_questions[{index}]"),
            references=_passages(references[index], f"batch_references[{index}]"),
            claims=tuple(
                _claim(claim, f"batch_claims[{index}][{position}]")
                for position, claim in enumerate(_sequence(claims[index], f"batch_claims[{index}]"))
            ),
        )
        for index in range(len(claims))
    ]


def _sequence(value: Any, where: str) -> Sequence[Any]:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return value
    raise UsageError(f"{where} is a {type(value).__name__}; it must be a list")


def _text(value: Any, where: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise UsageError(f"{where} is a {type(value).__name__}; it must be a string")


def _passages(value: Any, where: str) -> tuple[Passage, ...]:
    if value is None or isinstance(value, str):
        return (Passage(value or "", where),)
    places = [(text, f"{where}[{position}]") for position, text in enumerate(_sequence(value, where))]
    return tuple(Passage(_text(text, place), place) for text, place in places)


def _claim(value: Any, where: str) -> Claim:
    if isinstance(value, Claim):
        return value
    content = getattr(value, "content", value)
    if isinstance(content, str):
        return Claim(content)
    parts = list(content) if isinstance(content, Sequence) else []
    if len(parts) == 3 and all(isinstance(part, str) for part in parts):
        return Claim.of_triplet(*parts)
    raise UsageError(f"{where} is {value!r:.80}; a claim is a string or a triplet of three strings")


def _words_per_piece(value: Any) -> int:
    if value is None or (isinstance(value, int) and value >= 0):
        return value or 0
    raise UsageError(
        f"max_reference_segment_length is {value!r}; it must be a number of words, or 0 for whole references"
    )


def _tell_undetermined(reports: Sequence[Report]) -> None:
    """Plain labels have no room for the reason, so it goes to the log."""
    notes = [verdict.note for report in reports for verdict in report.verdicts if verdict.note]
    if notes:
        _log.warning("%d claims are undetermined (Abstain); the first: %s", len(notes), notes[0])


def _labels(results: Any) -> list[Label]:
    if results is None:
        return []
    return [
        any_support([_label(name, f"results[{i}][{j}]") for j, name in enumerate(result)])
        if isinstance(result, Sequence) and not isinstance(result, str)
        else _label(result, f"results[{i}]")
        for i, result in enumerate(_sequence(results, "results"))
    ]


def _label(name: Any, where: str) -> Label:
    try:
        return Label(name)
    except ValueError:
        known = ", ".join(Label)
        raise UsageError(f"{where} is {name!r}, which is no label. Labels are {known}.") from None


def _nli_model(
    model: str | None, device: int | str, batch_size: int, *, family: str | None = None
) -> Checker:
    from ..checker import nli

    if batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; it must be at least 1")
    batch_tokens = None if batch_size == UPSTREAM_BATCH_SIZE else batch_size * UPSTREAM_MODEL_TOKENS
    return nli.NLIChecker(
        model or nli.DEFAULT_MODEL, device=_device(device), batch_tokens=batch_tokens, family=family
    )


def _device(device: int | str) -> str:
    if isinstance(device, int):
        return f"cuda:{device}" if device else "auto"
    return str(device)
