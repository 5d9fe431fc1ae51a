"""The NLI checker against the plain loop, on the same random weights and pairs, in one run.

    python benchmark/speed/nli_loop.py --shape base --pairs 48 --out benchmark/results/nli_loop.json

The plain loop is what an unhurried checker does: batches of 16 pairs in the order they come,
padded to the longest, cut at 512 tokens, fp32. Random weights cost what trained ones do. Pairs
come from the human benchmark where REFCHECKER_DATA (default ../shared/data) has it, otherwise
from a seed: references repeated, several claims each. Numbers count only on an idle machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import torch
import transformers
from tiny_models import SENTENCES, THREE
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from refchecker.checker.heads import labels_of
from refchecker.checker.nli import NLIChecker
from refchecker.types import Claim, Label, Pair, Passage

SHAPES = {  # hidden size, layers, heads, feed-forward size
    "tiny": (64, 2, 2, 128),
    "base": (768, 12, 12, 3072),
    "large": (1024, 24, 16, 4096),
}
MAX_TOKENS = 512
PLAIN_BATCH = 16


def human_pairs(count: int) -> list[Pair]:
    """Triplets of the human benchmark against each of their references, as a checker gets them."""
    folder = Path(os.environ.get("REFCHECKER_DATA", ROOT.parent / "shared" / "data"), "human")
    pairs: list[Pair] = []
    for name in ("accurate_context", "noisy_context", "zero_context"):
        path = folder / f"{name}.jsonl"
        taken = 0
        for line in path.read_text().splitlines() if path.exists() else ():
            item = json.loads(line)
            for position, reference in enumerate(item["reference"]):
                passage = Passage(reference, f"{item['id']}:{position}")
                new = [Pair(Claim.of_triplet(*_elements(triplet)), passage) for triplet in item["triplets"]]
                pairs += new
                taken += len(new)
            if taken >= count // 3 + 1:
                break
    return pairs[:count]


def _elements(triplet: Any) -> Sequence[str]:
    return triplet if isinstance(triplet, list) else triplet["triplet"]


def seeded_pairs(count: int) -> list[Pair]:
    """Five claims per reference, references of 1 to 40 sentences, every eighth claim a repetition."""
    rng, pairs = random.Random(0), []
    while len(pairs) < count:
        text = " ".join(rng.choices(SENTENCES, k=rng.randint(1, 40)))
        claims = [" ".join(rng.choice(SENTENCES).split()[:6]) for _ in range(5)]
        pairs += [Pair(Claim(claim), Passage(text, str(len(pairs)))) for claim in claims]
        pairs += pairs[-1:] if len(pairs) % 8 == 0 else []
    return pairs[:count]


def build(folder: Path, shape: str, texts: Sequence[str]) -> str:
    """A random RoBERTa of that shape with a byte-level BPE trained on the pairs' own texts."""
    hidden, layers, heads, feed_forward = SHAPES[shape]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        model_max_length=MAX_TOKENS,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.RobertaConfig(
        vocab_size=50265,
        max_position_embeddings=MAX_TOKENS + 2,
        type_vocab_size=1,
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=feed_forward,
        initializer_range=0.05,
        id2label=THREE,
        label2id={name: index for index, name in THREE.items()},
    )
    transformers.RobertaForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


class PlainLoop:
    """Batches in input order, fp32, argmax by name."""

    def __init__(self, folder: str, device: str) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
        self.model = model.float().to(device).eval()
        self.device, self.order = device, labels_of(model.config.id2label, folder)

    @torch.no_grad()
    def __call__(self, pairs: Sequence[Pair]) -> list[Label]:
        found: list[Label] = []
        for first in range(0, len(pairs), PLAIN_BATCH):
            batch = pairs[first : first + PLAIN_BATCH]
            inputs = self.tokenizer(
                [pair.passage.text for pair in batch],
                [pair.claim.text for pair in batch],
                padding=True,
                truncation=True,
                max_length=MAX_TOKENS,
                return_tensors="pt",
            ).to(self.device)
            best = self.model(**inputs).logits.softmax(dim=-1).cpu().argmax(dim=-1)
            found += [self.order[index] for index in best.tolist()]
        return found


def measured(work: Callable[[], list[Label]], device: str) -> tuple[list[Label], float, float]:
    """(labels, seconds, peak MB). On a CPU the peak is the process's so far: the plain loop goes first."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.synchronize()
    started = time.perf_counter()
    labels = work()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    seconds = time.perf_counter() - started
    if device.startswith("cuda"):
        return labels, seconds, torch.cuda.max_memory_allocated() / 2**20
    return labels, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="base")
    parser.add_argument("--pairs", type=int, default=96)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--out", type=Path, help="also write the numbers here, as JSON")
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    pairs = human_pairs(options.pairs)
    data = "human" if pairs else "seeded"
    pairs = pairs or seeded_pairs(options.pairs)
    random.Random(0).shuffle(pairs) if data == "seeded" else None
    with tempfile.TemporaryDirectory() as folder:
        texts = [text for pair in pairs for text in (pair.claim.text, pair.passage.text)]
        weights = build(Path(folder, "model"), options.shape, texts)
        plain, fast = PlainLoop(weights, options.device), NLIChecker(weights, device=options.device)
        warm_up = pairs[:2]
        plain(warm_up)
        fast(warm_up)
        plain_labels, plain_seconds, plain_mb = measured(lambda: plain(pairs), options.device)
        fast_labels, fast_seconds, fast_mb = measured(
            lambda: [judgment.label for judgment in fast(pairs)], options.device
        )
        lengths = [len(plain.tokenizer(pair.passage.text, pair.claim.text).input_ids) for pair in pairs]
    whole = [index for index, length in enumerate(lengths) if length <= MAX_TOKENS]
    agreeing = sum(plain_labels[index] is fast_labels[index] for index in whole)
    results = {
        "command": " ".join(["python -m benchmark.speed.nli_loop", *sys.argv[1:]]),
        "signature": fast.signature,
        "shape": options.shape,
        "data": data,
        "device": torch.cuda.get_device_name() if options.device != "cpu" else platform.machine(),
        "threads": torch.get_num_threads(),
        "pairs": len(pairs),
        "distinct_pairs": len({(pair.claim.text, pair.passage.text) for pair in pairs}),
        "pairs_cut_by_the_plain_loop": len(pairs) - len(whole),
        "mean_tokens": round(sum(lengths) / len(lengths), 1),
        "plain": {"pairs_per_second": round(len(pairs) / plain_seconds, 2), "peak_mb": round(plain_mb)},
        "nli": {"pairs_per_second": round(len(pairs) / fast_seconds, 2), "peak_mb": round(fast_mb)},
        "ratio": round(plain_seconds / fast_seconds, 2),
        "agreement_where_nothing_is_cut": round(agreeing / len(whole), 4) if whole else None,
    }
    print(json.dumps(results, indent=2))
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
