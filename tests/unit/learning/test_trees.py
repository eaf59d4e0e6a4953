"""The leaf scorer: trees fitted to the right leaves of turns."""

import numpy as np
import pytest

from quaestor.learning.trees import fit_leaf_scorer
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.trees import Trees

COLUMNS = list(LEAF_FEATURES)
IN_ROW, YEAR = COLUMNS.index("row_in_question"), COLUMNS.index("year_named")


def turn(leaves: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a turn in which the right leaf matches the label and year of the question."""
    rows = np.zeros((leaves, len(COLUMNS)), np.float32)
    rows[:, IN_ROW] = random.random(leaves) * 0.5
    rows[:, YEAR] = random.choice([-1, 0], leaves)
    targets = random.integers(leaves)
    rows[targets, [IN_ROW, YEAR]] = 1
    return rows, (np.arange(leaves) == targets).astype(float)


@pytest.fixture(scope="module")
def scorer() -> Trees:
    random = np.random.default_rng(0)
    return fit_leaf_scorer([turn(int(random.integers(5, 30)), random) for _ in range(80)], seed=0)


@pytest.mark.slow
def test_scorer_finds_the_correct_leaf_on_other_pages(scorer: Trees) -> None:
    random = np.random.default_rng(1)
    turns = [turn(12, random) for _ in range(40)]
    found = [int(shares.argmax()) for shares in scorer.predict([rows for rows, _ in turns])]
    assert found == [int(targets.argmax()) for _, targets in turns]


@pytest.mark.slow
def test_turns_of_low_weight_count_little() -> None:
    random = np.random.default_rng(3)
    turns = [turn(8, random) for _ in range(60)]
    against = [(rows, 0.1 * np.roll(targets, 1)) for rows, targets in turns]
    shares = fit_leaf_scorer([*turns, *against], seed=0).predict([rows for rows, _ in turns])
    assert all(part[targets > 0] > 0.5 for part, (_, targets) in zip(shares, turns, strict=True))


def test_scores_are_normalised_per_page(scorer: Trees) -> None:
    random = np.random.default_rng(2)
    (few, _), (many, _) = turn(3, random), turn(20, random)
    nothing = few[:0]
    shares = scorer.predict([few, nothing, many])
    assert [len(part) for part in shares] == [3, 0, 20]
    assert [part.sum() for part in (shares[0], shares[2])] == pytest.approx([1.0, 1.0])
    assert shares[2] == pytest.approx(scorer.predict([many])[0])
    assert [len(part) for part in scorer.predict([nothing])] == [0]


def test_positive_features_never_lower_a_leafs_score(scorer: Trees) -> None:
    rows = np.zeros((11, len(COLUMNS)), np.float32)
    rows[:, IN_ROW] = np.linspace(0, 1, 11)
    (shares,) = scorer.predict([rows])
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] > shares[0]
