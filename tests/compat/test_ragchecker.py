"""The published ragchecker package, unchanged, on this one. `make ragchecker` installs it and runs this."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import word_model

pytest.importorskip("ragchecker", reason="make ragchecker installs it")

INPUTS = Path(__file__).parent / "ragchecker_inputs.json"


def metrics_of(results: dict) -> dict[str, float]:
    return {name: value for group in results["metrics"].values() for name, value in group.items()}


EXPECTED = {
    "precision": 58.3,  # 2 of 3 claims and 1 of 2 are in the true answers
    "recall": 100.0,
    "f1": 73.3,
    "claim_recall": 75.0,
    "context_precision": 75.0,
    "context_utilization": 100.0,
    "noise_sensitivity_in_relevant": 0.0,
    "noise_sensitivity_in_irrelevant": 16.7,  # the old guidebook's eruption
    "hallucination": 25.0,
    "self_knowledge": 16.7,
    "faithfulness": 58.3,
}


@pytest.mark.parametrize("flags", [[], ["--disable_joint_check"], ["--joint_check_num", "2"]])
def test_its_command_line_with_a_served_model(tmp_path: Path, flags: list[str]) -> None:
    output = tmp_path / "out.json"
    with word_model.served() as server:
        command = [
            sys.executable,
            "-m",
            "ragchecker.cli",
            f"--input_path={INPUTS}",
            f"--output_path={output}",
        ]
        for part in ("extractor", "checker"):
            command += [f"--{part}_name=openai/words", f"--{part}_api_base={server.openai_base}"]
        done = subprocess.run(
            [*command, "--openai_api_key=none", *flags], capture_output=True, text=True, timeout=900
        )
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    results = json.loads(output.read_text("utf-8"))
    assert json.loads(done.stdout) == results["metrics"]
    assert metrics_of(results) == pytest.approx(EXPECTED)
    assert results["results"][1]["gt_answer_claims"] == [
        ["John Boyd Dunlop", "patented", "the pneumatic bicycle tyre in 1888"]
    ]


def test_its_class_with_a_function_of_ones_own() -> None:
    from ragchecker import RAGChecker, RAGResults

    results = RAGResults.from_json(INPUTS.read_text("utf-8"))
    RAGChecker(custom_llm_api_func=word_model.replies).evaluate(results)
    assert metrics_of(results.to_dict()) == pytest.approx(EXPECTED)
    assert results.results[0].retrieved2response[2] == ["Neutral", "Entailment"]
