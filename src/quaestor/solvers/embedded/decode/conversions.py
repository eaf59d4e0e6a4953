"""What "in millions?" after an answer leaves open: by which factor it is brought there.

The wording can mean the last answer alone, times or over a power of a thousand. Which power is learned from few turns,
and says itself: the answer's own scale, or its size where that is not known.
"""

import math

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.questions.conversions import read_conversion
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import DIVIDE, MULTIPLY
from quaestor.solvers.embedded.candidates.pool import CONSTANT
from quaestor.solvers.embedded.features.scale_asked import power_of
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import DialogueState

_RULED_OUT = -12.0
"""What is added to the log odds of a plan that is not a conversion of the last answer."""

_THOUSAND = 3
_POWERS = (3, 6, 9)


def conversion_scores(
    question: Question, plans: Candidates, state: DialogueState, leaves: NumberMatrix
) -> NDArray[np.float64] | None:
    """Return what a question for the last answer in another scale adds to the score of each plan; None if it is none.

    Args:
        plans: Those after one reading of the turns before.

    Shape: One entry a plan.
    """
    asked = read_conversion(question.lowered)
    if asked is None or asked.to is Scale.PERCENT or not state.outcomes or not state.outcomes[-1].value:
        return None
    pool, i, j = plans.pool, plans.first, plans.second
    last = np.array([o.kind == "result" and o.index == len(state.outcomes) - 1 for o in pool.operands])
    factor = np.where(pool.kind[j] == CONSTANT, pool.value[j], 0.0)
    fits = np.zeros(len(plans), bool)
    for power in _shifts(abs(state.outcomes[-1].value), power_of(state.outcomes[-1], state, leaves), asked.to):
        code = MULTIPLY if power > 0 else DIVIDE
        fits |= last[i] & (plans.operation == code) & (factor == 10.0 ** abs(power))
    return np.where(fits, 0.0, _RULED_OUT) if fits.any() else None


def _shifts(size: float, power: float, to: Scale) -> tuple[int, ...]:
    """The powers of ten that may bring a number of a power that is known, or is not (0 or nan), to a scale."""
    asked = Dimension(to).exponent
    # Ones are also what a page counts in that does not say it.
    if power > 0 and power != asked:
        return (int(power) - asked,)
    if not asked:
        return _POWERS
    if size < 10**_THOUSAND:
        return (_THOUSAND,)
    return (-min(asked, _THOUSAND * int(math.log10(size) / _THOUSAND)),)
