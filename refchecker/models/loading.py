"""Tokenizer, configuration and weights of a model: from a folder, from the cache, or from the hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ..errors import UsageError, imported

HUB_TIMEOUT_SECONDS = 10
# Models whose position embeddings begin after the padding index, so that they hold fewer tokens.
_OFFSET_POSITIONS = ("roberta", "camembert", "longformer", "data2vec-text", "mpnet", "ibert", "xmod", "esm")

T = TypeVar("T")


def tokenizer_and_config(model: str, cache_dir: str | None) -> tuple[Any, Any]:
    """What is needed to read texts for a model, without its weights."""
    transformers = imported("transformers", "nli")

    def get(source: str, **where: Any) -> tuple[Any, Any]:
        where["cache_dir"] = cache_dir
        return fast_tokenizer(source, **where), transformers.AutoConfig.from_pretrained(source, **where)

    return located(model, get)


def fast_tokenizer(source: str, **where: Any) -> Any:
    """The tokenizer of a model; `ValueError` where it tells no offsets."""
    tokenizer = imported("transformers", "nli").AutoTokenizer.from_pretrained(source, **where)
    if not tokenizer.is_fast:
        raise ValueError("it has no fast tokenizer (tokenizer.json), which gives the character offsets")
    return tokenizer


def name_and_version(model: str, config: Any) -> str:
    """The hub name at its commit, or the folder's name with a hash of what the folder holds."""
    path = Path(model).expanduser()
    if not path.exists():
        commit = getattr(config, "_commit_hash", None)
        return f"{model}@{commit[:8]}" if commit else model
    digest = hashlib.sha256()
    for file in sorted(path.iterdir()) if path.is_dir() else (path,):
        if file.name in ("config.json", "tokenizer.json") or file.suffix in (".safetensors", ".bin", ".ckpt"):
            digest.update(file.name.encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return f"{path.resolve().name}@{digest.hexdigest()[:8]}"


def located(model: str, get: Callable[..., T]) -> T:
    """What `get` finds in the folder or the cache, or, only then, on the hub."""
    folder = Path(model).expanduser()
    is_folder = folder.is_dir()
    if not is_folder and not re.fullmatch(r"[\w.\-]+(/[\w.\-]+)?", model):
        raise UsageError(
            f"no model folder {model!r}. Give a folder with config.json and weights, or a hub name."
        )
    source = str(folder) if is_folder else model
    try:
        return get(source, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        if is_folder:
            raise UsageError(f"cannot load the model in {model!r}: {_first_line(error)}") from error
    _ask_hub(model)
    try:
        return get(source, local_files_only=False)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise UsageError(f"cannot load the model {model!r}: {_first_line(error)}") from error


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


def token_limits(config: Any, tokenizer: Any) -> Iterator[int]:
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        offset = any(family in config.model_type for family in _OFFSET_POSITIONS)
        yield positions - ((config.pad_token_id or 0) + 1 if offset else 0)
    if 0 < tokenizer.model_max_length < 1_000_000:  # tokenizers without a limit say 1e30
        yield int(tokenizer.model_max_length)
