"""What every store must tell of a run without its turns: its conversations and its turns, counted."""

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from store_records import START, a_run, an_example, measures_of, play, some_turns

from quaestor.conversation.events import (
    ExpertEvent,
    NoAnswerGiven,
    Note,
    PlanRefused,
    ReplyRejected,
    StageAnswered,
    dump_events,
)
from quaestor.errors import UnknownRunError
from quaestor.evaluation.conversation_result import FROZEN
from quaestor.store.base import RunStore
from quaestor.store.records import ExampleStatus, TurnRecord
from quaestor.store.sqlite import SqliteTables
from quaestor.store.turn_summary import RunMeasures

RUN, OTHER = a_run(conversations=9), a_run("another-run", minutes=5)
REJECTED = ReplyRejected("ANSWER", "submit_answer", 1, ("no number",))


def told(conversation: str, attempt: int = 1) -> tuple[TurnRecord, ...]:
    """Four turns: answered at once, repaired, without an answer by a model's word, not at its end."""
    first, second, third, fourth = some_turns(RUN, conversation, 4, attempt)
    used = {"requests": 3, "input_tokens": 1000, "output_tokens": 200, "cached_tokens": 400, "cost_millionths": 9}
    silence = [ExpertEvent(1, "workflow", NoAnswerGiven("ambiguous"))]
    return (
        replace(first, finished=START + timedelta(milliseconds=12), events=[], usage={}),
        replace(second, events=dump_events([Note("x"), REJECTED, PlanRefused("PLAN", 1, ("no row",))]), usage=used),
        replace(third, events=dump_events([*silence, StageAnswered(1, "embedded", True)]), number=None, verified=False),
        replace(fourth, status="understanding", finished=None, number=None),
    )


async def filled(store: RunStore) -> None:
    for run in (RUN, OTHER):
        await store.create_run(run)
    await store.complete_example(replace(an_example(RUN, "c1", turns=3), usage={}), told("c1"))
    # Of what was played again the last attempt counts.
    pending = an_example(RUN, "c2", status="pending", turns=0)
    await store.begin_example(pending)
    for turn in told("c2"):
        await store.save_turn(turn)
    await store.begin_example(pending)
    again = an_example(RUN, "c2", turns=1, attempt=2)
    await store.complete_example(replace(again, kg_stats={"triples": 2, FROZEN: "yes"}), told("c2", 2)[:1])
    await store.complete_example(replace(an_example(RUN, "c3", "failed", turns=0), kg_stats={}), ())
    await store.begin_example(an_example(RUN, "c4", status="pending", turns=0))
    await store.complete_example(an_example(OTHER, "c1", turns=2), some_turns(OTHER))


def test_the_turns_that_count_are_measured(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await filled(store)
        found = await store.measure_turns(RUN.id)
        assert found == measures_of(await store.turns(RUN.id))
        assert found.turns == 4
        assert (found.requests[3], found.tokens[1200], found.cached_tokens[400]) == (1, 1, 1)
        assert found.milliseconds[12] == 2
        assert found.fates[2, False, True, True] == 1
        assert found.fates[0, True, False, False] == 1
        assert found.stages == 1
        with pytest.raises(UnknownRunError):
            await store.measure_turns("no-run")

    play(uri, scenario)


def test_the_conversations_are_counted(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await filled(store)
        found, examples = await store.count_examples(RUN.id), await store.examples(RUN.id)
        statuses: dict[ExampleStatus, int] = {"complete": 2, "failed": 1, "pending": 1}
        assert found.statuses == statuses == await store.progress(RUN.id)
        assert found.turns == sum(example.turns for example in examples) == 4
        used: Counter[str] = Counter()
        for example in examples:
            used.update(example.usage)
        assert found.usage == used
        assert found.graphs == sum(bool(example.kg_stats) for example in examples)
        assert found.frozen == 1
        left = await store.examples(RUN.id, incomplete=True)
        assert left == tuple(example for example in examples if example.status != "complete")
        assert [example.conversation for example in left] == ["c3", "c4"]
        for ask in (store.count_examples, store.examples):
            with pytest.raises(UnknownRunError):
                await ask("no-run")

    play(uri, scenario)


def test_a_run_of_which_nothing_was_played_has_nothing_to_count(uri: str) -> None:
    async def scenario(store: RunStore) -> None:
        await store.create_run(RUN)
        assert await store.measure_turns(RUN.id) == RunMeasures()
        found = await store.count_examples(RUN.id)
        assert (found.statuses, found.turns, found.graphs, found.frozen, found.usage) == ({}, 0, 0, 0, {})

    play(uri, scenario)


def test_a_sqlite_file_reads_no_turn_to_measure_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play(str(tmp_path / "runs.db"), filled)
    said: list[str] = []
    prepared = SqliteTables._prepare

    def traced(store: Any) -> None:
        prepared(store)
        store._db.set_trace_callback(said.append)

    monkeypatch.setattr(SqliteTables, "_prepare", traced)

    async def scenario(store: RunStore) -> None:
        await store.measure_turns(RUN.id)

    play(str(tmp_path / "runs.db"), scenario)
    asked = [statement for statement in said if "turns t" in statement]
    assert len(asked) == 1
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
        for statement in asked:
            plan = [row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert any("t USING COVERING INDEX turns_listed" in step for step in plan), plan
            assert not any(step.startswith("SCAN") for step in plan), plan
