"""Teach the judge's network; goes on from its checkpoint when the same command is given again.

    python -m training.judge.learn --data runs/judge --parent DIR --out runs/judge/v7 --minutes 150 --compile

The learning rate rises for 200 steps and then stays (a run is as long as there is time for); what is measured
and shipped is the running mean of the weights, and `--cool 20` ends a run with twenty minutes in which the
rate falls to zero. curve.jsonl has the accuracy on development rows beside the pairs seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from training.embedded.train import log

from .mixture import ENTAILMENT, NOT_ENTAILED
from .network import CLS, LABELS, SEP, Judge, padded, save

WARM_STEPS = 200
MEAN = 0.998  # of the running mean of the weights
GROUP = 6  # rows of one group in a batch, at most


class Input(NamedTuple):
    tokens: list[int]
    label: int
    kind: str
    group: str


@dataclass(frozen=True)
class Options:
    data: Path
    parent: Path
    out: Path
    minutes: float
    cool: float
    save_minutes: float
    batch_tokens: int
    max_tokens: int
    rate: float
    smoothing: float
    seed: int
    threads: int
    compile: bool
    start: Path | None


def pair_tokens(tokenizer: Tokenizer, pairs: list[tuple[str, str]], max_tokens: int) -> list[list[int]]:
    """<s> passage </s></s> claim </s>; the passage is cut so that both fit."""
    firsts = tokenizer.encode_batch([first for first, _ in pairs], add_special_tokens=False)
    seconds = tokenizer.encode_batch([second for _, second in pairs], add_special_tokens=False)
    made: list[list[int]] = []
    for first, second in zip(firsts, seconds, strict=True):
        claim = second.ids[: max_tokens // 2]
        made.append([CLS, *first.ids[: max_tokens - 4 - len(claim)], SEP, SEP, *claim, SEP])
    return made


def inputs_of(path: Path, tokenizer: Tokenizer, max_tokens: int) -> list[Input]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    tokens = pair_tokens(tokenizer, [(r["premise"], r["hypothesis"]) for r in rows], max_tokens)
    return [Input(t, r["label"], r["kind"], r["group"]) for t, r in zip(tokens, rows, strict=True)]


def batches(inputs: list[Input], batch_tokens: int, rng: Random) -> list[list[Input]]:
    """Batches of similar length in random order, of at most `batch_tokens`; groups stay together."""
    groups: dict[str, list[Input]] = defaultdict(list)
    for item in inputs:
        groups[item.group].append(item)
    units: list[list[Input]] = []
    for members in groups.values():
        rng.shuffle(members)
        units += [members[i : i + GROUP] for i in range(0, len(members), GROUP)]
    rng.shuffle(units)
    made: list[list[Input]] = []
    for start in range(0, len(units), 1024):
        batch: list[Input] = []
        widest = 0
        for unit in sorted(units[start : start + 1024], key=lambda u: max(len(i.tokens) for i in u)):
            width = max(widest, *(len(i.tokens) for i in unit))
            if batch and (len(batch) + len(unit)) * width > batch_tokens:
                made.append(batch)
                batch, width = [], max(len(i.tokens) for i in unit)
            batch, widest = batch + unit, width
        made.append(batch)
    rng.shuffle(made)
    return made


def forever(inputs: list[Input], batch_tokens: int, seed: int, skip: int) -> Iterator[list[Input]]:
    """Batches epoch after epoch, the first `skip` passed over: how a run is taken up again."""
    epoch = 0
    while True:
        for batch in batches(inputs, batch_tokens, Random(seed + epoch)):
            skip -= 1
            if skip < 0:
                yield batch
        epoch += 1


def loss_of(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Cross-entropy; of what is only known not to be entailed, Neutral and Contradiction are left open."""
    open_ended = labels == NOT_ENTAILED
    known = functional.cross_entropy(logits, labels.clamp(max=2), label_smoothing=smoothing, reduction="none")
    support = logits.softmax(-1)[:, ENTAILMENT]
    return torch.where(open_ended, -torch.log1p(-support.clamp(max=1 - 1e-6)), known).mean()


@torch.no_grad()
def logits_of(judge: Judge, tokens: list[list[int]], batch_tokens: int = 6144) -> Tensor:
    """Logits in the order of `tokens`. # [pairs, 3]"""
    logits = torch.zeros(len(tokens), len(LABELS))
    order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
    batch: list[int] = []
    for i in [*order, -1]:
        if batch and (i < 0 or (len(batch) + 1) * len(tokens[i]) > batch_tokens):
            logits[batch] = judge(padded([tokens[j] for j in batch]))
            batch = []
        batch.append(i)
    return logits


def accuracy(logits: Tensor, inputs: list[Input]) -> dict[str, float]:
    """The share that is right, by kind."""
    hits: dict[str, list[bool]] = defaultdict(list)
    for guess, item in zip(logits.argmax(-1).tolist(), inputs, strict=True):
        hits[item.kind].append(guess != ENTAILMENT if item.label == NOT_ENTAILED else guess == item.label)
    return {kind: round(sum(h) / len(h), 3) for kind, h in sorted(hits.items())}


