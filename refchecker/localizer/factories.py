"""The localizers that have names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..protocols import Checker

if TYPE_CHECKING:
    from .embedding import EmbeddingFinder
    from .locate import Localizer


def none() -> None:
    """No localizer: the evidence of a verdict is the part of the reference that decided."""


def exact(*, language: str = "en") -> Localizer:
    """The same words, or the same date, number or name written otherwise. No model is asked.

    >>> from refchecker.types import Claim, Judgment, Label, Passage, Record, Verdict
    >>> claim = Claim.of_triplet("Apollo 11", "landed on", "24 July 1971")
    >>> passage = Passage("Apollo 11 was a mission. It landed on July 20, 1969.", "doc")
    >>> judgment = Judgment(Label.CONTRADICTION, {Label.CONTRADICTION: 0.9})
    >>> verdict = Verdict(claim, judgment.label, passages=(passage,), judgments=(judgment,))
    >>> [located] = exact()(Record("1", "", references=(passage,)), [verdict])
    >>> for each in located.elements[:3]:
    ...     print(each.element, each.role, passage.text[each.span.start : each.span.end])
    subject found Apollo 11
    predicate found landed on
    object contradicted July 20, 1969
    """
    from .exact import ExactFinder
    from .locate import Localizer

    return Localizer(ExactFinder(language=language), language=language)


def embedding(
    model: str | None = None,
    *,
    language: str = "en",
    device: str = "auto",
    cache_dir: str | None = None,
    threads: int | None = None,
) -> Localizer:
    """The words nearest in meaning by token embeddings: of the model that ships, or of `model`.

    `model` is an encoder of Hugging Face or sentence-transformers, by name or folder, such as RefChecker's
    princeton-nlp/sup-simcse-roberta-large.
    """
    from .locate import Localizer

    finder = embedding_finder(model, language=language, device=device, cache_dir=cache_dir, threads=threads)
    return Localizer(finder, language=language)


def auto(
    model: str | None = None,
    *,
    check: Checker | None = None,
    language: str = "en",
    device: str = "auto",
    cache_dir: str | None = None,
    threads: int | None = None,
) -> Localizer:
    """The same words where they are, the nearest in meaning where not; sentences as `check` ranks them.

    A checker that waits for others (it has `begin`) is not asked: its answers cost time or money.
    """
    from .auto import AutoFinder
    from .exact import ExactFinder
    from .locate import Localizer

    nearest = embedding_finder(model, language=language, device=device, cache_dir=cache_dir, threads=threads)
    finder = AutoFinder(ExactFinder(language=language), nearest, language=language)
    return Localizer(finder, check=None if hasattr(check, "begin") else check, language=language)


def embedding_finder(
    model: str | None = None,
    *,
    language: str = "en",
    device: str = "auto",
    cache_dir: str | None = None,
    threads: int | None = None,
) -> EmbeddingFinder:
    """The finder of `embedding`, with the settings that were fitted for that model, if any were."""
    from pathlib import Path

    from ..models import SHIPPED, UNFITTED, EmbeddedEncoder, HFEncoder, settings_of
    from .embedding import EmbeddingFinder

    if model is None:
        settings = settings_of(SHIPPED) or UNFITTED
        return EmbeddingFinder(EmbeddedEncoder(threads=threads), settings, name="embedded", language=language)
    settings = settings_of(Path(model).expanduser()) or UNFITTED
    encode = HFEncoder(model, layer=settings.layer, device=device, cache_dir=cache_dir)
    return EmbeddingFinder(encode, settings, name=model, language=language)
