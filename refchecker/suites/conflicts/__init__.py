"""Knowledge conflicts: does a model see that a text says other than it knows?"""

from __future__ import annotations

from .suite import SUITE
