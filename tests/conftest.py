"""For the whole suite: no network but the loopback interface, and Ctrl-C as at a terminal."""

from __future__ import annotations

import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# no deadline: machines differ, and tests assert no time; the same examples each time in CI
settings.register_profile("refchecker", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("refchecker")

# With several test processes on a few cores each model has one thread, before anybody loads torch.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell starts what it runs in the background with Ctrl-C ignored, and so would be every process that the
# tests start and stop.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def loopback_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"the test suite has no network, and {address} was asked for")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", loopback_only)


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's folder, from which its modules can be imported.

    `monkeypatch.syspath_prepend` would clear the caches of the importers, which fails where the thread of
    a test before is still importing spaCy. A new folder is in no cache.
    """
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path
