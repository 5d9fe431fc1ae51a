"""`python -m training.localizer`: see `fit`."""

from __future__ import annotations

from training.localizer.fit import main

main()
