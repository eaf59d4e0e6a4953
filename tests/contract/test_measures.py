"""Counts of conversations and turns of a run, which stores return without reading the turns."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from quaestor.store.base import RunStore
from quaestor.store.sqlite import SqliteTables
from quaestor.testing.content_rules import add_measured_runs
from quaestor.testing.store_records import run_scenario
from quaestor.testing.store_rules import RUN


def test_sqlite_measures_turns_with_an_index_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_scenario(str(tmp_path / "runs.db"), add_measured_runs)
    statements: list[str] = []
    prepare = SqliteTables._prepare

    def traced(store: Any) -> None:
        prepare(store)
        store._db.set_trace_callback(statements.append)

    monkeypatch.setattr(SqliteTables, "_prepare", traced)

    async def scenario(store: RunStore) -> None:
        await store.measure_turns(RUN.id)

    run_scenario(str(tmp_path / "runs.db"), scenario)
    queries = [statement for statement in statements if "turns t" in statement]
    assert len(queries) == 1
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
        for statement in queries:
            plan = [row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert any("t USING COVERING INDEX turns_listed" in step for step in plan), plan
            assert not any(step.startswith("SCAN") for step in plan), plan
