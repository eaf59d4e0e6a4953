"""With a perfect model, every solver answers correctly."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest
from oracle import Outcome, oracle_of, run_with_oracle
from values import a_value

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver


def outcomes(solver: str, path: Path, count: int | None = None) -> list[Outcome]:
    conversations = list(read_dataset(path).conversations)
    if count is not None:
        conversations = random.Random(4).sample(conversations, count)
    oracle = oracle_of(solver)
    run = asyncio.run(run_with_oracle(conversations, read_gold(path), make_solver(solver, {}), oracle))
    return list(run.outcomes)


@pytest.mark.parametrize(
    "solver",
    [
        pytest.param("agent", marks=pytest.mark.very_slow),
        pytest.param("sparql", marks=pytest.mark.very_slow),
        pytest.param("workflow", marks=pytest.mark.slow),
    ],
)
def test_every_turn_of_the_sample_is_right(solver: str, local_models: None) -> None:
    found = outcomes(solver, sample_path())
    assert len(found) > 30
    assert [outcome for outcome in found if not outcome.right] == []


@pytest.mark.very_slow
@pytest.mark.parametrize(("solver", "conversations"), [("agent", 6), ("sparql", 6), ("workflow", 40)])
def test_nearly_every_turn_of_some_public_conversations_is_right(
    solver: str, conversations: int, local_models: None, shared_data: Path
) -> None:
    found = outcomes(solver, shared_data / "convfinqa_tune.json", conversations)
    wrong = [outcome for outcome in found if not outcome.right]
    # Some references treat a printed percentage as a fraction, unlike all others.
    assert all("% = 0." in outcome.cause for outcome in wrong), wrong
    assert len(wrong) <= len(found) * 0.02


def test_wrong_reference_is_detected(local_models: None) -> None:
    conversation = read_dataset(sample_path()).conversations[0]
    golds = read_gold(sample_path())[conversation.id]
    other = {conversation.id: (replace(golds[0], executed=a_value(-987.5)), *golds[1:])}
    run = asyncio.run(run_with_oracle([conversation], other, make_solver("agent", {}), oracle_of("agent")))
    found = run.outcomes
    assert [outcome.turn for outcome in found if not outcome.right] == [0]
    assert "= -987.5; answers" in found[0].cause
