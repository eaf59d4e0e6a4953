import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from run_rows import content, run_stored, stored
from scripted import (
    ScriptedSolver,
    a_conversation,
    a_dataset,
    a_document,
    logging_to,
    many_conversations,
    scripted,
    without_weights,
)

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.errors import DatasetError, EngineError, InputError, ModelError, QuestionError
from quaestor.evaluation.engines import Engine, InlineEngine
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import ProcessEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.solvers.base import TurnContext
from quaestor.store.base import open_store
from quaestor.store.records import TurnRecord

SUPPORT = Path(__file__).parents[2] / "support"


def test_everything_is_stored(tmp_path: Path) -> None:
    dataset = a_dataset(a_conversation("cell 0 1", "cell 1 1", "change", "greater", "why", "nothing"))
    run = run_stored(dataset, tmp_path / "runs.db")
    assert run.status == "complete"
    assert run.finished
    assert run.started <= run.finished
    assert (run.dataset, run.dataset_digest, run.conversations) == ("pages.json", "d1", 1)
    ontology = GraphProvider.of([dataset.conversations[0].document]).ontology
    assert RunSpec.of_run(run) == replace(RunSpec.of(dataset, "scripted"), ontology=ontology.digest)

    record, (example,), turns = stored(tmp_path / "runs.db")
    assert record == run
    assert (example.status, example.turns, example.document) == ("complete", 6, "NORD/2012/page_41.pdf")
    first, second, change, greater, failed, nothing = turns
    assert [turn.index for turn in turns] == list(range(6))
    assert (first.program, second.program) == (first.number, second.number)
    assert change.program == f"subtract({second.number}, {first.number})"
    assert greater.number in ("yes", "no")
    assert (failed.number, failed.program, failed.error) == (None, None, "SolverError: no plan for 'why'")
    assert (nothing.number, nothing.error, nothing.answer["reason"]) == (None, None, "the page does not say")
    assert [turn.verified for turn in turns] == [True, True, True, True, False, False]
    assert first.sources == [{"document": "NORD/2012/page_41.pdf", "table": 0, "row": 0, "column": 1, "kind": "cell"}]
    assert serial.load(Answer, change.answer).plan


def test_callback_is_called_for_every_stored_conversation(tmp_path: Path) -> None:
    dataset = a_dataset(a_conversation("cell 0 1", name="a"), a_conversation("break", name="b"))
    progress: list[tuple[str, int, int]] = []

    def record_progress(conversation: Conversation, turns: tuple[Turn, ...]) -> None:
        with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
            ended = db.execute("SELECT count(*) FROM examples WHERE status != 'pending'").fetchone()[0]
        progress.append((conversation.id, len(turns), ended))

    run_stored(dataset, tmp_path / "runs.db", on_conversation=record_progress)
    assert progress == [("a", 1, 1), ("b", 0, 2)]


def test_conversations_are_grouped_by_page(tmp_path: Path) -> None:
    first, second = a_document("NORD/2012/page_41.pdf"), a_document("QUIL/2007/page_88.pdf")
    pages = {"a": first, "b": second, "c": first, "d": second}
    dataset = a_dataset(*(Conversation(name, page, ("cell 0 1",)) for name, page in pages.items()))
    ids: list[str] = []
    run_stored(dataset, tmp_path / "runs.db", on_conversation=lambda conversation, _: ids.append(conversation.id))
    assert ids == ["a", "c", "b", "d"]


@pytest.mark.very_slow
@pytest.mark.parametrize("engine", [InlineEngine(4), pytest.param(ProcessEngine(2), marks=pytest.mark.slow)])
def test_rows_do_not_depend_on_the_engine(engine: Engine, tmp_path: Path) -> None:
    dataset = many_conversations(24)
    run_stored(dataset, tmp_path / "one.db", InlineEngine(1))
    run_stored(dataset, tmp_path / "other.db", engine)
    assert content(stored(tmp_path / "one.db")) == content(stored(tmp_path / "other.db"))


@pytest.mark.slow
def test_rows_do_not_depend_on_the_order_of_the_dataset(tmp_path: Path) -> None:
    dataset = many_conversations(12)
    run_stored(dataset, tmp_path / "one.db")
    run_stored(replace(dataset, conversations=dataset.conversations[::-1]), tmp_path / "other.db")
    assert content(stored(tmp_path / "one.db")) == content(stored(tmp_path / "other.db"))


