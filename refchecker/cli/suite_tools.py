"""What the command line's options give a suite: its models, its folder, its voice."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import llms
from ..errors import UsageError
from ..protocols import Checker, Extractor, optional_parts
from ..registry import load
from ..suites.ask import ClientAsk
from ..suites.types import Ask
from . import llm_options


class OptionTools:
    """A `Tools` made of parsed options; models are loaded when they are asked for."""

    def __init__(
        self, options: argparse.Namespace, folder: Path, ledger: Any, tell: Callable[[str], None]
    ) -> None:
        self.folder = folder
        self.tell = tell
        self._options = options
        self._ledger = ledger
        self._loaded: list[object] = []

    def llm(self, role: str = "llm") -> Ask:
        """The model of `--ROLE provider/model`, at `--ROLE_api_base`."""
        spec = getattr(self._options, role, None)
        if not spec:
            raise UsageError(
                f"a language model is needed: --{role} provider/model, such as openai/gpt-6.1-terra"
            )
        return ClientAsk(llms.load(spec, **self._client(role)))

    def checker(self) -> Checker:
        check: Checker = load(
            "checker",
            self._options.checker_name,
            device=self._options.device,
            threads=self._options.concurrency,
            claims_per_prompt=self._options.claims_per_prompt,
            **self._client("checker"),
        )
        self._loaded.append(check)
        return check

    def extractor(self, claim_format: str = "triplet") -> Extractor:
        """The extractor of `--extractor_name`; whole sentences are no model's business."""
        name = "sentence" if claim_format == "sentence" else self._options.extractor_name
        extract: Extractor = load("extractor", name, claim_format=claim_format, **self._client("extractor"))
        self._loaded.append(extract)
        return extract

    def remarks(self) -> list[str]:
        """What the components have to say about the run."""
        return [line for component in self._loaded for line in optional_parts(component).remarks()]

    def _client(self, role: str) -> dict[str, Any]:
        chosen = llm_options.client_options(self._options, role, self._ledger, None)
        return {name: value for name, value in chosen.items() if value is not None}
