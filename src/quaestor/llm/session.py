"""Session with a model: its connections, opened once, and the exchanges of each turn."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from pydantic import JsonValue

from quaestor.extras import require_extra
from quaestor.llm.usage import Usage

if TYPE_CHECKING:  # a run without a model need not load an HTTP client
    from opentelemetry.sdk.trace import TracerProvider

    from quaestor.llm.budget import Budget, Meter, Pricer
    from quaestor.llm.models import Cassette, Connection
    from quaestor.llm.naming import ModelSpec
    from quaestor.llm.tracing import TracedTurn
    from quaestor.llm.transcript import Exchange


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """Configuration of a run's models. Only `spec` and `roles` affect the results."""

    spec: "ModelSpec"
    budget: "Budget | None" = None
    price: "Pricer | None" = None
    cassette: "Cassette | None" = None
    tracing: "TracerProvider | None" = None
    roles: "Mapping[str, ModelSpec]" = field(default_factory=dict)
    prices: "Mapping[str, Pricer]" = field(default_factory=dict)

    @property
    def fingerprint(self) -> dict[str, JsonValue]:
        """The settings of the models that affect their replies, without addresses and retries."""
        roles: dict[str, JsonValue] = {role: _fingerprint(spec) for role, spec in sorted(self.roles.items())}
        return _fingerprint(self.spec) | ({"roles": roles} if roles else {})


def _fingerprint(spec: "ModelSpec") -> dict[str, JsonValue]:
    profile: dict[str, JsonValue] = {x.name: getattr(spec.profile, x.name) for x in fields(spec.profile)}
    return {
        "provider": spec.provider,
        "model": spec.model,
        "temperature": spec.temperature,
        "seed": spec.seed,
        "max_tokens": spec.max_tokens,
        "profile": profile,
    }


class ExchangeLog:
    """Sink with the exchanges of conversations in progress."""

    def __init__(self) -> None:
        self._exchanges: list[Exchange] = []
        self._hearing: dict[str, Callable[[Exchange], None]] = {}

    def append(self, exchange: "Exchange", /) -> None:
        """Store one exchange, and pass it to the listener of its conversation."""
        self._exchanges.append(exchange)
        if hearing := self._hearing.get(exchange.place.conversation):
            hearing(exchange)

    @contextmanager
    def listen(self, conversation: str, listener: "Callable[[Exchange], None]") -> Iterator[None]:
        """Pass the exchanges of a conversation to a listener as they end, inside the context."""
        self._hearing[conversation] = listener
        try:
            yield
        finally:
            del self._hearing[conversation]

    def take(self, conversation: str) -> "list[Exchange]":
        """Remove and return the exchanges of a conversation, in order."""
        found = [exchange for exchange in self._exchanges if exchange.place.conversation == conversation]
        self._exchanges[:] = [exchange for exchange in self._exchanges if exchange.place.conversation != conversation]
        return sorted(found, key=lambda exchange: (exchange.place.turn, exchange.number))


class ModelSession:
    """Open connections to models, and the exchanges of conversations in progress."""

    def __init__(
        self,
        connection: "Connection",
        exchanges: ExchangeLog | None = None,
        run: str = "",
        roles: "Mapping[str, Connection] | None" = None,
        tracing: "TracerProvider | None" = None,
        config: ModelConfig | None = None,
    ) -> None:
        self._tracing = tracing
        self.config: ModelConfig | None = config
        self.connection: Connection = connection
        self.run: str = run
        self.roles: dict[str, Connection] = dict(roles or {})
        self.exchanges: ExchangeLog = exchanges or ExchangeLog()

    def add_exchanges(self, exchanges: "Iterable[Exchange]") -> None:
        """Count and record the exchanges of another process."""
        recording = self.config.cassette.sinks if self.config and self.config.cassette else ()
        for exchange in exchanges:
            for sink in (self.connection.meter, *recording):
                sink.append(exchange)

    @contextmanager
    def trace_turn(self, conversation: str, turn: int, agent: str = "") -> "Iterator[TracedTurn]":
        """Tag and trace the requests of a turn inside the context; yield an object that records how the turn ended."""
        from quaestor.llm.tracing import turn_span
        from quaestor.llm.transcript import turn_context

        with (
            turn_context(self.run, conversation, turn) as place,
            turn_span(self._tracing, agent, self.connection.spec, place) as span,
        ):
            yield span

    def used(self, conversation: str, turn: int) -> Usage:
        """Return the usage of a turn so far."""
        from quaestor.llm.transcript import TurnKey

        return self.connection.meter.turn(TurnKey(self.run, conversation, turn))

    def take(self, conversation: str) -> "tuple[tuple[Exchange, ...], Usage]":
        """Remove and return the exchanges of a conversation, in order, with their usage."""
        found = self.exchanges.take(conversation)
        places = dict.fromkeys(exchange.place for exchange in found)
        return tuple(found), sum((self.connection.meter.turn(place) for place in places), Usage())


@asynccontextmanager
async def open_session(
    config: ModelConfig | str, already: Usage | None = None, meter: "Meter | None" = None
) -> AsyncIterator[ModelSession]:
    """Open a session with a model."""
    require_extra("models", "asking a model")
    from quaestor.llm.budget import Meter, no_price
    from quaestor.llm.models import connect
    from quaestor.llm.naming import find_model

    config = ModelConfig(find_model(config)) if isinstance(config, str) else config
    exchanges = ExchangeLog()
    meter = meter or Meter(config.budget, config.price or no_price, already, config.prices)
    async with AsyncExitStack() as stack:
        # Roles with identical models share one connection.
        connections = {
            spec: await stack.enter_async_context(
                connect(spec, sinks=[exchanges], meter=meter, cassette=config.cassette, tracing=config.tracing)
            )
            for spec in dict.fromkeys((config.spec, *config.roles.values()))
        }
        roles = {role: connections[spec] for role, spec in config.roles.items()}
        yield ModelSession(connections[config.spec], exchanges, roles=roles, tracing=config.tracing, config=config)
