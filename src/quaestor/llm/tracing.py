"""Tracing of model requests with OpenTelemetry, configured by its environment variables. Off by default.

Spans and attributes follow the semantic conventions for generative AI: `invoke_agent SOLVER` is a turn, which contains
`chat MODEL` for each reply and `execute_tool NAME` for each tool call. The provider is not made global, so other code
in this process is not traced.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quaestor.extras import require_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.trace import TracerProvider as AnyProvider

    from quaestor.llm.naming import ModelSpec
    from quaestor.llm.transcript import TurnKey
    from quaestor.llm.usage import Usage

_SCOPE = "quaestor"
_tracer: "ContextVar[Tracer | None]" = ContextVar("tracer", default=None)


def start_tracing() -> "TracerProvider":
    """Return a provider that sends traces to `OTEL_EXPORTER_OTLP_ENDPOINT`; the caller has to shut it down."""
    require_extra("otel", "tracing")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider as Provider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = Provider(resource=Resource.create({"service.name": "quaestor"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """Span of a turn; does nothing if the turn is not traced."""

    span: "Span | None" = None

    def ended(self, error: str | None, used: "Usage") -> None:
        """Record how the turn ended."""
        if self.span is None:
            return
        self.span.set_attributes(
            {
                "gen_ai.usage.input_tokens": used.input_tokens,
                "gen_ai.usage.output_tokens": used.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": used.cached_tokens,
            }
        )
        if error is not None:
            _failed(self.span, error)


@contextmanager
def turn_span(provider: "AnyProvider | None", agent: str, spec: "ModelSpec", place: "TurnKey") -> Iterator[TracedTurn]:
    """Trace a turn with its requests and tool calls; yield an object that records how it ended."""
    if provider is None:
        yield TracedTurn()
        return
    from opentelemetry import baggage, context
    from opentelemetry.trace import SpanKind

    tracer = provider.get_tracer(_SCOPE)
    # pydantic-ai names spans of requests by the baggage.
    named = {"gen_ai.agent.name": agent, "gen_ai.conversation.id": place.conversation}
    carried = context.get_current()
    for name, value in named.items():
        carried = baggage.set_baggage(name, value, carried)
    attributes: dict[str, str | int] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": spec.provider,
        "gen_ai.request.model": spec.model,
        **named,
        "quaestor.run.id": place.run,
        "quaestor.turn": place.turn,
    }
    attached, token = context.attach(carried), _tracer.set(tracer)
    try:
        kind = SpanKind.INTERNAL
        with tracer.start_as_current_span(f"invoke_agent {agent}", kind=kind, attributes=attributes) as span:
            try:
                yield TracedTurn(span)
            except Exception as error:
                span.set_attribute("error.type", type(error).__name__)
                raise
    finally:
        _tracer.reset(token)
        context.detach(attached)


@contextmanager
def tool_span(tool: str, description: str, arguments: str) -> Iterator[Callable[[object, str | None], None]]:
    """Trace a tool call in a traced turn; yield a function that records its reply."""
    tracer = _tracer.get()
    if tracer is None:
        yield lambda result, refusal: None
        return
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.description": description,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": arguments.encode("utf-8", "replace").decode(),
    }
    with tracer.start_as_current_span(f"execute_tool {tool}", attributes=attributes) as span:

        def replied(result: object, refusal: str | None) -> None:
            """Record the JSON reply and the message of a refusal."""
            span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
            if refusal is not None:
                _failed(span, f"refused: {refusal}")

        yield replied


def _failed(span: "Span", error: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_attribute("error.type", error.partition(":")[0])
    span.set_status(Status(StatusCode.ERROR, error))
