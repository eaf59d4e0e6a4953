import asyncio
import sys

import pytest
from model_bench import CANARY, Bench
from model_replies import say
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent

from quaestor.errors import SettingsError
from quaestor.llm.tracing import start_tracing


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
    said = str(dict(span.attributes or {}))
    assert "what were sales?" in said
    assert "14.1" in said
    assert CANARY not in said


def test_nothing_is_traced_unless_asked_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http", None)
    with pytest.raises(SettingsError, match=r"quaestor\[otel\]"):
        start_tracing()
