"""Traces of model requests, sent to where OpenTelemetry's own environment variables point. Off unless asked for."""

from typing import TYPE_CHECKING

from quaestor.errors import SettingsError

if TYPE_CHECKING:
    from pydantic_ai.models import Model


def start_tracing() -> None:
    """Sends traces to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT` from now on.

    Raises:
        SettingsError: The extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError("tracing needs OpenTelemetry: pip install 'quaestor[otel]'") from error
    from opentelemetry import trace

    provider = TracerProvider(resource=Resource.create({"service.name": "quaestor"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def traced(model: "Model") -> "Model":
    """Returns the model with a span around each request, prompts and replies in it."""
    from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel

    return InstrumentedModel(model, InstrumentationSettings(include_content=True))
