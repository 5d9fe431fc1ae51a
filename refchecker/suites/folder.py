"""The folder of a benchmark: its items, and for each system the answers so far.

FOLDER/items.jsonl            {"id", "group", ...fields}, one a line
FOLDER/prepare.json           where the items came from, how many, the hash of items.jsonl
FOLDER/SYSTEM/STAGE.jsonl     a journal: one line per finished task
FOLDER/SYSTEM/score.json      what `score` makes of them
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..io import dump
from .types import Answer, Item, Prepared

HASH_DIGITS = 12
ITEMS, PREPARED, SCORE = "items.jsonl", "prepare.json", "score.json"


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of one suite's data and systems."""

    path: Path
    suite: str

    def write(self, prepared: Prepared, about: Mapping[str, Any]) -> dict[str, Any]:
        """Keep the items; what prepare.json then holds."""
        seen: set[str] = set()
        for item in prepared.items:
            if item.id in seen:
                raise UsageError(f"two items of {self.suite} have the id {item.id!r}. Ids must differ.")
            seen.add(item.id)
        if not prepared.items:
            raise UsageError(
                f"{self.suite}: there is nothing in the data. See: bench prepare {self.suite} -h"
            )
        lines = [dump({"id": item.id, "group": item.group, **item.fields}) + b"\n" for item in prepared.items]
        text = b"".join(lines)
        description = {
            "suite": self.suite,
            "data": hashlib.sha256(text).hexdigest()[:HASH_DIGITS],
            "items": len(prepared.items),
            "groups": len({item.group for item in prepared.items}),
            "sources": dict(prepared.sources),
            "notes": list(prepared.notes),
            **about,
        }
        write_whole(self.path / ITEMS, text)
        write_json(self.path / PREPARED, description)
        return description

    def prepared(self) -> dict[str, Any]:
        """What prepare.json says."""
        found = read_json(self.path / PREPARED, f"Run first: refchecker-cli bench prepare {self.suite}")
        if found.get("suite") != self.suite:
            raise UsageError(
                f"{self.path / PREPARED}: this is the data of {found.get('suite')!r}, not of {self.suite!r}. "
                "Give another --folder."
            )
        return found

    def items(self) -> list[Item]:
        """The items as they were prepared."""
        text = read_bytes(self.path / ITEMS, f"Run first: refchecker-cli bench prepare {self.suite}")
        expected = self.prepared()["data"]
        if (found := hashlib.sha256(text).hexdigest()[:HASH_DIGITS]) != expected:
            raise UsageError(
                f"{self.path / ITEMS}: its hash is {found}, and {PREPARED} says {expected}: it was changed "
                f"after it was prepared. Run bench prepare {self.suite} again."
            )
        rows = [json.loads(line) for line in text.splitlines()]
        return [Item(row.pop("id"), row.pop("group"), row) for row in rows]

    def systems(self) -> list[str]:
        """The systems that have answers here, by name."""
        if not self.path.is_dir():
            return []
        return sorted(found.name for found in self.path.iterdir() if any(found.glob("*.jsonl")))

    def system(self, name: str) -> Path:
        """The folder of a system's answers."""
        if not re.fullmatch(r"[\w.@+-]+", name) or name.startswith("."):
            raise UsageError(f"{name!r} cannot name a system: use letters, digits and . _ - + @ only.")
        return self.path / name

    def stages(self, system: str) -> dict[str, dict[str, Any]]:
        """The settings of each stage that has answers, from the first line of its journal."""
        folder = self.system(system)
        found = {path.stem: header(path) for path in sorted(folder.glob("*.jsonl"))}
        return {stage: settings for stage, settings in found.items() if settings is not None}

    def answers(self, system: str) -> dict[str, dict[str, Answer]]:
        """What the system has answered so far, by stage and key."""
        stages = self.stages(system)
        if not stages:
            known = ", ".join(self.systems()) or "none"
            raise UsageError(
                f"{self.system(system)}: no answers here. Systems of this folder: {known}. "
                f"Run: refchecker-cli bench run {self.suite} --name {system}"
            )
        data = self.prepared()["data"]
        for stage, settings in stages.items():
            if settings.get("data") != data:
                raise UsageError(
                    f"{self.system(system) / stage}.jsonl: its answers are to the data "
                    f"{settings.get('data')}, and {self.path / ITEMS} is now {data}. Run it with --restart."
                )
        return {stage: read_answers(self.system(system) / f"{stage}.jsonl") for stage in stages}


def slug(name: str) -> str:
    """A model's name as the name of a system.

    >>> slug("local/qwen:0.5b@127.0.0.1")
    'local-qwen-0.5b@127.0.0.1'
    """
    return re.sub(r"[^\w.@+-]+", "-", name).strip("-.") or "system"


def header(path: Path) -> dict[str, Any] | None:
    """The settings in a journal's first line; None where there is no whole first line, or no file."""
    try:
        with path.open("rb") as lines:
            first = lines.readline()
    except FileNotFoundError:
        return None
    if not first.endswith(b"\n"):
        return None
    try:
        return dict(json.loads(first)["settings"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} line 1: this is no journal of refchecker. Move it away.") from error


def read_answers(path: Path) -> dict[str, Answer]:
    """The answers in a stage's journal by the tasks' keys; of several the last counts."""
    items = (entry["item"] for entry in _entries(path))
    return {item["key"]: Answer(item["value"], item["fault"]) for item in items}


def read_positions(path: Path) -> dict[str, int]:
    """Where each task has its place in a stage's journal, by key."""
    return {entry["item"]["key"]: entry["position"] for entry in _entries(path)}


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    with path.open("rb") as lines:
        next(lines, None)
        for number, line in enumerate(lines, start=2):
            if not line.endswith(b"\n"):  # cut short by a crash; the next run writes it again
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                raise UsageError(
                    f"{path} line {number}: not JSON: the file is damaged. Run it again with --restart."
                ) from error


def read_bytes(path: Path, remedy: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot read: {error.strerror}. {remedy}") from error


def read_json(path: Path, remedy: str) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path, remedy))
    except ValueError as error:
        raise UsageError(f"{path}: not JSON: {error}. {remedy}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path}: found {type(found).__name__}, expected an object. {remedy}")
    return found


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Indented JSON, as a whole or not at all; nan has become null."""
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def write_whole(path: Path, text: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(text)
        os.replace(partial, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}. Choose another --folder.") from error


def file_hash(paths: Sequence[Path]) -> dict[str, str]:
    """The SHA-256 of each file, by its name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
