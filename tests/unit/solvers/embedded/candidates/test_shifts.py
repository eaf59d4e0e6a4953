"""Factors of operands of any dimensions follow the scaling rule."""

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.solvers.embedded.candidates import GROUPED, OPERATIONS, find_factors, find_result_dimension, find_scaling

DIMENSIONS = st.builds(
    Dimension,
    scale=st.sampled_from(Scale),
    unit=st.sampled_from((None, "USD", "share")),
    constant=st.none() | st.sampled_from([Decimal(n) for n in (1, 2, 100, 1000, 1_000_000)]),
    in_ones=st.booleans(),
)


def by_rule(name: str, left: Dimension, right: Dimension) -> tuple[float, float]:
    single = name in GROUPED or name == "lookup"
    shifts = find_scaling(name, (left,) if single else (left, right)).shifts
    return 10.0 ** shifts[0], 10.0 ** shifts[1] if len(shifts) > 1 else 1.0


@given(st.lists(DIMENSIONS, min_size=1, max_size=4))
def test_factors_are_those_of_the_rule(counts: list[Dimension]) -> None:
    plans = [(code, i, j) for code in range(len(OPERATIONS)) for i in range(len(counts)) for j in range(len(counts))]
    operation, first, second = (np.array(column, np.intp) for column in zip(*plans, strict=True))
    found = find_factors(counts, operation.astype(np.int8), first, second)
    expected = [by_rule(OPERATIONS[code], counts[i], counts[j]) for code, i, j in plans]
    assert [*zip(*(part.tolist() for part in found), strict=True)] == expected


def test_a_result_has_the_dimension_of_the_rule() -> None:
    assert find_result_dimension(
        "divide", (Dimension(Scale.MILLION, "USD"), Dimension(Scale.MILLION, "USD"))
    ) == Dimension(in_ones=True)
