"""Connect to a model by name.

All requests of a connection go through this module, to a single address.
"""

import asyncio
import os
import random
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from quaestor.errors import ModelAccessError
from quaestor.extras import require_extra
from quaestor.llm.budget import Meter
from quaestor.llm.naming import ModelSpec

if TYPE_CHECKING:  # optional dependencies, which a plain install lacks
    import httpx2
    from opentelemetry.trace import TracerProvider
    from pydantic_ai.models import Model

    from quaestor.llm.guarded import Sleep
    from quaestor.llm.transcript import Sink

_NO_KEY = "no-key"


class Cassette(Protocol):
    """A layer between client and network that records or replays exchanges."""

    @property
    def live(self) -> bool:
        """Whether requests reach the network."""
        ...

    def transport(self, network: "httpx2.AsyncBaseTransport") -> "httpx2.AsyncBaseTransport":
        """Return the transport for requests."""
        ...

    @property
    def sinks(self) -> "Sequence[Sink]":
        """The sinks of recorded exchanges."""
        ...


@dataclass(frozen=True, slots=True)
class Connection:
    """A model with its usage."""

    model: "Model"
    meter: Meter
    spec: ModelSpec


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number of attempts and pauses between them.

    Attributes:
        first: Seconds before the second attempt; the limit doubles with each further one.
        longest: Limit in seconds for a pause of ours.
        patience: Limit in seconds for a pause that a server asks for (`retry-after`); a longer one is an outage.
        draw: Returns a random number from 0 to 1, so that parallel conversations do not retry at the same time.
    """

    attempts: int = 6
    first: float = 0.5
    longest: float = 30.0
    patience: float = 120.0
    draw: Callable[[], float] = field(default=random.random)

    def pause(self, attempt: int, retry_after: float | None = None) -> float | None:
        """Return the seconds to wait after a failed attempt; None to give up."""
        if attempt >= self.attempts or (retry_after is not None and retry_after > self.patience):
            return None
        widest = min(self.longest, self.first * float(2 ** (attempt - 1)))
        ours = widest * (0.5 + 0.5 * self.draw())
        return ours if retry_after is None else retry_after + ours * 0.1

    def spread(self, seconds: float) -> float:
        """Lengthen a wait at random, so that conversations that begin it together do not end it together."""
        return seconds * (1 + 0.2 * self.draw())


def key_of(spec: ModelSpec, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the key, or None if it is neither set nor needed."""
    variables = os.environ if environment is None else environment
    key = (variables.get(spec.key_variable) or "").strip() if spec.key_variable else ""
    if not key and spec.key_needed:
        raise ModelAccessError(f"no API key for {spec.name}; set the environment variable {spec.key_variable}")
    if not key.isascii() or not key.isprintable():
        raise ModelAccessError(f"the API key in {spec.key_variable} contains invalid characters; set it again")
    return key or None


@asynccontextmanager
async def connect(
    spec: ModelSpec | str,
    *,
    sinks: "Sequence[Sink]" = (),
    meter: Meter | None = None,
    cassette: Cassette | None = None,
    tracing: "TracerProvider | None" = None,
    environment: Mapping[str, str] | None = None,
    sleep: "Sleep" = asyncio.sleep,
) -> AsyncIterator[Connection]:
    """Connect to a model, which any number of tasks of one event loop may use."""
    require_extra("models", "asking a model")
    import httpx2

    from quaestor.llm.clients import make_model
    from quaestor.llm.guarded import RetryingModel
    from quaestor.llm.naming import find_model
    from quaestor.llm.transport import WatchingTransport

    spec = find_model(spec) if isinstance(spec, str) else spec
    meter = meter or Meter()
    live = cassette is None or cassette.live
    key = key_of(spec, environment) if live else None
    network = _network(spec)
    watched = WatchingTransport(
        cassette.transport(network) if cassette else network,
        [meter, *sinks, *(cassette.sinks if cassette else ())],
        model=spec.name,
        secrets=[key] if key else [],
    )
    # Uncompressed bodies are readable in a transcript; a few kilobytes are not worth compressing.
    async with httpx2.AsyncClient(
        transport=watched,
        timeout=httpx2.Timeout(spec.timeout, connect=spec.connect_timeout),
        headers={"accept-encoding": "identity"},
    ) as client:
        model: Model = RetryingModel(
            make_model(spec, key or _NO_KEY, client),
            spec,
            meter,
            retries=RetryPolicy(attempts=spec.attempts),
            sleep=sleep if live else _skip_wait,
        )
        if tracing is not None:
            from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel

            # Each request gets a span with prompts and replies.
            model = InstrumentedModel(model, InstrumentationSettings(tracer_provider=tracing, include_content=True))
        yield Connection(model, meter, spec)


async def _skip_wait(_seconds: float) -> None:
    """Return at once: a replay need not wait."""


def _network(spec: ModelSpec) -> "httpx2.AsyncBaseTransport":
    """Create the network transport with proxy settings, which clients ignore if they get an explicit transport."""
    import httpx2

    url = urlsplit(spec.address)
    proxy = None if proxy_bypass(url.netloc) else getproxies().get(url.scheme) or getproxies().get("all")
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx2.AsyncHTTPTransport(verify=_certificates(), proxy=proxy, limits=limits)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Load the trusted certificates, cached because that takes as long as ten requests."""
    import httpx2

    return httpx2.create_ssl_context()
