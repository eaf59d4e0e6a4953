"""Waits that a server asks for, and replies with an unpaired surrogate that are sent back to the model."""

import asyncio
import time

import pytest
from local_models import loopback_only
from model_bench import Bench
from model_replies import say, too_many
from model_server import ModelServer
from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ToolReturnPart,
    UserPromptPart,
)

from quaestor.llm.models import connect
from quaestor.llm.naming import find_model
from quaestor.testing.models import Call, ReceivedRequest, Reply


@pytest.mark.slow
def test_retry_after_pauses_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    times = list[float]()

    def script(request: ReceivedRequest) -> Reply:
        times.append(time.monotonic())
        return too_many("1") if request.number == 0 else say("14.14")

    async def ask(url: str) -> list[str]:
        async with connect(find_model(f"openai:scripted@{url}/v1")) as line:

            async def one(after: float) -> str:
                await asyncio.sleep(after)
                return (await Agent(line.model).run("what was it?")).output

            return await asyncio.gather(*(one(after) for after in (0.0, 0.3, 0.4, 0.5)))

    with ModelServer(script) as server, loopback_only(monkeypatch):
        assert asyncio.run(ask(server.url)) == ["14.14"] * 4
    first, *others = times
    assert len(others) == 4
    assert min(others) >= first + 1.0


@pytest.mark.slow
def test_retry_after_does_not_pause_other_models(monkeypatch: pytest.MonkeyPatch) -> None:
    def script(request: ReceivedRequest) -> Reply:
        return too_many("2") if request.body["model"] == "busy" and not busy else say("14.14")

    busy = list[float]()

    async def ask(url: str) -> float:
        from quaestor.llm.budget import Meter

        meter = Meter()
        async with (
            connect(find_model(f"openai:busy@{url}/v1"), meter=meter) as one,
            connect(find_model(f"openai:free@{url}/v1"), meter=meter) as other,
        ):
            waiting = asyncio.create_task(Agent(one.model).run("what was it?"))
            await asyncio.sleep(0.5)
            busy.append(time.monotonic())
            assert (await Agent(other.model).run("what was it?")).output == "14.14"
            ended = time.monotonic()
            assert not waiting.done()
            assert (await waiting).output == "14.14"
            return ended - busy[0]

    with ModelServer(script) as server, loopback_only(monkeypatch):
        assert asyncio.run(ask(server.url)) < 1.4


HALF = "it is \ud83d"


def test_a_reply_with_half_a_pair_can_be_answered(bench: Bench) -> None:
    bench.says(Reply(HALF, calls=(Call("add", {"of": HALF}),)), say("done"))

    async def run() -> str:
        async with bench.connect() as connection:
            messages: list[ModelMessage] = [ModelRequest.user_text_prompt("hello")]
            response = await model_request(connection.model, messages)
            (call,) = response.tool_calls
            results = ModelRequest([ToolReturnPart("add", f"no {HALF}", call.tool_call_id), UserPromptPart(HALF)])
            return (await model_request(connection.model, [*messages, response, results])).text or ""

    assert asyncio.run(run()) == "done"
    assert len(bench.server.requests) == 2
    assert bench.server.requests[1].results == ["no it is ?"]
    assert bench.server.requests[1].prompts[-1] == "it is ?"
