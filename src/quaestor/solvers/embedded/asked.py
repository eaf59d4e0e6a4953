"""A question in its conversation: the questions before it, the years that they leave to it, what it may point at."""

from dataclasses import dataclass

from quaestor.conversation.references.lineage import Result, latest_results
from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.conversation.references.ranking import rank_sets
from quaestor.conversation.references.resolved import AntecedentSet
from quaestor.questions.question import Question
from quaestor.solvers.embedded.leaves import LeafTable
from quaestor.solvers.embedded.lineage import results_of
from quaestor.solvers.embedded.state import State


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what of the conversation bears on it.

    Attributes:
        now: The question.
        before: The earlier ones, oldest first.
        target_years: The years that relative periods point at.
        context_years: The years of the last earlier question that named one.
        results: Of the turns before, for the resolution of references.
        uses: The sets of earlier results that it may use, the likeliest first.
    """

    now: Question
    before: tuple[Question, ...]
    target_years: frozenset[int]
    context_years: tuple[int, ...]
    results: tuple[Result, ...] = ()
    uses: tuple[AntecedentSet, ...] = ()


def read_turn(question: Question, state: State, leaves: LeafTable, references: ReferenceWeights) -> Asked:
    """Returns the question in its conversation.

    Args:
        references: The weights by which references are resolved.
    """
    context = next((q.years for q in reversed(state.questions) if q.years), ())
    base = {int(leaves.year[i]) for i in last_leaves(state)} - {0} or set(context)
    anchors = set(question.years) or base
    targets = {year + offset for offset in question.offsets for year in anchors}
    results = results_of(state, leaves)
    uses = rank_sets(question, latest_results(results), references, explained=False)
    return Asked(question, state.questions, frozenset(targets), context, tuple(results), uses)


def last_leaves(state: State) -> frozenset[int]:
    """Returns the leaves that the last turn which took any took itself."""
    for turn in range(len(state.outcomes) - 1, -1, -1):
        direct = [o.index for o in state.outcomes[turn].operands if o.kind == "leaf"]
        if direct:
            return frozenset(direct)
    return frozenset()
