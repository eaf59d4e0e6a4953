"""Requests to models through the real clients over HTTP, in both protocols, streamed and not."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from model_bench import Bench
from model_replies import call, say
from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from quaestor.errors import ModelAccessError
from quaestor.llm.models import connect, key_of
from quaestor.llm.naming import find_model, takes_temperature
from quaestor.testing.models import ReceivedRequest


def ask(bench: Bench, **more: Any) -> ReceivedRequest:
    """Send one request, and return it as received by the server."""

    async def run() -> None:
        async with bench.connect(**more) as connection:
            await model_request(connection.model, [ModelRequest.user_text_prompt("hello")])

    asyncio.run(run())
    return bench.server.requests[-1]


def test_settings_reach_the_server(plain: Bench) -> None:
    body = ask(plain, spec=replace(plain.spec, temperature=0.3, max_tokens=77, seed=5)).body
    assert body["temperature"] == 0.3
    assert body["seed"] == 5
    assert 77 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert "temperature" not in ask(plain, spec=replace(plain.spec, temperature=None)).body


def test_a_model_that_refuses_a_temperature_is_sent_none(plain: Bench) -> None:
    from pydantic_ai.profiles.openai import openai_model_profile

    assert not takes_temperature(openai_model_profile("o3"))
    assert takes_temperature(openai_model_profile("gpt-4o"))
    assert "temperature" not in ask(plain, spec=replace(plain.spec, model="o3")).body


def test_a_vendors_key_is_not_sent_elsewhere(plain: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-vendor")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-vendor")
    headers = ask(plain, environment={"OPENAI_API_KEY": "sk-of-the-vendor"}).headers
    assert "sk-of-the-vendor" not in json.dumps(dict(headers))


def test_key_is_read_from_the_environment(bench: Bench) -> None:
    headers = ask(bench, environment={"QUAESTOR_API_KEY": " sk-of-mine "}).headers
    # The header depends on the version of Anthropic's client.
    assert (headers.get("x-api-key") or headers["authorization"]).endswith("sk-of-mine")


def test_an_unusable_key() -> None:
    with pytest.raises(ModelAccessError, match="OPENAI_API_KEY") as caught:
        key_of(find_model("openai:m"), {"OPENAI_API_KEY": "sk-\u00e4bc"})
    assert "bc" not in str(caught.value)


def test_a_proxy_is_used_for_hosts_that_are_not_excepted(monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx2

    from quaestor.llm import models

    calls: list[object] = []

    class Transport(httpx2.AsyncBaseTransport):
        def __init__(self, proxy: object, **more: object) -> None:
            calls.append(proxy)

    monkeypatch.setattr(httpx2, "AsyncHTTPTransport", Transport)
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    models._network(find_model("openai:m"))
    models._network(find_model("vllm:m"))
    assert calls == ["http://proxy.example:3128", None]


def test_no_live_model_is_asked_in_tests() -> None:
    async def run() -> None:
        async with connect(find_model("openai:m"), environment={"OPENAI_API_KEY": "sk-none"}) as connection:
            await model_request(connection.model, [ModelRequest.user_text_prompt("hello")])

    with pytest.raises(RuntimeError, match="not allowed"):
        asyncio.run(run())


def test_request_to_another_machine_fails_the_test(local_models: None) -> None:
    async def run() -> None:
        spec = find_model("openai:m@http://192.0.2.1/v1")
        async with connect(spec, environment={}) as connection:
            await model_request(connection.model, [ModelRequest.user_text_prompt("hello")])

    with pytest.raises(pytest.fail.Exception, match=r"live request to 192\.0\.2\.1"):
        asyncio.run(run())


def test_an_agent_calls_tools_and_answers(bench: Bench) -> None:
    bench.says(call("lookup", row=3), say("row 3 has 14.1"))

    async def run() -> str:
        async with bench.connect() as connection:
            agent = Agent(connection.model, instructions="Read the table.")

            @agent.tool_plain
            def lookup(row: int) -> str:
                return f"row {row}: 14.1"

            return (await agent.run("What is in row 3?")).output

    assert asyncio.run(run()) == "row 3 has 14.1"
    first, second = bench.server.requests
    assert first.system == "Read the table."
    if first.protocol == "anthropic":  # which caches a prefix only if it is marked
        assert [part["cache_control"]["type"] for part in first.body["system"]] == ["ephemeral"]
    assert first.prompts == ["What is in row 3?"]
    assert first.tools == ["lookup"]
    assert second.results == ["row 3: 14.1"]
    assert first.stream == bench.spec.stream
    assert first.body["temperature"] == 0
