import asyncio
from decimal import Decimal

import pytest
from model_bench import Bench
from model_replies import broken, say
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest

from quaestor.errors import BudgetExceededError, OutageError, SettingsError
from quaestor.llm.budget import Budget, Meter, Price, find_price, read_price
from quaestor.llm.naming import find_model
from quaestor.llm.transcript import TurnKey, turn_context
from quaestor.llm.usage import Usage
from quaestor.testing.models import Reply

HELLO = [ModelRequest.user_text_prompt("hello")]
DEAR = Price(Decimal(1000), Decimal(2000))


def ask_until_refused(bench: Bench, meter: Meter, at_most: int = 20) -> str:
    async def run() -> str:
        async with bench.connect(meter=meter) as connection:
            for turn in range(at_most):
                with turn_context("r", "c", turn):
                    await model_request(connection.model, HELLO)
        raise AssertionError("was never refused")

    with pytest.raises(BudgetExceededError) as caught:
        asyncio.run(run())
    # An outage leaves the remaining turns unscored, and the run can be resumed.
    assert isinstance(caught.value, OutageError)
    return str(caught.value)


def test_repeated_attempts_count(bench: Bench) -> None:
    bench.server.script = lambda request: broken(500)
    ask_until_refused(bench, Meter(Budget(requests=4)))
    assert len(bench.server.requests) == 4


def test_tokens_are_limited(bench: Bench) -> None:
    meter = Meter(Budget(tokens=40))
    assert "45 tokens" in ask_until_refused(bench, meter)
    assert (meter.total.requests, meter.total.tokens) == (3, 45)


def test_cost_is_limited(bench: Bench) -> None:
    meter = Meter(Budget(money=Decimal("0.05")), DEAR.cost)
    assert "0.0600 US dollars" in ask_until_refused(bench, meter)
    assert meter.total.cost == Decimal("0.06")


def test_a_resumed_run_continues_its_counts(bench: Bench) -> None:
    ask_until_refused(bench, Meter(Budget(requests=10), already=Usage(requests=8)))
    assert len(bench.server.requests) == 2


def test_requests_in_parallel_stay_within_the_limit(bench: Bench) -> None:
    bench.server.script = lambda request: say("hello", delay=0.01)

    async def run() -> list[object]:
        async with bench.connect(meter=Meter(Budget(requests=7))) as connection:
            requests = (model_request(connection.model, HELLO) for _ in range(20))
            return list(await asyncio.gather(*requests, return_exceptions=True))

    outcomes = asyncio.run(run())
    assert len(bench.server.requests) == 7
    assert sum(isinstance(outcome, BudgetExceededError) for outcome in outcomes) == 13


def test_usage_is_known_by_turn(bench: Bench) -> None:
    bench.says(say("a"), broken(500), Reply("b", tokens=(100, 50)), say("c"))
    meter = Meter(price=DEAR.cost)

    async def run() -> None:
        async with bench.connect(meter=meter) as connection:
            for turn in range(3):
                with turn_context("r", "c", turn):
                    await model_request(connection.model, HELLO)

    asyncio.run(run())
    turns = [meter.turn(TurnKey("r", "c", turn)) for turn in range(3)]
    assert [(turn.requests, turn.tokens) for turn in turns] == [(1, 15), (2, 150), (1, 15)]
    assert [turn.cost for turn in turns] == [Decimal("0.02"), Decimal("0.2"), Decimal("0.02")]
    assert meter.turn(TurnKey("r", "other", 0)) == Usage()
    assert meter.total == turns[0] + turns[1] + turns[2]


def test_cached_tokens_have_a_price_of_their_own() -> None:
    usage = Usage(1, 1_000_000, 0, 400_000)
    assert Price(Decimal(3), Decimal(15)).cost(usage) == 3
    assert Price(Decimal(3), Decimal(15), Decimal("0.5")).cost(usage) == Decimal("2.0")


def test_cost_limit_without_a_price_is_refused_before_any_request() -> None:
    price = find_price(find_model("vllm:m"))
    with pytest.raises(SettingsError, match=r"\[prices.NAME\]"):
        Meter(Budget(money=Decimal(1)), price)


def test_price_from_the_settings_has_priority() -> None:
    spec = find_model("openai:gpt-4o")
    usage = Usage(1, 1_000_000, 1_000_000)
    assert find_price(spec, {"gpt-4o": {"input": 1, "output": "2.5"}})(usage) == Decimal("3.5")
    assert find_price(spec, {"openai:gpt-4o": {"input": 0.1, "output": 0}})(usage) == Decimal("0.1")


def test_a_vendors_price_is_known() -> None:
    cost = find_price(find_model("openai:gpt-4o"))(Usage(1, 1000, 1000))
    assert cost is not None
    assert cost > 0
    assert find_price(find_model("openai:no-such-model-9"))(Usage(1, 1000, 1000)) is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"input": 1}, "output"),
        ({}, "input and output"),
        ({"input": 1, "output": 1, "cash": 2}, "'cash'"),
        ({"input": -1, "output": 1}, "'input' in .*-1"),
        ({"input": "dear", "output": 1}, "'dear'"),
        ({"input": True, "output": 1}, "True"),
        ({"input": float("nan"), "output": 1}, "nan"),
    ],
)
def test_an_unusable_price(table: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_price("m", table)
