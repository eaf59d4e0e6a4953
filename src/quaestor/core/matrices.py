"""Products of matrices."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", bound=np.floating)


def multiply(left: NDArray[Float], right: NDArray[Float]) -> NDArray[Float]:
    """Return `left @ right` without numpy's warning about invalid values.

    Kernels of OpenBLAS may have NaN in unused registers, and numpy then warns although all values are finite
    (numpy issues 13173 and 24067).
    """
    with np.errstate(invalid="ignore"):
        product: NDArray[Float] = left @ right
        return product
