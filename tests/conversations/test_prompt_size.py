"""The number of tokens and requests of a turn is bounded, since every prompt has to be paid for."""

import asyncio

import pytest
from oracle import oracle_of, run_with_oracle

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

pytestmark = pytest.mark.usefixtures("local_models")

CONVERSATIONS = 6


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "most_read", "most_requests"), [("workflow", 3_000, 1.2), ("sparql", 2_200, 1.8)])
def test_tokens_and_requests_per_turn_are_bounded(solver: str, most_read: int, most_requests: float) -> None:
    conversations = read_dataset(sample_path()).conversations[:CONVERSATIONS]
    golds = read_gold(sample_path())
    run = asyncio.run(run_with_oracle(conversations, golds, make_solver(solver, {}), oracle_of(solver)))
    turns = len(run.outcomes)
    assert all(outcome.right for outcome in run.outcomes)
    assert run.usage.input_tokens / turns <= most_read
    assert run.usage.requests / turns <= most_requests
