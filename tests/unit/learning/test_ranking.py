"""Fit of the ranker: features of right plans, and of questions without a conversation."""

import numpy as np
import pytest

from quaestor.learning.ranking import RankedTurn, fit_ranker
from quaestor.solvers.embedded.candidates import DIVIDE, LOOKUP
from quaestor.solvers.embedded.operand_pool import NEW, NONE
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES

COLUMNS = list(CANDIDATE_FEATURES)
OPERATION, FIRST, SECOND, PRIOR = (COLUMNS.index(name) for name in ("operation", "first_kind", "second_kind", "prior"))


def plans(random: np.random.Generator) -> np.ndarray:
    """A look-up and a quotient, with priors that chance has given them."""
    rows = np.zeros((2, len(COLUMNS)), np.float32)
    rows[:, OPERATION] = LOOKUP, DIVIDE
    rows[:, FIRST] = NEW
    rows[:, SECOND] = NONE, NEW
    rows[:, PRIOR] = random.normal(size=2)
    return rows


def turns(count: int, right: int | None, *, alone: bool, seed: int) -> list[RankedTurn]:
    """Turn in which one plan is right, or, if none is named, that of the greater prior."""
    random, found = np.random.default_rng(seed), []
    for _ in range(count):
        rows = plans(random)
        best = int(rows[:, PRIOR].argmax()) if right is None else right
        found.append(RankedTurn(rows, (np.arange(2) == best).astype(float), alone))
    return found


@pytest.mark.slow
def test_ranker_learns_the_right_plan_from_its_features() -> None:
    ranker = fit_ranker(turns(100, None, alone=False, seed=0))
    held_out = turns(50, None, alone=False, seed=1)
    hits = sum(int(ranker.predict(turn.features).argmax() == turn.right.argmax()) for turn in held_out)
    assert hits >= 45
    assert not ranker.alone.any()


@pytest.mark.slow
def test_independent_questions_are_not_ranked_as_steps_of_a_conversation() -> None:
    """The same plans: alone a question means the quotient, within a conversation the look-up."""
    ranker = fit_ranker([*turns(200, 1, alone=True, seed=2), *turns(200, 0, alone=False, seed=3)])
    rows = plans(np.random.default_rng(4))
    rows[:, PRIOR] = 0
    assert ranker.predict(rows).argmax() == 0
    assert ranker.predict(rows, alone=True).argmax() == 1
