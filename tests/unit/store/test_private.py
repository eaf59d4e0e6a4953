"""Stored files are readable only by their owner, also those that an earlier version created."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import exit_code

from quaestor.errors import StoreError
from quaestor.store.base import open_store
from quaestor.store.sqlite import SqliteTables

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")


@pytest.fixture(autouse=True)
def for_all_to_read() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def readable_by_others(folder: Path) -> list[str]:
    """Return the files with permissions for others, regardless of the permissions of folders."""
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and stat.S_IMODE(path.stat().st_mode) & 0o077
    )


async def opened(path: Path) -> list[str]:
    """Open a store, and return the files that others can read while it is open."""
    async with open_store(str(path)) as store:
        await store.runs()
        return readable_by_others(path.parent)


@pytest.mark.anyio
async def test_store_and_files_beside_it_are_private(tmp_path: Path) -> None:
    store = tmp_path / "a" / "runs.db"
    assert await opened(store) == []
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700


@pytest.mark.anyio
async def test_old_store_becomes_private_but_not_folders_of_others(tmp_path: Path) -> None:
    store = tmp_path / "theirs" / "runs.db"
    await opened(store)
    store.parent.chmod(0o755)
    other = store.with_name("other.txt")
    other.write_text("theirs")
    for path in (store, other):
        path.chmod(0o644)
    assert await opened(store) == ["other.txt"]
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o755


@pytest.mark.anyio
async def test_own_folder_becomes_private(tmp_path: Path) -> None:
    store = tmp_path / ".quaestor" / "runs.db"
    store.parent.mkdir()
    await opened(store)
    assert stat.S_IMODE(store.parent.stat().st_mode) == 0o700


def test_file_of_another_program_is_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE t (a)")
    other.close()
    path.chmod(0o644)
    with pytest.raises(StoreError):
        SqliteTables(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.slow
def test_files_beside_the_store_are_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(",2023\nnet sales,17\n")
    monkeypatch.setenv("QUAESTOR_STORE", str(tmp_path / "kept" / "runs.db"))
    assert exit_code("ask", "in.csv", "net sales in 2023") == 0
    assert exit_code("eval", "sample", "--limit", "1", "--traces", str(tmp_path / "kept" / "traces")) == 0
    assert {path.parent.name for path in (tmp_path / "kept").rglob("*")} >= {"kept", "files", "traces"}
    assert readable_by_others(tmp_path / "kept") == []
