"""Detect plans that drop a sign although the question does not ask for a magnitude."""

import re
from collections.abc import Iterator

from quaestor.plan.steps import CellGroup, Compute, Extract, Operand, Plan, Ref
from quaestor.questions.question import Question

_POSITIVE = re.compile(r"\bpositive (?:number|value|amount|figure)\b")

_GOES_OUT = re.compile(
    r"\b(?:spend|spends|spent|spending|pay|pays|paid|payments?|payouts?|purchased?|purchases|repurchased?|repurchases"
    r"|buy[- ]?backs?|bought|repaid|repayments?|dividends?|expenditures?|capex|outlays?|invested|investments? in"
    r"|redemptions?|retirements?|used)\b",
    re.IGNORECASE,
)
_EITHER_WAY = re.compile(r"\b(?:provided|benefit|gains?|income|proceeds|change|increase|decrease)\b", re.IGNORECASE)
_FALL = r"(?:drop|declin|decreas|fall|fell|reduc|shr[aiu]nk)\w*"
_FALL_IN_PERCENT = re.compile(
    rf"(?:percent(?:age)?|%)\s+(?:\w+\s+)?{_FALL}|\bdown in (?:percent|%)"
    rf"|\b(?:what|which|by|how many)\s+(?:percent(?:age)?|%)\s+(?:\S+\s+){{1,12}}{_FALL}",
    re.IGNORECASE,
)
_LONGEST = 1_000
_DIFFERENCES = ("subtract", "percentage_change")

SIGN_DROPPED = "sign dropped, but the question does not ask for a magnitude"
"""Remark on an answer that takes an absolute value required neither by a rule nor by the question."""


def wants_magnitude(question: Question) -> bool:
    """Return whether a question asks for a magnitude, by the core's rule or explicitly ("a positive number")."""
    return question.magnitude or bool(_POSITIVE.search(question.lowered))


def asks_size_of_fall(text: str) -> bool:
    """Return whether a question asks by what percentage something fell.

    >>> asks_size_of_fall("percentage drop?"), asks_size_of_fall("by what percent did net sales fall in 2009?")
    (True, True)
    """
    return _FALL_IN_PERCENT.search(text[:_LONGEST]) is not None


def drops_sign_unasked(plan: Plan, question: Question) -> bool:
    """Return whether a plan takes an absolute value although the question does not ask for a magnitude.

    The ontology's core defines which questions ask for a magnitude. Leaving out a printed minus in an extract step is
    not a calculation: accounts print costs and losses with either sign. An outflow, such as payments, may be given
    without its sign.
    """
    if wants_magnitude(question):
        return False
    names_outflow = bool(_GOES_OUT.search(question.lowered))
    sizes = (step for step in plan.computes if step.operation == "absolute")
    for parts in (list(_parts(plan, step)) for step in sizes):
        # The sign of a difference shows which number is larger.
        if any(isinstance(part, Compute) and part.operation in _DIFFERENCES for part in parts):
            return True
        texts = (p.label if isinstance(p, Extract) else p.text for p in parts if isinstance(p, Extract | CellGroup))
        if not names_outflow and not any(_GOES_OUT.search(t) and not _EITHER_WAY.search(t) for t in texts):
            return True
    return False


def _parts(plan: Plan, part: Compute | Extract | Operand) -> Iterator[Compute | Extract | Operand]:
    """Yield a step and everything that it depends on."""
    yield part
    for operand in part.operands if isinstance(part, Compute) else ():
        yield from _parts(
            plan, plan.steps[operand.step - 1] if isinstance(operand, Ref) and operand.step > 0 else operand
        )
