import json
from typing import Any

import pytest
from model_replies import broken, serialize_reply

from quaestor.llm.messages import Message, read_request, read_response
from quaestor.testing.models import Call, Protocol, ReceivedRequest, Reply

CALLED = Reply("I look it up.", (Call("query_kg", {"property": "net income"}), Call("calculate", {"values": [1, 2]})))


def body_of(protocol: Protocol, reply: Reply, stream: bool) -> str:
    return serialize_reply(ReceivedRequest(protocol, {"model": "m", "stream": stream}, {}, 0), reply)[0]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_text_and_calls_of_a_reply(protocol: Protocol, stream: bool) -> None:
    text, *calls = read_response(body_of(protocol, CALLED, stream))
    assert text == Message("assistant", "I look it up.")
    assert [(message.who, json.loads(message.text)) for message in calls] == [
        ("call query_kg", {"property": "net income"}),
        ("call calculate", {"values": [1, 2]}),
    ]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_error_has_the_message_of_the_server(protocol: Protocol) -> None:
    assert read_response(body_of(protocol, broken(), stream=False)) == (Message("error", "out of order"),)


@pytest.mark.parametrize("body", ["", "no JSON", "[1]", '{"choices": [{}]}', '{"half', "data: \n\n", "17"])
def test_malformed_replies_are_shown_unchanged(body: str) -> None:
    assert read_response(body) == (Message("body", body),)


@pytest.mark.parametrize("body", ["", "no JSON", "{}", '{"messages": 3}'])
def test_malformed_requests_are_shown_unchanged(body: str) -> None:
    assert read_request(body) == (Message("body", body),)


OPENAI: dict[str, Any] = {
    "messages": [
        {"role": "system", "content": "Be exact."},
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "tool_calls": [{"function": {"name": "find", "arguments": '{"words": "x"}'}}]},
        {"role": "tool", "content": "3"},
    ],
    "tools": [{"type": "function", "function": {"name": "find"}}],
}
ANTHROPIC: dict[str, Any] = {
    "system": [{"type": "text", "text": "Be exact."}],
    "messages": [
        {"role": "user", "content": "How much?"},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "find", "input": {"words": "x"}}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "3"}]}]},
    ],
    "tools": [{"name": "find"}],
}


@pytest.mark.parametrize("body", [OPENAI, ANTHROPIC])
def test_a_request_reads_the_same_in_both_protocols(body: dict[str, Any]) -> None:
    assert set(read_request(json.dumps(body))) == {
        Message("system", "Be exact."),
        Message("tools", "find"),
        Message("user", "How much?"),
        Message("call find", '{"words": "x"}'),
        Message("result", "3"),
    }
