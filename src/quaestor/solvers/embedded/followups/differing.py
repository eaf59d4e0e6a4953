"""By how much two things differ that were just compared: "did sales rise?", "by how much?"."""

import re
from dataclasses import replace

from quaestor.conversation.memory import Memory
from quaestor.plan.steps import Compute, Plan
from quaestor.questions.question import Question
from quaestor.solvers.embedded.followups.converting import later_step

_MOVED = r"(?:change|increase|decrease|rise|fall|grow|drop|decline|differ)"
_FORM = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*"
    rf"(?:by how much(?: did (?:it|they|that|this) {_MOVED})?"
    r"|(?:what (?:is|was)|what's|how (?:large|big|much) (?:is|was)) the (?:difference|change|increase|decrease))"
    r"(?P<percent>,? (?:in percent(?:age terms)?|in %|as a percentage))?[\s?.!]*"
)


def difference_plan(question: Question, memory: Memory) -> Plan | None:
    """Return the plan of the difference of what the last question compared; None if it compared nothing.

    Args:
        memory: The turns before.
    """
    found = _FORM.fullmatch(" ".join(question.lowered.split()))
    plan = memory.answers[-1].plan if found is not None and memory.answers else None
    last = plan.steps[-1] if plan is not None else None
    if found is None or plan is None or not isinstance(last, Compute) or last.operation != "greater":
        return None
    operation = "percentage_change" if found["percent"] else "subtract"
    return Plan(tuple(later_step(step, 1) for step in (*plan.steps[:-1], replace(last, operation=operation))))
