"""The upgrade that packs contents is atomic wherever it is interrupted."""

import asyncio
import gzip
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from quaestor.store.sqlite import SqliteStore
from quaestor.store.sqlite_schema import SCHEMA_VERSION

DUMP = Path(__file__).parent / "store_of_schema_4.sql.gz"

SLOW = """
import sys, time
from pathlib import Path
from quaestor.store.sqlite import SqliteStore, SqliteTables

written, insert = [], SqliteTables.insert

async def slowly(*values):
    await insert(*values)
    written.append(values)
    if len(written) == int(sys.argv[2]):
        print("there", flush=True)
        time.sleep(60)

SqliteTables.insert = slowly
SqliteStore(Path(sys.argv[1]))
"""


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def counts(path: Path) -> tuple[int, int]:
    async def read() -> tuple[int, int]:
        async with SqliteStore(path) as store:
            keys = [(run.id, one.conversation) for run in await store.runs() for one in await store.examples(run.id)]
            prompts = sum([len(await store.prompts(*place)) for place in keys])
            return prompts, sum([one.triples for one in await store.ontologies()])

    return asyncio.run(read())


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "runs.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 12])
def test_kill_during_the_upgrade_leaves_the_store_unchanged(old: Path, after: int) -> None:
    with closing(sqlite3.connect(old)) as db:
        had = tuple(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("prompt_logs", "ontology"))
    child = subprocess.Popen([sys.executable, "-c", SLOW, str(old), str(after)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"there\n"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert version(old) == 4
    assert counts(old) == had
    assert version(old) == SCHEMA_VERSION
