import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from made_up import a_record, write_dataset
from scripted import ScriptedSolver

from quaestor.application.ask_service import AskRequest
from quaestor.application.document_library import DocumentLibrary, Uploads
from quaestor.application.saved_conversations import SavedConversations
from quaestor.application.session_manager import SessionLimits, SessionManager
from quaestor.conversation.events import Event, Note
from quaestor.conversation.turn import Turn
from quaestor.datasets.dataset import Conversation
from quaestor.errors import BusyError, InputError, OutageError, QuestionStoppedError, UnknownConversationError
from quaestor.evaluation.watchers import Watcher
from quaestor.evaluation.writing import RunWriter
from quaestor.settings import Settings
from quaestor.store.base import open_store

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def sessions(
    folder: Path, limits: SessionLimits | None = None, *, keep: bool = True
) -> AsyncIterator[SessionManager]:
    path = folder / "pages.json"
    if not path.exists():
        write_dataset(path, a_record())
    asking = AskRequest(Settings(store=str(folder / "runs.db")), solver=ScriptedSolver(), keep=keep)
    async with open_store(asking.settings.store) as store:
        library = DocumentLibrary([str(path)], Uploads(folder / "uploads"))
        manager = SessionManager(
            asking, library, SavedConversations(folder / "conversations"), store, limits or SessionLimits()
        )
        try:
            yield manager
        finally:
            await manager.close()


async def begun(at: SessionManager) -> str:
    return (await at.begin(at.library.files[0].id)).id


def questions(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.question for turn in turns]


async def test_conversation_is_resumed_at_its_last_turn(tmp_path: Path) -> None:
    async with sessions(tmp_path) as first:
        id = await begun(first)
        await first.ask(id, "cell 1 1")
        await first.ask(id, "cell 1 2")
    async with sessions(tmp_path) as second:
        assert questions((await second.read_state(id)).turns) == ["cell 1 1", "cell 1 2"]
        found = await second.ask(id, "change")
        assert found.turns[found.first - 1].answer.value is not None
        assert len((await second.read_state(id)).turns) == 3
        saved = second.saved.get(id)
    assert (saved.title, saved.turns, len(saved.runs)) == ("cell 1 1", 3, 2)


async def test_questions_of_one_conversation_are_answered_in_the_order_asked(tmp_path: Path) -> None:
    async with sessions(tmp_path, SessionLimits(waiting=30)) as at:
        ids = [await begun(at) for _ in range(4)]
        asked = [[f"sleep 0.00{n % 3} cell 1 {1 + n % 2}" for n in range(5)] for _ in ids]
        await asyncio.gather(*(at.ask(id, text) for texts, id in zip(asked, ids, strict=True) for text in texts))
        for id, texts in zip(ids, asked, strict=True):
            assert questions((await at.read_state(id)).turns) == texts


