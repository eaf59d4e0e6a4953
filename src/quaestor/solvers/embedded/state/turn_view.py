"""A turn as the solver sees it: page, conversation, question, and the years and results that the question points at."""

from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.conversation.references.lineage import Result, latest_results
from quaestor.conversation.references.ranking import Weights as ReferenceWeights
from quaestor.conversation.references.ranking import rank_sets
from quaestor.conversation.references.resolved import AntecedentSet
from quaestor.questions.question import Question
from quaestor.questions.told_years import with_told_years
from quaestor.solvers.embedded.candidates.ratios import expand_ratio
from quaestor.solvers.embedded.page.features import PageFeatures
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import DialogueState
from quaestor.solvers.embedded.state.lineage import results_of_state


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn: the page, the conversation before it, the question, and what they say together.

    Attributes:
        state: What the turns before asked and did.
        question: What is asked, the name of a ratio spelled out.
        target_years: The years that relative periods point at.
        context_years: The years of the last earlier question that named one.
        results: Of the turns before, for the resolution of references.
        uses: The sets of earlier results that it may use, the likeliest first.
    """

    page: PageFeatures
    state: DialogueState
    question: Question
    target_years: frozenset[int]
    context_years: tuple[int, ...]
    results: tuple[Result, ...] = ()
    uses: tuple[AntecedentSet, ...] = ()

    @property
    def leaves(self) -> NumberMatrix:
        """The numbers of the page."""
        return self.page.leaves


def read_turn(question: Question, state: DialogueState, page: PageFeatures, references: ReferenceWeights) -> TurnView:
    """Return the turn in which a question is asked.

    Args:
        state: The conversation before it.
        references: The weights by which references are resolved.
    """
    return read_turns(question, [state], page, references)[0]


def read_turns(
    question: Question, states: Sequence[DialogueState], page: PageFeatures, references: ReferenceWeights
) -> list[TurnView]:
    """Return the turn in which a question is asked, after each of several readings of the conversation before it.

    Args:
        states: The readings, all of the same questions.
        references: The weights by which references are resolved.
    """
    told, leaves = expand_ratio(question, page.leaves), page.leaves
    if states and states[0].questions:
        told = with_told_years(told, states[0].questions)
    known: dict[tuple[object, ...], tuple[AntecedentSet, ...]] = {}
    turns = []
    for state in states:
        context = next((q.years for q in reversed(state.questions) if q.years), ())
        base = {int(leaves.year[i]) for i in last_leaves(state)} - {0} or set(context)
        targets = set(told.told_years) or {year + offset for offset in told.offsets for year in set(told.years) or base}
        results = results_of_state(state, leaves)
        latest = latest_results(results)
        # Where readings differ in the numbers taken alone, the question points at the same turns.
        seen = tuple((r.turn, r.metric, r.made, r.years, r.rests, r.things) for r in latest)
        if seen not in known:
            known[seen] = rank_sets(told, latest, references, explained=False)
        turns.append(TurnView(page, state, told, frozenset(targets), context, tuple(results), known[seen]))
    return turns


def last_leaves(state: DialogueState) -> frozenset[int]:
    """Return the leaves that the last turn which took any took itself."""
    for turn in range(len(state.outcomes) - 1, -1, -1):
        direct = [o.index for o in state.outcomes[turn].operands if o.kind == "leaf"]
        if direct:
            return frozenset(direct)
    return frozenset()
