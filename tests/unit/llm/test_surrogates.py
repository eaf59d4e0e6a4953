"""A reply with an unpaired surrogate can be sent back to the model."""

import asyncio

from model_bench import Bench
from model_replies import say
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ToolReturnPart,
    UserPromptPart,
)

from quaestor.testing.models import Call, Reply

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
