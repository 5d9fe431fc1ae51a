"""Any sequence-classification NLI model of the Hugging Face hub, or of a folder, as a checker."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..types import Judgment, Label, Pair, Passage
from .heads import labels_of
from .windows import MIN_TOKENS, VERSION, Scores, combine, cut, too_long, window_tokens

DEFAULT_MODEL = "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli"
CPU_BATCH_TOKENS = 2048  # about what stays in a core's cache
GPU_BATCH_TOKENS = 32768
HUB_TIMEOUT_SECONDS = 10
# Models whose position embeddings begin after the padding index, so that they hold fewer tokens.
_OFFSET_POSITIONS = ("roberta", "camembert", "longformer", "data2vec-text", "mpnet", "ibert", "xmod", "esm")


class NLIChecker:
    """Judge pairs with an NLI model: premise = the reference, hypothesis = the claim's text.

    bf16 on a GPU that has it, fp32 elsewhere. `model` is a hub name or a folder,
    `batch_tokens` the padded tokens of one forward pass, `max_tokens` a cap on the model's
    input length. Only references are cut, into windows; a claim that leaves them no room is
    Abstain with a note. Errors: `UsageError` for a missing package, model, label name or device.

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
    ) -> None:
        self._torch = _imported("torch")
        self._device = _device(self._torch, device)
        self._tokenizer, self._model = _loaded(model, cache_dir)
        self._labels = labels_of(self._model.config.id2label, model)
        half = self._device.type == "cuda" and self._torch.cuda.is_bf16_supported()
        self._model = self._model.to(
            self._device, self._torch.bfloat16 if half else self._torch.float32
        ).eval()

        self._backend = self._tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._language = language
        self._limit = _limit(model, self._model.config, self._tokenizer, max_tokens)
        self._room = self._limit - self._backend.num_special_tokens_to_add(is_pair=True)
        default_batch = CPU_BATCH_TOKENS if self._device.type == "cpu" else GPU_BATCH_TOKENS
        if batch_tokens is not None and batch_tokens < 1:
            raise UsageError(f"batch_tokens is {batch_tokens}; it must be at least 1")
        self._batch_tokens = batch_tokens or default_batch
        self._lock = threading.Lock()
        name = _name_and_version(model, self._model.config)
        self.signature = f"nli({name},{'bf16' if half else 'fp32'},max:{self._limit},windows:{VERSION})"

    def __call__(self, pairs: Sequence[Pair], /) -> list[Judgment]:
        with self._lock:
            call = _Call(pairs, self._backend, self._room, self._language)
            plans = [call.plan(pair) for pair in pairs]
            asked = list(dict.fromkeys(key for plan in plans if isinstance(plan, list) for key, _ in plan))
            scores = dict(zip(asked, self._scores([call.joined(key) for key in asked]), strict=True))
        return [
            plan
            if isinstance(plan, Judgment)
            else combine([piece for _, piece in plan], [scores[key] for key, _ in plan])
            for plan in plans
        ]

    def _scores(self, inputs: Sequence[Any]) -> list[Scores]:
        """Label probabilities of each tokenised input, in order."""
        longest_first = sorted(range(len(inputs)), key=lambda i: -len(inputs[i].ids))
        rows, done = [], 0
        while done < len(longest_first):
            width = len(inputs[longest_first[done]].ids)
            count = max(1, self._batch_tokens // width)
            try:
                rows.append(self._forward([inputs[i] for i in longest_first[done : done + count]]))
            except self._torch.cuda.OutOfMemoryError as error:
                count = min(count, len(longest_first) - done)
                self._batch_tokens = count * width // 2
                if count == 1:
                    raise UsageError(
                        f"{self._device} has no memory for one input of {width} tokens. "
                        "Free it, lower max_tokens, or use the device 'cpu'."
                    ) from error
                self._torch.cuda.empty_cache()
                continue
            done += count
        if not rows:
            return []
        found: list[Scores] = [{}] * len(inputs)
        for index, row in zip(longest_first, self._torch.cat(rows).cpu().tolist(), strict=True):
            found[index] = dict(zip(self._labels, row, strict=True))
        return found

    def _forward(self, inputs: Sequence[Any]) -> Any:
        """Probabilities on the device.  # [inputs, labels]"""
        torch, width = self._torch, max(len(each.ids) for each in inputs)

        def padded(rows: list[list[int]], filler: int) -> Any:  # [inputs, width]
            left = self._tokenizer.padding_side == "left"
            fill = [[filler] * (width - len(row)) for row in rows]
            full = [f + row if left else row + f for row, f in zip(rows, fill, strict=True)]
            return torch.tensor(full, dtype=torch.long).to(self._device, non_blocking=True)

        tensors = {
            "input_ids": padded([each.ids for each in inputs], self._tokenizer.pad_token_id or 0),
            "attention_mask": padded([each.attention_mask for each in inputs], 0),
        }
        if "token_type_ids" in self._tokenizer.model_input_names:
            tensors["token_type_ids"] = padded(
                [each.type_ids for each in inputs], self._tokenizer.pad_token_type_id
            )
        with torch.inference_mode():
            return self._model(**tensors).logits.float().softmax(dim=-1)


Key = tuple[str, str]  # premise text, claim text
Plan = Judgment | list[tuple[Key, Passage]]


class _Call:
    """One call's texts, each tokenised once and each passage cut once per window size."""

    def __init__(self, pairs: Sequence[Pair], backend: Any, room: int, language: str) -> None:
        self._backend, self._room, self._language = backend, room, language
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.claim.text, pair.passage.text)))
        encodings = backend.encode_batch(texts, add_special_tokens=False)  # on all cores
        self._encodings: dict[str, Any] = dict(zip(texts, encodings, strict=True))
        self._cuts: dict[tuple[str, int], list[tuple[int, int]]] = {}

    def plan(self, pair: Pair) -> Plan:
        """What to ask the model about a pair, or the judgment where it cannot be asked."""
        claim, passage = pair.claim.text, pair.passage
        if not claim.strip():
            return Judgment(Label.ABSTAIN, note="the claim is empty")
        if not passage.text.strip():
            return Judgment(Label.ABSTAIN, note="the reference is empty")
        claim_tokens = len(self._encoded(claim).ids)
        if claim_tokens + len(self._encoded(passage.text).ids) <= self._room:
            return [((passage.text, claim), passage)]
        max_tokens = window_tokens(claim_tokens, self._room)
        if not max_tokens:
            return too_long(claim_tokens, self._room - MIN_TOKENS)
        pieces = self._windows(passage, max_tokens)
        if not pieces:
            return Judgment(Label.ABSTAIN, note="the reference cannot be cut into pieces that fit the model")
        return [((piece.text, claim), piece) for piece in pieces]

    def joined(self, key: Key) -> Any:
        """Premise and claim as the model reads them, with its special tokens."""
        premise, claim = key
        return self._backend.post_process(self._encoded(premise), self._encoded(claim), True)

    def _windows(self, passage: Passage, max_tokens: int) -> list[Passage]:
        key = (passage.text, max_tokens)
        if key not in self._cuts:
            pieces = cut(
                Passage(passage.text, ""),
                lambda text: self._encoded(text).offsets,
                max_tokens=max_tokens,
                language=self._language,
            )
            self._cuts[key] = [(piece.start, piece.start + len(piece.text)) for piece in pieces]
        return [passage.cut(start, end) for start, end in self._cuts[key]]

    def _encoded(self, text: str) -> Any:
        if text not in self._encodings:
            self._encodings[text] = self._backend.encode(text, add_special_tokens=False)
        return self._encodings[text]


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f"the nli checker needs torch and transformers: pip install 'refchecker[nli]' ({error})"
        ) from error


