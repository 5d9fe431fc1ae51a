"""Fine-tune the cross-encoder on the files that `prepare` made.

    python -m training.embedded.train --data runs/embedded --parent DIR --out runs/embedded --max_minutes 40

The learning rate falls to zero at --max_minutes, so give the time there is. A checkpoint is written every
--save_minutes; the same command goes on from it. Runs on a GPU when there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from .model import LABELS, CrossEncoder, parent
from .rules import ENTAILMENT, NOT_ENTAILED

Row = tuple[list[int], int, int, str]  # token ids, where the claim begins, label, kind


@dataclass(frozen=True)
class Options:
    """What a run depends on; written into every checkpoint."""

    data: Path
    parent: Path
    out: Path
    max_minutes: float
    save_minutes: float
    batch_tokens: int
    max_tokens: int
    rate: float
    smoothing: float
    seed: int
    threads: int
    compile: bool
    start: Path | None


def log(**values: Any) -> None:
    sys.stderr.write(json.dumps(values) + "\n")
    sys.stderr.flush()


def encoded(path: Path, tokenizer: Tokenizer, max_tokens: int) -> list[Row]:
    """Rows as token ids; the premise is cut so that the pair fits, a longer claim is left out."""
    rows: list[Row] = []
    examples = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    firsts = tokenizer.encode_batch([e["premise"] for e in examples], add_special_tokens=False)
    seconds = tokenizer.encode_batch([e["hypothesis"] for e in examples], add_special_tokens=False)
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    for example, first, second in zip(examples, firsts, seconds, strict=True):
        room = max_tokens - 3 - len(second.ids)
        if room > 0:
            head = [cls, *first.ids[:room], sep]
            rows.append(([*head, *second.ids, sep], len(head), example["label"], example["kind"]))
    return rows


def batches(rows: list[Row], batch_tokens: int, rng: Random) -> list[list[Row]]:
    """Batches of similar length, at most `batch_tokens` padded tokens each, in random order."""
    order = rng.sample(rows, len(rows))
    made: list[list[Row]] = []
    for start in range(0, len(order), 2048):
        batch: list[Row] = []
        for row in sorted(order[start : start + 2048], key=lambda r: len(r[0])):
            if batch and (len(batch) + 1) * len(row[0]) > batch_tokens:
                made.append(batch)
                batch = []
            batch.append(row)
        made.append(batch)
    rng.shuffle(made)
    return made


def tensors(batch: list[Row], device: str) -> dict[str, Tensor]:
    width = max(len(ids) for ids, *_ in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    for i, (tokens, claim_at, *_) in enumerate(batch):
        ids[i, : len(tokens)] = torch.tensor(tokens)
        types[i, claim_at : len(tokens)] = 1
        mask[i, : len(tokens)] = 1
    return {
        k: v.to(device) for k, v in (("input_ids", ids), ("token_type_ids", types), ("attention_mask", mask))
    }


def forever(rows: list[Row], batch_tokens: int, seed: int, skip: int) -> Iterator[list[Row]]:
    """Batches epoch after epoch, the first `skip` of them passed over: how a run is taken up again."""
    epoch = 0
    while True:
        for batch in batches(rows, batch_tokens, Random(seed + epoch)):
            skip -= 1
            if skip < 0:
                yield batch
        epoch += 1


@torch.no_grad()
def logits_of(model: CrossEncoder, rows: list[Row], device: str, batch_tokens: int = 4096) -> Tensor:
    """Logits in the order of `rows`. # [rows, 3]"""
    model.eval()
    found = torch.zeros(len(rows), len(LABELS))
    order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]))
    batch: list[int] = []
    for i in [*order, -1]:
        if batch and (i < 0 or (len(batch) + 1) * len(rows[i][0]) > batch_tokens):
            found[batch] = model(**tensors([rows[j] for j in batch], device)).float().cpu()
            batch = []
        batch.append(i)
    return found


def accuracy_by_kind(logits: Tensor, rows: list[Row]) -> dict[str, float]:
    hits: dict[str, list[bool]] = {}
    for guess, row in zip(logits.argmax(-1).tolist(), rows, strict=True):
        right = guess != ENTAILMENT if row[2] == NOT_ENTAILED else guess == row[2]
        hits.setdefault(row[3], []).append(right)
        hits.setdefault("all", []).append(right)
    return {kind: round(sum(h) / len(h), 4) for kind, h in sorted(hits.items())}


def learning_rate(peak: float, progress: float) -> float:
    """Up in the first 4 % of the time, then down in a straight line to zero."""
    return peak * min(1.0, progress / 0.04, max(0.0, (1 - progress) / 0.96))


