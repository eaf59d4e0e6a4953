"""Budget of a run, and its usage.

Once a limit is reached, further requests are refused; requests in progress are not cancelled, so parallel conversations
can slightly exceed a limit of tokens or money.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import partial
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
    """Limits of a run; None for no limit."""

    requests: int | None = None
    tokens: int | None = None
    money: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        cached: Price of tokens read from the provider's cache; None for that of `input`.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None

    def cost(self, usage: Usage) -> Decimal:
        """Return the cost of usage."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / _MILLION


def read_price(name: str, table: Mapping[str, object]) -> Price:
    """Read a table `[prices.NAME]` of quaestor.toml."""
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


def vendor_cost(provider: str, model: str, usage: Usage) -> Decimal | None:
    """Return the cost of a hosted model by the table of `genai-prices`; None if that lacks the model."""
    from genai_prices import Usage as Counted
    from genai_prices import calc_price

    counted = Counted(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens
    )
    try:
        return calc_price(counted, model, provider_id=provider).total_price
    except (LookupError, ValueError):  # unknown model, or inconsistent counts
        return None


def no_price(_usage: Usage) -> Decimal | None:
    """Return None, for a model of unknown price."""
    return None


class Meter:
    """Sink of exchanges that counts usage, in total and by turn, and enforces a budget."""

    def __init__(
        self,
        budget: Budget | None = None,
        price: Pricer = no_price,
        already: Usage | None = None,
        prices: Mapping[str, Pricer] | None = None,
    ) -> None:
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
        """The total usage."""
        return self._total

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return self._budget != Budget()

    def turn(self, place: TurnKey) -> Usage:
        """Return the usage of one turn."""
        return self._turns.get(place, Usage())

    def hold(self, model: str, seconds: float) -> float:
        """Pause requests to a model whose server asks for it.

        Returns:
            The end of the pause, for `waiting`.
        """
        until = monotonic() + seconds
        self._holds[model] = max(until, self._holds.get(model, 0.0))
        return until

    def waiting(self, model: str, since: float = 0.0) -> float:
        """Return for how many seconds requests to a model are still paused.

        Args:
            since: The end of a pause that the caller has already waited for, which is ignored.
        """
        until = self._holds.get(model, 0.0)
        return max(0.0, until - monotonic()) if until > since else 0.0

    async def allow(self, model: str = "") -> None:
        """Reserve one request like `reserve`, waiting if several processes share the budget."""
        self.reserve()

    def reserve(self) -> None:
        """Reserve one request, or raise BudgetExceededError."""
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
    """Return the pricer of a model: its table under `[prices]`, else the vendor's price, else none."""
    for name in (spec.name, spec.model):
        if tables and name in tables:
            return read_price(name, tables[name]).cost
    return partial(vendor_cost, spec.provider, spec.model) if spec.base_url is None else no_price
