import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from long_filing import a_long_filing
from made_up import a_record, write_dataset
from scripted import ScriptedSolver

from quaestor.application.ask_service import AskRequest
from quaestor.application.chat_service import INTERRUPTED, Chat
from quaestor.application.fixing import read_fix
from quaestor.application.resolve import DocumentInCorpus, read_page
from quaestor.settings import Settings
from quaestor.store.base import open_store
from quaestor.store.records import TurnRecord

pytestmark = pytest.mark.anyio


@pytest.fixture
def page(tmp_path: Path) -> DocumentInCorpus:
    return read_page(str(write_dataset(tmp_path / "pages.json", a_record())))


def request(folder: Path, *, keep: bool = True) -> AskRequest:
    return AskRequest(Settings(store=str(folder / "runs.db")), solver=ScriptedSolver(), keep=keep)


async def stored_turns(folder: Path, run: str, attempt: int | None = None) -> tuple[TurnRecord, ...]:
    async with open_store(str(folder / "runs.db")) as store:
        (example,) = await store.examples(run)
        return await store.turns(run, example.conversation, attempt)


async def test_interrupted_question_stays_stored_but_is_not_counted(tmp_path: Path, page: DocumentInCorpus) -> None:
    chat = Chat(page, request(tmp_path))
    await chat.open()
    await chat.ask("cell 1 1")
    asking = asyncio.create_task(chat.ask("sleep 60 cell 1 2"))
    while not (chat.run and asking.get_stack()):
        await asyncio.sleep(0)
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    run = chat.run
    assert run is not None
    assert [turn.question for turn in chat.turns] == ["cell 1 1"]
    first, broken = await stored_turns(tmp_path, run)
    assert (first.error, broken.question, broken.error) == (None, "sleep 60 cell 1 2", INTERRUPTED)
    await chat.ask("cell 1 2")
    assert [turn.question for turn in await stored_turns(tmp_path, run)] == ["cell 1 1", "cell 1 2"]
    assert [turn.question for turn in await stored_turns(tmp_path, run, 1)] == ["cell 1 1", "sleep 60 cell 1 2"]
    await chat.close()
    async with open_store(str(tmp_path / "runs.db")) as store:
        assert (await store.run(run)).status == "complete"
        assert (await store.examples(run))[0].turns == 2


async def test_conversation_ended_by_an_interrupt_is_stopped(tmp_path: Path, page: DocumentInCorpus) -> None:
    log = tmp_path / "log"
    chat = Chat(page, replace(request(tmp_path), solver=ScriptedSolver(log)))
    await chat.open()
    asking = asyncio.create_task(chat.ask("sleep 60 cell 1 1"))
    while not log.exists():
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    run = chat.run
    await chat.close()
    assert run is not None
    async with open_store(str(tmp_path / "runs.db")) as store:
        assert (await store.run(run)).status == "stopped"
    assert [turn.error for turn in await stored_turns(tmp_path, run)] == [INTERRUPTED]


@pytest.mark.slow
async def test_conversation_interrupted_at_its_start_leaves_no_unfinished_run(
    tmp_path: Path, page: DocumentInCorpus
) -> None:
    for steps in range(25):
        chat = Chat(page, request(tmp_path))
        await chat.open()
        asking = asyncio.create_task(chat.ask("sleep 60 cell 1 1"))
        for _ in range(steps):
            await asyncio.sleep(0.001)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await chat.ask("cell 1 1")
        await chat.close()
        assert chat.unkept is None
    async with open_store(str(tmp_path / "runs.db")) as store:
        statuses = [run.status for run in await store.runs()]
    assert statuses.count("complete") == 25
    assert set(statuses) <= {"complete", "stopped"}


async def test_undo_removes_one_question_at_a_time(tmp_path: Path, page: DocumentInCorpus) -> None:
    chat = Chat(page, request(tmp_path))
    await chat.open()
    await chat.ask("cell 1 1")
    await chat.ask("what was net revenue in 2008? And what was net revenue in 2007?")
    assert len(chat.turns) == 2
    assert len(await chat.undo()) == 1
    assert [turn.question for turn in await chat.undo()] == ["cell 1 1"]
    assert await chat.undo() == ()
    assert not chat.turns
    assert not await stored_turns(tmp_path, str(chat.run))
    await chat.close()


async def test_correction_in_a_long_filing_affects_later_questions_and_can_be_undone(tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "runs.db"), excerpt_tokens=600)
    chat = Chat(DocumentInCorpus.of(a_long_filing()), AskRequest(settings, keep=True))
    await chat.open()
    for question in ("what were total assets in 2023?", "what were total assets in 2022?", "what was the change?"):
        await chat.ask(question)
    fix = read_fix("2 cell 1 = 600 because misread", chat.ledger)
    assert fix.act is not None
    correction = await chat.correct(fix.act, "Ada", fix.reason)
    assert [change.turn for change in correction.changes] == [1, 2]
    ratio = "what was net income as a percentage of total assets in 2022?"
    for question in ("what were total assets in 2022?", "what was net income in 2023?", ratio):
        await chat.ask(question)
    now = [str(turn.answer) for turn in chat.turns[1:]]
    assert now == ["$ 600 million", "$ 113 million", "$ 600 million", "$ 98 million", "12.7 %"]
    (undone,) = (await chat.undo_correction("Bo")).changes[-1:]
    assert (undone.turn, str(undone.answer)) == (5, "11.8 %")
    run = str(chat.run)
    await chat.close()
    assert chat.unkept is None
    again = Chat(DocumentInCorpus.of(a_long_filing()), AskRequest(settings, keep=True))
    await again.open(run)
    assert again.turns == chat.turns
    assert again.ledger.answered == chat.ledger.answered
    await again.close()
