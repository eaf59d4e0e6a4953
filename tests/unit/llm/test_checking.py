import asyncio
from dataclasses import replace

import pytest
from model_bench import Bench
from model_replies import call, say

from quaestor.llm.checking import ModelCheck, check_model
from quaestor.llm.naming import PROFILES
from quaestor.testing.models import ReceivedRequest, Reply


def able(request: ReceivedRequest) -> Reply:
    if "add" in request.tools:
        return call("add", a=2, b=3)
    return say('{"total": 5}' if "response_format" in request.body else "ready")


def check(bench: Bench) -> list[ModelCheck]:
    async def run() -> list[ModelCheck]:
        async with bench.connect() as connection:
            return [finding async for finding in check_model(connection)]

    return asyncio.run(run())


def test_model_with_all_features(plain: Bench) -> None:
    plain.server.script = able
    found = check(plain)
    assert [(finding.what, finding.able) for finding in found] == [
        ("reachable", True),
        ("tools", True),
        ("structured output", True),
        ("streaming", True),
    ]
    assert "'ready'" in found[0].detail
    assert "add(a=2, b=3)" in found[1].detail
    assert '{"total": 5}' in found[2].detail
    assert [request.stream for request in plain.server.requests] == [False, False, False, True]


def test_model_that_replies_with_text_instead(plain: Bench) -> None:
    plain.server.script = lambda request: say("I would rather talk.")
    _, tools, structured, streaming = check(plain)
    assert not tools.able
    assert "'I would rather talk.'" in tools.detail
    assert "tools = false" in tools.detail
    assert not structured.able
    assert "json_schema = false" in structured.detail
    assert streaming.able


@pytest.mark.parametrize("wrong", [call("multiply", a=2, b=3), call("add", a=2, b="x")])
def test_invalid_tool_call(plain: Bench, wrong: Reply) -> None:
    plain.server.script = lambda request: wrong if request.tools else able(request)
    assert not check(plain)[1].able


def test_a_server_that_refuses_tools(plain: Bench) -> None:
    plain.server.script = lambda request: (
        Reply("tools are not supported", status=400) if request.tools else able(request)
    )
    found = check(plain)
    assert not found[1].able
    assert "tools are not supported" in found[1].detail
    assert found[3].able


def test_features_disabled_in_a_profile_are_not_checked(plain: Bench) -> None:
    plain.server.script = able
    plain.spec = replace(plain.spec, profile=PROFILES["plain"])
    found = check(plain)
    assert [finding.able for finding in found] == [True, False, False, True]
    assert found[1].detail
    assert len(plain.server.requests) == 2
