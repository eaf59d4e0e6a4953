"""Whether a plan drops a sign that nobody asked to drop: a model that does is told so once, and the answer says it."""

import re

from quaestor.plan.steps import Compute, Plan
from quaestor.questions.question import Question

_POSITIVE = re.compile(r"\bpositive (?:number|value|amount|figure)\b")

SIGN_DROPPED = "sign dropped, but the question does not ask for a magnitude"
"""The remark of an answer whose arithmetic takes an absolute value that neither a rule nor the question asks for."""


def wants_magnitude(question: Question) -> bool:
    """Returns whether a question asks for a magnitude, by the core's rule or in as many words ("a positive number")."""
    return question.magnitude or bool(_POSITIVE.search(question.lowered))


def drops_sign_unasked(plan: Plan, question: Question) -> bool:
    """Returns whether a plan takes an absolute value though the question asks for no magnitude.

    The rule of magnitudes is the core's: its patterns say which questions call it. A printed minus that an extract step
    leaves out is no calculation: accounts print costs and losses in either way.
    """
    if wants_magnitude(question):
        return False
    return any(isinstance(step, Compute) and step.operation == "absolute" for step in plan.steps)
