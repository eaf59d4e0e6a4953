"""The embedded solver: reads the question against the page, ranks every plan that fits, writes out the best."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as Folder

from quaestor.conversation.answer import Answer
from quaestor.errors import ExecutionError, SettingsError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import Plan
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.beam import (
    START,
    Choices,
    Path,
    agreeing,
    go_on,
    read_question_after,
    same_answer,
)
from quaestor.solvers.embedded.leaves import leaf_table
from quaestor.solvers.embedded.results import distinct, evidence_of
from quaestor.solvers.embedded.state import State
from quaestor.solvers.embedded.views import PageView, page_view
from quaestor.solvers.embedded.weights import Weights, load_weights
from quaestor.solvers.embedded.writing import read_state, write_plan

_PAGES = 8
"""How many pages are kept ready."""
_TURNS = 256
"""Of how many turns the readings are kept."""


@dataclass(frozen=True, slots=True)
class _SoFar:
    """The readings of the turns so far, and the product of the shares of this solver's own answers."""

    paths: tuple[Path, ...]
    share: float


class EmbeddedSolver:
    """Answers without a model. Deterministic: one question in one conversation always gets one answer."""

    name = "embedded"

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._pages: OrderedDict[tuple[str, str], PageView] = OrderedDict()
        self._read: OrderedDict[tuple[object, ...], _SoFar] = OrderedDict()
        self._last: tuple[_SoFar, str, Choices] | None = None

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer of the likeliest plan that can be executed.

        Raises:
            SolverError: The page holds no number that a plan could start from.
        """
        for answer in self.answers(question, context):
            return answer
        raise SolverError(f"no plan fits the question {question[:80]!r}: {context.document.id} has no number to use")

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yields the answers of the likeliest plans, best first, each result once."""
        page, given = self._given(context)
        so_far = self._so_far(context, page, given)
        choices = self._choices(so_far, question, page)
        for choice, share in distinct(choices):
            plan = write_plan(choice.outcome, page.leaves, choice.before.state, agreeing(choice.before.state, given))
            try:
                answer = answer_from_plan(plan, context, question=question)
            except ExecutionError as error:
                # Ranking works in floating point: a divisor can be zero exactly where it was not there.
                context.trace.append(f"passed over {plan.steps[-1]}: {error}")
                continue
            context.trace.append(f"{choices.count} plans; chose {choice.outcome.operation} ({share:.0%})")
            evidence = evidence_of(choices, so_far.share, len(given.outcomes))
            confidence = self._weights.calibration.confidence(replace(evidence, share=share))
            yield replace(answer, confidence=confidence, reason=_anew(choice.before.state, given, plan))

    def read(self, question: str, context: TurnContext) -> Choices:
        """Returns the plans for a question, after each likely reading of the turns before."""
        page, given = self._given(context)
        return self._choices(self._so_far(context, page, given), question, page)

    def _given(self, context: TurnContext) -> tuple[PageView, State]:
        page = self.page(context.graph)
        return page, read_state(context.memory, page.leaves)

    def _so_far(self, context: TurnContext, page: PageView, given: State) -> _SoFar:
        """The readings of the turns so far. Answers that are not this solver's own are taken as they are."""
        key: tuple[object, ...] = (context.graph.document, context.graph.digest_of_document)
        so_far = self._read.setdefault(key, _SoFar(START, 1.0))
        for turn, (question, outcome) in enumerate(zip(given.questions, given.outcomes, strict=True)):
            key = (*key, question, outcome)
            if key not in self._read:
                told = State(given.questions[: turn + 1], given.outcomes[: turn + 1])
                self._read[key] = self._after(so_far, question, told, page)
                while len(self._read) > _TURNS:
                    self._read.popitem(last=False)
            so_far = self._read[key]
        return so_far

    def _choices(self, so_far: _SoFar, question: str, page: PageView) -> Choices:
        """The plans for a question. Those of the last question are kept: the next one asks for them again."""
        last = self._last
        if last is None or last[0] is not so_far or last[1] != question:
            choices = read_question_after(so_far.paths, question, page, self._weights)
            last = self._last = (so_far, question, choices)
        return last[2]

    def _after(self, so_far: _SoFar, question: str, told: State, page: PageView) -> _SoFar:
        choices = self._choices(so_far, question, page)
        if not choices.ranked or not same_answer(choices.ranked[0].outcome, told.outcomes[-1]):
            return _SoFar((Path(told),), so_far.share)
        _, share = next(distinct(choices))
        return _SoFar(go_on(choices, question), so_far.share * share)

    def page(self, graph: KnowledgeGraph) -> PageView:
        """Returns a page ready for questions; the last few are kept."""
        key = (graph.document, graph.digest_of_document)
        page = self._pages.pop(key, None) or page_view(leaf_table(graph), self._weights.idf)
        self._pages[key] = page
        while len(self._pages) > _PAGES:
            self._pages.popitem(last=False)
        return page


def _anew(state: State, given: State, plan: Plan) -> str | None:
    """Says which earlier questions are read otherwise than they were answered, where the plan rests on that."""
    if len(plan.extracts) == 0:
        return None
    turns = [str(turn + 1) for turn, same in enumerate(agreeing(state, given)) if not same]
    return f"reads question {' and '.join(turns)} otherwise than it was answered" if turns else None


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
    return EmbeddedSolver(load_weights(Folder(folder) if folder else None))
