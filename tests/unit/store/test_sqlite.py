import asyncio
import os
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quaestor.errors import StoreError
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.store.sqlite import SqliteStore, SqliteTables
from quaestor.store.sqlite_schema import APPLICATION_ID, SCHEMA_VERSION
from quaestor.testing.store_records import GRAPH, make_example, make_run, make_turns


def write_store(path: Path) -> Path:
    async def write() -> None:
        async with SqliteStore(path) as store:
            await store.create_run(make_run())
            await store.complete_example(make_example(make_run()), make_turns(make_run()))

    asyncio.run(write())
    return path


def refusal(path: Path, *, create: bool = True) -> str:
    """Return the one-line error of opening a path, and assert that the file is unchanged."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as caught:
        asyncio.run(read_runs(path, create=create))
    assert (path.read_bytes() if path.is_file() else None) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def read_runs(path: Path, *, create: bool = True) -> int:
    async with SqliteStore(path, create=create) as store:
        runs = await store.runs()
        return sum([len(await store.turns(run.id)) for run in runs])


def error_of_write(path: Path, setting: str) -> str:
    """Return the error of a write that fails because of a PRAGMA, and assert that nothing is lost."""

    async def scenario() -> str:
        async with SqliteStore(path) as store:
            assert isinstance(store._tables, SqliteTables)
            store._tables._db.execute(setting)
            turns = make_turns(make_run(), "c2", 400)
            with pytest.raises(StoreError) as caught:
                await store.complete_example(make_example(make_run(), "c2", turns=400), turns)
            assert not store._tables._db.in_transaction
            assert len(await store.turns(make_run().id)) == 2
            assert len(await store.examples(make_run().id)) == 1
            return str(caught.value)

    return asyncio.run(scenario())


def test_the_schema_is_marked_and_the_log_is_written_ahead(tmp_path: Path) -> None:
    with sqlite3.connect(write_store(tmp_path / "deep" / "er" / "runs.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert str(tmp_path) in refusal(tmp_path)


def test_a_database_of_another_program_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    db.close()
    assert str(path) in refusal(path)


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 99])
def test_another_schema_version_is_refused_and_kept(tmp_path: Path, version: int) -> None:
    path = write_store(tmp_path / "runs.db")
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    assert {str(version), str(SCHEMA_VERSION)} <= set(re.findall(r"\d+", refusal(path)))


VERSION_1 = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, spec JSON NOT NULL, spec_digest TEXT NOT NULL, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, conversations INTEGER NOT NULL, started TEXT NOT NULL, status TEXT NOT NULL,
        finished TEXT)""",
    """CREATE TABLE examples (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, document TEXT NOT NULL,
        status TEXT NOT NULL, turns INTEGER NOT NULL, started TEXT, finished TEXT, error TEXT,
        PRIMARY KEY (run, conversation))""",
    """CREATE TABLE turns (
        run TEXT NOT NULL, conversation TEXT NOT NULL, "index" INTEGER NOT NULL, question TEXT NOT NULL,
        answer JSON NOT NULL, program TEXT, number TEXT, verified INTEGER NOT NULL, started TEXT NOT NULL,
        finished TEXT NOT NULL, error TEXT, sources JSON NOT NULL, understanding TEXT, tool_calls JSON NOT NULL,
        usage JSON NOT NULL, PRIMARY KEY (run, conversation, "index"),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation))""",
)
OLD_TEXT = 'looks for "a" difference\nand finds\u2028it in €'


def write_version_1(path: Path) -> Path:
    """Write a store with the first version of the schema and one run."""
    shown, older = write_store(path.with_name("newer.db")), sqlite3.connect(path)
    for statement in VERSION_1:
        older.execute(statement)
    older.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    older.execute("PRAGMA user_version = 1")
    older.execute("ATTACH ? AS newer", (str(shown),))
    for table in ("runs", "examples", "turns"):
        known = {row[1] for row in older.execute(f"PRAGMA newer.table_info({table})")}
        columns = ", ".join(
            f'"{row[1]}"' for row in older.execute(f"PRAGMA main.table_info({table})") if row[1] in known
        )
        older.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM newer.{table}")
    older.execute('UPDATE turns SET understanding = ? WHERE "index" = 1', (OLD_TEXT,))
    older.commit()
    older.close()
    return path