def class_weights(rows: list[Row]) -> Tensor:
    """Rare labels count more, by the root of their rarity; "not entailed" as the mean of its two."""
    counts = torch.bincount(torch.tensor([r[2] for r in rows]), minlength=NOT_ENTAILED + 1).float()[
        :NOT_ENTAILED
    ]
    weights = (counts.mean() / counts).sqrt()
    return torch.cat([weights, weights[1:].mean(0, keepdim=True)])  # [4]


def loss_of(logits: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """Weighted cross entropy; for a row that is only not entailed, of the sum of its two possible labels."""
    logs = logits.log_softmax(-1)  # [rows, 3]
    whole = torch.cat([logs, logs[:, 1:].logsumexp(-1, keepdim=True)], dim=-1)  # [rows, 4]
    losses = -(1 - smoothing) * whole.gather(1, labels[:, None])[:, 0] - smoothing * logs.mean(-1)
    chosen = weights[labels]
    return (chosen * losses).sum() / chosen.sum()


def save(path: Path, **state: Any) -> None:
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def train(options: Options) -> None:
    """Train until the time is used up; leaves out/checkpoint.pt and out/curve.jsonl."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer.from_file(str(options.parent / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = encoded(options.data / "train.jsonl", tokenizer, options.max_tokens)
    dev = encoded(options.data / "dev.jsonl", tokenizer, options.max_tokens)
    model = parent(options.parent).to(device)
    if options.start:
        model.load_state_dict(torch.load(options.start, map_location=device, weights_only=True)["model"])
    if device == "cpu":  # sdpa's backward pass in bf16 takes twice as long there
        model.bert.config._attn_implementation = "eager"
    model.bert.embeddings.word_embeddings.weight.requires_grad_(False)
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=options.rate, weight_decay=0.01)
    seconds, step, checkpoint = 0.0, 0, options.out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        seconds, step = state["seconds"], state["step"]
    log(rows=len(rows), dev=len(dev), device=device, step=step, seconds=round(seconds))
    weights = class_weights(rows).to(device)
    forward = torch.compile(model, dynamic=True) if options.compile else model
    began, saved, mean_loss, seen = time.monotonic() - seconds, seconds, 0.0, 0
    for batch in forever(rows, options.batch_tokens, options.seed, step):
        seconds = time.monotonic() - began
        progress = seconds / (60 * options.max_minutes)
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(options.rate, progress)
        model.train()
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = forward(**tensors(batch, device))
        labels = torch.tensor([r[2] for r in batch], device=device)
        loss = loss_of(logits.float(), labels, weights, options.smoothing)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimizer.step()
        step, seen = step + 1, seen + len(batch)
        mean_loss = loss.item() if mean_loss == 0 else 0.98 * mean_loss + 0.02 * loss.item()
        if step % 50 == 0:
            log(step=step, seconds=round(seconds), loss=round(mean_loss, 4), seen=seen)
        if seconds - saved > 60 * options.save_minutes:
            saved = seconds
            save(
                checkpoint,
                model=model.state_dict(),
                optimizer=optimizer.state_dict(),
                seconds=seconds,
                step=step,
            )
            note(
                options,
                model,
                dev[:1000],
                device,
                step=step,
                seconds=round(seconds),
                loss=round(mean_loss, 4),
            )
    save(checkpoint, model=model.state_dict(), optimizer=optimizer.state_dict(), seconds=seconds, step=step)
    note(options, model, dev, device, step=step, seconds=round(seconds), loss=round(mean_loss, 4), seen=seen)


def note(options: Options, model: CrossEncoder, dev: list[Row], device: str, **values: Any) -> None:
    """Add the accuracy on (a part of) the development rows to the training curve."""
    values["dev"] = accuracy_by_kind(logits_of(model, dev, device), dev)
    log(**values)
    with (options.out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        curve.write(json.dumps(values) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with train.jsonl and dev.jsonl")
    parser.add_argument("--parent", type=Path, required=True, help="folder with the weights to start from")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint.pt and curve.jsonl")
    parser.add_argument("--max_minutes", type=float, default=40)
    parser.add_argument("--save_minutes", type=float, default=6)
    parser.add_argument("--batch_tokens", type=int, default=3072, help="padded tokens in a batch")
    parser.add_argument("--max_tokens", type=int, default=256)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--smoothing", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compile", action="store_true", help="1.4 times as fast; needs a C++ compiler")
    parser.add_argument("--start", type=Path, help="a checkpoint whose weights to start from")
    train(Options(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
