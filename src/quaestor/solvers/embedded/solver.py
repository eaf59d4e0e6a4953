"""The embedded solver: reads the question against the page, ranks every plan that fits, writes out the best."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.answer import Answer
from quaestor.errors import ExecutionError, SettingsError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.candidates import Candidates
from quaestor.solvers.embedded.leaves import leaf_table
from quaestor.solvers.embedded.rules import as_asked
from quaestor.solvers.embedded.scoring import PageView, page_view
from quaestor.solvers.embedded.turn import build_candidates, read_leaves, signatures_of
from quaestor.solvers.embedded.weights import Weights, load_weights
from quaestor.solvers.embedded.writing import read_state, write_plan

_PAGES = 8
"""How many pages are kept ready."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates of a turn with the ranker's scores, in no order."""

    candidates: Candidates
    scores: NDArray[np.float64]

    @property
    def order(self) -> NDArray[np.intp]:
        """The candidates' indices, best first; ties by the prior."""
        return np.argsort(-self.scores, kind="stable")


class EmbeddedSolver:
    """Answers without a model. Deterministic: one question in one conversation always gets one answer."""

    name = "embedded"

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._pages: OrderedDict[tuple[str, str], PageView] = OrderedDict()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer of the best-ranked plan that can be executed.

        Raises:
            SolverError: The page holds no number that a plan could start from.
        """
        ranked = self.rank(question, context)
        leaves = self.page(context.graph).leaves
        for index in ranked.order.tolist():
            outcome = as_asked(question, ranked.candidates.outcome(index))
            magnitudes = ranked.candidates.magnitudes(index)
            plan = write_plan(outcome, magnitudes, leaves, len(context.memory.turns))
            try:
                answer = answer_from_plan(plan, context)
            except ExecutionError as error:
                # Ranking works in floating point: a divisor can be zero exactly where it was not there.
                context.trace.append(f"passed over {plan.steps[-1]}: {error}")
                continue
            context.trace.append(
                f"{len(ranked.candidates)} plans; chose {outcome.operation} with a score of {ranked.scores[index]:.2f}"
            )
            return answer
        raise SolverError(f"no plan fits the question {question[:80]!r}: {context.document.id} has no number to use")

    def rank(self, question: str, context: TurnContext) -> Ranked:
        """Returns the candidates of a turn with their scores."""
        page = self.page(context.graph)
        state = read_state(context.memory, page.leaves)
        signatures = self._weights.signature.probabilities(question, state.questions, signatures_of(state))
        reading = read_leaves(page, question, state, signatures)
        probability = self._weights.leaves.predict(reading.measured)
        candidates, features = build_candidates(page, reading, state, probability)
        return Ranked(candidates, self._weights.ranker.predict(features))

    def page(self, graph: KnowledgeGraph) -> PageView:
        """Returns a page ready for questions; the last few are kept."""
        key = (graph.document, graph.digest_of_document)
        page = self._pages.pop(key, None) or page_view(leaf_table(graph), self._weights.idf)
        self._pages[key] = page
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        return page


def make_embedded(options: Mapping[str, object]) -> EmbeddedSolver:
    """Returns the solver with the shipped weights, or with those of the folder `options["weights"]`.

    Raises:
        SettingsError: An option is unknown or no path.
        ModelError: The weights cannot be used.
    """
    unknown = sorted(set(options) - {"weights"})
    if unknown:
        raise SettingsError(f"the embedded solver has no option {unknown[0]!r}; it has: weights")
    folder = options.get("weights")
    if folder is not None and not isinstance(folder, str):
        raise SettingsError(f"the option weights must be a folder, not {folder!r}")
    return EmbeddedSolver(load_weights(Path(folder) if folder else None))
