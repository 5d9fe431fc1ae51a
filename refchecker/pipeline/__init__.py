"""The pipeline: records in, reports out. `run` is the only place that groups, flattens and merges."""

from __future__ import annotations

from .pipeline import Splitter, run, whole
