"""Training of the ranker on turns of conversations and on independent questions."""

import numpy as np
import pytest

from quaestor.learning.ranking import RankedTurn, fit_ranker
from quaestor.solvers.embedded.candidates import DIVIDE, LOOKUP
from quaestor.solvers.embedded.operand_pool import NEW, NONE
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES

COLUMNS = list(CANDIDATE_FEATURES)
OPERATION, FIRST, SECOND, PRIOR = (COLUMNS.index(name) for name in ("operation", "first_kind", "second_kind", "prior"))


def plans(random: np.random.Generator) -> np.ndarray:
    """Return the features of a look-up and a quotient, with random priors."""
    rows = np.zeros((2, len(COLUMNS)), np.float32)
    rows[:, OPERATION] = LOOKUP, DIVIDE
    rows[:, FIRST] = NEW
    rows[:, SECOND] = NONE, NEW
    rows[:, PRIOR] = random.normal(size=2)
    return rows


def turns(count: int, right: int | None, *, alone: bool, seed: int) -> list[RankedTurn]:
    """Return turns in which the plan `right` is right or, if it is None, the one with the larger prior."""
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
def test_independent_questions_are_ranked_separately_from_conversations() -> None:
    """Alone a question means the quotient, within a conversation the look-up."""
    ranker = fit_ranker([*turns(200, 1, alone=True, seed=2), *turns(200, 0, alone=False, seed=3)])
    rows = plans(np.random.default_rng(4))
    rows[:, PRIOR] = 0
    assert ranker.predict(rows).argmax() == 0
    assert ranker.predict(rows, alone=True).argmax() == 1
