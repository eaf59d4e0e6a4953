import numpy as np

from quaestor.core.matrices import multiply


def test_products_are_those_of_numpy_without_warnings_about_invalid_values() -> None:
    left, right = np.array([[1.0, 2.0]]), np.array([[3.0, np.inf], [4.0, 0.0]])
    assert multiply(left, right[:, :1]) == left @ right[:, :1]
    assert np.isnan(multiply(0 * left, right)[0, 1])
