"""The counter of a run's requests on a Ray cluster: on the machine of the program that runs, and it ends with it."""

from dataclasses import replace
from typing import Any, Protocol

from quaestor.cluster.joining import Cluster
from quaestor.errors import BudgetExceededError
from quaestor.evaluation.shared_budget import Counter
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.session import ModelConfig
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage


class _Remote(Protocol):
    """An operation in another process."""

    def remote(self, *given: Any) -> Any:
        """Begin it, and return what is awaited for its result."""
        ...


class _Actor(Protocol):
    reserve: _Remote
    hold: _Remote
    append: _Remote
    used: _Remote


class RayCounter:
    """The counter, from any process of the cluster. A `CounterLine`."""

    def __init__(self, actor: _Actor) -> None:
        """Take the actor that counts."""
        self._actor = actor

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Allow one more request, which is 0, or returns what forbids it, or the seconds to wait before."""
        reply: BudgetExceededError | float = await self._actor.reserve.remote(model)
        return reply

    def hold(self, model: str, seconds: float) -> None:
        """Has no worker ask a model for some time."""
        self._actor.hold.remote(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count one exchange."""
        self._actor.append.remote(replace(exchange, request="", response=None))

    async def used(self, conversation: str) -> Usage:
        """Return what a conversation has used, attempts that were lost included."""
        used: Usage = await self._actor.used.remote(conversation)
        return used


class _CountingActor(Counter):
    """The counter, in a process of its own."""

    def __init__(self, config: ModelConfig, already: Usage) -> None:
        super().__init__(Meter(config.budget, config.price or no_price, already, config.prices))


def started_counter(config: ModelConfig, already: Usage, cluster: Cluster) -> RayCounter:
    """Return a counter that has begun to count, on the machine of this program."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(cluster.here, soft=False)
    kind: Any = ray.remote(_CountingActor)
    actor: _Actor = kind.options(num_cpus=0, scheduling_strategy=here).remote(replace(config, cassette=None), already)
    return RayCounter(actor)
