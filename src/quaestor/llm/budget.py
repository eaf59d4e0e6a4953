"""What a run may use, and what it has used.

Refuses the next request once a limit is reached; requests that are under way are not cut off, so a run in parallel can
end a little above its limit of tokens or money.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from time import monotonic

from quaestor.errors import BudgetExceededError, SettingsError, unknown_name
from quaestor.llm.naming import ModelSpec
from quaestor.llm.transcript import Exchange, TurnKey
from quaestor.llm.usage import Usage

Pricer = Callable[[Usage], Decimal | None]

_MILLION = 1_000_000
_AMOUNTS = ("input", "output", "cached")


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use; None means no limit.

    Attributes:
        requests: HTTP requests, repeated attempts included.
        tokens: Read and written.
    """

    requests: int | None = None
    tokens: int | None = None
    money: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        cached: Read from the provider's cache; as `input` if None.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None

    def cost(self, usage: Usage) -> Decimal:
        """Return what tokens cost."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / _MILLION


def read_price(name: str, table: Mapping[str, object]) -> Price:
    """Return the price that `[prices.NAME]` in quaestor.toml states.

    Raises:
        SettingsError: A key that is not input, output or cached, or a value that is not a price.
    """
    amounts: dict[str, Decimal] = {}
    for key, value in table.items():
        if key not in _AMOUNTS:
            raise SettingsError(unknown_name("key", key, _AMOUNTS, where=f"in [prices.{name}]"))
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal(-1)
        if isinstance(value, bool) or not amount.is_finite() or amount < 0:
            raise SettingsError(f"{key!r} in [prices.{name}] must be US dollars per million tokens, not {value!r}")
        amounts[key] = amount
    missing = [key for key in ("input", "output") if key not in amounts]
    if missing:
        raise SettingsError(f"[prices.{name}] needs {' and '.join(missing)}: US dollars per million tokens")
    return Price(amounts["input"], amounts["output"], amounts.get("cached"))


@dataclass(frozen=True, slots=True)
class VendorPrice:
    """What a hosted model costs by the table of the `genai-prices` package."""

    provider: str
    model: str

    def cost(self, usage: Usage) -> Decimal | None:
        """Return what tokens cost in US dollars; None if the table does not have the model."""
        from genai_prices import Usage as Counted
        from genai_prices import calc_price

        counted = Counted(
            input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens
        )
        try:
            return calc_price(counted, self.model, provider_id=self.provider).total_price
        except (LookupError, ValueError):  # the model is unknown there, or counts do not fit each other
            return None


def no_price(_usage: Usage) -> Decimal | None:
    """Return None: the price of this model is unknown."""
    return None


class Meter:
    """What has been used, in all and by turn. A sink of exchanges."""

    def __init__(
        self,
        budget: Budget | None = None,
        price: Pricer = no_price,
        already: Usage | None = None,
        prices: Mapping[str, Pricer] | None = None,
    ) -> None:
        """Start to count.

        Args:
            budget: What may be used; nothing is limited without one.
            already: What a run that is resumed had used before.

        Raises:
            SettingsError: Money is limited, and the model has no price.
        """
        self._budget = budget or Budget()
        self._price, self._prices = price, dict(prices or {})
        self._total = already or Usage()
        self._turns: dict[TurnKey, Usage] = {}
        self._begun = self._total.requests
        self._holds: dict[str, float] = {}
        unknown = any(pricer(Usage(1, 1000, 1000)) is None for pricer in (price, *self._prices.values()))
        if self._budget.money is not None and unknown:
            raise SettingsError("a budget in money requires the model's price; set [prices.NAME] in quaestor.toml")

    @property
    def total(self) -> Usage:
        """What has been used in all."""
        return self._total

    @property
    def limited(self) -> bool:
        """Whether anything is limited."""
        return self._budget != Budget()

    def turn(self, place: TurnKey) -> Usage:
        """Return what one turn has used."""
        return self._turns.get(place, Usage())

    def hold(self, model: str, seconds: float) -> float:
        """Keep everybody from asking a model whose server wants to be left alone for some time.

        Returns:
            When that ends, as `waiting` takes it.
        """
        until = monotonic() + seconds
        self._holds[model] = max(until, self._holds.get(model, 0.0))
        return until

    def waiting(self, model: str, since: float = 0.0) -> float:
        """Return the seconds for which nobody asks a model yet.

        Args:
            since: What ends then, or before, does not count: who asks has waited for that.
        """
        until = self._holds.get(model, 0.0)
        return max(0.0, until - monotonic()) if until > since else 0.0

    async def allow(self, model: str = "") -> None:
        """Allow one more request, as `reserve` does: what counts for several processes has to ask for it.

        Args:
            model: The name of who is asked; one that is left alone by other processes is waited for.

        Raises:
            BudgetExceededError: A limit is reached.
        """
        self.reserve()

    def reserve(self) -> None:
        """Allow one more request.

        Raises:
            BudgetExceededError: A limit is reached.
        """
        limit, used = self._budget, self._total
        if limit.requests is not None and self._begun >= limit.requests:
            raise BudgetExceededError(f"{self._begun:,} requests", f"{limit.requests:,} requests")
        if limit.tokens is not None and used.tokens >= limit.tokens:
            raise BudgetExceededError(f"{used.tokens:,} tokens", f"{limit.tokens:,} tokens")
        if limit.money is not None and used.cost is not None and used.cost >= limit.money:
            raise BudgetExceededError(f"{used.cost:.4f} US dollars", f"{limit.money} US dollars")
        self._begun += 1

    def append(self, exchange: Exchange, /) -> None:
        """Count one exchange."""
        price = self._prices.get(exchange.model, self._price)
        usage = replace(exchange.usage, cost=price(exchange.usage) if exchange.usage.tokens else None)
        self._total += usage
        self._turns[exchange.place] = self.turn(exchange.place) + usage


def find_price(spec: ModelSpec, tables: Mapping[str, Mapping[str, object]] | None = None) -> Pricer:
    """Return what prices a model: its table under `[prices]`, else the vendor's known price, else nothing.

    Raises:
        SettingsError: Its table is malformed.
    """
    for name in (spec.name, spec.model):
        if tables and name in tables:
            return read_price(name, tables[name]).cost
    return VendorPrice(spec.provider, spec.model).cost if spec.base_url is None else no_price
