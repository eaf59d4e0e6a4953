"""Whatever a model replies, no turn crashes or is lost."""

import asyncio
import random
from pathlib import Path

import pytest
from muddled import MuddledOracle
from oracle import SCRIPTS, Outcome, oracle_of, run_with_oracle

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

pytestmark = pytest.mark.usefixtures("local_models")

CONVERSATIONS = 10


def outcomes(solver: str, path: Path, seed: int) -> tuple[Outcome, ...]:
    """Return the outcomes of some conversations with a model half of whose replies are corrupted; no turn is lost."""
    conversations = random.Random(seed).sample(read_dataset(path).conversations, CONVERSATIONS)
    oracle = MuddledOracle(oracle_of(solver), seed)
    run = asyncio.run(run_with_oracle(conversations, read_gold(path), make_solver(solver, {}), oracle))
    assert len(run.outcomes) == sum(len(conversation.questions) for conversation in conversations)
    assert oracle.muddled > len(run.outcomes) / 2
    return run.outcomes


@pytest.mark.very_slow
@pytest.mark.parametrize("solver", sorted(SCRIPTS))
def test_every_turn_of_the_sample_has_an_outcome(solver: str) -> None:
    found = outcomes(solver, sample_path(), seed=3)
    assert any(outcome.right for outcome in found)
    assert not all(outcome.right for outcome in found)


@pytest.mark.very_slow
@pytest.mark.parametrize("solver", sorted(SCRIPTS))
def test_every_turn_of_public_pages_has_an_outcome(solver: str, shared_data: Path) -> None:
    assert outcomes(solver, shared_data / "convfinqa_tune.json", seed=4)
