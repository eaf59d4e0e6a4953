"""Shared model budget of a run, counted in one place for all workers, on one machine or many.

Every request of every worker is reserved there, and its usage is reported before the worker's next reservation: a limit
on requests is never exceeded, a limit on tokens or money only by the requests in flight. How a worker reaches the
counter depends on the engine (`CounterLine`).
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Protocol

from quaestor.errors import BudgetExceededError, EngineError
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.models import RetryPolicy
from quaestor.llm.session import ModelConfig, ModelSession, open_session
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage

_SHORTEST_WAIT = 0.02
"""Waits below this number of seconds are skipped."""


class Counter:
    """Counter in one process."""

    def __init__(self, meter: Meter) -> None:
        """Set the meter, which has the limits, the prices, and the run's usage so far."""
        self._meter = meter
        self._conversations: dict[str, Usage] = {}

    def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request; return 0, the seconds to wait first, or the error that forbids it."""
        if (wait := self._meter.waiting(model)) > _SHORTEST_WAIT:
            return wait
        try:
            self._meter.reserve()
        except BudgetExceededError as error:  # returned as a value, to be sent unchanged
            return error
        return 0.0

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._meter.hold(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count an exchange."""
        before = self._meter.total
        self._meter.append(exchange)
        name = exchange.place.conversation
        self._conversations[name] = self._conversations.get(name, Usage()) + self._meter.total.since(before)

    def used(self, conversation: str) -> Usage:
        """Return the usage of a conversation, including lost attempts."""
        return self._conversations.get(conversation, Usage())


class CounterLine(Protocol):
    """A worker's connection to the counter. Messages arrive in order."""

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request, as `Counter.reserve`."""
        ...

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model, without waiting for a reply."""
        ...

    def append(self, exchange: Exchange) -> None:
        """Count an exchange, without waiting for a reply."""
        ...


class SharedMeter(Meter):
    """A worker's meter: counts its own turns, and reserves every request with the shared counter."""

    def __init__(self, config: ModelConfig, counter: CounterLine) -> None:
        """Set the prices and the counter."""
        super().__init__(None, config.price or no_price, None, config.prices)
        self._counter, self._retries = counter, RetryPolicy()

    def hold(self, model: str, seconds: float) -> float:
        """Keep all workers from asking a model for some time; return the end of this time here."""
        self._counter.hold(model, seconds)
        return super().hold(model, seconds)

    def hold_here(self, model: str, seconds: float) -> None:
        """Keep this worker from asking a model for the time that another worker announced."""
        super().hold(model, seconds)

    async def allow(self, model: str = "") -> None:
        """Reserve one more request, after waiting while the model is on hold."""
        while reply := await self._counter.reserve(model):
            if isinstance(reply, BudgetExceededError):
                raise reply
            await asyncio.sleep(self._retries.spread(reply))

    def append(self, exchange: Exchange, /) -> None:
        """Count an exchange, here and in the shared counter."""
        super().append(exchange)
        # Messages are in order, so the worker's next reservation comes after it.
        self._counter.append(exchange)


def workers_config(session: ModelSession, engine: str) -> ModelConfig:
    """Return the configuration with which workers open their own sessions."""
    config = session.config
    if config is None:
        raise EngineError(
            f"the engine {engine!r} needs a session from `open_session`, as its workers open sessions of their own"
        )
    if config.tracing is not None:
        raise EngineError(
            f"the engine {engine!r} does not send traces from its workers: use 'inline', or turn tracing off"
        )
    # Recordings are written by one process, from the exchanges that workers return; only cassettes to replay are sent.
    replayed = config.cassette if config.cassette is not None and not config.cassette.live else None
    return replace(config, cassette=replayed)


class WorkersModel:
    """A worker's session with the model, opened on first use and closed when the worker ends."""

    def __init__(self, config: ModelConfig, run: str, counter: CounterLine) -> None:
        """Set the configuration, the run's id for tags, and the counter."""
        self._config, self._run = config, run
        self.meter = SharedMeter(config, counter)
        self._opening: asyncio.Task[ModelSession] | None = None
        self._stack = AsyncExitStack()

    async def session(self) -> ModelSession:
        """Return the session shared by all conversations of the worker."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> ModelSession:
        opened = await self._stack.enter_async_context(open_session(self._config, meter=self.meter))
        opened.run = self._run
        return opened