def test_file_of_an_older_version_is_upgraded(tmp_path: Path) -> None:
    path = write_version_1(tmp_path / "runs.db")

    async def scenario() -> None:
        for _ in range(2):
            async with SqliteStore(path, create=False) as store:
                assert await store.runs() == (make_run(),)
                assert await store.examples(make_run().id) == (
                    replace(make_example(make_run()), kg_stats={}, usage={}),
                )
                before = [
                    replace(turn, references={}, events=[], history=[], registers=[]) for turn in make_turns(make_run())
                ]
                before[1] = replace(before[1], events=[{"text": OLD_TEXT, "kind": "note"}])
                assert await store.turns(make_run().id) == tuple(before)
                await store.save_graph(make_run().id, "c1", GRAPH)
                assert await store.load_graph(make_run().id, "c1") == GRAPH
                listed = await store.list_turns(make_run().id, TurnFilter(kind="number", low=0.5), ListPart())
                assert [turn.index for turn in listed.items] == [0, 1]

    asyncio.run(scenario())


def test_new_file_has_the_tables_of_an_upgraded_one(tmp_path: Path) -> None:
    def tables(path: Path) -> set[str]:
        asyncio.run(read_runs(path))
        with closing(sqlite3.connect(path)) as db:
            return {row[0] for row in db.execute("SELECT sql FROM sqlite_master")}

    older = write_version_1(tmp_path / "runs.db")
    assert tables(older) == tables(tmp_path / "new.db") == tables(tmp_path / "newer.db")


def test_failed_upgrade_leaves_the_file_unchanged(tmp_path: Path) -> None:
    path = write_version_1(tmp_path / "runs.db")
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE older_turns (taken TEXT)")
    db.close()
    with pytest.raises(StoreError, match="older_turns"):
        SqliteStore(path)
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert "kg_stats" not in [row[1] for row in db.execute("PRAGMA table_info(examples)")]
    db.close()


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = write_store(tmp_path / "runs.db")
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    assert str(path) in refusal(path)


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    path = tmp_path / "file" / "runs.db"
    assert str(path) in refusal(path)


def test_reading_does_not_create_a_missing_store(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.db"
    assert str(path) in refusal(path, create=False)
    assert not path.parent.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    path = write_store(tmp_path / "runs.db")
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert str(path) in refusal(path)
    finally:
        tmp_path.chmod(0o755)


def test_full_disk_gives_a_one_line_error_without_loss(tmp_path: Path) -> None:
    assert "runs.db" in error_of_write(write_store(tmp_path / "runs.db"), "PRAGMA max_page_count = 12")


def test_endless_writer_gives_a_one_line_error(tmp_path: Path) -> None:
    path = write_store(tmp_path / "runs.db")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert "runs.db" in error_of_write(path, "PRAGMA busy_timeout = 20")
    finally:
        other.close()


def test_starting_the_log_waits_for_writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_store(tmp_path / "runs.db")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN IMMEDIATE")
    waited = list[float]()

    def ended(seconds: float) -> None:
        waited.append(seconds)
        other.execute("ROLLBACK")

    with monkeypatch.context() as patched:
        patched.setattr("time.sleep", ended)
        assert asyncio.run(read_runs(path)) == 2
    other.close()
    assert len(waited) == 1
    with closing(sqlite3.connect(path)) as afterwards:
        assert afterwards.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_write_ahead_log_of_a_killed_writer_is_read(tmp_path: Path) -> None:
    """A copy of the files of an open store stands for the files after `kill -9`."""

    async def scenario() -> None:
        async with SqliteStore(tmp_path / "runs.db") as store:
            await store.create_run(make_run())
            await store.complete_example(make_example(make_run()), make_turns(make_run()))
            shutil.copytree(tmp_path, tmp_path / "copy")

    asyncio.run(scenario())
    assert (tmp_path / "copy" / "runs.db-wal").stat().st_size > 0
    assert asyncio.run(read_runs(tmp_path / "copy" / "runs.db")) == 2


def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario() -> int:
        async with SqliteStore(None) as store:
            await store.create_run(make_run())
            return len(await store.runs())

    assert asyncio.run(scenario()) == 1
    assert list(tmp_path.iterdir()) == []
