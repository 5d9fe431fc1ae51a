"""Give the embedded model's ONNX file a second output: the token vectors of one of its layers.

    python -m training.embedded.tokens refchecker/models/embedded --layer 3

The logits stay as they are, bit for bit. `export` does this too; which layer: `training.localizer`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import onnx

from refchecker.models.encoder import OUTPUT

LAYERS = range(1, 7)  # the embedding layer knows no context
LAYER = 1  # by default; as chosen by `python -m training.localizer`


def add_tokens(path: Path, layer: int) -> None:
    """Add the output, in place of one that is there; 0 is the embedding layer."""
    model = onnx.load(path)
    graph = model.graph
    for kept, dropped in ((graph.output, OUTPUT), (graph.node, OUTPUT)):
        for each in [each for each in kept if each.name == dropped]:
            kept.remove(each)
    place = "embeddings" if layer == 0 else f"encoder/layer.{layer - 1}/output"
    wanted = f"{place}/LayerNorm/LayerNormalization_output_0"
    found = [name for node in graph.node for name in node.output if name.endswith(wanted)]
    if len(found) != 1:
        raise SystemExit(f"{path} has {len(found)} tensors called .../{wanted}; one is needed.")
    graph.node.append(onnx.helper.make_node("Identity", found, [OUTPUT], name=OUTPUT))
    shape = ["inputs", "tokens", None]
    graph.output.append(onnx.helper.make_tensor_value_info(OUTPUT, onnx.TensorProto.FLOAT, shape))
    onnx.save(model, path)


def record(folder: Path, **more: Any) -> None:
    """Put the hash of model.onnx as it is now in config.json, and what else is given."""
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8"))
    config["sha256"] = hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()
    config |= more
    path.write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layer", type=int, default=LAYER)
    options = parser.parse_args()
    add_tokens(options.folder / "model.onnx", options.layer)
    record(options.folder)


if __name__ == "__main__":
    main()
