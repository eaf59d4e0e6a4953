"""From a name to a model that can be asked.

All requests of a connection go to one address, and through here.
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

if TYPE_CHECKING:  # a plain install has none of them, and has this module's names all the same
    import httpx2
    from opentelemetry.trace import TracerProvider
    from pydantic_ai.models import Model

    from quaestor.llm.guarded import Sleep
    from quaestor.llm.transcript import Sink

_NO_KEY = "no-key"


class Cassette(Protocol):
    """What is between a client and the network: a cassette that records, or one that replays."""

    @property
    def live(self) -> bool:
        """Whether requests reach the network."""
        ...

    def transport(self, network: "httpx2.AsyncBaseTransport") -> "httpx2.AsyncBaseTransport":
        """Return what answers requests."""
        ...

    @property
    def sinks(self) -> "Sequence[Sink]":
        """What takes the exchanges that are recorded."""
        ...


@dataclass(frozen=True, slots=True)
class Connection:
    """A model, and what it has used.

    Attributes:
        model: For pydantic-ai's agents. Raises quaestor's errors.
        meter: Usage in all and by turn.
    """

    model: "Model"
    meter: Meter
    spec: ModelSpec


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently.

    Attributes:
        attempts: At most so many requests for one reply.
        first: Seconds before the second attempt; each further pause may be twice as long.
        longest: Seconds that a pause of ours lasts at most.
        patience: Seconds that a server may ask us to wait (`retry-after`); more is an outage.
        draw: A number from 0 to 1, so that parallel conversations do not come back all at once.
    """

    attempts: int = 6
    first: float = 0.5
    longest: float = 30.0
    patience: float = 120.0
    draw: Callable[[], float] = field(default=random.random)

    def pause(self, attempt: int, asked: float | None = None) -> float | None:
        """Return the seconds to wait after attempt 1, 2, ...; None if no further one is worth it.

        Args:
            attempt: The attempt that failed, from 1.
            asked: What the server asks for, in seconds.
        """
        if attempt >= self.attempts or (asked is not None and asked > self.patience):
            return None
        widest = min(self.longest, self.first * float(2 ** (attempt - 1)))
        ours = widest * (0.5 + 0.5 * self.draw())
        return ours if asked is None else asked + ours * 0.1

    def spread(self, seconds: float) -> float:
        """Return a wait that many begin at once, a little longer for each, so that they do not come back at once."""
        return seconds * (1 + 0.2 * self.draw())


def key_of(spec: ModelSpec, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the key, or None if none is set and none needed.

    Raises:
        ModelAccessError: A key is needed and not set.
    """
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
    """Give a model that can be asked, from any number of tasks of one event loop.

    Args:
        spec: Provider, address and name of the model, and what its server can do; or just its name, as `find_model`
            takes it.
        sinks: Take every exchange, such as a list.
        meter: Counts and limits; without one, all is counted and nothing limited.
        cassette: Records the exchanges, or replays recorded ones without a network and without a key.
        tracing: Takes a span for each request, such as `tracing.start_tracing()` returns.
        environment: Where the key is looked up, `os.environ` by default.
        sleep: Waits between attempts.

    Raises:
        ModelAccessError: A key is needed and not set, or the name is of no model.
        SettingsError: The extra `models` is not installed.
    """
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
    # Plain text on the wire is what people can read in a transcript; a few kilobytes are not worth compressing.
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
            from quaestor.llm.tracing import traced

            model = traced(model, tracing)
        yield Connection(model, meter, spec)


async def _skip_wait(_seconds: float) -> None:
    """Does not wait: what is replayed has waited when it was recorded."""


def _network(spec: ModelSpec) -> "httpx2.AsyncBaseTransport":
    """The way out. A client that is given a transport reads no proxies, so they are read here, for its one address."""
    import httpx2

    url = urlsplit(spec.address)
    proxy = None if proxy_bypass(url.netloc) else getproxies().get(url.scheme) or getproxies().get("all")
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx2.AsyncHTTPTransport(verify=_certificates(), proxy=proxy, limits=limits)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The trusted ones, read once: that takes as long as ten requests."""
    import httpx2

    return httpx2.create_ssl_context()
