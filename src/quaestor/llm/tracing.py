"""Traces of model requests, sent to where OpenTelemetry's own environment variables point. Off unless asked for.

Sets no global provider: what else runs in this process is not traced.
"""

from typing import TYPE_CHECKING

from quaestor.extras import require_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import TracerProvider as AnyProvider
    from pydantic_ai.models import Model


def start_tracing() -> "TracerProvider":
    """Returns what sends traces to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`; shut it down at the end.

    Raises:
        SettingsError: The extra `otel` is not installed.
    """
    require_extra("otel", "tracing")
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider as Provider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = Provider(resource=Resource.create({"service.name": "quaestor"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def traced(model: "Model", provider: "AnyProvider") -> "Model":
    """Returns the model with a span around each request, prompts and replies in it."""
    from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel

    return InstrumentedModel(model, InstrumentationSettings(tracer_provider=provider, include_content=True))