class Run:
    """The weights, their running mean and the optimizer, and how they go to disk and back."""

    def __init__(self, options: Options) -> None:
        torch.manual_seed(options.seed)
        self.options = options
        self.judge = Judge(options.parent)
        self.learnt = dict(self.judge.named_parameters())
        self.optimizer = torch.optim.AdamW(
            self.learnt.values(), lr=options.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
        )
        self.mean = {name: value.detach().clone() for name, value in self.learnt.items()}
        self.step, self.seen = 0, 0
        options.out.mkdir(parents=True, exist_ok=True)
        self.checkpoint = options.out / "checkpoint.pt"
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, weights_only=True)
            self.judge.load_state_dict(state["weights"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.mean = state["mean"]
            self.step, self.seen = state["step"], state["seen"]
        elif options.start:
            from safetensors.torch import load_file

            weights = {name: value.float() for name, value in load_file(options.start).items()}
            self.judge.load_state_dict(weights)
            self.mean = {name: value.clone() for name, value in weights.items()}

    def save(self) -> None:
        state = {
            "weights": self.judge.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "mean": self.mean,
            "step": self.step,
            "seen": self.seen,
        }
        torch.save(state, self.checkpoint.with_suffix(".new"))
        self.checkpoint.with_suffix(".new").replace(self.checkpoint)
        save(self.options.out / "mean.safetensors", self.mean)

    @torch.no_grad()
    def average(self) -> None:
        share = min(MEAN, (1 + self.step) / (10 + self.step))
        for name, value in self.learnt.items():
            self.mean[name].lerp_(value.detach(), 1 - share)

    @torch.no_grad()
    def measure(self, dev: list[Input]) -> dict[str, float]:
        """Accuracy of the running mean on development rows."""
        kept = {name: value.detach().clone() for name, value in self.learnt.items()}
        self.judge.load_state_dict(self.mean)
        result = accuracy(logits_of(self.judge, [item.tokens for item in dev]), dev)
        self.judge.load_state_dict(kept)
        return result


def learn(options: Options) -> None:
    torch.set_num_threads(options.threads)
    tokenizer = Tokenizer.from_file(str(options.parent / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    train = inputs_of(options.data / "train.jsonl.gz", tokenizer, options.max_tokens)
    dev = inputs_of(options.data / "dev.jsonl.gz", tokenizer, options.max_tokens)
    dev = Random(5).sample(dev, min(160, len(dev)))
    run = Run(options)
    log(rows=len(train), dev=len(dev), step=run.step, seen=run.seen)
    if options.compile:
        for layer in run.judge.layers:  # each on its own: they share one compiled program
            layer.compile(dynamic=True)
    begun, saved, running = time.monotonic(), time.monotonic(), 0.0
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    for batch in forever(train, options.batch_tokens, options.seed, run.step):
        elapsed = (time.monotonic() - begun) / 60
        if elapsed >= options.minutes or stopped:
            break
        left = options.minutes - elapsed
        rate = options.rate * min(
            1.0, (run.step + 1) / WARM_STEPS, left / options.cool if options.cool else 1.0
        )
        for part in run.optimizer.param_groups:
            part["lr"] = rate
        ids = padded([item.tokens for item in batch])
        x, bias = run.judge.embedded(ids)
        hidden = run.judge.encode(x.to(torch.bfloat16), bias.to(torch.bfloat16))
        loss = loss_of(run.judge.head(hidden, ids), torch.tensor([i.label for i in batch]), options.smoothing)
        run.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(run.learnt.values(), 1.0)
        run.optimizer.step()
        run.step, run.seen = run.step + 1, run.seen + len(batch)
        run.average()
        running = loss.item() if not running else 0.98 * running + 0.02 * loss.item()
        if run.step % 20 == 0:
            log(step=run.step, seen=run.seen, loss=round(running, 4), minutes=round(elapsed, 1))
        if time.monotonic() - saved > 60 * options.save_minutes:
            finish(run, dev, running, elapsed)
            saved = time.monotonic()
    finish(run, dev, running, options.minutes)


def finish(run: Run, dev: list[Input], loss: float, minutes: float) -> None:
    """Save, measure on the development rows, and add a line to the curve."""
    run.save()
    point = {
        "seen": run.seen,
        "step": run.step,
        "loss": round(loss, 4),
        "minutes": round(minutes),
        "dev": run.measure(dev),
    }
    log(**point)
    with (run.options.out / "curve.jsonl").open("a", encoding="utf-8") as curve:
        curve.write(json.dumps(point) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that training.judge.mixture wrote")
    parser.add_argument("--parent", type=Path, required=True, help="folder with all-mpnet-base-v2")
    parser.add_argument("--out", type=Path, required=True, help="folder for the checkpoint and the curve")
    parser.add_argument("--minutes", type=float, default=150, help="how long this call may take")
    parser.add_argument(
        "--cool", type=float, default=0, help="minutes at the end in which the rate falls to zero"
    )
    parser.add_argument("--save_minutes", type=float, default=20)
    parser.add_argument("--batch_tokens", type=int, default=2304, help="padded tokens in a batch")
    parser.add_argument("--max_tokens", type=int, default=320)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--smoothing", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--compile", action="store_true", help="an eighth faster; needs a C++ compiler")
    parser.add_argument("--start", type=Path, help="learnt weights to start from")
    learn(Options(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
