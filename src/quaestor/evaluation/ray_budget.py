"""What a run may ask of its models, counted in one place for all workers of a cluster.

Every request of every worker is allowed there, and what it used is told there before that worker's next request is
allowed: a limit of requests is never exceeded, one of tokens or money by what was in flight when it was reached. The
counter lives on the machine of the program that runs, and ends with it.
"""

import asyncio
from dataclasses import replace
from typing import Any, Protocol

from quaestor.cluster.joining import Cluster
from quaestor.errors import BudgetExceededError
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.retrying import RetryPolicy
from quaestor.llm.session import ModelConfig
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage

_AT_ONCE = 0.02
"""Seconds that are not worth waiting for."""


class _Remote(Protocol):
    """An operation in another process."""

    def remote(self, *given: Any) -> Any:
        """Begins it, and returns what is awaited for its result."""
        ...


class Counter(Protocol):
    """The counter, from another process."""

    reserve: _Remote
    hold: _Remote
    append: _Remote
    used: _Remote


class _Counter:
    """Counts, in a process of its own."""

    def __init__(self, config: ModelConfig, already: Usage) -> None:
        self._meter = Meter(config.budget, config.price or no_price, already, config.prices)
        self._conversations: dict[str, Usage] = {}

    def reserve(self, model: str) -> BudgetExceededError | float:
        """Allows one more request, which is 0, or returns what forbids it, or the seconds to wait before."""
        if (wait := self._meter.waiting(model)) > _AT_ONCE:
            return wait
        try:
            self._meter.reserve()
        except BudgetExceededError as error:  # as a value it arrives as it is
            return error
        return 0.0

    def hold(self, model: str, seconds: float) -> None:
        """Has no worker ask a model for some time."""
        self._meter.hold(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Counts one exchange."""
        before = self._meter.total
        self._meter.append(exchange)
        name = exchange.place.conversation
        self._conversations[name] = self._conversations.get(name, Usage()) + self._meter.total.since(before)

    def used(self, conversation: str) -> Usage:
        """Returns what a conversation has used, attempts that were lost included."""
        return self._conversations.get(conversation, Usage())


def started_counter(config: ModelConfig, already: Usage, cluster: Cluster) -> Counter:
    """Returns a counter that has begun to count, on the machine of this program.

    Args:
        config: Limits and prices.
        already: What the run has used before.
        cluster: Where its workers are.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(cluster.here, soft=False)
    kind: Any = ray.remote(_Counter)
    counter: Counter = kind.options(num_cpus=0, scheduling_strategy=here).remote(
        replace(config, cassette=None, tracing=None), already
    )
    return counter


class SharedMeter(Meter):
    """A worker's meter: counts its own turns, and asks the counter of all workers before every request."""

    def __init__(self, config: ModelConfig, counter: Counter) -> None:
        """Takes prices, and the counter."""
        super().__init__(None, config.price or no_price, None, config.prices)
        self._counter, self._retries = counter, RetryPolicy()

    def hold(self, model: str, seconds: float) -> float:
        """Has no worker ask a model for some time.

        Args:
            model: Its name.
            seconds: From now.

        Returns:
            When that ends here.
        """
        self._counter.hold.remote(model, seconds)
        return super().hold(model, seconds)

    async def allow(self, model: str = "") -> None:
        """Allows one more request of all workers, once the model is not left alone any more.

        Args:
            model: The name of who is asked.

        Raises:
            BudgetExceededError: A limit is reached.
        """
        while said := await self._counter.reserve.remote(model):
            if isinstance(said, BudgetExceededError):
                raise said
            await asyncio.sleep(self._retries.spread(said))

    def append(self, exchange: Exchange, /) -> None:
        """Counts one exchange, here and for all."""
        super().append(exchange)
        # Told in order: this worker's next request is allowed after it.
        self._counter.append.remote(replace(exchange, request="", response=None))
