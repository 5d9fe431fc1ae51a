"""Any sequence-classification NLI model of the Hugging Face hub, or of a folder, as a checker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeVar

from ...errors import UsageError, imported
from ...models import check_compiler, devices, name_and_version, precision_on
from ...types import Judgment, Label, Pair, Passage
from ..windows import (
    CANNOT_CUT,
    MIN_TOKENS,
    VERSION,
    Scores,
    combine,
    cut,
    too_long,
    unaskable,
    window_tokens,
)
from .engine import CPU_BATCH_TOKENS, GPU_BATCH_TOKENS, Engine, Recipe
from .families import Family, Joiner, Tokens, family_of
from .heads import labels_of
from .loading import texts_of, token_limit
from .workers import Workers

DEFAULT_MODEL = "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli"
Item = TypeVar("Item")
Result = TypeVar("Result")

_POOL_PAIRS = 2048  # tokenised at a time, while the model reads those before; wide enough to sort by length


class NLIChecker:
    """Judge pairs with an NLI model: premise = the reference, hypothesis = the claim's text.

    `model` is a hub name, a folder or an AlignScore `.ckpt`; `family` (nli, minicheck,
    minicheck-t5, alignscore, hhem) where its name does not say what it is. `device` is auto,
    cpu, cuda, cuda:N, or for several, a process each, cuda:0,1 or all. `precision`: auto is
    bf16 where the hardware has it, with what comes out close asked again in fp32 (the weights
    are held in both); fp32; bf16. `batch_tokens` are the padded tokens of one forward pass,
    `max_tokens` a cap on the model's input length, `compile` is torch.compile, for long runs.
    Only references are cut, into windows; a claim that leaves them no room is Abstain with a
    note. Errors: `UsageError` for a missing package, model, label name or device;
    `ComponentError` for a process that ended.

    >>> checker = NLIChecker("path/to/model", device="cpu")          # doctest: +SKIP
    >>> checker([Pair(claim, passage)])[0].label                     # doctest: +SKIP
    <Label.ENTAILMENT: 'Entailment'>
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        *,
        device: str = "auto",
        batch_tokens: int | None = None,
        max_tokens: int | None = None,
        cache_dir: str | None = None,
        language: str = "en",
        precision: str = "auto",
        family: str | None = None,
        compile: bool = False,
    ) -> None:
        torch = imported("torch", "nli")
        names = devices(torch, device)
        precision = precision_on(torch, names, precision)
        if batch_tokens is not None and batch_tokens < 1:
            raise UsageError(f"batch_tokens is {batch_tokens}; it must be at least 1")
        if compile:
            check_compiler()
        kind = family_of(model, family)
        tokenizer, config = texts_of(model, cache_dir)
        self._labels = _labels(kind, config, model)
        limit = token_limit(model, config, tokenizer, family=kind, max_tokens=max_tokens)
        join = Joiner(kind, tokenizer, model)
        room = limit - join.added
        self._form = _InputForm(tokenizer.backend_tokenizer, join, room, kind.chunk_tokens or room, language)

        takes_types = "token_type_ids" in tokenizer.model_input_names and not kind.one_text
        recipe = Recipe(
            model=model,
            family=kind,
            cache_dir=cache_dir,
            precision=precision,
            batch_tokens=batch_tokens or (CPU_BATCH_TOKENS if names[0] == "cpu" else GPU_BATCH_TOKENS),
            compiled=compile,
            pad_id=tokenizer.pad_token_id or 0,
            pad_type=tokenizer.pad_token_type_id if takes_types else None,
            pads_left=tokenizer.padding_side == "left",
        )
        self._engine: Engine | Workers = (
            Engine(recipe, names[0]) if len(names) == 1 else Workers(recipe, names)
        )
        self._lock = threading.Lock()
        details = [name_and_version(model, config), precision, f"max:{limit}", f"windows:{VERSION}"]
        details += [kind.name] if kind.name != "nli" else []
        self.signature = f"nli({','.join(details)})"

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        judgments: list[Judgment] = []
        scores: dict[Key, Scores] = {}
        with self._lock:
            call = _Call(self._form)
            pools = (pairs[first : first + _POOL_PAIRS] for first in range(0, len(pairs), _POOL_PAIRS))
            for plans, inputs in read_ahead(call.read, pools):
                rows = self._engine(list(inputs.values()))
                for key, row in zip(inputs, rows, strict=True):
                    scores[key] = dict(zip(self._labels, row, strict=True))
                judgments += [_judged(plan, scores) for plan in plans]
        return judgments


