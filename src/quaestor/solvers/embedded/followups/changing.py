"""The change of the number that was just looked up, from another year of its line: "what was the change from 2008?".

What it cannot be sure of is ranked as ever.
"""

import re

import numpy as np

from quaestor.conversation.memory import Memory
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.question import Question
from quaestor.solvers.embedded.followups.converting import converted_turn
from quaestor.solvers.embedded.page.matrix import NumberMatrix

_CHANGE = r"(?:change|increase|decrease|difference|growth|decline|rise|drop|fall|reduction)"
_YEAR = (
    r"(?:(?:the )?(?:(?:fiscal )?year )?(?:19|20)\d\d|(?:the |its )?(?:prior|previous|preceding|last) year"
    r"|the year (?:before|earlier))"
)
_FORM = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:what(?: is| was|'s)|how much (?:is|was)|how large (?:is|was))?\s*"
    rf"(?:the\s+)?(?:(?P<relative>percent(?:age)?|%|relative|rate of)\s+)?{_CHANGE}(?: in (?:it|that|this))?\s+"
    r"(?:(?:from|since|over|on|versus|vs\.?|against|compared (?:to|with)|relative to)|(?P<on>to|until))\s+"
    rf"{_YEAR}"
    r"(?P<percent>,? (?:in percent|in %|as a percentage))?[\s?.!]*"
)


def change_plan(question: Question, memory: Memory, leaves: NumberMatrix) -> Plan | None:
    """Return the plan of the change between the last answer, a cell, and the other year that is named of its line.

    None if the question may mean anything else, the last answer is not a cell of a line of years, or the line has no
    number, or several, for the other year.

    Args:
        memory: The turns before.
    """
    found = _FORM.fullmatch(" ".join(question.lowered.split()))
    turn = converted_turn(memory) if found is not None else None
    plan = None if turn is None else memory.answers[turn].plan
    last = plan.steps[-1] if plan is not None else None
    if found is None or turn is None or not isinstance(last, Extract) or last.quantity is None:
        return None
    leaf = leaves.index.get((last.source, last.quantity.value))
    if leaf is None or leaves.table[leaf] < 0 or not leaves.year[leaf]:
        return None
    named = (*question.years, *(int(leaves.year[leaf]) + offset for offset in question.offsets))
    if len(named) != 1:
        return None
    line = (leaves.table == leaves.table[leaf]) & (leaves.line == leaves.line[leaf]) & (leaves.year == named[0])
    others = np.flatnonzero(line).tolist()
    if len(others) != 1 or others[0] == leaf or leaves.counts[others[0]] != leaves.counts[leaf]:
        return None
    other = leaves.leaves[others[0]]
    size = last.reading == "magnitude" and other.quantity.value < 0
    first = Extract(1, other.source, other.label, other.quantity, reading="magnitude" if size else "signed")
    looked_up = Ref(turn - len(memory.answers))
    operands = (Ref(1), looked_up) if found["on"] else (looked_up, Ref(1))
    operation = "percentage_change" if found["relative"] or found["percent"] else "subtract"
    return Plan((first, Compute(2, operation, operands)))