def _device(torch: Any, name: str) -> Any:
    match = re.fullmatch(r"auto|cpu|cuda(?::(\d+))?", name)
    if not match:
        raise UsageError(f"no device called {name!r}. Write auto, cpu, cuda or cuda:N.")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if name == "auto":
        return torch.device("cuda" if count else "cpu")
    if name.startswith("cuda") and int(match.group(1) or 0) >= count:
        seen = f"sees {count} CUDA device{'s' * (count != 1)}" if count else "sees no CUDA device"
        raise UsageError(f"no device {name!r}: torch {seen} here. Use auto or cpu.")
    return torch.device(name)


def _loaded(model: str, cache_dir: str | None) -> tuple[Any, Any]:
    """Tokenizer and model from a folder, from the cache, or, only then, from the hub."""
    transformers = _imported("transformers")
    folder = Path(model).expanduser()
    is_folder = folder.is_dir()
    if not is_folder and not re.fullmatch(r"[\w.\-]+(/[\w.\-]+)?", model):
        raise UsageError(
            f"no model folder {model!r}. Give a folder with config.json and weights, or a hub name."
        )
    source = str(folder) if is_folder else model
    try:
        return _from_pretrained(transformers, source, cache_dir, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        if is_folder:
            raise UsageError(f"cannot load the model in {model!r}: {_first_line(error)}") from error
    _ask_hub(model)
    try:
        return _from_pretrained(transformers, source, cache_dir, local_files_only=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise UsageError(f"cannot load the model {model!r}: {_first_line(error)}") from error


def _from_pretrained(transformers: Any, source: str, cache_dir: str | None, **where: Any) -> tuple[Any, Any]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, cache_dir=cache_dir, **where)
    if not tokenizer.is_fast:
        raise ValueError("it has no fast tokenizer (tokenizer.json), which gives the character offsets")
    model, info = transformers.AutoModelForSequenceClassification.from_pretrained(
        source, cache_dir=cache_dir, output_loading_info=True, **where
    )
    if info["missing_keys"]:
        raise ValueError(
            f"its weights lack {', '.join(sorted(info['missing_keys'])[:3])}; it is not a trained NLI model"
        )
    return tokenizer, model


def _ask_hub(model: str) -> None:
    """Whether the hub has that model, answered in seconds; the library itself would try for minutes."""
    from huggingface_hub import HfApi

    remedy = "Name a folder that holds the model, or check the name and the network."
    try:
        HfApi().model_info(model, timeout=HUB_TIMEOUT_SECONDS)
    except Exception as error:  # of two HTTP libraries, and of the hub's own
        raise UsageError(
            f"no model {model!r} here or on the hub ({type(error).__name__}: {_first_line(error)}). {remedy}"
        ) from error


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]


