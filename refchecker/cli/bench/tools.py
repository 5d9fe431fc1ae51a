"""What options give a suite: its models, its folder, its voice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ... import llms
from ...errors import UsageError
from ...protocols import Checker, Extractor, optional_parts
from ...registry import load
from ...suites.ask import ClientAsk
from ...suites.types import Ask
from ..components import Clients
from ..options.bench import ModelOptions


@dataclass
class ModelTools:
    """The `Tools` of a step: models are loaded when they are asked for."""

    folder: Path
    tell: Callable[[str], None]
    has_llm: bool
    system: str | None
    _models: ModelOptions
    _clients: Clients
    _loaded: list[object] = field(default_factory=list)

    def llm(self) -> Ask:
        """The model of `--llm provider/model`, at `--llm_api_base`."""
        if not self._models.llm:
            raise UsageError("a language model is needed: --llm provider/model, such as openai/gpt-6.1-terra")
        return ClientAsk(llms.load(self._models.llm, **self._clients.options(self._models.llm_api_base)))

    def checker(self) -> Checker:
        check: Checker = load(
            "checker",
            self._models.checker_name,
            device=self._models.device,
            threads=self._models.concurrency,
            claims_per_prompt=self._models.claims_per_prompt,
            **self._clients.options(self._models.checker_api_base),
        )
        self._loaded.append(check)
        return check

    def extractor(self, claim_format: str = "triplet") -> Extractor:
        """The extractor of `--extractor_name`; whole sentences are no model's business."""
        name = "sentence" if claim_format == "sentence" else self._models.extractor_name
        asking = self._clients.options(self._models.extractor_api_base)
        extract: Extractor = load("extractor", name, claim_format=claim_format, **asking)
        self._loaded.append(extract)
        return extract

    def remarks(self) -> list[str]:
        """What the components have to say about the run."""
        return [line for component in self._loaded for line in optional_parts(component).remarks()]
