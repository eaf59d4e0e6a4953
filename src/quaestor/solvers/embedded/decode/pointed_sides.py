"""What a side of a comparison means that points back: "what percentage of it", "divided by that net change".

A bare pronoun stands for what stood there in the ratio before, a noun for the result that is called so, words for the
number of that name that was taken before. After gold's history 55 labelled turns have a plan with that operand on that
side, and 52 of them are answered by one.
"""

import re
from collections.abc import Sequence

import numpy as np

from quaestor.conversation.references.expressions import Expression
from quaestor.conversation.references.lineage import latest_results
from quaestor.conversation.references.pointing import likeness, pointing_expressions
from quaestor.questions.comparison import ComparisonArgument
from quaestor.questions.cues import PLAIN_NOUNS
from quaestor.questions.question import read_question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import DIVIDE, SUBTRACT
from quaestor.solvers.embedded.features.pairing import is_operand
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.embedded.state.dialogue import Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_MEANT = 5.0
"""What is added to the log odds of a plan with that operand on that side."""
_OPERATIONS = {"share": DIVIDE, "ratio": DIVIDE, "less": SUBTRACT}
"""What each kind of comparison calculates."""

_NAMED_FIRST = re.compile(r"^(?:and |so |then )?(?:concerning|considering|regarding|in relation to|of|as for|given)\b")
"""What a pronoun means in such a question is said before it: "concerning that debt, what percentage of it"."""
_PLAINLY, _AHEAD = 1.0, 1.0
"""How well a result must answer to an expression, and how much better than each other."""


def pointed_side_scores(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    sides = turns[0].question.comparison
    operation = _OPERATIONS.get(sides.kind)
    if operation is None or not turns[0].state.outcomes or sides.first.back is sides.second.back:
        return scores
    place = 0 if sides.first.back else 1
    index = (plans.first, plans.second)[place]
    for turn, part in zip(turns, plans.parts, strict=True):
        meant = _meant((sides.first, sides.second)[place], place, turn)
        if meant is not None:
            own = is_operand(plans.pool, meant, turn.state.lookups)[index[part]] & (plans.operation[part] == operation)
            scores[part] = np.where(own, np.float32(_MEANT), np.float32(0))
    return scores


def _meant(side: ComparisonArgument, place: int, turn: TurnView) -> Operand | None:
    """What a side means that points back; None if its words leave it open."""
    ratio = turn.question.comparison.kind != "less"
    if ratio and not side.stems and not side.years and (before := _of_last_ratio(place, turn)) is not None:
        return before
    pointing = [e for e in pointing_expressions(read_question(side.text.strip())) if e.noun or e.words]
    if len(pointing) != 1 or pointing[0].noun in PLAIN_NOUNS:
        return None
    if pointing[0].noun:
        return _result_called(pointing[0], turn)
    return _taken_before(pointing[0], turn) if turn.question.comparison.kind == "share" else None


def _of_last_ratio(place: int, turn: TurnView) -> Operand | None:
    """What stood on that side of the ratio that the last turn was."""
    last = turn.state.outcomes[-1]
    if last.operation != "divide" or len(last.operands) != 2 or _NAMED_FIRST.search(turn.question.lowered):
        return None
    return None if last.operands[place].kind == "constant" else last.operands[place]


def _result_called(expression: Expression, turn: TurnView) -> Operand | None:
    """The one result that plainly answers to a noun: "that net change"."""
    latest = latest_results(turn.results)
    judged = [(likeness(expression, result, n, frozenset()).score, result.turn) for n, result in enumerate(latest)]
    (score, meant), *others = sorted(judged, reverse=True)
    if score < _PLAINLY or (others and score < others[0][0] + _AHEAD):
        return None
    return Operand("result", meant, turn.state.outcomes[meant].value or 0.0)


def _taken_before(expression: Expression, turn: TurnView) -> Operand | None:
    """The number that an earlier turn took whose labels have all words of an expression, and the fewest others."""
    named, leaves = frozenset(stems(" ".join(expression.words | expression.of))), turn.leaves
    taken = [
        (-len(leaves.named[leaf] - named), last, leaf)
        for leaf, last in turn.state.used_leaves.items()
        if named and named <= leaves.named[leaf]
    ]
    if not taken:
        return None
    leaf = max(taken)[2]
    return Operand("leaf", leaf, float(leaves.value[leaf]))
