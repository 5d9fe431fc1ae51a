"""What the speed programs share: the plain loop, models of a given shape with random weights, pairs.

The plain loop does what the NLI checker of RefChecker 0.2 does (and its users get): batches of 16
pairs in the order they come, premise then claim, cut at 512 tokens (the longer of the two first),
padded to the longest of the batch, fp32, softmax and argmax of each batch brought back at once.
Nothing is asked once only, nothing is sorted. The default attention of transformers is left as it
is. The one difference: the label is read by `id2label`, not by position.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from refchecker.checker.nli.heads import labels_of
from refchecker.types import Claim, Label, Pair, Passage

ROOT = Path(__file__).resolve().parent.parent.parent
SHAPES = {  # hidden size, layers, heads, feed-forward size
    "tiny": (64, 2, 2, 128),
    "base": (768, 12, 12, 3072),
    "large": (1024, 24, 16, 4096),
}
MAX_TOKENS = 512
BATCH = 16
SPREAD_PAIRS = 24  # over which the outputs of a random model are centred
THREE = {0: "entailment", 1: "neutral", 2: "contradiction"}
SENTENCES = (
    "Paris is the capital of France and lies on the river Seine.",
    "The tower was finished in 1889 by the engineer Gustave Eiffel.",
    "Marie Curie won the Nobel Prize in physics and in chemistry.",
    "No one knows whether the bridge would have been built earlier.",
)


class PlainLoop:
    """Labels of pairs, as the module's text says."""

    def __init__(self, folder: str, device: str) -> None:
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
        self.model = model.float().to(device).eval()
        self.device, self.order = device, labels_of(model.config.id2label, folder)

    def __call__(self, pairs: Sequence[Pair]) -> list[Label]:
        return [self.order[row.index(max(row))] for row in self.scores(pairs)]

    @torch.no_grad()
    def scores(self, pairs: Sequence[Pair]) -> list[list[float]]:
        found: list[list[float]] = []
        for first in range(0, len(pairs), BATCH):
            batch = pairs[first : first + BATCH]
            inputs = self.tokenizer(
                [pair.passage.text for pair in batch],
                [pair.claim.text for pair in batch],
                padding=True,
                truncation=True,
                max_length=MAX_TOKENS,
                return_tensors="pt",
            ).to(self.device)
            found += self.model(**inputs).logits.softmax(dim=-1).cpu().tolist()
        return found


def pairs_of(count: int) -> tuple[str, list[Pair]]:
    """Pairs and where they come from: the human benchmark where its data is, otherwise a seed."""
    pairs = human_pairs(count)
    return ("human", pairs) if pairs else ("seeded", seeded_pairs(count))


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
    """Five claims per reference, references of 1 to 40 sentences, every eighth claim again, shuffled."""
    rng, pairs = random.Random(0), []
    while len(pairs) < count:
        text = " ".join(rng.choices(SENTENCES, k=rng.randint(1, 40)))
        claims = [" ".join(rng.choice(SENTENCES).split()[:6]) for _ in range(5)]
        pairs += [Pair(Claim(claim), Passage(text, str(len(pairs)))) for claim in claims]
        pairs += pairs[-1:] if len(pairs) % 8 == 0 else []
    rng.shuffle(pairs)
    return pairs[:count]


def build(folder: Path, shape: str, pairs: Sequence[Pair]) -> str:
    """A random RoBERTa of that shape, a byte-level BPE trained on the pairs' own texts, outputs centred.

    Without centring a random model gives nearly all pairs one label, and labels that agree say nothing.
    """
    hidden, layers, heads, feed_forward = SHAPES[shape]
    tokenizer = tokenizer_of([text for pair in pairs for text in (pair.claim.text, pair.passage.text)])
    tokenizer.save_pretrained(folder)
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
    model = transformers.RobertaForSequenceClassification(config).eval()
    some = pairs[:: max(1, len(pairs) // SPREAD_PAIRS)][:SPREAD_PAIRS]
    with torch.no_grad():
        logits = torch.cat(
            [
                model(
                    **tokenizer(
                        pair.passage.text,
                        pair.claim.text,
                        truncation=True,
                        max_length=MAX_TOKENS,
                        return_tensors="pt",
                    )
                ).logits
                for pair in some
            ]
        )
        model.classifier.out_proj.bias -= logits.mean(dim=0)
    model.save_pretrained(folder)
    return str(folder)


def tokenizer_of(texts: Sequence[str]) -> Any:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=8000,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        model_max_length=MAX_TOKENS,
        model_input_names=["input_ids", "attention_mask"],
    )
