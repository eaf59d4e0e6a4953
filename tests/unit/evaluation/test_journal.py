"""Contents of the store while a conversation with a model runs, and after its process is killed."""

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from agent_bench import CASH, final, is_understanding, query, reply
from model_server import ModelServer
from oracle import question_of
from pydantic import JsonValue
from solver_bench import spec_for
from toolboxes import CASH_FLOWS, sample_pages

from quaestor.conversation.events import Note
from quaestor.conversation.references.expressions import References
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.recording import TurnPlace
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.evaluation.watchers import TurnBegun
from quaestor.evaluation.writing import Journal
from quaestor.llm.naming import ModelSpec
from quaestor.llm.session import ModelConfig
from quaestor.llm.transcript import Exchange, TurnKey
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import PromptRecord, TurnRecord
from quaestor.testing.models import ReceivedRequest, Reply, structured

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
QUESTIONS = tuple(f"what was the net cash from operating activities in {year}?" for year in (2007, 2008, 2009))
DATASET = Dataset.of("made up", "original", [Conversation("c1", sample_pages()[CASH_FLOWS], QUESTIONS)])


def answer(request: ReceivedRequest) -> Reply:
    """Reply with an understanding, a look-up or an answer, depending on the request."""
    if is_understanding(request):
        return structured(request, {"description": "a number of the page", "property": CASH})
    year = int(question_of(request)[-5:-1])
    found = {2007: 158529, 2008: 181001, 2009: 206588}[year]
    return reply(final(found, steps=[1])) if request.results else reply(query(year))


async def run(spec: ModelSpec, path: Path, resume: str | None = None) -> str:
    async with open_store(str(path)) as store:
        config = ModelConfig(spec)
        plan = RunSpec.of(DATASET, "agent", {"two_phases": True}, model=config.fingerprint)
        return (await run_dataset(DATASET, plan, store, InlineEngine(8), config=config, resume=resume)).id


def read_turn_states(path: Path) -> list[tuple[int, str, int, bool]]:
    """Return the index, status and number of calls of each turn, and whether it has finished."""
    with closing(sqlite3.connect(path)) as db:
        rows = 'SELECT "index", status, json_array_length(tool_calls), finished IS NOT NULL FROM turns ORDER BY "index"'
        return db.execute(rows).fetchall()


def count_prompts(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM prompt_logs").fetchone()[0])


def wait_for_value(read: Callable[[], object], wanted: object) -> object:
    """Return the value once it is as wanted, or the current value after a timeout."""
    waited = threading.Event()
    for _ in range(200):
        if (found := read()) == wanted:
            return found
        waited.wait(0.01)
    return read()


def test_turns_prompts_and_calls_are_stored_before_the_next_request(local_models: None, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    seen: list[object] = []
    before = [
        [(0, "understanding", 0, 0)],
        [(0, "understanding_complete", 0, 0)],
        [(0, "understanding_complete", 1, 0)],
        [(0, "complete", 1, 1), (1, "understanding", 0, 0)],
        [(0, "complete", 1, 1), (1, "understanding_complete", 0, 0)],
    ]

    def check_store(request: ReceivedRequest) -> Reply:
        number = len(seen)
        if number < len(before):
            seen.append(wait_for_value(partial(read_turn_states, path), before[number]))
            assert wait_for_value(partial(count_prompts, path), number) == number
        return answer(request)

    with ModelServer(check_store) as server:
        asyncio.run(run(spec_for(server), path))
        assert count_prompts(path) == len(server.requests) == 9
    assert seen == before
    assert read_turn_states(path) == [(index, "complete", 1, 1) for index in range(3)]


class RecordingStore:
    """A store that records its write operations by kind."""

    def __init__(self) -> None:
        self.written: list[str] = []

    async def save_turn(self, record: TurnRecord) -> None:
        self.written.append("turn")

    async def log_prompt(self, record: PromptRecord) -> None:
        self.written.append("prompt")


def test_turn_is_written_again_after_events_but_not_after_replies() -> None:
    async def play() -> list[str]:
        store = RecordingStore()
        journal = Journal(cast(RunStore, store), TurnPlace("r", "c"), live=True)
        await journal.on_turn(TurnBegun(0, "what was it?", EPOCH, (), References()))
        place = TurnKey("r", "c", 0)
        journal.on_exchange(Exchange(place, 0, "A", "m", "POST", "/", "{}", 200, {}, "{}", EPOCH, EPOCH))
        await asyncio.sleep(0.01)
        journal.on_event(0, Note("read"), None)
        await asyncio.sleep(0.01)
        await journal.settle()
        return store.written

    assert asyncio.run(play()) == ["turn", "prompt", "turn"]


@pytest.mark.very_slow
def test_killed_run_can_be_read_and_resumes_to_the_same_result(local_models: None, tmp_path: Path) -> None:
    killed, undisturbed, stuck = tmp_path / "killed.db", tmp_path / "undisturbed.db", threading.Event()
    halfway = [(0, "complete", 1, 1), (1, "understanding_complete", 1, 0)]
    count = 0

    def stopping(request: ReceivedRequest) -> Reply:
        nonlocal count
        count += 1
        if count == 6:  # the last request of the second turn
            stuck.set()
            threading.Event().wait(3)
        return answer(request)

    with ModelServer(stopping) as server:
        spec = spec_for(server)
        process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(run(spec, killed)))
        process.start()
        assert stuck.wait(60)
        assert wait_for_value(partial(count_prompts, killed), 5) == 5
        assert wait_for_value(partial(read_turn_states, killed), halfway) == halfway
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join()
    assert read_turn_states(killed) == halfway
    (before,) = {turn.run for turn in records(killed)[0]}
    first, prompts = records(killed)
    assert (first[0].number, first[0].verified, len(prompts)) == ("158529", True, 5)

    with ModelServer(answer) as server:
        asyncio.run(run(spec_for(server), killed, before))
        asyncio.run(run(spec_for(server), undisturbed))
    (again, prompts), (expected, _) = records(killed), records(undisturbed)
    assert [without_run_details(turn) for turn in again] == [without_run_details(turn) for turn in expected]
    assert ([turn.attempt for turn in again], len(prompts)) == ([2, 2, 2], 9)
    # The turns and prompts of the first attempt are still stored.
    assert (records(killed, 1)[0], len(records(killed, 1)[1])) == (first, 5)


def records(path: Path, attempt: int | None = None) -> tuple[tuple[TurnRecord, ...], tuple[PromptRecord, ...]]:
    async def read() -> tuple[tuple[TurnRecord, ...], tuple[PromptRecord, ...]]:
        async with open_store(str(path)) as store:
            (found,) = await store.runs()
            return await store.turns(found.id, "c1", attempt), await store.prompts(found.id, "c1", attempt=attempt)

    return asyncio.run(read())


def without_run_details(turn: TurnRecord) -> TurnRecord:
    """Return a turn without the fields that differ between runs of a conversation: ids, times and attempts."""
    calls = (call for call in turn.tool_calls if isinstance(call, dict))
    timeless: list[JsonValue] = [{**call, "seconds": 0, "started": None} for call in calls]
    return replace(turn, run="", attempt=1, started=EPOCH, finished=EPOCH, tool_calls=timeless)
