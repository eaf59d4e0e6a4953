"""With a model that writes the right plans, the workflow answers correctly."""

import asyncio
import random
from pathlib import Path

import pytest
from oracle import Outcome, run_with_oracle
from oracle_workflow import WorkflowOracle

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

CONVERSATIONS = 40


def outcomes(path: Path, count: int | None = None) -> list[Outcome]:
    conversations = list(read_dataset(path).conversations)
    if count is not None:
        conversations = random.Random(6).sample(conversations, count)
    solver = make_solver("workflow", {})
    return list(asyncio.run(run_with_oracle(conversations, read_gold(path), solver, WorkflowOracle)).outcomes)


@pytest.mark.slow
def test_every_turn_of_the_sample_is_right(local_models: None) -> None:
    found = outcomes(sample_path())
    assert len(found) > 30
    assert [outcome for outcome in found if not outcome.right] == []


@pytest.mark.very_slow
def test_nearly_every_turn_of_some_public_conversations_is_right(local_models: None, shared_data: Path) -> None:
    found = outcomes(shared_data / "convfinqa_tune.json", CONVERSATIONS)
    wrong = [outcome for outcome in found if not outcome.right]
    assert len(wrong) <= len(found) * 0.03, wrong
