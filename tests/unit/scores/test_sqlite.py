"""What only a file can show: that what failed is found by an index, and how long lists are looked through."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
from kept_scores import a_score
from store_records import a_run, an_example, some_turns

from quaestor.scores.listing import VerdictFilter
from quaestor.scores.sqlite import SqliteScores
from quaestor.store.listing import ListPart, TurnFilter
from quaestor.store.sqlite import SqliteStore


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
        async with SqliteStore(tmp_path / "runs.db") as store, SqliteScores(tmp_path / "runs.db") as scores:
            await store.create_run(a_run())
            await scores.add_score(a_score(a_run(), {"c1": (True, False)}))

    asyncio.run(write())
    with sqlite3.connect(tmp_path / "runs.db") as db:
        (step,) = db.execute(f"EXPLAIN QUERY PLAN {query}", ("r",))
        assert len(db.execute(query, (a_run().id,)).fetchall()) == 1
    db.close()
    assert f"USING INDEX {index} " in step[-1]


def test_a_part_of_a_long_list_is_that_of_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = {f"c{number}": (number % 3 == 0, number % 2 == 0) for number in range(9)}
    lists = []

    async def play() -> None:
        async with SqliteStore(tmp_path / "runs.db") as store, SqliteScores(tmp_path / "runs.db") as scores:
            await store.create_run(a_run())
            for name in reversed(verdicts):
                await store.begin_example(an_example(a_run(), name, "pending"))
                await store.complete_example(an_example(a_run(), name), some_turns(a_run(), name))
            await scores.add_score(a_score(a_run(), verdicts))
            for many in (2_000, 0):
                monkeypatch.setattr("quaestor.scores.sqlite._MANY", many)
                wanted = TurnFilter(), VerdictFilter(correct=False), ListPart(1, 4)
                lists.append(await scores.list_turns(a_run().id, *wanted))

    asyncio.run(play())
    short, long = lists
    assert long == short
    assert (len(short.items), short.total) == (4, sum(not right for both in verdicts.values() for right in both))
