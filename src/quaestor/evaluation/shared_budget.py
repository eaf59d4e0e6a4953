"""What a run may ask of its models, counted in one place for all of its workers, on this machine or on many.

Every request of every worker is allowed there, and what it used is told there before that worker's next request is
allowed: a limit of requests is never exceeded, one of tokens or money by what was in flight when it was reached. How a
worker reaches the counter is its engine's: a `CounterLine`.
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

_AT_ONCE = 0.02
"""Seconds that are not worth waiting for."""


class Counter:
    """Counts, in one process."""

    def __init__(self, meter: Meter) -> None:
        """Take what counts: it has the limits, the prices, and what the run has used before."""
        self._meter = meter
        self._conversations: dict[str, Usage] = {}

    def reserve(self, model: str) -> BudgetExceededError | float:
        """Allow one more request, which is 0, or returns what forbids it, or the seconds to wait before."""
        if (wait := self._meter.waiting(model)) > _AT_ONCE:
            return wait
        try:
            self._meter.reserve()
        except BudgetExceededError as error:  # as a value it arrives as it is
            return error
        return 0.0

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._meter.hold(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count one exchange."""
        before = self._meter.total
        self._meter.append(exchange)
        name = exchange.place.conversation
        self._conversations[name] = self._conversations.get(name, Usage()) + self._meter.total.since(before)

    def used(self, conversation: str) -> Usage:
        """Return what a conversation has used, attempts that were lost included."""
        return self._conversations.get(conversation, Usage())


class CounterLine(Protocol):
    """A worker's way to the counter. What is said arrives in order."""

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """As the counter's."""
        ...

    def hold(self, model: str, seconds: float) -> None:
        """As the counter's; nothing is waited for."""
        ...

    def append(self, exchange: Exchange) -> None:
        """As the counter's; nothing is waited for."""
        ...


class SharedMeter(Meter):
    """A worker's meter: counts its own turns, and asks the counter of all workers before every request."""

    def __init__(self, config: ModelConfig, counter: CounterLine) -> None:
        """Take prices, and the counter."""
        super().__init__(None, config.price or no_price, None, config.prices)
        self._counter, self._retries = counter, RetryPolicy()

    def hold(self, model: str, seconds: float) -> float:
        """Keep all workers from asking a model for some time, and return when that ends here."""
        self._counter.hold(model, seconds)
        return super().hold(model, seconds)

    def hold_here(self, model: str, seconds: float) -> None:
        """Keep this worker from asking a model that another one has to leave alone for some time."""
        super().hold(model, seconds)

    async def allow(self, model: str = "") -> None:
        """Allow one more request of all workers, once the model is not left alone any more."""
        while reply := await self._counter.reserve(model):
            if isinstance(reply, BudgetExceededError):
                raise reply
            await asyncio.sleep(self._retries.spread(reply))

    def append(self, exchange: Exchange, /) -> None:
        """Count one exchange, here and for all."""
        super().append(exchange)
        # Told in order: this worker's next request is allowed after it.
        self._counter.append(exchange)


def workers_config(session: ModelSession, engine: str) -> ModelConfig:
    """Return what workers open sessions of their own with."""
    config = session.config
    if config is None:
        raise EngineError(
            f"the engine {engine!r} needs a session from `open_session`, as its workers open sessions of their own"
        )
    if config.tracing is not None:
        raise EngineError(
            f"the engine {engine!r} does not send traces from its workers: use 'inline', or turn tracing off"
        )
    # What is recorded is written by one process, from what comes back; a recording that is played travels.
    replayed = config.cassette if config.cassette is not None and not config.cassette.live else None
    return replace(config, cassette=replayed)


class WorkersModel:
    """A worker's way to the model, opened when it is asked for first; it ends with the worker."""

    def __init__(self, config: ModelConfig, run: str, counter: CounterLine) -> None:
        """Take what it is opened with, the run's id, for tags, and the counter."""
        self._config, self._run = config, run
        self.meter = SharedMeter(config, counter)
        self._opening: asyncio.Task[ModelSession] | None = None
        self._stack = AsyncExitStack()

    async def session(self) -> ModelSession:
        """Return the session, which all conversations of the worker share."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> ModelSession:
        opened = await self._stack.enter_async_context(open_session(self._config, meter=self.meter))
        opened.run = self._run
        return opened
