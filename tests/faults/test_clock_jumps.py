"""The system clock is set back and forward by an hour between two questions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from command_line import exit_code
from made_up import a_record, write_dataset
from scripted import ScriptedSolver

from quaestor.application import saved_conversations
from quaestor.application.ask_service import AskRequest
from quaestor.application.document_library import DocumentLibrary, Uploads
from quaestor.application.run_service import find_run
from quaestor.application.saved_conversations import SavedConversations
from quaestor.application.session_manager import SessionLimits, SessionManager
from quaestor.settings import Settings
from quaestor.store import records
from quaestor.store.base import open_store
from quaestor.store.records import RunRecord, TurnRecord

pytestmark = pytest.mark.faults

HOURS = [0, 1, -1, 0, -2, 1, 0]


class Clock:
    """A system clock that is off by some hours."""

    def __init__(self) -> None:
        self.hours = 0

    def now(self, zone: tzinfo) -> datetime:
        return datetime.now(zone) + timedelta(hours=self.hours)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    time = Clock()
    monkeypatch.setattr(records, "datetime", type("Moved", (datetime,), {"now": time.now}))
    monkeypatch.setattr(saved_conversations, "time_ns", lambda: int(time.now(UTC).timestamp() * 1_000_000_000))
    return time


@asynccontextmanager
async def sessions(folder: Path) -> AsyncIterator[SessionManager]:
    asking = AskRequest(Settings(store=str(folder / "runs.db")), solver=ScriptedSolver(), keep=True)
    async with open_store(asking.settings.store) as store:
        library = DocumentLibrary([str(folder / "pages.json")], Uploads(folder / "uploads"))
        manager = SessionManager(asking, library, SavedConversations(folder / "conversations"), store, SessionLimits())
        try:
            yield manager
        finally:
            await manager.close()


async def latest(store: str) -> tuple[RunRecord, tuple[TurnRecord, ...]]:
    async with open_store(store) as opened:
        run = await find_run(opened, "latest")
        return run, await opened.turns(run.id)


def test_conversation_stays_in_order_and_is_resumed(clock: Clock, tmp_path: Path) -> None:
    write_dataset(tmp_path / "pages.json", a_record())
    questions: list[str] = []

    async def ask(here: SessionManager, id: str) -> None:
        for hours in HOURS:
            clock.hours = hours
            await here.close_idle()
            questions.append(f"cell 1 {1 + len(questions) % 2}")
            assert (await here.ask(id, questions[-1])).unkept is None

    async def scenario() -> None:
        async with sessions(tmp_path) as first:
            id = (await first.begin(first.library.files[0].id)).id
            await ask(first, id)
            assert len(first.saved.get(id).runs) == 1  # it was not closed in the meantime
        async with sessions(tmp_path) as second:
            await ask(second, id)
            saved = second.saved.get(id)
            assert [turn.question for turn in (await second.read_state(id)).turns] == questions
        run, turns = await latest(str(tmp_path / "runs.db"))
        assert run.id == saved.run
        assert [turn.question for turn in turns] == questions
        assert all(turn.finished is not None and turn.finished >= turn.started for turn in turns)

    asyncio.run(scenario())


@pytest.mark.slow
def test_latest_run_is_the_last_created(clock: Clock, tmp_path: Path) -> None:
    store = str(tmp_path / "runs.db")
    (tmp_path / "in.csv").write_text(",2023\nnet sales,17\n")
    ids = []
    for hours in HOURS:
        clock.hours = hours
        assert exit_code("ask", str(tmp_path / "in.csv"), "net sales in 2023", "--store", store, "--keep") == 0
        ids.append(asyncio.run(latest(store))[0].id)
    assert len(set(ids)) == len(HOURS)
