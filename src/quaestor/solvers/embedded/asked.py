"""A question in its conversation: with the questions before it, and the years that they leave to it."""

from dataclasses import dataclass

from quaestor.solvers.embedded.leaves import LeafTable
from quaestor.solvers.embedded.question import Question, read_question
from quaestor.solvers.embedded.state import State


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what of the conversation bears on it.

    Attributes:
        now: The question.
        before: The earlier ones, oldest first.
        target_years: The years that relative periods point at.
        context_years: The years of the last earlier question that named one.
    """

    now: Question
    before: tuple[Question, ...]
    target_years: frozenset[int]
    context_years: tuple[int, ...]


def read_turn(question: str, state: State, leaves: LeafTable) -> Asked:
    """Returns the question in its conversation."""
    now = read_question(question)
    before = tuple(read_question(text) for text in state.questions)
    context = next((q.years for q in reversed(before) if q.years), ())
    base = {int(leaves.year[i]) for i in last_leaves(state)} - {0} or set(context)
    anchors = set(now.years) or base
    targets = {year + offset for offset in now.offsets for year in anchors}
    return Asked(now, before, frozenset(targets), context)


def last_leaves(state: State) -> frozenset[int]:
    """Returns the leaves that the last turn which took any took itself."""
    for turn in range(len(state.outcomes) - 1, -1, -1):
        direct = [o.index for o in state.outcomes[turn].operands if o.kind == "leaf"]
        if direct:
            return frozenset(direct)
    return frozenset()
