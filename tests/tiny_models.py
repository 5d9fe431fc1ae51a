"""Tiny random classification models with real tokenizers, for tests without a download."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SENTENCES = [
    "Paris is the capital of France and lies on the river Seine.",
    "Berlin is in Germany; it was divided until 1989.",
    "The tower was finished in 1889 by the engineer Gustave Eiffel.",
    "Marie Curie won the Nobel Prize in physics and in chemistry.",
    "No one knows whether the bridge would have been built earlier.",
    "Rome was not built in a day, they say.",
]
THREE = {0: "entailment", 1: "neutral", 2: "contradiction"}
TWO = {0: "not_entailment", 1: "entailment"}


def roberta(
    folder: Path, id2label: Mapping[int, str] = THREE, *, max_tokens: int = 64, seed: int = 0
) -> Path:
    """A two-layer RoBERTa with byte-level BPE, saved in `folder`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForSequenceClassification

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        cls_token="<s>",
        unk_token="<unk>",
        pad_token="<pad>",
        mask_token="<mask>",
        model_max_length=max_tokens,
        model_input_names=["input_ids", "attention_mask"],
    )
    config = RobertaConfig(
        vocab_size=len(fast),
        max_position_embeddings=max_tokens + 2,
        type_vocab_size=1,
        pad_token_id=1,
        **_small(id2label),
    )
    return _saved(folder, RobertaForSequenceClassification, config, fast, seed)


def _word_piece_tokenizer() -> Any:
    """WordPiece over the words of SENTENCES, with BERT's special tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(_word_pieces(), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def bert(folder: Path, id2label: Mapping[int, str] = THREE, *, max_tokens: int = 64, seed: int = 0) -> Path:
    """A two-layer BERT with WordPiece, saved in `folder`."""
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(
        tokenizer_object=_word_piece_tokenizer(),
        sep_token="[SEP]",
        cls_token="[CLS]",
        unk_token="[UNK]",
        pad_token="[PAD]",
        mask_token="[MASK]",
        model_max_length=max_tokens,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    config = BertConfig(
        vocab_size=len(fast), max_position_embeddings=max_tokens, pad_token_id=0, **_small(id2label)
    )
    return _saved(folder, BertForSequenceClassification, config, fast, seed)


def deberta(
    folder: Path, id2label: Mapping[int, str] = THREE, *, max_tokens: int = 64, seed: int = 0
) -> Path:
    """A two-layer DeBERTa-v2/v3, whose end-of-text token is [SEP], saved in `folder`."""
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification, PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(
        tokenizer_object=_word_piece_tokenizer(),
        bos_token="[CLS]",
        cls_token="[CLS]",
        eos_token="[SEP]",
        sep_token="[SEP]",
        unk_token="[UNK]",
        pad_token="[PAD]",
        model_max_length=max_tokens,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    config = DebertaV2Config(
        vocab_size=len(fast),
        max_position_embeddings=max_tokens,
        type_vocab_size=0,
        pad_token_id=0,
        relative_attention=True,
        position_biased_input=False,
        pos_att_type=["p2c", "c2p"],
        position_buckets=16,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        **_small(id2label),
    )
    return _saved(folder, DebertaV2ForSequenceClassification, config, fast, seed)


def t5(folder: Path, *, seed: int = 0) -> Path:
    """A one-layer T5 that writes text, with the word-by-word pieces of T5's tokenizer, saved in `folder`."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    words = sorted({f"▁{word}" for text in SENTENCES for word in re.findall(r"\w+|[^\w\s]", text)})
    letters = sorted(set(string.printable) - set(string.whitespace) | {"▁"})
    pieces = list(dict.fromkeys(["<pad>", "</s>", "<unk>", *letters, *words, "▁predict"]))
    pieces += [f"<extra_id_{number}>" for number in range(256 - len(pieces))]
    scored = [(piece, -1.0 if len(piece) > 1 else -9.0) for piece in pieces]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        model_max_length=512,
        model_input_names=["input_ids", "attention_mask"],
    )
    config = T5Config(
        vocab_size=len(fast),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        initializer_factor=3.0,
    )
    return _saved(folder, T5ForConditionalGeneration, config, fast, seed)


def alignscore(folder: Path, *, seed: int = 0) -> Path:
    """A checkpoint as AlignScore's training writes it, tokenizer and configuration beside it."""
    import torch
    from transformers import AutoConfig, RobertaModel

    roberta(folder)
    (folder / "model.safetensors").unlink()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        base = RobertaModel(AutoConfig.from_pretrained(folder))
        heads = {name: torch.nn.Linear(32, width) for name, width in _ALIGNSCORE_HEADS.items()}
        for head in heads.values():
            torch.nn.init.normal_(head.weight)
    modules = {"base_model": base, **heads, "mlm_head.dense": torch.nn.Linear(32, 32)}
    state = {
        f"{prefix}.{name}": tensor
        for prefix, module in modules.items()
        for name, tensor in module.state_dict().items()
    }
    path = folder / "tiny.ckpt"
    torch.save({"state_dict": state, "hyper_parameters": {"model": "roberta-large"}, "epoch": 2}, path)
    return path


_ALIGNSCORE_HEADS = {"bin_layer": 2, "tri_layer": 3, "reg_layer": 1}


def _small(id2label: Mapping[int, str]) -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "initializer_range": 0.4,  # wide, so that random models do not all say the same
        "id2label": dict(id2label),
        "label2id": {name: index for index, name in id2label.items()},
        "num_labels": len(id2label),
    }


def _saved(folder: Path, model_class: Any, config: Any, tokenizer: Any, seed: int) -> Path:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_class(config).eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _word_pieces() -> dict[str, int]:
    """A vocabulary that is the same in every process, which a trained one is not: ties fall by chance."""
    words = sorted({word for text in SENTENCES for word in re.findall(r"\w+|[^\w\s]", text.lower())})
    letters = sorted(
        {letter for word in words for letter in word} | set(string.ascii_lowercase + string.digits)
    )
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = dict.fromkeys([*special, *letters, *(f"##{letter}" for letter in letters), *words])
    return {piece: number for number, piece in enumerate(pieces)}
