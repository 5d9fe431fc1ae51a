"""RECALL: does a model keep to what it knows when the context is wrong?"""

from __future__ import annotations

from .suite import SUITE
