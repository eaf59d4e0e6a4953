"""What only a file can show: that what failed is found by an index, and how long lists are looked through."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from quaestor.scores.base import ScoreStore
from quaestor.scoring.turn_frame import COLUMNS
from quaestor.store.sqlite import SqliteStore, SqliteTables
from quaestor.testing.score_rules import a_score
from quaestor.testing.store_records import a_run, an_example, some_turns


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT * FROM scored_turns WHERE run = ? AND correct = 0", "failed_turns"),
        ("SELECT * FROM scored_examples WHERE run = ? AND accuracy < 1", "failed_examples"),
        ("SELECT * FROM scores WHERE run = ? ORDER BY scored DESC", "scores_by_run"),
    ],
)
def test_what_failed_is_found_by_an_index(tmp_path: Path, query: str, index: str) -> None:
    async def write() -> None:
        async with SqliteStore(tmp_path / "runs.db") as store, ScoreStore(SqliteTables(tmp_path / "runs.db")) as scores:
            await store.create_run(a_run())
            await scores.add_score(a_score(a_run(), {"c1": (True, False)}))

    asyncio.run(write())
    with sqlite3.connect(tmp_path / "runs.db") as db:
        (step,) = db.execute(f"EXPLAIN QUERY PLAN {query}", ("r",))
        assert len(db.execute(query, (a_run().id,)).fetchall()) == 1
    db.close()
    assert f"USING INDEX {index} " in step[-1]


def test_a_score_whose_columns_an_earlier_version_packed_is_put_together_from_its_turns(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    async def scenario() -> None:
        async with SqliteStore(path) as store, ScoreStore(SqliteTables(path)) as scores:
            await store.create_run(a_run())
            await store.complete_example(an_example(a_run()), some_turns(a_run()))
            await scores.add_score(a_score(a_run(), {"c1": (True, False)}))
            before = await scores.judged_frame(a_run().id)
            with closing(sqlite3.connect(path)) as db:
                db.execute("UPDATE scored_columns SET name = 'counts' WHERE name = 'places'")
                db.commit()
            found = await scores.judged_frame(a_run().id)
            assert [getattr(found, name) for name in COLUMNS] == [getattr(before, name) for name in COLUMNS]
            assert len(found) == 2

    asyncio.run(scenario())
