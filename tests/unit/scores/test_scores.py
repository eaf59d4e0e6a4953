"""Stored scores of runs: records and queries."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import quaestor
from quaestor.core import serial
from quaestor.scores import ScoreRecords, ScoreStore, make_score_records
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.sqlite import SqliteStore, SqliteTables
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import make_example, make_run, make_turns

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def scored() -> quaestor.ScoredRun:
    return quaestor.evaluate("sample", limit=3)


def score_records(scored: quaestor.ScoredRun) -> ScoreRecords:
    called = Counter[str]()
    for turn in scored.turns.values():
        called[turn.conversation] += len(turn.tool_calls)
    return make_score_records(scored.run, "pages.json", TurnFrame.of(scored.report.turns), scored.report.score, called)


def test_stored_figures_equal_those_of_the_report(scored: quaestor.ScoredRun) -> None:
    wrong = replace(scored.report.turns[1], verdicts={**scored.report.turns[1].verdicts, "execution": False})
    turns = (scored.report.turns[0], wrong, *scored.report.turns[2:])
    found = score_records(replace(scored, report=replace(scored.report, turns=turns)))
    assert (found.score.turns, found.score.correct_answers, found.score.conversations) == (12, 11, 3)
    assert (found.score.accuracy, found.score.mean_turns) == (11 / 12, 4.0)
    assert found.score.metrics["execution"] == {
        **serial.dump(scored.report.score.execution),
        "value": scored.report.score.execution.value,
    }
    assert set(found.score.metrics) == set(scored.report.score.results)
    first = found.conversations[0]
    assert (first.conversation, first.turns, first.correct_answers) == (wrong.conversation, 4, 3)
    assert (first.failed_turns, first.accuracy) == ([1], 0.75)
    assert len(found.verdicts) == 12
    assert not found.verdicts[wrong.conversation, 1].correct
    assert found.verdicts[wrong.conversation, 1].program_correct is wrong.verdicts["program"]
    assert {record.score for record in found.conversations} == {found.score.id}


def test_scores_contain_no_answers_programs_or_questions(scored: quaestor.ScoredRun) -> None:
    turns = [replace(turn, gold_program="planted(1, 2)", predicted="918273645") for turn in scored.report.turns]
    found = score_records(replace(scored, report=replace(scored.report, turns=tuple(turns))))
    written = json.dumps(
        [serial.dump(record) for record in (found.score, *found.conversations, *found.verdicts.values())]
    )
    assert "planted" not in written
    assert "918273645" not in written
    operations = {turn.kind.operation for turn in scored.report.turns}
    assert operations
    assert not [operation for operation in operations if operation in written]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT * FROM scored_turns WHERE run = ? AND correct = 0", "failed_turns"),
        ("SELECT * FROM scored_examples WHERE run = ? AND accuracy < 1", "failed_examples"),
        ("SELECT * FROM scores WHERE run = ? ORDER BY scored DESC", "scores_by_run"),
    ],
)
async def test_failed_turns_are_found_by_an_index(tmp_path: Path, query: str, index: str) -> None:
    async with SqliteStore(tmp_path / "runs.db") as store, ScoreStore(SqliteTables(tmp_path / "runs.db")) as scores:
        await store.create_run(make_run())
        await scores.add_score(make_score(make_run(), {"c1": (True, False)}))
    with sqlite3.connect(tmp_path / "runs.db") as db:
        (step,) = db.execute(f"EXPLAIN QUERY PLAN {query}", ("r",))
        assert len(db.execute(query, (make_run().id,)).fetchall()) == 1
    db.close()
    assert f"USING INDEX {index} " in step[-1]


async def test_columns_of_earlier_versions_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"

    async with SqliteStore(path) as store, ScoreStore(SqliteTables(path)) as scores:
        await store.create_run(make_run())
        await store.complete_example(make_example(make_run()), make_turns(make_run()))
        await scores.add_score(make_score(make_run(), {"c1": (True, False)}))
        with closing(sqlite3.connect(path)) as db:
            db.executescript("CREATE TABLE scored_columns (run, name, data); PRAGMA user_version = 16")
    async with SqliteStore(path), ScoreStore(SqliteTables(path)) as scores:
        assert len(await scores.judged_frame(make_run().id)) == 2
    with closing(sqlite3.connect(path)) as db:
        assert not db.execute("SELECT * FROM sqlite_master WHERE name = 'scored_columns'").fetchall()
