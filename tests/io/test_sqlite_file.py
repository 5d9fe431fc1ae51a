"""Opening one new file from many places at once."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refchecker.errors import UsageError
from refchecker.io import Database, connected
from refchecker.io import sqlite as sqlite_file


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    def opened(path: Path, together: threading.Barrier) -> str:
        together.wait()
        base = connected(path)
        base.execute("CREATE TABLE IF NOT EXISTS rows (a)")
        base.execute("INSERT INTO rows VALUES (1)")
        mode: str = base.execute("PRAGMA journal_mode").fetchone()[0]
        base.close()
        return mode

    with ThreadPoolExecutor(8) as pool:
        for at in range(60):
            path, together = tmp_path / f"{at}.sqlite", threading.Barrier(8)
            modes = [pool.submit(opened, path, together) for _ in range(8)]
            assert {each.result() for each in modes} == {"wal"}
            assert connected(path).execute("SELECT count(*) FROM rows").fetchone() == (8,)


def held(path: Path) -> sqlite3.Connection:
    """A new file that another writes to."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE rows (a)")
    other.execute("BEGIN EXCLUSIVE")
    return other


def test_a_change_to_wal_waits_for_another_who_writes(tmp_path: Path) -> None:
    release = threading.Timer(0.3, held(tmp_path / "new.sqlite").execute, ["COMMIT"])
    release.start()
    assert connected(tmp_path / "new.sqlite").execute("PRAGMA journal_mode").fetchone() == ("wal",)
    release.join()


def test_but_not_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = held(tmp_path / "new.sqlite")
    monkeypatch.setattr(sqlite_file, "LOCK_SECONDS", 0.1)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        connected(tmp_path / "new.sqlite")
    other.close()


def test_read_only_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        connected(tmp_path / "none.sqlite", read_only=True).execute("SELECT 1")
    assert list(tmp_path.iterdir()) == []


ROWS = "CREATE TABLE IF NOT EXISTS rows (a UNIQUE)"


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    base = Database(tmp_path / "folder" / "new.sqlite", ROWS, "cannot: {error}")
    with base.transaction():
        base.execute("INSERT INTO rows VALUES (?)", (1,))
        base.execute_many("INSERT INTO rows VALUES (?)", [(2,), (3,)])

    def interrupted() -> None:
        with base.transaction():
            base.execute("DELETE FROM rows")
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert base.execute("SELECT a FROM rows ORDER BY a") == list(base.stream("SELECT a FROM rows ORDER BY a"))
    assert base.execute("SELECT count(*) FROM rows") == [(3,)]
    base.close()


def test_threads_share_a_database(tmp_path: Path) -> None:
    base = Database(tmp_path / "new.sqlite", "CREATE TABLE rows (a)", "cannot: {error}")

    def add(number: int) -> None:
        with base.transaction():
            [[count]] = base.execute("SELECT count(*) FROM rows")
            base.execute("INSERT INTO rows VALUES (?)", (count,))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(80)))
    assert base.execute("SELECT a FROM rows ORDER BY a") == [(number,) for number in range(80)]
    base.close()


@pytest.mark.parametrize("name", [None, Path("cache")], ids=["the file", "another name"])
def test_what_cannot_be_used_says_so(tmp_path: Path, name: Path | None) -> None:
    path = tmp_path / "diary.sqlite"
    path.write_text("my diary, which is long enough to be no database at all" * 50)
    with pytest.raises(
        UsageError, match=rf"^{name or path}: cannot keep it: file is not a database\. Move it"
    ):
        Database(path, ROWS, "cannot keep it: {error}. Move it.", name=name)
