"""A session with a model: opened once, tagged by turn, with all its exchanges."""

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
    """A run's way to its model. Only `spec` and `roles` bear on the results.

    Attributes:
        budget: What the run may use, its earlier attempts included; None means no limit.
        price: What tokens cost; None if unknown.
        cassette: Records the exchanges, or replays recorded ones.
        tracing: Takes a span of OpenTelemetry for each request.
        roles: The models of roles that have one of their own, by the solver's names for its roles.
        prices: What their tokens cost, by the models' names.
    """

    spec: "ModelSpec"
    budget: "Budget | None" = None
    price: "Pricer | None" = None
    cassette: "Cassette | None" = None
    tracing: "TracerProvider | None" = None
    roles: "Mapping[str, ModelSpec]" = field(default_factory=dict)
    prices: "Mapping[str, Pricer]" = field(default_factory=dict)

    @property
    def fingerprint(self) -> dict[str, JsonValue]:
        """What of the models bears on their replies: not where they are reached, nor how patiently."""
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
    """The exchanges of conversations that have not ended. A sink of exchanges."""

    def __init__(self) -> None:
        """Begin without any."""
        self._exchanges: list[Exchange] = []
        self._hearing: dict[str, Callable[[Exchange], None]] = {}

    def append(self, exchange: "Exchange", /) -> None:
        """Keep one exchange, and pass it to the listener of its conversation."""
        self._exchanges.append(exchange)
        if hearing := self._hearing.get(exchange.place.conversation):
            hearing(exchange)

    @contextmanager
    def listen(self, conversation: str, listener: "Callable[[Exchange], None]") -> Iterator[None]:
        """Pass each exchange of a conversation that ends inside to a listener, as it ends."""
        self._hearing[conversation] = listener
        try:
            yield
        finally:
            del self._hearing[conversation]

    def take(self, conversation: str) -> "list[Exchange]":
        """Return the exchanges of a conversation, in order, and forgets them."""
        found = [exchange for exchange in self._exchanges if exchange.place.conversation == conversation]
        self._exchanges[:] = [exchange for exchange in self._exchanges if exchange.place.conversation != conversation]
        return sorted(found, key=lambda exchange: (exchange.place.turn, exchange.number))


class ModelSession:
    """A model that can be asked, and the exchanges of conversations that have not ended.

    Attributes:
        roles: The models of roles that have one of their own; one meter counts them all.
        config: What it was opened with, for processes that open one of their own; None if unknown.
    """

    def __init__(
        self,
        connection: "Connection",
        exchanges: ExchangeLog | None = None,
        run: str = "",
        roles: "Mapping[str, Connection] | None" = None,
        tracing: "TracerProvider | None" = None,
        config: ModelConfig | None = None,
    ) -> None:
        """Take open connections, what takes their exchanges, what takes spans of turns, and what opened it."""
        self._tracing = tracing
        self.config: ModelConfig | None = config
        self.connection: Connection = connection
        self.run: str = run
        self.roles: dict[str, Connection] = dict(roles or {})
        self.exchanges: ExchangeLog = exchanges or ExchangeLog()

    def heard_elsewhere(self, exchanges: "Iterable[Exchange]") -> None:
        """Count and records what another process has asked in the place of this one."""
        recording = self.config.cassette.sinks if self.config and self.config.cassette else ()
        for exchange in exchanges:
            for sink in (self.connection.meter, *recording):
                sink.append(exchange)

    @contextmanager
    def asking(self, conversation: str, turn: int, agent: str = "") -> "Iterator[TracedTurn]":
        """Tag what is asked inside, trace the turn, and give what records how it ended."""
        from quaestor.llm.tracing import turn_span
        from quaestor.llm.transcript import turn_context

        with (
            turn_context(self.run, conversation, turn) as place,
            turn_span(self._tracing, agent, self.connection.spec, place) as span,
        ):
            yield span

    def used(self, conversation: str, turn: int) -> Usage:
        """Return what a turn has used so far."""
        from quaestor.llm.transcript import TurnKey

        return self.connection.meter.turn(TurnKey(self.run, conversation, turn))

    def take(self, conversation: str) -> "tuple[tuple[Exchange, ...], Usage]":
        """Return the exchanges of a conversation, in order, and what they used; and forgets them."""
        found = self.exchanges.take(conversation)
        places = dict.fromkeys(exchange.place for exchange in found)
        return tuple(found), sum((self.connection.meter.turn(place) for place in places), Usage())


@asynccontextmanager
async def open_session(
    config: ModelConfig | str, already: Usage | None = None, meter: "Meter | None" = None
) -> AsyncIterator[ModelSession]:
    """Give a model that can be asked.

    Args:
        config: The model, those of roles that have one of their own, and the limits and prices of all; or just the
            model's name, such as `anthropic:NAME`.
        already: What the run has used before.
        meter: What counts and limits, if that is not for this session alone; then `already` is its matter.

    Raises:
        ModelAccessError: A key is needed and not set, or the name is of no model.
        SettingsError: The extra `models` is not installed, or money is limited, and the model has no price.
    """
    require_extra("models", "asking a model")
    from quaestor.llm.budget import Meter, no_price
    from quaestor.llm.models import connect
    from quaestor.llm.naming import find_model

    config = ModelConfig(find_model(config)) if isinstance(config, str) else config
    exchanges = ExchangeLog()
    meter = meter or Meter(config.budget, config.price or no_price, already, config.prices)
    async with AsyncExitStack() as stack:
        # Roles whose models differ in nothing share one connection.
        connections = {
            spec: await stack.enter_async_context(
                connect(spec, sinks=[exchanges], meter=meter, cassette=config.cassette, tracing=config.tracing)
            )
            for spec in dict.fromkeys((config.spec, *config.roles.values()))
        }
        roles = {role: connections[spec] for role, spec in config.roles.items()}
        yield ModelSession(connections[config.spec], exchanges, roles=roles, tracing=config.tracing, config=config)
