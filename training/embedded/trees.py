"""Boosted trees over the evidence, and the ONNX file that runs them without scikit-learn.

Half of a forest's say has trees that weigh the three labels against each other and split as they like. The
other half answers two questions, "support?" and, where not, "contradicted?". The trees of support may not go
against what a number means: more of the claim found in the passage never lowers support. The first know the
labelled questions better, the second carry further, to passages and claims of kinds that neither saw. Half
of the trees of support learn from rows made by rule too (`asked`), which the others never see.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper
from sklearn.ensemble import HistGradientBoostingClassifier

from refchecker.checker.embedded.features import NAMES, NETWORK_NAMES

Array = np.ndarray[Any, np.dtype[Any]]
FEATURES = (*NAMES, *NETWORK_NAMES)
SUPPORT = dict.fromkeys(
    (
        *("cover", "cover_prefix", "trigrams", "trigrams_sentence"),
        *("best_sentence", "second_sentence", "two_sentences", "full_sentences", "mean_sentence", "together"),
        *(f"{name}_{part}" for part in "spo" for name in ("cover", "prefix", "run", "sentence", "trigrams")),
        *("numbers_cover", "numbers_sentence", "names_cover", "names_sentence", "new_cover"),
        *("answer_cover", "answer_sentence", "answer_trigrams"),
        *("support", "lean", "focus_support", "focus_lean"),
    ),
    1,
) | dict.fromkeys(
    (
        *("numbers_missing", "years_missing", "names_missing", "names_missing_s", "names_missing_o"),
        *("missing", "missing_asked", "answer_names_missing"),
        *("contradiction", "neutral", "focus_contradiction", "focus_neutral"),
    ),
    -1,
)  # which way support may only go as a number grows; either way where nothing is said


class Forest(NamedTuple):
    """Bags of boosted trees, each speaking by the mean of its members' raw scores."""

    labels: list[HistGradientBoostingClassifier]  # of the three labels
    support: list[HistGradientBoostingClassifier]  # of Entailment against the rest
    denial: list[HistGradientBoostingClassifier]  # of Contradiction against Neutral

    def __call__(self, features: Array) -> Array:
        """Probabilities in the order of the labels: the geometric mean of both halves. # [rows, 3]"""
        free = sum(member._raw_predict(features) for member in self.labels) / len(self.labels)
        support, denial = (
            sum(member._raw_predict(features)[:, 0] for member in bag) / len(bag)
            for bag in (self.support, self.denial)
        )
        rest = -np.logaddexp(0, support)
        bound = [
            -np.logaddexp(0, -support),
            rest - np.logaddexp(0, denial),
            rest - np.logaddexp(0, -denial),
        ]
        scores = (free + np.stack(bound, axis=1)) / 2
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def fitted(
    features: Array,
    labels: Array,
    weights: Array,
    support_weights: Array,
    made: Array,
    *,
    members: int,
    rounds: int,
    leaves: int,
    names: Sequence[str] = FEATURES,
) -> Forest:
    """Members differ by the features that each split may look at. Rows of weight 0 are not looked at, those
    that are `made` by rule only by half of the trees of support; `support_weights` are for these trees.
    # features [rows, features], labels, weights, support_weights and made [rows]
    """

    def bag(
        rows: Array, answers: Array, seeds: range, ways: dict[str, int], weights: Array = weights
    ) -> list[Any]:
        return [
            HistGradientBoostingClassifier(
                max_iter=rounds,
                learning_rate=0.06,
                max_leaf_nodes=leaves,
                min_samples_leaf=40,
                l2_regularization=5.0,
                max_features=0.4,
                monotonic_cst=[ways.get(name, 0) for name in names] if ways else None,
                early_stopping=False,
                random_state=seed,
            ).fit(features[rows], answers[rows], sample_weight=weights[rows])
            for seed in seeds
        ]

    every, supported = weights > 0, labels == 0
    people, seeds, half = every & ~made, range(members), members // 2
    return Forest(
        bag(people, labels, seeds, {}),
        bag(every, supported, seeds[:half], SUPPORT, support_weights)
        + bag(people, supported, seeds[half:], SUPPORT, support_weights),
        bag(people & ~supported, labels == 2, seeds, {}),
    )


def write_trees(forest: Forest, path: Path, features: Array, expected: Array) -> float:
    """Write the forest; the largest difference from what is `expected` for the features.

    Input "features" [rows, features] in 32 bits, NaN where a feature does not apply; output "probabilities"
    [rows, labels].
    """
    ensemble = _ensemble((forest.labels, forest.support, forest.denial))
    steps = [
        ("Split", ["raw", "parts"], ["free", "support", "denial"], {"axis": 1}),
        ("Neg", ["support"], ["no_support"], {}),
        ("Neg", ["denial"], ["no_denial"], {}),
        ("Softplus", ["no_support"], ["entailed"], {}),
        ("Softplus", ["support"], ["rest"], {}),
        ("Softplus", ["denial"], ["not_contradicted"], {}),
        ("Softplus", ["no_denial"], ["not_neutral"], {}),
        ("Add", ["rest", "not_contradicted"], ["neutral"], {}),
        ("Add", ["rest", "not_neutral"], ["contradicted"], {}),
        ("Concat", ["entailed", "neutral", "contradicted"], ["bound"], {"axis": 1}),
        ("Sub", ["free", "bound"], ["both"], {}),
        ("Mul", ["both", "half"], ["scores"], {}),
        ("Softmax", ["scores"], ["probabilities"], {"axis": 1}),
    ]
    graph = helper.make_graph(
        [ensemble, *(helper.make_node(kind, ins, outs, **extra) for kind, ins, outs, extra in steps)],
        "weigh",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [None, features.shape[1]])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, [None, 3])],
        [
            helper.make_tensor("parts", TensorProto.INT64, [3], [3, 1, 1]),
            helper.make_tensor("half", TensorProto.FLOAT, [], [0.5]),
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return _difference(path, features, expected)


_FIELDS = (
    *("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids"),
    *("missing_value_tracks_true", "hitrates"),
)


def _ensemble(bags: Sequence[Sequence[HistGradientBoostingClassifier]]) -> Any:
    """All trees in one node, whose targets are the raw scores of the bags, side by side."""
    nodes: dict[str, list[Any]] = {name: [] for name in _FIELDS}
    leaves: dict[str, list[Any]] = {"treeids": [], "nodeids": [], "ids": [], "weights": []}
    base: list[float] = []
    tree = 0
    for members in bags:
        for member in members:
            for stage in member._predictors:
                for target, predictor in enumerate(stage, len(base)):
                    _add_tree(predictor.nodes, tree, target, 1 / len(members), nodes, leaves)
                    tree += 1
        base += np.mean([member._baseline_prediction.ravel() for member in members], axis=0).tolist()
    return helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["raw"],
        domain="ai.onnx.ml",
        n_targets=len(base),
        base_values=base,
        **{f"nodes_{name}": values for name, values in nodes.items()},
        **{f"target_{name}": values for name, values in leaves.items()},
    )


def _add_tree(
    tree_nodes: Any,
    tree: int,
    target: int,
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
            for name, value in zip(leaves, (tree, number, target, float(node["value"]) * share), strict=True):
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
