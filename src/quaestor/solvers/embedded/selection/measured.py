"""What a question measures, as the number scorer sees it: the question put as one for a number.

"In which year was net income highest?" measures net income: the scorer that was learned from questions for numbers
tells which cells that means.
"""

import re

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question, read_question
from quaestor.solvers.embedded.decode.prior import Prior
from quaestor.solvers.embedded.decode.turn import read_leaves
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.state.dialogue import DialogueState
from quaestor.solvers.embedded.state.turn_view import read_turn

_POINTS_BACK = re.compile(r"^(?:(?:the|that|this|it|its|they|those|these|value|amount|number|figure|one)\s*)*$")
_LEAD = re.compile(r"^(?:(?:the|and|of|for|in|,)\s+)*")
_TAIL = re.compile(r"(?:[\s,]{1,3}(?:the|and|of|for|in|an?|with|during|to|by)){0,8}[\s,.?]{0,8}$")


def measured_words(measure: str) -> str:
    """Return the words of a measure without those at its ends that say nothing; "" where it only points back.

    >>> measured_words("the sales in 2012, the"), measured_words("that")
    ('sales in 2012', '')
    """
    left = _TAIL.sub("", _LEAD.sub("", measure))
    return "" if _POINTS_BACK.match(left) else left


def as_number_question(measure: str) -> Question:
    """Return the question for the number that is measured.

    Args:
        measure: Its words, as `measured_words`; "" asks for what was asked for before.
    """
    return read_question(f"what was the {measure}?" if measure else "what was it?")


def likely_cells(
    question: Question,
    state: DialogueState,
    page: PageFeatures,
    weights: EmbeddedWeights,
    prior: Prior | None = None,
) -> NDArray[np.float64]:
    """Return the probability of each number of the page that a question for a number means it.

    Args:
        state: The conversation before it.
        prior: What speaks for the numbers of an excerpt besides.

    Shape: One entry a number of the page.
    """
    if not len(page.leaves):
        return np.zeros(0)
    turn = read_turn(question, state, page, weights.references)
    (reading,) = read_leaves([turn], weights.signature)
    found = weights.leaves.predict([reading.measured])[0]
    return found if prior is None else prior.after(turn).of_leaves(found, state.lookups.values())
