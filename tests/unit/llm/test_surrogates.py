"""What a model wrote goes back to it, half a surrogate pair or not."""

import asyncio
import json

from model_bench import Bench
from model_replies import say
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from quaestor.llm.guarded import replace_surrogates
from quaestor.testing.models import Call, Reply

HALF = "it is \ud83d"


def test_a_reply_with_half_a_pair_can_be_answered(bench: Bench) -> None:
    bench.says(Reply(HALF, calls=(Call("add", {"of": HALF}),)), say("done"))

    async def run() -> str:
        async with bench.connect() as connection:
            asked: list[ModelMessage] = [ModelRequest.user_text_prompt("hello")]
            said = await model_request(connection.model, asked)
            (call,) = said.tool_calls
            told = ModelRequest([ToolReturnPart("add", f"no {HALF}", call.tool_call_id), UserPromptPart(HALF)])
            return (await model_request(connection.model, [*asked, said, told])).text or ""

    assert asyncio.run(run()) == "done"
    assert len(bench.server.asked) == 2
    assert bench.server.asked[1].results == ["no it is ?"]
    assert bench.server.asked[1].prompts[-1] == "it is ?"


def test_arguments_that_are_not_text_are_mended_too() -> None:
    said = ModelResponse([TextPart(HALF), ToolCallPart(HALF, {HALF: [HALF]})])
    text, call = replace_surrogates([said])[0].parts
    assert isinstance(text, TextPart)
    assert isinstance(call, ToolCallPart)
    assert (text.content, call.tool_name, call.args_as_dict()) == ("it is ?", "it is ?", {"it is ?": ["it is ?"]})


def test_what_can_be_sent_is_left_alone() -> None:
    messages: list[ModelMessage] = [
        ModelRequest.user_text_prompt("naïve £ 5 \U0001f600"),
        ModelResponse([ToolCallPart("add", {"of": "½"}), ToolCallPart("add", json.dumps({"of": HALF}))]),
    ]
    assert all(after is before for after, before in zip(replace_surrogates(messages), messages, strict=True))
