"""What `training.localizer` chooses, and where it keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from refchecker.models import Settings
from refchecker.models.encoder import settings_of
from refchecker.types import Claim

pytest.importorskip("onnx")

from benchmark.evidence import Item
from training.localizer import fit


def test_the_settings_of_an_encoder_are_kept_in_its_folder(tmp_path: Path) -> None:
    settings = Settings(layer=3, unit=True, context=0.5, least_part=0.6, least_word=0.7)
    fit.store(str(tmp_path), settings, [{"layer": 3, "worth": 1.5}])
    assert settings_of(tmp_path) == settings


@pytest.mark.parametrize(
    ("ranks", "precision"),
    [
        pytest.param([3.0, 2.0, 1.0], 1.0, id="best first"),
        pytest.param([1.0, 2.0, 3.0], 1 / 3, id="best last"),
    ],
)
def test_average_precision(ranks: list[float], precision: float) -> None:
    item = Item("article", Claim("Cats sleep."), "a\n\nb\n\nc", [0, 3, 6], [{0}], [])
    assert fit.average_precision(ranks, item) == pytest.approx(precision)
