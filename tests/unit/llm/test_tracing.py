import asyncio
import json
import sys
from typing import Any

import pytest
from agent_bench import LOOKED_UP, ONE_TALK, QUESTION, scripted
from model_bench import CANARY, Bench
from model_replies import broken, say
from model_server import ModelServer, Script
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from pydantic_ai import Agent
from solver_bench import context_of, spec_for

from quaestor.datasets.dataset import Conversation
from quaestor.errors import ModelAccessError, SettingsError
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.session import ModelConfig, open_session
from quaestor.llm.tracing import start_tracing
from quaestor.solvers.agent.solver import AgentSolver
from quaestor.testing.models import Call, Reply


def ask(bench: Bench, tracing: TracerProvider | None) -> None:
    async def run() -> None:
        async with bench.connect(tracing=tracing) as connection:
            await Agent(connection.model).run("what were sales?")

    bench.says(say("14.1"))
    asyncio.run(run())


def test_a_request_is_a_span_with_its_prompt_and_without_its_key(bench: Bench) -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    ask(bench, provider)
    (span,) = [span for span in spans.get_finished_spans() if span.name.startswith("chat ")]
    attributes = str(dict(span.attributes or {}))
    assert "what were sales?" in attributes
    assert "14.1" in attributes
    assert CANARY not in attributes


def test_tracing_is_off_by_default(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pydantic_ai.models.instrumented.InstrumentedModel.__init__", None)
    ask(bench, None)
    assert len(bench.exchanges) == 1


def test_traces_go_to_the_collector_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    provider = start_tracing()
    try:
        assert provider.resource.attributes["service.name"] == "quaestor"
        assert trace.get_tracer_provider() is not provider
    finally:
        provider.shutdown()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    with pytest.raises(SettingsError, match=r"quaestor\[otel\]"):
        start_tracing()


def spans_of(script: Script, *questions: str, kept: list[ReadableSpan] | None = None) -> dict[str, list[ReadableSpan]]:
    """Return the spans of a conversation with the agent by operation; `kept` receives them even if it fails."""
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    conversation = Conversation("made up", context_of().document, questions)

    async def run() -> None:
        with ModelServer(script) as server:
            config = ModelConfig(spec_for(server), tracing=provider)
            async with open_session(config) as session:
                session.run = "a run"
                await answer_conversation(conversation, AgentSolver(ONE_TALK), None, session)

    try:
        asyncio.run(run())
    finally:
        if kept is not None:
            kept += spans.get_finished_spans()
    found: dict[str, list[ReadableSpan]] = {}
    for span in sorted(spans.get_finished_spans(), key=lambda span: span.start_time or 0):
        found.setdefault(str((span.attributes or {}).get("gen_ai.operation.name")), []).append(span)
    return found


def tags(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_spans_of_turns_replies_and_tools_follow_the_conventions(local_models: None) -> None:
    found = spans_of(scripted(LOOKED_UP), QUESTION)
    assert found.keys() == {"invoke_agent", "chat", "execute_tool"}
    (turn,), chats, tools = found["invoke_agent"], found["chat"], found["execute_tool"]

    assert (turn.name, turn.kind, turn.parent) == ("invoke_agent agent", SpanKind.INTERNAL, None)
    expected = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "scripted",
        "gen_ai.agent.name": "agent",
        "gen_ai.conversation.id": "made up",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "quaestor.run.id": "a run",
        "quaestor.turn": 0,
    }
    assert tags(turn) == expected
    assert turn.status.is_unset

    assert [span.name for span in chats] == ["chat scripted"] * 2
    for chat in chats:
        attributes = tags(chat)
        assert chat.kind is SpanKind.CLIENT
        assert attributes["gen_ai.provider.name"] == "openai"
        assert attributes["gen_ai.request.model"] == attributes["gen_ai.response.model"] == "scripted"
        assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]) == (10, 5)
        assert (attributes["gen_ai.agent.name"], attributes["gen_ai.conversation.id"]) == ("agent", "made up")
        assert attributes["gen_ai.response.finish_reasons"]
        assert json.loads(attributes["gen_ai.input.messages"])
        assert json.loads(attributes["gen_ai.output.messages"])

    (tool,) = tools
    called = tags(tool)
    assert tool.name == "execute_tool query_kg"
    assert (called["gen_ai.tool.name"], called["gen_ai.tool.type"]) == ("query_kg", "function")
    assert called["gen_ai.tool.description"].startswith("Read the tables")
    assert json.loads(called["gen_ai.tool.call.arguments"])["filters"] == {"year": "2008"}
    assert "181001" in called["gen_ai.tool.call.result"]
    for inner in (*chats, tool):
        assert inner.parent is not None
        assert turn.context is not None
        assert inner.parent.span_id == turn.context.span_id


def test_exception_is_recorded_in_the_span(local_models: None) -> None:
    refused = Reply(calls=(Call("query_kg", {"entityType": "Nothing"}), Call("no_tool_\ud800", "{")))
    found = spans_of(scripted([refused]), QUESTION)
    (turn,), tools = found["invoke_agent"], found["execute_tool"]
    assert turn.status.status_code is StatusCode.ERROR
    assert tags(turn)["error.type"] == "ModelReplyError"
    assert tools
    assert {tool.status.status_code for tool in tools} == {StatusCode.ERROR}
    assert {tags(tool)["error.type"] for tool in tools} == {"refused"}


def test_an_outage_ends_its_span_with_its_kind(local_models: None) -> None:
    spans: list[ReadableSpan] = []
    with pytest.raises(ModelAccessError):
        spans_of(lambda request: broken(401), QUESTION, kept=spans)
    turn = next(span for span in spans if span.name == "invoke_agent agent")
    assert tags(turn)["error.type"] == "ModelAccessError"
    assert turn.status.status_code is StatusCode.ERROR


def test_concurrent_conversations_do_not_mix(local_models: None) -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    document = context_of().document

    async def run() -> None:
        with ModelServer(lambda request: say("no", delay=0.01)) as server:
            async with open_session(ModelConfig(spec_for(server), tracing=provider)) as session:
                many = [Conversation(f"talk {n}", document, (QUESTION, QUESTION)) for n in range(4)]
                talks = (answer_conversation(one, AgentSolver(ONE_TALK), None, session) for one in many)
                await asyncio.gather(*talks)

    asyncio.run(run())
    finished = spans.get_finished_spans()
    turns = {span.context.span_id: tags(span) for span in finished if span.name.startswith("invoke") and span.context}
    assert len(turns) == 8
    chats = [span for span in finished if span.name.startswith("chat")]
    assert len(chats) >= 8
    for chat in chats:
        assert chat.parent is not None
        assert turns[chat.parent.span_id]["gen_ai.conversation.id"] == tags(chat)["gen_ai.conversation.id"]
