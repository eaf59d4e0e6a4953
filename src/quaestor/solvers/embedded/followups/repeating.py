"""A question that was asked before, word for word: "what was the exercise price in 2007?" again, after that of 2006.

A question that points back may mean another one by then.
"""

from quaestor.conversation.memory import Memory
from quaestor.plan.steps import Compute, Extract, Plan
from quaestor.questions.question import Question
from quaestor.solvers.embedded.followups.converting import later_step


def repeated_turn(question: Question, memory: Memory) -> int | None:
    """Return the last turn in which a question was asked that stands alone, in the same words; None if none was."""
    if not question.stands_alone:
        return None
    said = _words(question)
    turns = range(len(memory.answers) - 1, -1, -1)
    return next((turn for turn in turns if _words(memory.asked[turn]) == said), None)


def repeated_plan(memory: Memory, turn: int) -> Plan | None:
    """Return the plan of an earlier turn as it is written now; None if it chose among cells or had none.

    Args:
        turn: Which, from 0.
    """
    plan = memory.answers[turn].plan
    if plan is None or not all(isinstance(step, Extract | Compute) for step in plan.steps):
        return None
    back = len(memory.answers) - turn
    return Plan(tuple(later_step(step, back) for step in plan.steps))


def _words(question: Question) -> str:
    return " ".join(question.lowered.split()).strip(" ?.!")
