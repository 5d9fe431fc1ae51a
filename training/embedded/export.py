"""Write a trained model as int8 ONNX beside its tokenizer and config, and compare it with torch.

    python -m training.embedded.export --data runs/embedded --parent DIR \\
        --checkpoint runs/embedded/checkpoint.pt --out refchecker/models/embedded --version v1

`weigh` then adds the trees to the folder, `training.localizer` what the localizers need.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn

from refchecker.checker.embedded import features as evidence

from .model import LABELS, CrossEncoder, parent
from .tokens import LAYER, add_tokens
from .train import Row, accuracy_by_kind, encoded, logits_of

SETTINGS = {
    "max_tokens": 512,
    "window_tokens": 200,
    "overlap_tokens": 60,
    "max_claim_tokens": 160,
    "candidates": 2,
    "focus_from_tokens": 128,
    "evidence_version": evidence.VERSION,
}


class OneInput(nn.Module):
    """The model for unpadded input: no mask to pass."""

    def __init__(self, model: CrossEncoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        logits: Tensor = self.model(input_ids, token_type_ids, torch.ones_like(input_ids))
        return logits


def write_onnx(model: CrossEncoder, path: Path) -> None:
    """fp32 ONNX with any batch size and length."""
    model.bert.config._attn_implementation = "eager"
    ids = torch.randint(1000, 20000, (2, 24))
    axes = {0: "inputs", 1: "tokens"}
    torch.onnx.export(
        OneInput(model.eval()), (ids, torch.zeros_like(ids)), str(path), dynamo=False, opset_version=17,
        input_names=["input_ids", "token_type_ids"], output_names=["logits"],
        dynamic_axes={"input_ids": axes, "token_type_ids": axes, "logits": {0: "inputs"}},
    )  # fmt: skip


def quantise(source: Path, target: Path) -> None:
    """int8 weights: MatMul and Gemm per output channel, word embeddings per word.

    onnxruntime scales the input of a product by its largest value. Some tokens' values in the feed-forward
    layers are far larger than all others', which would be left with a few steps of the 255; so each token
    is divided by its own largest value first, and its product multiplied by it.
    """
    model = onnx.load(source)
    weights = {each.name: each for each in model.graph.initializer}
    parts = [part for node in model.graph.node for part in _parts(node, weights, model.graph)]
    del model.graph.node[:]
    model.graph.node.extend(parts)
    model.graph.initializer.append(numpy_helper.from_array(np.array(1e-6, dtype=np.float32), _LEAST))
    quantize_dynamic(
        model, target, op_types_to_quantize=["MatMul", "Gemm"], per_channel=True,
        weight_type=QuantType.QInt8, extra_options={"MatMulConstBOnly": True},
    )  # fmt: skip
    quantised = onnx.load(target)
    quantised.doc_string = ""
    for node in quantised.graph.node:
        node.doc_string = ""  # paths and line numbers of the exporting machine
        del node.metadata_props[:]
    onnx.save(quantised, target)


def _parts(
    node: onnx.NodeProto, weights: Mapping[str, onnx.TensorProto], graph: onnx.GraphProto
) -> list[onnx.NodeProto]:
    """The node, or those that take its place."""
    if node.op_type == "Gather" and "word_embeddings" in node.name:
        return _gathered(node, weights[node.input[0]], graph)
    if node.op_type == "MatMul" and node.input[1] in weights and _FEED_FORWARD.search(node.name):
        return _divided(node)
    return [node]


_LEAST = "least"  # what is divided by where all values are zero
_FEED_FORWARD = re.compile(r"layer\.\d+/(?:intermediate|output)/dense")


def _divided(node: onnx.NodeProto) -> list[onnx.NodeProto]:
    """A product of tokens, each divided by its largest value."""
    (values, weight), (found,), at = node.input, node.output, node.name
    return [
        helper.make_node("Abs", [values], [f"{at}/abs"]),
        helper.make_node("ReduceMax", [f"{at}/abs"], [f"{at}/maximum"], axes=[-1], keepdims=1),
        helper.make_node("Max", [f"{at}/maximum", _LEAST], [f"{at}/largest"]),
        helper.make_node("Div", [values, f"{at}/largest"], [f"{at}/divided"]),
        helper.make_node("MatMul", [f"{at}/divided", weight], [f"{at}/product"], name=at),
        helper.make_node("Mul", [f"{at}/product", f"{at}/largest"], [found]),
    ]


def _gathered(node: onnx.NodeProto, table: onnx.TensorProto, graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Word embeddings in 8 bits, each with a scale of its own."""
    values, (_, ids), (found,), at = numpy_helper.to_array(table), node.input, node.output, node.name
    scales = np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-9).astype(np.float32) / 127
    graph.initializer.remove(table)
    steps = np.round(values / scales).astype(np.int8)
    graph.initializer.append(numpy_helper.from_array(steps, f"{at}/words"))
    graph.initializer.append(numpy_helper.from_array(scales, f"{at}/scales"))
    return [
        helper.make_node("Gather", [f"{at}/words", ids], [f"{at}/steps"]),
        helper.make_node("Cast", [f"{at}/steps"], [f"{at}/cast"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Gather", [f"{at}/scales", ids], [f"{at}/scale"]),
        helper.make_node("Mul", [f"{at}/cast", f"{at}/scale"], [found]),
    ]


def session_of(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def onnx_logits(
    session: onnxruntime.InferenceSession, rows: list[Row]
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Logits of each row run alone, as the checker runs it. # [rows, 3]"""
    found = []
    for ids, claim_at, *_ in rows:
        types = [0] * claim_at + [1] * (len(ids) - claim_at)
        feed = {"input_ids": np.array([ids], np.int64), "token_type_ids": np.array([types], np.int64)}
        found.append(session.run(["logits"], feed)[0][0])
    return np.array(found)


def load(checkpoint: Path, directory: Path) -> CrossEncoder:
    model = parent(directory)
    model.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True)["model"])
    return model.eval()


def lean_tokenizer(directory: Path, target: Path) -> Tokenizer:
    """The parent's tokenizer without its truncation and padding."""
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.save(str(target), pretty=False)
    return tokenizer


def export(data: Path, directory: Path, checkpoint: Path, out: Path, version: str, parity_rows: int) -> None:
    """Write model.onnx, tokenizer.json and config.json to `out`; report parity on stderr."""
    out.mkdir(parents=True, exist_ok=True)
    model = load(checkpoint, directory)
    tokenizer = lean_tokenizer(directory, out / "tokenizer.json")
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "plain.onnx"
        write_onnx(model, plain)
        quantise(plain, out / "model.onnx")
    add_tokens(out / "model.onnx", LAYER)
    some = encoded(data / "dev.jsonl", tokenizer, 256)[:parity_rows]
    ours = onnx_logits(session_of(out / "model.onnx"), some)
    theirs = logits_of(load(checkpoint, directory), some, "cpu").numpy()
    parity = {
        "rows": len(some),
        "same_label": round(float((ours.argmax(1) == theirs.argmax(1)).mean()), 4),
        "mean_difference": round(float(np.abs(ours - theirs).mean()), 4),
        "accuracy_torch": accuracy_by_kind(torch.from_numpy(theirs), some)["all"],
        "accuracy_onnx": accuracy_by_kind(torch.from_numpy(ours), some)["all"],
    }
    config = {"version": version, "labels": LABELS, **SETTINGS}
    config["sha256"] = hashlib.sha256((out / "model.onnx").read_bytes()).hexdigest()
    config["training_data"] = json.loads((data / "sources.json").read_text(encoding="utf-8"))["sha256"]
    config["parity"] = parity
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    sys.stderr.write(json.dumps(config | {"bytes": (out / "model.onnx").stat().st_size}, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder that `prepare` wrote")
    parser.add_argument(
        "--parent", type=Path, required=True, help="folder with the parent's config and tokenizer"
    )
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", default="v1")
    parser.add_argument("--parity_rows", type=int, default=1000)
    options = parser.parse_args()
    export(
        options.data, options.parent, options.checkpoint, options.out, options.version, options.parity_rows
    )  # fmt: skip


if __name__ == "__main__":
    main()