def _limit(model: str, config: Any, tokenizer: Any, max_tokens: int | None) -> int:
    """The longest input in tokens, special ones included."""
    found = list(_limits(config, tokenizer))
    limit = min(found) if found else 512
    if max_tokens is None:
        return limit
    if not 2 * MIN_TOKENS <= max_tokens <= limit:
        raise UsageError(f"max_tokens is {max_tokens}; {model} takes from {2 * MIN_TOKENS} to {limit}")
    return max_tokens


def _limits(config: Any, tokenizer: Any) -> Iterator[int]:
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        offset = any(family in config.model_type for family in _OFFSET_POSITIONS)
        yield positions - ((config.pad_token_id or 0) + 1 if offset else 0)
    if 0 < tokenizer.model_max_length < 1_000_000:  # tokenizers without a limit say 1e30
        yield int(tokenizer.model_max_length)


def _name_and_version(model: str, config: Any) -> str:
    """The hub name at its commit, or the folder's name with a hash of what the folder holds."""
    folder = Path(model).expanduser()
    if not folder.is_dir():
        commit = getattr(config, "_commit_hash", None)
        return f"{model}@{commit[:8]}" if commit else model
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name in ("config.json", "tokenizer.json") or path.suffix in (".safetensors", ".bin"):
            digest.update(path.name.encode())
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return f"{folder.resolve().name}@{digest.hexdigest()[:8]}"
