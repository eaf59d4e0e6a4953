import asyncio
from pathlib import Path

import pytest
from mcp import Client
from mcp_clients import FILING, called, client_of_folder, refused, server_of_folder
from mcp_processes import over_http
from web import served

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Note
from quaestor.mcp_server import calls
from quaestor.mcp_server.transports import PATH, http_app
from quaestor.solvers.base import TurnContext

pytestmark = pytest.mark.anyio

ASKED = {"document": FILING, "question": "what were net sales in 2024?"}


class Waiting:
    """A solver that reports progress, waits for `go_on`, and sets `cancelled` if it is cancelled."""

    name = "waiting"

    def __init__(self) -> None:
        self.started, self.go_on, self.cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        context.trace.append(Note("looking \x1b[2J at the page"))
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Answer(value=None, reason="nothing")


class Broken:
    name = "broken"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        raise ZeroDivisionError("the key is sk-1 in /home/somebody/secret")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_is_reported_to_clients_that_request_it(tmp_path: Path, mode: str) -> None:
    solver, lines = Waiting(), list[str | None]()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        lines.append(message)

    solver.go_on.set()
    with served(http_app(server_of_folder(tmp_path, answering=solver))) as address:
        async with over_http(f"{address}{PATH}", mode=mode) as client:
            await client.call_tool("ask", ASKED, progress_callback=told)
            assert len(lines) == 2
            assert FILING in str(lines[0])
            assert "\N{SYMBOL FOR ESCAPE}[2J" in str(lines[1])
            await client.call_tool("ask", ASKED)
    assert len(lines) == 2


async def test_cancelled_call_stops_its_work_and_the_server_keeps_running(tmp_path: Path) -> None:
    solver = Waiting()
    async with Client(server_of_folder(tmp_path, answering=solver), mode="legacy") as client:
        asking = [asyncio.ensure_future(client.call_tool("ask", ASKED)) for _ in range(5)]
        await solver.started.wait()
        for call in asking:
            call.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await asyncio.wait_for(solver.cancelled.wait(), 20)
        solver.go_on.set()
        answer = await called(client, "ask", **ASKED)
        assert answer["answers"][0]["reason"] == "nothing"
        uris = [resource.uri for resource in (await client.list_resources()).resources]
        assert sum("conversations" in uri for uri in uris) == 1


async def test_cancelled_question_leaves_the_conversation_unchanged(tmp_path: Path) -> None:
    solver = Waiting()
    solver.go_on.set()
    async with Client(server_of_folder(tmp_path, answering=solver), mode="legacy") as client:
        id = (await called(client, "ask", **ASKED))["conversation"]
        solver.go_on.clear()
        solver.started.clear()
        call = asyncio.ensure_future(client.call_tool("ask", {"conversation": id, "question": "and in 2023?"}))
        await solver.started.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        solver.go_on.set()
        answer = await called(client, "ask", conversation=id, question="and in 2022?")
        assert answer["first_turn"] == 2


async def test_excess_calls_are_refused_with_retry_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "AT_ONCE", 2)
    solver = Waiting()
    async with client_of_folder(tmp_path, answering=solver) as client:
        asking = [asyncio.ensure_future(client.call_tool("ask", ASKED)) for _ in range(2)]
        await solver.started.wait()
        assert await refused(client, "read_document", {})
        solver.go_on.set()
        await asyncio.gather(*asking)
        assert await called(client, "read_document")


async def test_unexpected_error_is_one_line_without_details(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("sk-1 in /home/somebody")

    monkeypatch.setattr("quaestor.mcp_server.tools.text_parts", broken)
    async with client_of_folder(tmp_path) as client:
        message = await refused(client, "read_document", {"document": FILING})
        assert await called(client, "read_document")
    assert message == calls.INTERNAL
    assert "ZeroDivisionError" in caplog.text
    caplog.clear()


async def test_solver_defect_fails_the_turn_without_revealing_paths(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path, answering=Broken()) as client:
        result = await client.call_tool("ask", ASKED)
        assert "/home/somebody" not in str(result)
        assert await called(client, "read_document")


async def test_a_result_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "LARGEST", 100)
    async with client_of_folder(tmp_path) as client:
        assert "100" in await refused(client, "read_document", {"document": FILING})
