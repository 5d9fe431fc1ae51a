"""AlignScore's published checkpoints (Lightning's `.ckpt`) as ordinary sequence-classification models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import UsageError

PUBLISHED = "https://huggingface.co/yzha/AlignScore"
# The three-way head on RoBERTa's pooled first token is, layer by layer, RoBERTa's own classification head.
_RENAMED = (
    ("base_model.pooler.dense.", "classifier.dense."),
    ("base_model.", "roberta."),
    ("tri_layer.", "classifier.out_proj."),
)


def is_checkpoint(model: str) -> bool:
    return model.endswith(".ckpt")


def backbone(path: Path) -> str:
    """Where tokenizer and configuration are: beside the checkpoint, else the hub name it was trained from."""
    beside = path.expanduser().parent
    if (beside / "config.json").exists() and (beside / "tokenizer.json").exists():
        return str(beside)
    name = str(_read(path).get("hyper_parameters", {}).get("model", ""))
    if "roberta" not in name:
        raise UsageError(
            f"{path} is trained from {name or 'a model it does not name'!r}; AlignScore is read here only "
            "where that is a RoBERTa"
        )
    return name


def classifier(path: Path, config: Any) -> Any:
    """RoBERTa with AlignScore's three outputs: aligned, neutral, contradicted."""
    import transformers

    config.num_labels = 3
    model = transformers.RobertaForSequenceClassification(config)
    state = {}
    for name, tensor in _read(path)["state_dict"].items():
        for old, new in _RENAMED:
            if name.startswith(old):
                state[new + name.removeprefix(old)] = tensor
                break
    try:
        missing = model.load_state_dict(state, strict=False).missing_keys
    except RuntimeError as error:  # shapes of another size of model
        raise UsageError(f"{path} does not fit the configuration of {backbone(path)!r}: {error}") from error
    if missing:
        raise UsageError(f"{path} lacks {', '.join(missing[:3])}; it is no AlignScore checkpoint")
    return model.float().eval()  # type: ignore[no-untyped-call]


def _read(path: Path) -> dict[str, Any]:
    import torch

    path = path.expanduser()
    if not path.is_file():
        raise UsageError(f"no checkpoint {str(path)!r}. AlignScore's are published at {PUBLISHED}.")
    try:  # tensors and plain values only: a pickle could run anything
        checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:  # torch raises what the file happens to break
        reason = str(error).strip().partition("\n")[0][:200]
        raise UsageError(f"cannot read the checkpoint {str(path)!r} as tensors: {reason}") from error
    if "state_dict" not in checkpoint:
        raise UsageError(f"{path} has no state_dict; it is no AlignScore checkpoint")
    return checkpoint
