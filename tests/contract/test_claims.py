"""Several runners share a run: each conversation runs once, and others finish those of a runner that died."""

import asyncio
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.context import ForkContext, ForkProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest
from scripted import logging_to, many_conversations

from quaestor.datasets.dataset import Dataset
from quaestor.evaluation.engines import make_engine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.writing import LEASE_SECONDS, Lease, has_ended
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord
from quaestor.testing.store_records import make_example, make_run, run_scenario

RUN = make_run()
FORK: ForkContext = multiprocessing.get_context("fork")


def pending_conversation(conversation: str = "c1") -> ConversationRecord:
    return make_example(RUN, conversation, "pending", turns=0)


def only_run_id(uri: str) -> str:
    async def read() -> str:
        async with open_store(uri) as store:
            while not (runs := await store.runs()):
                await asyncio.sleep(0.02)
            return runs[0].id

    return asyncio.run(read())


SHORT_LEASE = 2.0
"""Seconds for tests in which a claim must expire; on a busy machine a claim may be renewed late and work done twice."""


def runner(
    uri: str,
    log: Path,
    pause: float,
    engine: str,
    resume: bool,
    barrier: Barrier | None = None,
    lease: float = LEASE_SECONDS,
) -> None:
    """Start or join the run; called in its own process."""
    dataset = many_conversations(COUNT, pause)
    spec = RunSpec.of(dataset, "scripted")
    joined = only_run_id(uri) if resume else None
    if barrier is not None:
        barrier.wait()

    async def scenario(store: RunStore) -> None:
        await run_dataset(
            dataset, spec, store, make_engine(engine, 3), resume=joined, factory=logging_to(log), lease=Lease(lease)
        )

    run_scenario(uri, scenario)


COUNT = 24


def start(work: Callable[..., None], *given: Any) -> ForkProcess:
    process = FORK.Process(target=work, args=given)
    process.start()
    return process


def without_times(turns: tuple[TurnRecord, ...]) -> list[TurnRecord]:
    return [replace(turn, run="", attempt=1, started=RUN.started, finished=None) for turn in turns]


def results(uri: str) -> tuple[RunRecord, list[TurnRecord], list[ConversationRecord]]:
    found: list[Any] = []

    async def read(store: RunStore) -> None:
        (run,) = await store.runs()
        found.extend((run, without_times(await store.turns(run.id)), list(await store.examples(run.id))))

    run_scenario(uri, read)
    return found[0], found[1], found[2]


def undisturbed_turns(tmp_path: Path) -> list[TurnRecord]:
    uri = f"sqlite:///{tmp_path / 'alone.db'}"
    runner(uri, tmp_path / "alone.log", 0.0, "inline", resume=False)
    return [replace(turn, question=turn.question) for turn in results(uri)[1]]


def without_pause(turns: list[TurnRecord], pause: float) -> list[tuple[object, ...]]:
    question = f"sleep {pause} "
    return [
        (
            turn.conversation,
            turn.index,
            turn.question.removeprefix(question),
            turn.number,
            turn.program,
            turn.error is None,
        )
        for turn in turns
    ]


def questions(dataset: Dataset) -> Counter[str]:
    return Counter(f"{one.document.id} {question}" for one in dataset.conversations for question in one.questions)


def count_questions(*logs: Path) -> Counter[str]:
    lines = [line for log in logs if log.exists() for line in log.read_text().splitlines()]
    return Counter(line.partition(" ")[2] for line in lines)


@pytest.mark.very_slow
def test_several_runners_run_each_conversation_once(uri: str, tmp_path: Path) -> None:
    pause, log = 0.01, tmp_path / "log"
    first = start(runner, uri, log, pause, "inline", False)
    others = [start(runner, uri, log, pause, "inline", True) for _ in range(2)]
    for process in (first, *others):
        process.join()
        assert process.exitcode == 0
    run, turns, examples = results(uri)
    assert run.status == "complete"
    assert [example.attempt for example in examples] == [1] * COUNT
    assert count_questions(log) == questions(many_conversations(COUNT, pause))
    processes = {line.partition(" ")[0] for line in log.read_text().splitlines()}
    assert len(processes) > 1
    assert without_pause(turns, pause) == without_pause(undisturbed_turns(tmp_path), 0)


