"""Forms and scores of the ranker, computed by hand."""

import numpy as np
import pytest

from quaestor.solvers.embedded.candidates import ADD, DIVIDE, LOOKUP
from quaestor.solvers.embedded.models import FORMS, Ranker, design, form_codes
from quaestor.solvers.embedded.operand_pool import CONSTANT, NEW, NONE, RESULT1, RESULT3, USED
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES, CATEGORIES

COLUMNS = list(CANDIDATE_FEATURES)
CODES = 15  # from -1 to 13


def row(**values: float) -> np.ndarray:
    return np.array([[values.get(name, 0.0) for name in COLUMNS]], np.float32)


@pytest.mark.parametrize(
    ("operation", "first", "second", "form"),
    [
        (LOOKUP, NEW, NONE, "lookup(leaf,leaf)"),
        (LOOKUP, RESULT1, NONE, "lookup(result,leaf)"),
        (DIVIDE, USED, NEW, "divide(leaf,leaf)"),
        (DIVIDE, NEW, CONSTANT, "divide(leaf,constant)"),
        (DIVIDE, RESULT3, RESULT1, "divide(result,result)"),
        (ADD, NEW, RESULT3, "add(leaf,result)"),
        (ADD, CONSTANT, NEW, "add(leaf,leaf)"),
    ],
)
def test_a_plan_has_the_form_of_its_operation_and_operands(operation: int, first: int, second: int, form: str) -> None:
    (code,) = form_codes(row(operation=operation, first_kind=first, second_kind=second))
    assert FORMS[code] == form


def test_columns_are_standardised_bounded_and_followed_by_codes_and_a_one() -> None:
    size = len(COLUMNS)
    mean, scale = np.zeros(size, np.float32), np.ones(size, np.float32)
    prior, turn = COLUMNS.index("prior"), COLUMNS.index("turn")
    mean[prior], scale[prior] = 1, 2
    (wide,) = design(row(prior=4, turn=99, last_operation=-1, side_kind=3), mean, scale)
    assert len(wide) == size + len(CATEGORIES) * CODES + 1
    assert (wide[prior], wide[turn], wide[-1]) == (1.5, 4, 1)
    codes = wide[size:-1].reshape(len(CATEGORIES), CODES)
    assert codes.sum(axis=1).tolist() == [1] * len(CATEGORIES)
    assert codes[CATEGORIES.index("last_operation")].argmax() == 0
    assert codes[CATEGORIES.index("side_kind")].argmax() == 4


def test_each_form_has_weights_and_an_independent_question_has_additional_ones() -> None:
    size = len(COLUMNS)
    weights = np.zeros((len(FORMS), size + len(CATEGORIES) * CODES + 1), np.float32)
    weights[FORMS.index("lookup(leaf,leaf)"), COLUMNS.index("prior")] = 2
    weights[FORMS.index("add(leaf,leaf)"), -1] = -0.5
    alone = np.zeros(weights.shape[1], np.float32)
    alone[COLUMNS.index("prior")] = 1
    ranker = Ranker(np.zeros(size, np.float32), np.ones(size, np.float32), weights, alone)
    rows = np.concatenate([row(operation=LOOKUP, prior=1.5), row(operation=ADD, prior=1.5), row(operation=DIVIDE)])
    assert ranker.predict(rows).tolist() == [3, -0.5, 0]
    assert ranker.predict(rows, alone=True).tolist() == [4.5, 1, 0]


def test_a_score_is_the_product_of_weights_and_design() -> None:
    size, random = len(COLUMNS), np.random.default_rng(7)
    weights = random.normal(size=(len(FORMS), size + len(CATEGORIES) * CODES + 1)).astype(np.float32)
    mean, scale = np.ones(size, np.float32), np.full(size, 0.5, np.float32)
    ranker = Ranker(mean, scale, weights, np.zeros(weights.shape[1], np.float32))
    rows = np.concatenate(
        [
            row(**dict.fromkeys(CATEGORIES, code), operation=operation, prior=random.normal(), turn=operation)
            for code in (-1, 0, 5, 13, 14, 40)
            for operation in (LOOKUP, DIVIDE, ADD)
        ]
    )
    expected = (design(rows, mean, scale) * weights[form_codes(rows)]).sum(axis=1)
    np.testing.assert_allclose(ranker.predict(rows), expected, atol=1e-3)
