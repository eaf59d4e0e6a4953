"""The two protocols for tool calls: native calls and calls in text."""

import json

import pytest
from agent_bench import UNDERSTOOD, final, play, query, reply, scripted
from hypothesis import given
from hypothesis import strategies as st
from model_replies import say

from quaestor.solvers.agent.protocol import parse_calls
from quaestor.testing.models import Call, ReceivedRequest, Reply


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('TOOL: query_kg({"a": "x) y"})', [("query_kg", '{"a": "x) y"}')]),
        ('I look.\nTOOL: a({"x": 1})\nTOOL: b( {"y": [1, 2]} )', [("a", '{"x": 1}'), ("b", '{"y": [1, 2]}')]),
        ("TOOL: list_entities()", [("list_entities", "{}")]),
        ('TOOL: a({"x": )\nmore', [("a", '{"x": ')]),
        ('ANSWER: {"answer": 1}', [("final_answer", '{"answer": 1}')]),
        ("**ANSWER:** 14.1 %", [("final_answer", "14.1 %")]),
        ('TOOL: a({})\nRESULT of a: 5\nANSWER: 5', [("a", "{}")]),
        ("the answer is 5", []),
    ],
)  # fmt: skip
def test_calls_are_parsed_from_text(text: str, calls: list[tuple[str, str]]) -> None:
    assert [(call.tool, call.arguments) for call in parse_calls(text)] == calls


@given(st.text(max_size=300) | st.text(alphabet='TOL: ANSWER(){}["\\]a1\n', max_size=60))
def test_any_text_is_parsed(text: str) -> None:
    for call in parse_calls(text):
        assert isinstance(call.arguments, str)
        assert isinstance(call.text, str)


@pytest.mark.usefixtures("local_models")
def test_model_without_native_tools_calls_them_in_text() -> None:
    def understood(request: ReceivedRequest) -> Reply:
        return say(f"Here it is:\n```json\n{json.dumps(UNDERSTOOD)}\n```")

    query_line = f"TOOL: query_kg({json.dumps(query(2008).arguments)})"
    run = play(
        scripted([say(f"I look it up.\n{query_line}"), say('ANSWER: {"answer": 181001, "steps": [1]}')], [understood]),
        native=False,
    )
    assert run.turn.answer.number == 181001
    assert [call.tool for call in run.turn.tool_calls] == ["query_kg"]
    assert not any(request.tools for request in run.requests)
    assert "TOOL: query_kg(" in run.requests[1].prompts[0]
    assert "find_in_text" in run.requests[1].prompts[0]
    assert run.requests[2].prompts[-1].startswith('RESULT of query_kg: {"value": 181001')


@pytest.mark.usefixtures("local_models")
def test_calls_in_text_are_accepted_from_a_model_with_tools() -> None:
    line = f"TOOL: query_kg({json.dumps(query(2008).arguments)})"
    run = play(scripted([say(line), reply(final(181001, steps=[1]))]))
    assert run.turn.answer.number == 181001


@pytest.mark.usefixtures("local_models")
def test_one_reply_may_have_many_calls_and_the_answer() -> None:
    change = Call("calculate", {"operation": "subtract", "values": [206588, 181001]})
    run = play(scripted([reply(query(2008), query(2009), change, final(25587, steps=[3]))]), "what is the change?")
    assert run.turn.answer.number == 25587
    assert run.turn.answer.formula == "206588 - 181001"
    assert run.phases == ["UNDERSTAND", "ANSWER_iteration_1"]