def test_defect_fails_one_conversation_which_is_rerun(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    dataset = a_dataset(*(a_conversation(words, name=words) for words in ("cell 0 1", "break", "cell 0 2")))
    run = run_stored(dataset, store)
    assert run.status == "failed"
    _, examples, turns = stored(store)
    assert {item.conversation: item.status for item in examples} == {
        "cell 0 1": "complete",
        "break": "failed",
        "cell 0 2": "complete",
    }
    assert [(turn.conversation, turn.status, turn.error is None) for turn in turns] == [
        ("break", "understanding", False),
        ("cell 0 1", "complete", True),
        ("cell 0 2", "complete", True),
    ]

    class RepairedSolver(ScriptedSolver):
        async def solve(self, question: str, context: object) -> Answer:
            assert question == "break", "a complete conversation is run again"
            return Answer(None, reason="mended")

    again = run_stored(dataset, store, resume=run.id, factory=RepairedSolver)
    assert (again.status, again.id, again.started) == ("complete", run.id, run.started)
    assert {item.status for item in stored(store)[1]} == {"complete"}


def test_an_outage_stops_the_run_unscored_until_it_is_resumed(tmp_path: Path) -> None:
    dataset = a_dataset(a_conversation("cell 0 1", "down", name="a"), a_conversation("cell 0 1", name="b"))
    run = run_stored(dataset, tmp_path / "runs.db")
    assert run.status == "stopped"
    _, (first, second), turns = stored(tmp_path / "runs.db")
    assert (first.status, first.turns, first.error) == ("outage", 1, "OutageError: the model does not answer")
    assert second.status == "complete"
    assert [(turn.conversation, turn.status, turn.error) for turn in turns] == [
        ("a", "complete", None),
        ("a", "understanding", "OutageError: the model does not answer"),
        ("b", "complete", None),
    ]


@pytest.mark.parametrize(("word", "status"), [("down", "outage"), ("break", "failed")])
def test_interruption_in_turn_4_keeps_turns_1_to_3(word: str, status: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    dataset = a_dataset(a_conversation("cell 0 1", "cell 1 1", "change", word, "ratio"))
    run = run_stored(dataset, store)
    _, (example,), turns = stored(store)
    assert (example.status, example.turns, example.attempt) == (status, 3, 1)
    assert [turn.status for turn in turns] == ["complete"] * 3 + ["understanding"]
    assert [turn.verified for turn in turns] == [True] * 3 + [False]
    assert turns[3].error == example.error
    assert turns[3].events == [{"text": f"reads '{word}' after 3 turns", "warning": False, "kind": "note"}]
    before = turns

    def make_repaired_solver() -> ScriptedSolver:
        return SubstitutingSolver(word, "ratio")

    assert run_stored(dataset, store, resume=run.id, factory=make_repaired_solver).status == "complete"
    _, (example,), turns = stored(store)
    assert (example.turns, example.attempt, [turn.attempt for turn in turns]) == (5, 2, [2] * 5)

    async def first_attempt() -> tuple[TurnRecord, ...]:
        async with open_store(str(store)) as opened:
            return await opened.turns(run.id, attempt=1)

    assert asyncio.run(first_attempt()) == before


class SubstitutingSolver(ScriptedSolver):
    """Answers one question as if it were another."""

    def __init__(self, word: str, other: str) -> None:
        super().__init__()
        self.word, self.other = word, other

    async def solve(self, question: str, context: TurnContext) -> Answer:
        return await super().solve(self.other if question == self.word else question, context)


def test_turn_has_its_history_and_step_results(tmp_path: Path) -> None:
    run_stored(a_dataset(a_conversation("cell 0 1", "why", "cell 1 1", "greater")), tmp_path / "runs.db")
    first, failed, second, last = stored(tmp_path / "runs.db")[2]
    assert first.history == []
    assert last.history == [
        {"question": "cell 0 1", "answer": first.number},
        {"question": "why", "answer": None},
        {"question": "cell 1 1", "answer": second.number},
    ]
    assert (failed.registers, [step["value"] for step in first.registers]) == ([], [first.number])  # type: ignore[call-overload, index]
    assert first.registers[0]["sources"] == first.sources  # type: ignore[call-overload, index]
    independent = replace(a_conversation("cell 0 1", "cell 1 1"), chained=False)
    run_stored(a_dataset(independent), tmp_path / "other.db")
    assert [turn.history for turn in stored(tmp_path / "other.db")[2]] == [[], []]


def test_complete_run_is_not_rerun(tmp_path: Path) -> None:
    dataset = many_conversations(4)
    run = run_stored(dataset, tmp_path / "runs.db")
    assert run_stored(dataset, tmp_path / "runs.db", resume=run.id, factory=without_weights) == run


def test_run_is_not_resumed_with_another_spec(tmp_path: Path) -> None:
    dataset = many_conversations(4)
    run = run_stored(dataset, tmp_path / "runs.db")
    with pytest.raises(InputError):
        run_stored(replace(dataset, digest="d2"), tmp_path / "runs.db", resume=run.id)
    assert stored(tmp_path / "runs.db")[0] == run


@pytest.mark.parametrize(
    ("dataset", "error"),
    [
        (a_dataset(a_conversation("cell 0 1"), a_conversation("", name="b")), QuestionError),
        (a_dataset(a_conversation("cell 0 1", name="b"), a_conversation("x" * 100_000)), QuestionError),
        (a_dataset(a_conversation("cell 0 1"), a_conversation("cell 0 2")), DatasetError),
    ],
)
def test_invalid_run_leaves_the_store_unchanged(dataset: Dataset, error: type[Exception], tmp_path: Path) -> None:
    before = run_stored(many_conversations(2), tmp_path / "runs.db")
    with pytest.raises(error):
        run_stored(dataset, tmp_path / "runs.db")
    assert stored(tmp_path / "runs.db")[0] == before


def test_a_spec_of_another_dataset_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with open_store("sqlite://") as store:
            spec = RunSpec.of(many_conversations(2), "scripted")
            other = replace(many_conversations(2), digest="d2")
            with pytest.raises(InputError):
                await run_dataset(other, spec, store, InlineEngine(), factory=scripted)
            assert await store.runs() == ()

    asyncio.run(scenario())


def test_a_solver_that_cannot_be_built_fails_the_run(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        run_stored(many_conversations(2), tmp_path / "runs.db", factory=without_weights)
    assert stored(tmp_path / "runs.db")[0].status == "failed"


@pytest.mark.slow
def test_a_dead_worker_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    good = [a_conversation("cell 0 1", "cell 1 1", "change", name=f"c{number:02}") for number in range(20)]
    dataset = a_dataset(*good, a_conversation("die", name="last"))
    with pytest.raises(EngineError):
        run_stored(dataset, tmp_path / "runs.db", ProcessEngine(2))
    run, examples, _ = stored(tmp_path / "runs.db")
    assert run.status == "failed"
    assert 0 < sum(example.status == "complete" for example in examples) < 21

    class RepairedSolver(ScriptedSolver):
        async def solve(self, question: str, context: object) -> Answer:
            return Answer(None, reason="mended")

    assert run_stored(dataset, tmp_path / "runs.db", resume=run.id, factory=RepairedSolver).status == "complete"


def test_lone_surrogate_from_a_solver_is_stored_as_a_question_mark(tmp_path: Path) -> None:
    run_stored(a_dataset(a_conversation("guess 1")), tmp_path / "runs.db")
    (turn,) = stored(tmp_path / "runs.db")[2]
    assert turn.answer["description"] == "half a pair: ?"


STARTED: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def kill_started_processes() -> Iterator[None]:
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def slow_run(store: Path, engine: str, count: int, pause: float, run: str | None = None) -> subprocess.Popen[bytes]:
    words = [str(store), engine, str(count), str(pause), *([run] if run else [])]
    # A new process group, so that a signal reaches all processes of the run, as from a terminal.
    process = subprocess.Popen(
        [sys.executable, str(SUPPORT / "slow_run.py"), *words], stderr=subprocess.PIPE, start_new_session=True
    )
    STARTED.append(process)
    return process


def wait_for_complete(store: Path, least: int, process: subprocess.Popen[bytes]) -> int:
    """Wait until the run has `least` complete conversations or is over; return how many it has."""
    done = 0
    while done < least and process.poll() is None:
        time.sleep(0.01)
        if store.exists():
            done = completed(store)
    return done


def completed(store: Path) -> int:
    async def count() -> int:
        async with open_store(str(store)) as opened:
            return sum([(await opened.progress(run.id)).get("complete", 0) for run in await opened.runs()])

    return asyncio.run(count())


@pytest.mark.very_slow
def test_run_killed_twice_ends_like_an_undisturbed_run(tmp_path: Path) -> None:
    engine, count, pause, draw = "processes", 40, 0.005, random.Random()
    store = tmp_path / "runs.db"
    kills, run, done = 0, None, 0
    while kills < 2:
        process = slow_run(store, engine, count, pause, run)
        done = wait_for_complete(store, done + draw.randint(1, 4), process)
        time.sleep(draw.random() * 0.03)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert completed(store) >= done
        run, kills = stored(store)[0].id, kills + 1
    assert stored(store)[0].status == "running"
    assert 0 < completed(store) < count

    last = slow_run(store, engine, count, pause, run)
    assert last.wait() == 0, last.communicate()[1].decode()
    last.communicate()

    undisturbed = tmp_path / "undisturbed.db"
    run_stored(many_conversations(count, pause), undisturbed, InlineEngine(count))
    assert content(stored(store)) == content(stored(undisturbed))


@pytest.mark.very_slow
@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_ctrl_c_stops_a_run_that_can_be_resumed(engine: str, tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    process = slow_run(store, engine, 40, 0.02)
    wait_for_complete(store, 2, process)
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=60)[1].decode()
    assert process.returncode not in (0, None)
    assert "ForkProcess" not in errors
    run, examples, turns = stored(store)
    assert run.status == "stopped"
    complete = {example.conversation for example in examples if example.status == "complete"}
    assert 2 <= len(complete) < 40
    assert complete <= {turn.conversation for turn in turns}
    assert all(turn.status == "complete" for turn in turns)

    log = tmp_path / "log"
    dataset = many_conversations(40, 0.02)
    assert run_stored(dataset, store, InlineEngine(40), resume=run.id, factory=logging_to(log)).status == "complete"
    requests = len(log.read_text().splitlines())
    assert requests == sum(len(item.questions) for item in dataset.conversations if item.id not in complete)
