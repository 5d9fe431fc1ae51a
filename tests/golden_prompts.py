"""Filled prompts as files in tests/golden, to be read as they change.

Written anew by: REGENERATE=1 python -m pytest tests -k filled_prompt
"""

import json
import os
from pathlib import Path

from refchecker.llms.types import Request

FOLDER = Path(__file__).parent / "golden"


def check(name: str, request: Request) -> None:
    """The request is what the file says."""
    parts = (request.prompt, request.system, request.user, json.dumps(request.schema, indent=1))
    text = "\n\n==========\n\n".join(parts) + "\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("REGENERATE"):
        FOLDER.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")