async def test_two_conversations_do_not_wait_for_each_other(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        slow, quick = await begun(at), await begun(at)
        waiting = asyncio.create_task(at.ask(slow, "sleep 30 cell 1 1"))
        await asyncio.wait_for(at.ask(quick, "cell 1 1"), 20)
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_number_of_waiting_questions_is_limited(tmp_path: Path) -> None:
    async with sessions(tmp_path, SessionLimits(waiting=1)) as at:
        id = await begun(at)
        answers = [at.ask(id, "sleep 0.1 cell 1 1") for _ in range(4)]
        outcomes = await asyncio.gather(*answers, return_exceptions=True)
        refused = [outcome for outcome in outcomes if isinstance(outcome, BusyError)]
        assert len(refused) == 2


async def test_number_of_running_questions_is_limited_over_all_conversations(tmp_path: Path) -> None:
    async with sessions(tmp_path, SessionLimits(questions=2)) as at:
        ids = [await begun(at) for _ in range(3)]
        outcomes = await asyncio.gather(*(at.ask(id, "sleep 0.1 cell 1 1") for id in ids), return_exceptions=True)
        assert [isinstance(outcome, BusyError) for outcome in outcomes] == [False, False, True]
        assert (await at.ask(ids[2], "cell 1 1")).first == 1


async def test_solver_can_be_chosen_per_question(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        begun = await at.begin(at.library.files[0].id, "called so", "default")
        assert (begun.title, begun.answerer) == ("called so", "default")
        with pytest.raises(InputError):
            await at.begin(at.library.files[0].id, answerer="nobody")
        with pytest.raises(InputError):
            await at.ask(begun.id, "cell 1 1", answerer="nobody")
        found = await at.ask(begun.id, "cell 1 1", answerer="default")
        assert (found.first, len(found.turns), found.unkept) == (1, 1, None)


async def test_listener_receives_events_and_the_answer(tmp_path: Path) -> None:
    events: list[tuple[str, Event | Turn]] = []
    async with sessions(tmp_path) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1", lambda question, news: events.append((question, news)))
        await asyncio.sleep(0)
        await at.ask(id, "cell 1 2")
    assert [(question, type(news)) for question, news in events] == [("cell 1 1", Note), ("cell 1 1", Turn)]


async def test_failed_question_leaves_the_conversation_unchanged(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
        with pytest.raises(OutageError):
            await at.ask(id, "down")
        with pytest.raises(InputError):
            await at.ask(id, "   ")
        await at.ask(id, "cell 1 2")
        assert questions((await at.read_state(id)).turns) == ["cell 1 1", "cell 1 2"]


async def test_undone_question_stays_undone_after_a_pause(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
        await at.ask(id, "cell 1 2")
    async with sessions(tmp_path) as at:
        assert questions(await at.undo(id)) == ["cell 1 2"]
    async with sessions(tmp_path) as at:
        assert questions((await at.read_state(id)).turns) == ["cell 1 1"]
        assert at.saved.get(id).turns == 1


async def test_idle_conversation_is_closed_and_reopened(tmp_path: Path) -> None:
    async with sessions(tmp_path, SessionLimits(idle=0)) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
        await asyncio.sleep(0.01)
        await at.close_idle()
        async with open_store(str(tmp_path / "runs.db")) as store:
            assert [run.status for run in await store.runs()] == ["complete"]
        await at.ask(id, "cell 1 2")
        assert questions((await at.read_state(id)).turns) == ["cell 1 1", "cell 1 2"]


async def test_unsaved_conversation_stays_open(tmp_path: Path) -> None:
    async with sessions(tmp_path, SessionLimits(idle=0), keep=False) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
        await asyncio.sleep(0.01)
        await at.close_idle()
        assert questions((await at.read_state(id)).turns) == ["cell 1 1"]
        assert len((await at.export(id)).turns) == 1


async def test_deleting_a_conversation_removes_it_from_the_store(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id, other = await begun(at), await begun(at)
        await at.ask(id, "cell 1 1")
        await at.ask(other, "cell 1 1")
    async with sessions(tmp_path) as at:
        await at.ask(id, "cell 1 2")
        await at.delete(id)
        with pytest.raises(UnknownConversationError):
            await at.read_state(id)
        with pytest.raises(UnknownConversationError):
            await at.ask(id, "cell 1 1")
        assert [conversation.id for conversation in at.saved.all()] == [other]
    async with open_store(str(tmp_path / "runs.db")) as store:
        assert len(await store.runs()) == 1


async def test_conversation_is_exported_open_or_closed(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        with pytest.raises(InputError):
            await at.export(id)
        await at.ask(id, "cell 1 1")
        opened = await at.export(id)
    async with sessions(tmp_path) as at:
        assert [turn.question for turn in (await at.export(id)).turns] == [turn.question for turn in opened.turns]


async def test_deleted_run_leaves_an_empty_conversation(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
    async with sessions(tmp_path) as at:
        run = at.saved.get(id).run
        assert run is not None
        async with open_store(str(tmp_path / "runs.db")) as store:
            await store.delete_run(run)
        assert (await at.read_state(id)).turns == ()
        await at.ask(id, "cell 1 2")
        assert questions((await at.read_state(id)).turns) == ["cell 1 2"]


@pytest.mark.parametrize("stopped", ["asked", "taken back"])
async def test_question_stopped_during_the_start_of_an_attempt_is_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: str
) -> None:
    begins, attempts, begin = asyncio.Event(), 0, RunWriter.begin

    async def slow(writer: RunWriter, conversation: Conversation) -> Watcher:
        nonlocal attempts
        attempts += 1
        if attempts == (1 if stopped == "asked" else 2):
            begins.set()
            await asyncio.Event().wait()
        return await begin(writer, conversation)

    monkeypatch.setattr(RunWriter, "begin", slow)
    async with sessions(tmp_path) as at:
        id = await begun(at)
        if stopped == "taken back":
            await at.ask(id, "cell 1 1")
        doing = asyncio.ensure_future(at.ask(id, "cell 1 1") if stopped == "asked" else at.undo(id))
        await begins.wait()
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)
        await at.ask(id, "cell 1 2")
        assert questions((await at.read_state(id)).turns) == ["cell 1 2"]
    async with sessions(tmp_path) as at:
        assert questions((await at.read_state(id)).turns) == ["cell 1 2"]


async def test_stopping_a_question_cancels_waiting_ones_and_the_conversation_continues(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        await at.ask(id, "cell 1 1")
        tasks = [asyncio.create_task(at.ask(id, "sleep 30 cell 1 1")) for _ in range(3)]
        await asyncio.sleep(0.05)
        assert at.stop(id) == 3
        for one in tasks:
            with pytest.raises(QuestionStoppedError):
                await one
        assert at.stop(id) == 0
        assert questions((await at.ask(id, "cell 1 2")).turns) == ["cell 1 1", "cell 1 2"]


async def test_cancelled_caller_gets_no_stop_message(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        task = asyncio.create_task(at.ask(await begun(at), "sleep 30 cell 1 1"))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# An interruption that is raised within a callback is dropped, and raised again.
@pytest.mark.filterwarnings("ignore:(?s).*InterruptedWork:pytest.PytestUnraisableExceptionWarning")
async def test_conversation_can_be_deleted_while_answering(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        id = await begun(at)
        task = asyncio.create_task(at.ask(id, "sleep 30 cell 1 1"))
        await asyncio.sleep(0.05)
        await asyncio.wait_for(at.delete(id), 20)
        with pytest.raises(QuestionStoppedError):
            await task
        with pytest.raises(UnknownConversationError):
            at.saved.get(id)


async def test_questions_of_a_missing_conversation_cannot_be_stopped(tmp_path: Path) -> None:
    async with sessions(tmp_path) as at:
        with pytest.raises(UnknownConversationError):
            at.stop("nowhere")
