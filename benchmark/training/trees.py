"""Boosted trees of scikit-learn as one ONNX tree ensemble, which onnxruntime runs without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from sklearn.ensemble import HistGradientBoostingClassifier

Array = np.ndarray[Any, np.dtype[Any]]


def write_trees(
    members: Sequence[HistGradientBoostingClassifier], path: Path, features: Array, expected: Array
) -> float:
    """Write the mean of the members' raw scores under a softmax; the largest difference from `expected`.

    Input "features" [rows, features] in 32 bits, NaN where a feature does not apply; output "probabilities"
    [rows, labels].
    """
    nodes: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    leaves: dict[str, list[Any]] = {"treeids": [], "nodeids": [], "ids": [], "weights": []}
    tree = 0
    for member in members:
        for stage in member._predictors:
            for label, predictor in enumerate(stage):
                _add_tree(predictor.nodes, tree, label, 1 / len(members), nodes, leaves)
                tree += 1
    labels = len(members[0].classes_)
    base = np.mean([member._baseline_prediction.ravel() for member in members], axis=0)
    ensemble = helper.make_node(
        "TreeEnsembleClassifier",
        ["features"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        classlabels_int64s=list(range(labels)),
        base_values=base.astype(np.float32).tolist(),
        post_transform="SOFTMAX",
        **{f"nodes_{name}": values for name, values in nodes.items()},
        **{f"class_{name}": values for name, values in leaves.items()},
    )
    graph = helper.make_graph(
        [ensemble],
        "weigh",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, features.shape[1]])],
        [
            helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
            helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, labels]),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return _difference(path, features, expected)


_FIELDS = (
    *("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids"),
    *("missing_value_tracks_true", "hitrates"),
)


def _add_tree(
    tree_nodes: Any,
    tree: int,
    label: int,
    share: float,
    nodes: dict[str, list[Any]],
    leaves: dict[str, list[Any]],
) -> None:
    for number, node in enumerate(tree_nodes):
        leaf = bool(node["is_leaf"])
        row = (
            *(
                tree,
                number,
                0 if leaf else int(node["feature_idx"]),
                0.0 if leaf else _below(node["num_threshold"]),
            ),
            *(
                "LEAF" if leaf else "BRANCH_LEQ",
                0 if leaf else int(node["left"]),
                0 if leaf else int(node["right"]),
            ),
            *(0 if leaf else int(node["missing_go_to_left"]), 1.0),
        )
        for name, value in zip(_FIELDS, row, strict=True):
            nodes[name].append(value)
        if leaf:
            for name, value in zip(leaves, (tree, number, label, float(node["value"]) * share), strict=True):
                leaves[name].append(value)


def _below(threshold: float) -> float:
    """The largest 32-bit number not above the threshold: 32-bit features fall on the same side of it."""
    nearest = np.float32(threshold)
    return float(nearest if nearest <= threshold else np.nextafter(nearest, np.float32(-np.inf)))


def _difference(path: Path, features: Array, expected: Array) -> float:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = session.run(["probabilities"], {"features": features.astype(np.float32)})[0]
    return float(np.abs(found - expected).max())