@pytest.mark.very_slow
def test_two_processes_resuming_a_killed_run_run_the_rest_once(uri: str, tmp_path: Path) -> None:
    pause, barrier = 0.01, FORK.Barrier(2)
    killed = start(runner, uri, tmp_path / "killed", pause, "inline", False)
    while sum(count_questions(tmp_path / "killed").values()) < 20:
        time.sleep(0.01)
    assert killed.pid is not None
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    had = {example.conversation for example in results(uri)[2] if example.status == "complete"}
    both = [start(runner, uri, tmp_path / "log", pause, "inline", True, barrier) for _ in range(2)]
    for process in both:
        process.join()
        assert process.exitcode == 0
    run, turns, examples = results(uri)
    assert (run.status, len(examples)) == ("complete", COUNT)
    left = [one for one in many_conversations(COUNT, pause).conversations if one.id not in had]
    assert count_questions(tmp_path / "log") == Counter(
        f"{one.document.id} {question}" for one in left for question in one.questions
    )
    assert without_pause(turns, pause) == without_pause(undisturbed_turns(tmp_path), 0)


@pytest.mark.very_slow
@pytest.mark.parametrize("notified", [True, False], ids=["same machine", "another machine"])
def test_conversations_claimed_by_a_killed_runner_are_finished_by_others(
    uri: str, tmp_path: Path, notified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = LEASE_SECONDS if notified else SHORT_LEASE
    if not notified:  # the only thing known of a process on another machine is its lease
        for module in ("run", "writing"):
            monkeypatch.setattr(f"quaestor.evaluation.{module}.has_ended", lambda owner: False)
    pause = 0.05
    killed = start(runner, uri, tmp_path / "killed", pause, "inline", False, None, lease)
    while sum(count_questions(tmp_path / "killed").values()) < 8:
        time.sleep(0.01)
    rest = [start(runner, uri, tmp_path / f"log{number}", pause, "inline", True, None, lease) for number in range(2)]
    while not count_questions(tmp_path / "log0"):
        time.sleep(0.01)
    assert killed.pid is not None
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    for process in rest:
        process.join()
        assert process.exitcode == 0
    run, turns, examples = results(uri)
    assert (run.status, len(examples)) == ("complete", COUNT)
    # Only the conversation that the killed runner was working on is run again.
    assert 1 <= sum(example.attempt == 2 for example in examples) <= 3
    assert {example.attempt for example in examples} == {1, 2}
    assert without_pause(turns, pause) == without_pause(undisturbed_turns(tmp_path), 0)


@pytest.mark.very_slow
def test_results_of_a_runner_with_an_expired_lease_are_dropped(uri: str, tmp_path: Path) -> None:
    """Drop the results of a process that resumes after its lease has expired; the run still completes."""
    pause = 0.05
    stopped = start(runner, uri, tmp_path / "log", pause, "inline", False, None, SHORT_LEASE)
    while sum(count_questions(tmp_path / "log").values()) < 8:
        time.sleep(0.01)
    assert stopped.pid is not None
    os.kill(stopped.pid, signal.SIGSTOP)
    other = start(runner, uri, tmp_path / "other", pause, "inline", True, None, SHORT_LEASE)
    while sum(count_questions(tmp_path / "other").values()) < 40:
        time.sleep(0.01)
    os.kill(stopped.pid, signal.SIGCONT)
    for process in (stopped, other):
        process.join()
        assert process.exitcode == 0
    run, turns, examples = results(uri)
    assert (run.status, len(examples)) == ("complete", COUNT)
    assert without_pause(turns, pause) == without_pause(undisturbed_turns(tmp_path), 0)


def test_ended_process_is_detected() -> None:
    mine = Lease()
    assert not has_ended(mine.owner)
    with_pipe = FORK.SimpleQueue()
    child = start(lambda: with_pipe.put(Lease().owner))
    owner = with_pipe.get()
    child.join()
    assert has_ended(owner)
    # The process id alone is ambiguous: another process may have the same one now, as may one on another machine.
    machine, process, started, token = mine.owner.split("/")
    assert has_ended("/".join((machine, process, str(int(started) - 1), token)))
    assert not has_ended("/".join(("elsewhere", "1", started, token)))
    assert not has_ended("by hand")