Key = tuple[str, str]  # premise text, claim text
Plan = Judgment | list[tuple[Key, Passage]]


@dataclass(frozen=True)
class _InputForm:
    """How texts become inputs: the tokenizer, how a pair is joined, the tokens there is room for."""

    backend: Any
    join: Joiner
    room: int  # for premise and claim
    premise_tokens: int  # at most so many of them, where the model was trained on less
    language: str


class _Call:
    """One call's texts: each tokenised once, cut once per window size, each pair asked once."""

    def __init__(self, form: _InputForm) -> None:
        self._form = form
        self._encodings: dict[str, Any] = {}
        self._cuts: dict[tuple[str, int], list[tuple[int, int]]] = {}
        self._asked: set[Key] = set()

    def read(self, pairs: Sequence[Pair]) -> tuple[list[Plan], dict[Key, Tokens]]:
        """The plan of each pair, and the inputs that no pair before has asked for."""
        texts = dict.fromkeys(text for pair in pairs for text in (pair.claim.text, pair.passage.text))
        new = [text for text in texts if text not in self._encodings]
        encodings = self._form.backend.encode_batch(new, add_special_tokens=False)  # on all cores
        self._encodings.update(zip(new, encodings, strict=True))
        plans = [self._plan(pair) for pair in pairs]
        keys = dict.fromkeys(key for plan in plans if isinstance(plan, list) for key, _ in plan)
        inputs = {key: self._form.join(*map(self._encoded, key)) for key in keys if key not in self._asked}
        self._asked.update(inputs)
        return plans, inputs

    def _plan(self, pair: Pair) -> Plan:
        """What to ask the model about a pair, or the judgment where it cannot be asked."""
        claim, passage, form = pair.claim.text, pair.passage, self._form
        if empty := unaskable(bool(claim.strip()), bool(passage.text.strip())):
            return empty
        claim_tokens = len(self._encoded(claim).ids)
        if len(self._encoded(passage.text).ids) <= min(form.room - claim_tokens, form.premise_tokens):
            return [((passage.text, claim), passage)]
        max_tokens = min(window_tokens(claim_tokens, form.room), form.premise_tokens)
        if not max_tokens:
            return too_long(claim_tokens, form.room - MIN_TOKENS)
        pieces = self._windows(passage, max_tokens)
        if not pieces:
            return CANNOT_CUT
        return [((piece.text, claim), piece) for piece in pieces]

    def _windows(self, passage: Passage, max_tokens: int) -> list[Passage]:
        key = (passage.text, max_tokens)
        if key not in self._cuts:
            pieces = cut(
                Passage(passage.text, ""),
                lambda text: self._encoded(text).offsets,
                max_tokens=max_tokens,
                language=self._form.language,
            )
            self._cuts[key] = [(piece.start, piece.start + len(piece.text)) for piece in pieces]
        return [passage.cut(start, end) for start, end in self._cuts[key]]

    def _encoded(self, text: str) -> Any:
        if text not in self._encodings:
            self._encodings[text] = self._form.backend.encode(text, add_special_tokens=False)
        return self._encodings[text]


def _judged(plan: Plan, scores: Mapping[Key, Scores]) -> Judgment:
    if isinstance(plan, Judgment):
        return plan
    return combine([piece for _, piece in plan], [scores[key] for key, _ in plan])


def _labels(family: Family, config: Any, model: str) -> tuple[Label, ...]:
    """The label of each output: by the family's documented positions, else by name."""
    if family.labels is None:
        return labels_of(config.id2label, model)
    if family.outputs not in (None, config.num_labels):
        raise UsageError(
            f"{model} is taken for a {family.name} model, which has {family.outputs} outputs, and has "
            f"{config.num_labels}. Say what it is with family=."
        )
    return family.labels


def read_ahead(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """`work` of each item in order, the next one done on another thread while the caller uses this one."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        begun = (thread.submit(work, item) for item in items)
        last: Future[Result] = Future()  # nothing follows it, so nobody waits for it
        for ready, _ in pairwise(chain(begun, [last])):
            yield ready.result()
